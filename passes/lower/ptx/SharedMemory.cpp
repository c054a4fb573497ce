#include "passes/lower/ptx/SharedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace zyxc {

//===- Arithmetic ----------------------------------------------------------------------------===//

Value I32Math::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

Value I32Math::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}
Value I32Math::add(Value a, int64_t b) {
  return b == 0 ? a : add(a, constant(b));
}
Value I32Math::sub(Value a, Value b) {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}
Value I32Math::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}
Value I32Math::mul(Value a, int64_t b) {
  return b == 1 ? a : mul(a, constant(b));
}
Value I32Math::div(Value a, int64_t b) {
  return b == 1 ? a : builder.createOrFold<arith::DivUIOp>(loc, a, constant(b));
}
Value I32Math::rem(Value a, int64_t b) {
  return b == 1 ? constant(0) : builder.createOrFold<arith::RemUIOp>(loc, a, constant(b));
}
Value I32Math::bitAnd(Value a, int64_t b) {
  return builder.createOrFold<arith::AndIOp>(loc, a, constant(b));
}
Value I32Math::bitXor(Value a, Value b) {
  return builder.createOrFold<arith::XOrIOp>(loc, a, b);
}
Value I32Math::bitXor(Value a, int64_t b) {
  return b == 0 ? a : bitXor(a, constant(b));
}
Value I32Math::shiftLeft(Value a, int64_t by) {
  return by == 0 ? a : builder.createOrFold<arith::ShLIOp>(loc, a, constant(by));
}
Value I32Math::shiftRight(Value a, int64_t by) {
  return by == 0 ? a : builder.createOrFold<arith::ShRUIOp>(loc, a, constant(by));
}
Value I32Math::equal(Value a, int64_t b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a, constant(b));
}
Value I32Math::notEqual(Value a, int64_t b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, a, constant(b));
}
Value I32Math::less(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, a, b);
}
Value I32Math::less(Value a, int64_t b) {
  return less(a, constant(b));
}
Value I32Math::select(Value condition, Value a, Value b) {
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
}
Value I32Math::toIndex(Value a) {
  return builder.createOrFold<arith::IndexCastUIOp>(loc, builder.getIndexType(), a);
}
Value I32Math::fromIndex(Value a) {
  return builder.createOrFold<arith::IndexCastUIOp>(loc, builder.getI32Type(), a);
}
Value I32Math::toI64(Value a) {
  return builder.createOrFold<arith::ExtUIOp>(loc, builder.getI64Type(), a);
}

//===- Memory --------------------------------------------------------------------------------===//

static constexpr unsigned sharedSpace = 3;
static constexpr StringLiteral sharedName = "dynamic_shared";
/// What the 128-byte swizzle and its descriptors need.
static constexpr int64_t sharedAlignment = 1024;

Value dynamicSharedBase(OpBuilder &builder, Location loc) {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto module = isa<gpu::GPUModuleOp>(parent) ? cast<gpu::GPUModuleOp>(parent)
                                              : parent->getParentOfType<gpu::GPUModuleOp>();
  assert(module && "not inside of a gpu.module");
  auto global = module.lookupSymbol<LLVM::GlobalOp>(sharedName);
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    global =
        LLVM::GlobalOp::create(builder, loc, bytes, /*isConstant=*/false, LLVM::Linkage::External,
                               sharedName, Attribute(), sharedAlignment, sharedSpace);
  }
  Value pointer = LLVM::AddressOfOp::create(builder, loc, global);
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
}

Value sharedPointer(OpBuilder &builder, Location loc, Value address) {
  auto type = LLVM::LLVMPointerType::get(builder.getContext(), sharedSpace);
  return LLVM::IntToPtrOp::create(builder, loc, type, address);
}

Value loadShared(OpBuilder &builder, Location loc, Type type, Value address, unsigned alignment,
                 int32_t offset) {
  Value pointer = sharedPointer(builder, loc, address);
  if (offset != 0) {
    pointer = LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer,
                                  ArrayRef<LLVM::GEPArg>{offset});
  }
  return LLVM::LoadOp::create(builder, loc, type, pointer, alignment);
}

void storeShared(OpBuilder &builder, Location loc, Value value, Value address, unsigned alignment) {
  LLVM::StoreOp::create(builder, loc, value, sharedPointer(builder, loc, address), alignment);
}

//===- Descriptors ---------------------------------------------------------------------------===//

Value wgmmaDescriptor(OpBuilder &builder, Location loc, Value address, int64_t leadingBytes,
                      int64_t strideBytes) {
  I32Math math(builder, loc);
  constexpr int64_t addressBits = 0x3ffff;
  constexpr uint64_t swizzle128 = uint64_t(1) << 62;
  uint64_t fixed =
      swizzle128 | uint64_t(strideBytes / 16) << 32 | uint64_t(leadingBytes / 16) << 16;
  Value at = math.toI64(math.shiftRight(math.bitAnd(address, addressBits), 4));
  Value rest = arith::ConstantIntOp::create(builder, loc, static_cast<int64_t>(fixed), 64);
  return arith::OrIOp::create(builder, loc, at, rest);
}

Value advanceDescriptor(OpBuilder &builder, Location loc, Value descriptor, int64_t bytes) {
  assert(bytes % 16 == 0 && "descriptors count units of 16 bytes");
  if (bytes == 0) {
    return descriptor;
  }
  Value step = arith::ConstantIntOp::create(builder, loc, bytes / 16, 64);
  return arith::AddIOp::create(builder, loc, descriptor, step);
}

} // namespace zyxc
