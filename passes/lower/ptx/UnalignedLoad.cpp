#include "passes/lower/ptx/UnalignedLoad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/ptx/SharedMemory.h"

using namespace mlir;

namespace zyxc {

static constexpr int64_t vectorBytes = 16;
static constexpr int64_t wordBits = 32;
static constexpr int64_t elementBits = 16;
static constexpr int64_t words = vectorBytes * 8 / wordBits;

/// Elements of the memory in whole vectors.
static int64_t wholeElements(Value memory) {
  int64_t elements = cast<MemRefType>(memory.getType()).getNumElements();
  return elements / unalignedLanes * unalignedLanes;
}

Value isWithinVectors(OpBuilder &builder, Location loc, Value memory, Value index) {
  int64_t last = wholeElements(memory) - unalignedLanes;
  return I32Math(builder, loc).less(index, last + 1);
}

/// The words of the aligned vector at element `at`, moved inside the memory.
static SmallVector<Value> wordsAt(OpBuilder &builder, Location loc, Value memory, Value at) {
  I32Math math(builder, loc);
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  Value inside = arith::MinUIOp::create(builder, loc, at,
                                        math.constant(wholeElements(memory) - unalignedLanes));
  Value loaded = vector::LoadOp::create(builder, loc, VectorType::get({unalignedLanes}, element),
                                        memory, math.toIndex(inside),
                                        /*nontemporal=*/false, llvm::MaybeAlign(vectorBytes));
  auto type = VectorType::get({words}, builder.getI32Type());
  Value asWords = vector::BitCastOp::create(builder, loc, type, loaded);
  SmallVector<Value> result;
  for (int64_t i = 0; i < words; ++i) {
    result.push_back(vector::ExtractOp::create(builder, loc, asWords, i));
  }
  return result;
}

Value loadUnaligned(OpBuilder &builder, Location loc, Value memory, Value index) {
  auto type = cast<MemRefType>(memory.getType());
  assert(type.getElementType().getIntOrFloatBitWidth() == elementBits && "elements of 16 bits");
  auto result = VectorType::get({unalignedLanes}, type.getElementType());
  if (wholeElements(memory) < unalignedLanes) {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(result));
  }
  I32Math math(builder, loc);
  Value start = math.sub(index, math.bitAnd(index, unalignedLanes - 1));
  SmallVector<Value> window = wordsAt(builder, loc, memory, start);
  llvm::append_range(window, wordsAt(builder, loc, memory, math.add(start, unalignedLanes)));
  // Moves the window by four, two and one elements, as the index says.
  for (int64_t step : {2, 1}) { // words
    Value moves = math.notEqual(math.bitAnd(index, 2 * step), 0);
    size_t left = window.size() - step;
    for (size_t i = 0; i < left; ++i) {
      window[i] = math.select(moves, window[i + step], window[i]);
    }
    window.truncate(left);
  }
  Value bits = math.mul(math.bitAnd(index, 1), elementBits);
  SmallVector<Value> shifted;
  for (int64_t i = 0; i < words; ++i) {
    shifted.push_back(LLVM::FshrOp::create(builder, loc, window[i + 1], window[i], bits));
  }
  auto wordsType = VectorType::get({words}, builder.getI32Type());
  Value all = vector::FromElementsOp::create(builder, loc, wordsType, shifted);
  return vector::BitCastOp::create(builder, loc, result, all);
}

} // namespace zyxc
