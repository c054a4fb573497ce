#include "passes/pipelines/GpuToNvvmMemory.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zyxc {

/// The address space of PTX for a memory space, if it has one.
static std::optional<unsigned> addressSpace(Attribute space) {
  if (!space) {
    return unsigned(NVVM::NVVMMemorySpace::Generic);
  }
  if (auto gpu = dyn_cast<gpu::AddressSpaceAttr>(space)) {
    switch (gpu.getValue()) {
    case gpu::AddressSpace::Global: return unsigned(NVVM::NVVMMemorySpace::Global);
    case gpu::AddressSpace::Workgroup: return unsigned(NVVM::NVVMMemorySpace::Shared);
    case gpu::AddressSpace::Private: return unsigned(NVVM::NVVMMemorySpace::Generic);
    default: return std::nullopt;
    }
  }
  if (auto number = dyn_cast<IntegerAttr>(space)) {
    return static_cast<unsigned>(number.getInt());
  }
  return std::nullopt;
}

void configureGpuMemory(LLVMTypeConverter &converter) {
  converter.addConversion([](MemRefType type) -> std::optional<Type> {
    std::optional<unsigned> space = addressSpace(type.getMemorySpace());
    if (!space) {
      return std::nullopt;
    }
    return LLVM::LLVMPointerType::get(type.getContext(), *space);
  });
}

/// Bytes of an element in memory.
static int64_t elementBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    return vector.getNumElements() * elementBytes(vector.getElementType());
  }
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

namespace {

/// A pattern of an operation that accesses or makes memrefs.
template <class Op> struct MemoryPattern : ConvertOpToLLVMPattern<Op> {
  explicit MemoryPattern(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern<Op>(converter, /*benefit=*/10) {}

  Value integer(OpBuilder &builder, Location loc, int64_t value) const {
    return LLVM::ConstantOp::create(builder, loc, this->getIndexType(),
                                    builder.getIntegerAttr(this->getIndexType(), value));
  }

  /// `base` moved by `bytes` (or elements of `type`).
  Value move(OpBuilder &builder, Location loc, Value base, Type type, Value offset) const {
    return LLVM::GEPOp::create(builder, loc, base.getType(), type, base,
                               ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
  }

  /// The address of an element; null if the strides are not known.
  Value address(OpBuilder &builder, Location loc, MemRefType type, Value base,
                ValueRange indices) const {
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (failed(type.getStridesAndOffset(strides, offset)) ||
        llvm::is_contained(strides, ShapedType::kDynamic)) {
      return {};
    }
    // A view's pointer is already at its offset.
    Value linear;
    constexpr auto nsw = LLVM::IntegerOverflowFlags::nsw;
    for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
      Value term = index;
      if (stride != 1) {
        term = LLVM::MulOp::create(builder, loc, index, integer(builder, loc, stride), nsw);
      }
      linear = linear ? Value(LLVM::AddOp::create(builder, loc, linear, term, nsw)) : term;
    }
    Type element = this->getTypeConverter()->convertType(type.getElementType());
    return linear ? move(builder, loc, base, element, linear) : base;
  }

  /// The alignment of an access of whole elements, unless `stated`.
  static unsigned alignment(std::optional<uint64_t> stated, Type element) {
    int64_t natural = isa<VectorType>(element)
                          ? elementBytes(cast<VectorType>(element).getElementType())
                          : elementBytes(element);
    return static_cast<unsigned>(stated.value_or(natural));
  }
};

template <class Op> struct LoadPattern : MemoryPattern<Op> {
  using MemoryPattern<Op>::MemoryPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value base;
    if constexpr (std::is_same_v<Op, vector::LoadOp>) {
      base = adaptor.getBase();
    } else {
      base = adaptor.getMemref();
    }
    MemRefType type = op.getMemRefType();
    Value pointer = this->address(rewriter, op.getLoc(), type, base, adaptor.getIndices());
    Type result = this->getTypeConverter()->convertType(op.getType());
    if (!pointer || !result) {
      return rewriter.notifyMatchFailure(op, "strides are not static");
    }
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(
        op, result, pointer, this->alignment(op.getAlignment(), type.getElementType()));
    return success();
  }
};

template <class Op> struct StorePattern : MemoryPattern<Op> {
  using MemoryPattern<Op>::MemoryPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value base, value;
    if constexpr (std::is_same_v<Op, vector::StoreOp>) {
      base = adaptor.getBase();
      value = adaptor.getValueToStore();
    } else {
      base = adaptor.getMemref();
      value = adaptor.getValue();
    }
    MemRefType type = op.getMemRefType();
    Value pointer = this->address(rewriter, op.getLoc(), type, base, adaptor.getIndices());
    if (!pointer) {
      return rewriter.notifyMatchFailure(op, "strides are not static");
    }
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(
        op, value, pointer, this->alignment(op.getAlignment(), type.getElementType()));
    return success();
  }
};

/// A memory update of all threads of the device, in no order.
struct AtomicPattern : MemoryPattern<memref::AtomicRMWOp> {
  using MemoryPattern::MemoryPattern;

  static std::optional<LLVM::AtomicBinOp> kind(arith::AtomicRMWKind kind) {
    switch (kind) {
    case arith::AtomicRMWKind::addi: return LLVM::AtomicBinOp::add;
    case arith::AtomicRMWKind::addf: return LLVM::AtomicBinOp::fadd;
    case arith::AtomicRMWKind::maxs: return LLVM::AtomicBinOp::max;
    case arith::AtomicRMWKind::maxu: return LLVM::AtomicBinOp::umax;
    case arith::AtomicRMWKind::mins: return LLVM::AtomicBinOp::min;
    case arith::AtomicRMWKind::minu: return LLVM::AtomicBinOp::umin;
    case arith::AtomicRMWKind::ori: return LLVM::AtomicBinOp::_or;
    case arith::AtomicRMWKind::andi: return LLVM::AtomicBinOp::_and;
    case arith::AtomicRMWKind::assign: return LLVM::AtomicBinOp::xchg;
    default: return std::nullopt;
    }
  }

  LogicalResult matchAndRewrite(memref::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto update = kind(op.getKind());
    Value pointer = address(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getMemref(),
                            adaptor.getIndices());
    if (!update || !pointer) {
      return rewriter.notifyMatchFailure(op, "no such update");
    }
    rewriter.replaceOpWithNewOp<LLVM::AtomicRMWOp>(op, *update, pointer, adaptor.getValue(),
                                                   LLVM::AtomicOrdering::monotonic, "device");
    return success();
  }
};

/// Workgroup memory of a static shape is a global of the module.
struct AllocPattern : MemoryPattern<memref::AllocOp> {
  using MemoryPattern::MemoryPattern;

  LogicalResult matchAndRewrite(memref::AllocOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getType();
    constexpr unsigned shared = unsigned(NVVM::NVVMMemorySpace::Shared);
    if (addressSpace(type.getMemorySpace()) != shared || !type.hasStaticShape() ||
        !type.getLayout().isIdentity()) {
      return rewriter.notifyMatchFailure(op, "not workgroup memory of a static shape");
    }
    auto module = op->getParentOfType<gpu::GPUModuleOp>();
    std::string name;
    for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i) {
      name = "shared" + std::to_string(i);
    }
    LLVM::GlobalOp global;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      auto array = LLVM::LLVMArrayType::get(getTypeConverter()->convertType(type.getElementType()),
                                            type.getNumElements());
      constexpr uint64_t least = 16;
      global = LLVM::GlobalOp::create(rewriter, op.getLoc(), array, /*isConstant=*/false,
                                      LLVM::Linkage::Internal, name, /*value=*/Attribute(),
                                      std::max(least, op.getAlignment().value_or(least)), shared);
    }
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, global);
    return success();
  }
};

/// Memory of one thread: kept in registers if all indices become constants, else on the stack.
struct AllocaPattern : MemoryPattern<memref::AllocaOp> {
  using MemoryPattern::MemoryPattern;

  LogicalResult matchAndRewrite(memref::AllocaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getType();
    if (addressSpace(type.getMemorySpace()) != unsigned(NVVM::NVVMMemorySpace::Generic) ||
        !type.hasStaticShape() || !type.getLayout().isIdentity()) {
      return rewriter.notifyMatchFailure(op, "not a thread's memory of a static shape");
    }
    auto pointer = LLVM::LLVMPointerType::get(getContext());
    rewriter.replaceOpWithNewOp<LLVM::AllocaOp>(
        op, pointer, getTypeConverter()->convertType(type.getElementType()),
        integer(rewriter, op.getLoc(), type.getNumElements()), op.getAlignment().value_or(16));
    return success();
  }
};

struct DynamicSharedPattern : MemoryPattern<gpu::DynamicSharedMemoryOp> {
  using MemoryPattern::MemoryPattern;

  LogicalResult matchAndRewrite(gpu::DynamicSharedMemoryOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    constexpr StringLiteral name = "dynamic_shared";
    constexpr uint64_t alignment = 1024; // of tiles that tensor maps swizzle
    auto module = op->getParentOfType<gpu::GPUModuleOp>();
    auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
    if (!global) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      auto array = LLVM::LLVMArrayType::get(rewriter.getI8Type(), 0);
      global = LLVM::GlobalOp::create(rewriter, op.getLoc(), array, /*isConstant=*/false,
                                      LLVM::Linkage::External, name, /*value=*/Attribute(),
                                      alignment, unsigned(NVVM::NVVMMemorySpace::Shared));
    }
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, global);
    return success();
  }
};

struct ViewPattern : MemoryPattern<memref::ViewOp> {
  using MemoryPattern::MemoryPattern;

  LogicalResult matchAndRewrite(memref::ViewOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().hasStaticShape()) {
      return rewriter.notifyMatchFailure(op, "sizes are not static");
    }
    rewriter.replaceOp(op, move(rewriter, op.getLoc(), adaptor.getSource(), rewriter.getI8Type(),
                                adaptor.getByteShift()));
    return success();
  }
};

/// Offsets of subview and reinterpret_cast: a constant, a value, or a linear form of both.
template <class Op> struct OffsetPattern : MemoryPattern<Op> {
  using MemoryPattern<Op>::MemoryPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto source = cast<MemRefType>(op.getSource().getType());
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if constexpr (std::is_same_v<Op, memref::SubViewOp>) {
      if (failed(source.getStridesAndOffset(strides, offset)) ||
          llvm::is_contained(strides, ShapedType::kDynamic)) {
        return rewriter.notifyMatchFailure(op, "strides are not static");
      }
    } else {
      strides = {1};
      if (!source.getLayout().isIdentity()) {
        return rewriter.notifyMatchFailure(op, "its source is a view already");
      }
    }
    constexpr auto nsw = LLVM::IntegerOverflowFlags::nsw;
    Location loc = op.getLoc();
    Value linear = this->integer(rewriter, loc, 0);
    auto values = adaptor.getOffsets();
    unsigned next = 0;
    for (auto [fixed, stride] : llvm::zip_equal(op.getStaticOffsets(), strides)) {
      Value term = ShapedType::isDynamic(fixed) ? Value(values[next++])
                                                : this->integer(rewriter, loc, fixed);
      term = LLVM::MulOp::create(rewriter, loc, term, this->integer(rewriter, loc, stride), nsw);
      linear = LLVM::AddOp::create(rewriter, loc, linear, term, nsw);
    }
    Type element = this->getTypeConverter()->convertType(source.getElementType());
    rewriter.replaceOp(op, this->move(rewriter, loc, adaptor.getSource(), element, linear));
    return success();
  }
};

/// What only changes the type.
template <class Op> struct SameAddressPattern : MemoryPattern<Op> {
  using MemoryPattern<Op>::MemoryPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value source = adaptor.getOperands().front();
    Type wanted = this->getTypeConverter()->convertType(op->getResult(0).getType());
    if (wanted != source.getType()) {
      return rewriter.notifyMatchFailure(op, "changes the memory space");
    }
    rewriter.replaceOp(op, source);
    return success();
  }
};

/// The address of a memref as an integer.
struct AddressPattern : MemoryPattern<memref::ExtractAlignedPointerAsIndexOp> {
  using MemoryPattern::MemoryPattern;

  LogicalResult matchAndRewrite(memref::ExtractAlignedPointerAsIndexOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto pointer = cast<LLVM::LLVMPointerType>(adaptor.getSource().getType());
    bool isNarrow = getIndexType().getIntOrFloatBitWidth() < 64;
    bool onlyCast = llvm::all_of(op->getUsers(), [](Operation *user) {
      return isa<arith::IndexCastOp, arith::IndexCastUIOp>(user);
    });
    if (isNarrow && pointer.getAddressSpace() != unsigned(NVVM::NVVMMemorySpace::Shared) &&
        !onlyCast) {
      return rewriter.notifyMatchFailure(op, "an index is too narrow for the address");
    }
    rewriter.replaceOpWithNewOp<LLVM::PtrToIntOp>(op, getIndexType(), adaptor.getSource());
    return success();
  }
};

/// An address cast to an integer type, without the detour through an index, which may be narrower.
template <class Op> struct AddressCastPattern : MemoryPattern<Op> {
  using MemoryPattern<Op>::MemoryPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto extract = op.getIn().template getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>();
    if (!extract) {
      return failure();
    }
    Value pointer = rewriter.getRemappedValue(extract.getSource());
    if (!pointer) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<LLVM::PtrToIntOp>(op, op.getType(), pointer);
    return success();
  }
};

} // namespace

void populateGpuMemoryPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns
      .add<LoadPattern<memref::LoadOp>, LoadPattern<vector::LoadOp>, StorePattern<memref::StoreOp>,
           StorePattern<vector::StoreOp>, AtomicPattern, AllocPattern, AllocaPattern,
           DynamicSharedPattern, ViewPattern, OffsetPattern<memref::SubViewOp>,
           OffsetPattern<memref::ReinterpretCastOp>, SameAddressPattern<memref::CastOp>,
           SameAddressPattern<memref::CollapseShapeOp>, SameAddressPattern<memref::ExpandShapeOp>,
           SameAddressPattern<memref::AssumeAlignmentOp>, AddressPattern,
           AddressCastPattern<arith::IndexCastOp>, AddressCastPattern<arith::IndexCastUIOp>>(
          converter);
}

} // namespace zyxc
