#include "passes/pipelines/spirv/SpirvMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zyxc {

Type laneType(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() ? IntegerType::get(type.getContext(), 16) : element;
}

/// The type that a lane has in memory.
static Type storedType(Type element) {
  Type lane = laneType(element);
  return lane.isInteger(1) ? IntegerType::get(lane.getContext(), 8) : lane;
}

static unsigned bytesOf(Type stored) {
  return stored.getIntOrFloatBitWidth() / 8;
}

/// `lanes` scalars of a type as one SPIR-V value's type.
static Type groupType(Type element, unsigned lanes) {
  return lanes == 1 ? element : VectorType::get(lanes, element);
}

/// Number of lanes of a value's type.
static unsigned lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

static Value constantInt(OpBuilder &b, Location loc, Type type, uint64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

/// The alignment in bytes that an access states, or that of one element.
static uint64_t alignmentOf(Operation *op, unsigned elementBytes) {
  auto attr = op->getAttrOfType<IntegerAttr>("alignment");
  return attr ? std::max<uint64_t>(attr.getInt(), elementBytes) : elementBytes;
}

LogicalResult SpirvMemory::bindPorts(OpBuilder &b, gpu::GPUFuncOp function) {
  unsigned count = function.getNumArguments();
  Location loc = function.getLoc();
  for (BlockArgument argument : function.getArguments()) {
    auto memref = dyn_cast<MemRefType>(argument.getType());
    if (!memref || !memref.hasStaticShape() || !memref.getLayout().isIdentity()) {
      return function.emitError("argument of type ")
             << argument.getType() << ": a Vulkan kernel takes static memrefs of identity layout";
    }
  }
  if (count == 0) {
    return success();
  }
  bool hasTable = count > maxSpirvArguments;
  unsigned constants = hasTable ? 1 : count;
  SmallVector<Type> types(constants, b.getI64Type());
  SmallVector<spirv::StructType::OffsetInfo> offsets;
  for (unsigned i = 0; i < constants; ++i) {
    offsets.push_back(8 * i);
  }
  auto type = spirv::PointerType::get(spirv::StructType::get(types, offsets),
                                      spirv::StorageClass::PushConstant);
  std::string name = (function.getName() + "_arguments").str();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    spirv::GlobalVariableOp::create(b, loc, TypeAttr::get(type), b.getStringAttr(name),
                                    FlatSymbolRefAttr());
  }
  Value block = spirv::AddressOfOp::create(b, loc, type, name);
  Lanes addresses;
  for (unsigned i = 0; i < constants; ++i) {
    Value index = spirv::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(i));
    Value pointer = spirv::AccessChainOp::create(b, loc, block, index);
    addresses.push_back(spirv::LoadOp::create(b, loc, pointer));
  }
  if (hasTable) {
    Value table = addresses.pop_back_val();
    for (unsigned i = 0; i < count; ++i) {
      loadPiece(b, loc, table, b.getI64Type(), {i, 1, 8, false}, addresses);
    }
  }
  for (auto [argument, address] : llvm::zip(function.getArguments(), addresses)) {
    places[argument] = {address, true, 1};
  }
  return success();
}

/// The most elements (1, 2 or 4) in which all accesses of a variable can be cut, none of them
/// crossing an item, where at least one access uses them all.
static unsigned groupOf(Value memref, unsigned elementBytes) {
  auto type = cast<MemRefType>(memref.getType());
  unsigned group = 1;
  for (Operation *user : memref.getUsers()) {
    VectorType vector;
    if (auto load = dyn_cast<vector::LoadOp>(user)) {
      vector = load.getVectorType();
    } else if (auto store = dyn_cast<vector::StoreOp>(user)) {
      vector = store.getVectorType();
    } else {
      continue;
    }
    for (unsigned lanes : {4u, 2u}) {
      if (vector.getNumElements() % lanes == 0 && type.getNumElements() % lanes == 0 &&
          alignmentOf(user, elementBytes) >= lanes * elementBytes) {
        group = std::max(group, lanes);
        break;
      }
    }
  }
  return group;
}

LogicalResult SpirvMemory::allocate(OpBuilder &b, Operation *op, StringRef function) {
  Value memref = op->getResult(0);
  auto type = cast<MemRefType>(memref.getType());
  Location loc = op->getLoc();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() || type.getNumElements() == 0) {
    return op->emitError("memory of a Vulkan kernel has a static shape, identity layout and at "
                         "least one element");
  }
  bool isWorkgroup = isa<memref::AllocOp>(op);
  Type stored = storedType(type.getElementType());
  unsigned group = groupOf(memref, bytesOf(stored));
  auto array = spirv::ArrayType::get(groupType(stored, group), type.getNumElements() / group);
  auto pointer = spirv::PointerType::get(array, isWorkgroup ? spirv::StorageClass::Workgroup
                                                            : spirv::StorageClass::Function);
  if (isWorkgroup) {
    std::string name = (function + "_shared" + Twine(places.size())).str();
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      spirv::GlobalVariableOp::create(b, loc, TypeAttr::get(pointer), b.getStringAttr(name),
                                      FlatSymbolRefAttr());
    }
    places[memref] = {spirv::AddressOfOp::create(b, loc, pointer, name), false, group};
    return success();
  }
  Block *entry = b.getInsertionBlock();
  while (!isa<gpu::GPUFuncOp>(entry->getParentOp())) {
    entry = entry->getParentOp()->getBlock();
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  auto variable =
      spirv::VariableOp::create(b, loc, pointer, spirv::StorageClass::Function, Value());
  places[memref] = {variable, false, group};
  return success();
}

FailureOr<SpirvMemory::Place> SpirvMemory::place(Operation *op, Value memref) const {
  auto found = places.find(memref);
  if (found == places.end()) {
    return op->emitError("its memory is not a port, memref.alloc or memref.alloca: not handled for "
                         "Vulkan");
  }
  return found->second;
}

LogicalResult SpirvMemory::view(OpBuilder &b, memref::ViewOp op, Value byteShift) {
  FailureOr<Place> source = place(op, op.getSource());
  if (failed(source)) {
    return failure();
  }
  if (!source->isGlobal) {
    return op->emitError("views of workgroup memory are not handled for Vulkan");
  }
  places[op.getResult()] = {address(b, op.getLoc(), *source, byteShift, 1), true, 1};
  return success();
}

Value SpirvMemory::linearIndex(OpBuilder &b, Location loc, Value memref, ValueRange indices) const {
  auto type = cast<MemRefType>(memref.getType());
  Value index;
  for (auto [extent, i] : llvm::zip(type.getShape(), indices)) {
    if (index) {
      Value scale = arith::ConstantIndexOp::create(b, loc, extent);
      index = arith::MulIOp::create(b, loc, index, scale);
      index = arith::AddIOp::create(b, loc, index, i);
    } else {
      index = i;
    }
  }
  return index ? index : arith::ConstantIndexOp::create(b, loc, 0).getResult();
}

Value SpirvMemory::address(OpBuilder &b, Location loc, const Place &place, Value index,
                           unsigned elementBytes) const {
  // With 32-bit indices all offsets are below 2^31 bytes, so the product cannot wrap.
  Type type = wideIndex ? b.getI64Type() : b.getI32Type();
  Value offset = arith::IndexCastUIOp::create(b, loc, type, index);
  offset = arith::MulIOp::create(b, loc, offset, constantInt(b, loc, type, elementBytes));
  if (!wideIndex) {
    offset = arith::ExtUIOp::create(b, loc, b.getI64Type(), offset);
  }
  return arith::AddIOp::create(b, loc, place.base, offset);
}

/// Cuts an access of `lanes` elements into memory operations of at most 4 components and 16 bytes.
template <class Piece>
static SmallVector<Piece> cutAccess(unsigned lanes, unsigned elementBytes, uint64_t alignment) {
  SmallVector<Piece> pieces;
  for (unsigned lane = 0; lane < lanes;) {
    uint64_t offset = uint64_t(lane) * elementBytes;
    uint64_t aligned = offset == 0 ? alignment : std::min(alignment, offset & (~offset + 1));
    unsigned rest = lanes - lane;
    // Words of 32 bits: 4, 2 or 1 of them, as many as are aligned and wanted.
    unsigned perWord = elementBytes < 4 ? 4 / elementBytes : 0;
    if (perWord && aligned >= 4 && rest >= perWord) {
      unsigned words = llvm::bit_floor(std::min<unsigned>(4, rest / perWord));
      pieces.push_back({lane, words * perWord, aligned, true});
    } else {
      unsigned most = std::min<unsigned>(4, std::max<unsigned>(1, 16 / elementBytes));
      pieces.push_back({lane, llvm::bit_floor(std::min(most, rest)), aligned, false});
    }
    lane += pieces.back().lanes;
  }
  return pieces;
}

/// A pointer to `type` at `address` moved by `offset` bytes.
static Value pointerAt(OpBuilder &b, Location loc, Value address, uint64_t offset, Type type) {
  if (offset != 0) {
    address = arith::AddIOp::create(b, loc, address, constantInt(b, loc, b.getI64Type(), offset));
  }
  auto pointer = spirv::PointerType::get(type, spirv::StorageClass::PhysicalStorageBuffer);
  return spirv::ConvertUToPtrOp::create(b, loc, pointer, address);
}

/// Splits a value of vector type into its components.
static void extractAll(OpBuilder &b, Location loc, Value value, Lanes &lanes) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector) {
    lanes.push_back(value);
    return;
  }
  for (int32_t i = 0; i < vector.getNumElements(); ++i) {
    lanes.push_back(spirv::CompositeExtractOp::create(b, loc, value, ArrayRef<int32_t>{i}));
  }
}

static Value construct(OpBuilder &b, Location loc, ValueRange lanes) {
  if (lanes.size() == 1) {
    return lanes[0];
  }
  auto type = VectorType::get(lanes.size(), lanes[0].getType());
  return spirv::CompositeConstructOp::create(b, loc, type, lanes);
}

void SpirvMemory::loadPiece(OpBuilder &b, Location loc, Value address, Type stored,
                            const Piece &piece, Lanes &lanes) const {
  auto aligned = spirv::MemoryAccessAttr::get(b.getContext(), spirv::MemoryAccess::Aligned);
  auto alignment = b.getI32IntegerAttr(std::min<uint64_t>(piece.alignment, 16));
  unsigned bytes = bytesOf(stored);
  unsigned perWord = piece.asWords ? 4 / bytes : 1;
  Type type = groupType(piece.asWords ? b.getI32Type() : stored, piece.lanes / perWord);
  Value pointer = pointerAt(b, loc, address, uint64_t(piece.lane) * bytes, type);
  Value loaded = spirv::LoadOp::create(b, loc, pointer, aligned, alignment);
  if (!piece.asWords) {
    extractAll(b, loc, loaded, lanes);
    return;
  }
  Lanes words;
  extractAll(b, loc, loaded, words);
  for (Value word : words) {
    extractAll(b, loc, spirv::BitcastOp::create(b, loc, groupType(stored, perWord), word), lanes);
  }
}

void SpirvMemory::storePiece(OpBuilder &b, Location loc, Value address, Type stored,
                             const Piece &piece, ValueRange lanes) const {
  auto aligned = spirv::MemoryAccessAttr::get(b.getContext(), spirv::MemoryAccess::Aligned);
  auto alignment = b.getI32IntegerAttr(std::min<uint64_t>(piece.alignment, 16));
  unsigned bytes = bytesOf(stored);
  ValueRange part = lanes.slice(piece.lane, piece.lanes);
  Value value;
  if (piece.asWords) {
    unsigned perWord = 4 / bytes;
    Lanes words;
    for (unsigned i = 0; i < piece.lanes; i += perWord) {
      Value word = construct(b, loc, part.slice(i, perWord));
      words.push_back(spirv::BitcastOp::create(b, loc, b.getI32Type(), word));
    }
    value = construct(b, loc, words);
  } else {
    value = construct(b, loc, part);
  }
  Value pointer = pointerAt(b, loc, address, uint64_t(piece.lane) * bytes, value.getType());
  spirv::StoreOp::create(b, loc, pointer, value, aligned, alignment);
}

Value SpirvMemory::itemPointer(OpBuilder &b, Location loc, const Place &place, Value index,
                               unsigned lane, unsigned lanes) const {
  Type i32 = b.getI32Type();
  Value at = arith::IndexCastUIOp::create(b, loc, i32, index);
  if (lane != 0) {
    at = arith::AddIOp::create(b, loc, at, constantInt(b, loc, i32, lane));
  }
  if (place.group == 1) {
    return spirv::AccessChainOp::create(b, loc, place.base, ValueRange{at});
  }
  Value shift = constantInt(b, loc, i32, llvm::Log2_32(place.group));
  Value item = arith::ShRUIOp::create(b, loc, at, shift);
  if (lanes == place.group) {
    return spirv::AccessChainOp::create(b, loc, place.base, ValueRange{item});
  }
  Value component = arith::AndIOp::create(b, loc, at, constantInt(b, loc, i32, place.group - 1));
  return spirv::AccessChainOp::create(b, loc, place.base, ValueRange{item, component});
}

FailureOr<Lanes> SpirvMemory::load(OpBuilder &b, Operation *op, Value memref, ValueRange indices) {
  FailureOr<Place> at = place(op, memref);
  if (failed(at)) {
    return failure();
  }
  Location loc = op->getLoc();
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Type stored = storedType(element);
  unsigned bytes = bytesOf(stored);
  unsigned count = lanesOf(op->getResult(0).getType());
  uint64_t alignment = alignmentOf(op, bytes);
  Value index = linearIndex(b, loc, memref, indices);
  Lanes lanes;
  if (at->isGlobal) {
    Value first = address(b, loc, *at, index, bytes);
    for (const Piece &piece : cutAccess<Piece>(count, bytes, alignment)) {
      loadPiece(b, loc, first, stored, piece, lanes);
    }
  } else {
    bool whole = count % at->group == 0 && alignment >= uint64_t(at->group) * bytes;
    unsigned step = whole ? at->group : 1;
    for (unsigned lane = 0; lane < count; lane += step) {
      Value pointer = itemPointer(b, loc, *at, index, lane, step);
      extractAll(b, loc, spirv::LoadOp::create(b, loc, pointer), lanes);
    }
  }
  if (element.isInteger(1)) {
    for (Value &lane : lanes) {
      lane = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, lane,
                                   constantInt(b, loc, stored, 0));
    }
  }
  return lanes;
}

LogicalResult SpirvMemory::store(OpBuilder &b, Operation *op, Value memref, ValueRange indices,
                                 ValueRange values) {
  FailureOr<Place> at = place(op, memref);
  if (failed(at)) {
    return failure();
  }
  Location loc = op->getLoc();
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Type stored = storedType(element);
  unsigned bytes = bytesOf(stored);
  unsigned count = values.size();
  uint64_t alignment = alignmentOf(op, bytes);
  Value index = linearIndex(b, loc, memref, indices);
  Lanes lanes(values.begin(), values.end());
  if (element.isInteger(1)) {
    for (Value &lane : lanes) {
      lane = arith::ExtUIOp::create(b, loc, stored, lane);
    }
  }
  if (at->isGlobal) {
    Value first = address(b, loc, *at, index, bytes);
    for (const Piece &piece : cutAccess<Piece>(count, bytes, alignment)) {
      storePiece(b, loc, first, stored, piece, lanes);
    }
    return success();
  }
  bool whole = count % at->group == 0 && alignment >= uint64_t(at->group) * bytes;
  unsigned step = whole ? at->group : 1;
  for (unsigned lane = 0; lane < count; lane += step) {
    Value pointer = itemPointer(b, loc, *at, index, lane, step);
    Value value = construct(b, loc, ValueRange(lanes).slice(lane, step));
    spirv::StoreOp::create(b, loc, pointer, value);
  }
  return success();
}

FailureOr<Value> SpirvMemory::elementPointer(OpBuilder &b, Operation *op, Value memref,
                                             ValueRange indices) {
  FailureOr<Place> at = place(op, memref);
  if (failed(at)) {
    return failure();
  }
  Location loc = op->getLoc();
  Type stored = storedType(cast<MemRefType>(memref.getType()).getElementType());
  Value index = linearIndex(b, loc, memref, indices);
  if (!at->isGlobal) {
    return itemPointer(b, loc, *at, index, 0, 1);
  }
  return pointerAt(b, loc, address(b, loc, *at, index, bytesOf(stored)), 0, stored);
}

} // namespace zyxc
