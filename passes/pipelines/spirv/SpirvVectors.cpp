#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/pipelines/spirv/SpirvLanes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zyxc {

/// Number of lanes of one step along each axis of a vector.
static SmallVector<int64_t> laneStrides(VectorType type) {
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t axis = type.getRank() - 2; axis >= 0; --axis) {
    strides[axis] = strides[axis + 1] * type.getDimSize(axis + 1);
  }
  return strides;
}

/// The first lane of a sub-vector at a static position (of the leading axes).
static int64_t firstLane(VectorType type, ArrayRef<int64_t> position) {
  int64_t first = 0;
  for (auto [at, stride] : llvm::zip(position, laneStrides(type))) {
    first += at * stride;
  }
  return first;
}

LogicalResult LaneRewriter::rewriteVector(Operation *op) {
  auto forward = [&](Value from) {
    lanes[op->getResult(0)] = Lanes(lanesOf(from));
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::BroadcastOp broadcast) {
        // Trailing axes are those of the source; axes of extent 1 are stretched.
        Lanes source = lanesOf(broadcast.getSource());
        auto type = broadcast.getResultVectorType();
        auto from = dyn_cast<VectorType>(broadcast.getSourceType());
        Lanes result;
        for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
          int64_t at = 0;
          if (from) {
            int64_t lead = type.getRank() - from.getRank();
            SmallVector<int64_t> to = laneStrides(type), strides = laneStrides(from);
            for (int64_t axis = 0; axis < from.getRank(); ++axis) {
              int64_t index = lane / to[lead + axis] % type.getDimSize(lead + axis);
              at += from.getDimSize(axis) == 1 ? 0 : index * strides[axis];
            }
          }
          result.push_back(source[at]);
        }
        lanes[op->getResult(0)] = result;
        return success();
      })
      .Case([&](vector::ShapeCastOp cast) { return forward(cast.getSource()); })
      .Case<vector::FromElementsOp>([&](auto) {
        lanes[op->getResult(0)] = flatten(op->getOperands());
        return success();
      })
      .Case<vector::ToElementsOp>([&](auto) {
        take(op->getResults(), Lanes(lanesOf(op->getOperand(0))));
        return success();
      })
      .Case([&](vector::ShuffleOp shuffle) {
        auto type = shuffle.getV1VectorType();
        int64_t row = type.getRank() == 0 ? 1 : type.getNumElements() / type.getDimSize(0);
        Lanes both = flatten({shuffle.getV1(), shuffle.getV2()});
        Lanes result;
        for (int64_t index : shuffle.getMask()) {
          // A lane that nobody reads (-1) may hold anything.
          auto part = ArrayRef(both).slice(std::max<int64_t>(index, 0) * row, row);
          result.append(part.begin(), part.end());
        }
        lanes[op->getResult(0)] = result;
        return success();
      })
      .Case<vector::ExtractOp, vector::InsertOp>([&](Operation *) { return rewriteExtract(op); })
      .Case<vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp>(
          [&](Operation *) { return rewriteStrided(op); })
      .Case([&](vector::StepOp step) {
        Lanes result;
        for (int64_t i = 0; i < step.getType().getNumElements(); ++i) {
          result.push_back(arith::ConstantIndexOp::create(b, op->getLoc(), i));
        }
        lanes[op->getResult(0)] = result;
        return success();
      })
      .Case([&](vector::ReductionOp) { return rewriteReduction(op); })
      .Default([](Operation *other) { return other->emitError("not handled for Vulkan"); });
}

/// vector.extract and vector.insert. A dynamic position (one axis) is a chain of selects.
LogicalResult LaneRewriter::rewriteExtract(Operation *op) {
  Location loc = op->getLoc();
  auto extract = dyn_cast<vector::ExtractOp>(op);
  auto insert = dyn_cast<vector::InsertOp>(op);
  VectorType type = extract ? extract.getSourceVectorType() : insert.getDestVectorType();
  Lanes vector = lanesOf(extract ? extract.getSource() : insert.getDest());
  SmallVector<OpFoldResult> position =
      extract ? extract.getMixedPosition() : insert.getMixedPosition();
  Lanes part = insert ? Lanes(lanesOf(insert.getValueToStore())) : Lanes();
  SmallVector<int64_t> statics;
  Value dynamic;
  for (OpFoldResult at : position) {
    std::optional<int64_t> constant = getConstantIntValue(at);
    if (constant) {
      statics.push_back(*constant);
    } else if (type.getRank() == 1) {
      dynamic = scalarOf(cast<Value>(at));
    } else {
      return op->emitError("a dynamic position in a vector of several axes is not handled for "
                           "Vulkan");
    }
  }
  if (!dynamic) {
    int64_t first = firstLane(type, statics);
    if (extract) {
      unsigned count = isa<VectorType>(extract.getType())
                           ? cast<VectorType>(extract.getType()).getNumElements()
                           : 1;
      lanes[op->getResult(0)] = Lanes(ArrayRef(vector).slice(first, count));
    } else {
      llvm::copy(part, vector.begin() + first);
      lanes[op->getResult(0)] = vector;
    }
    return success();
  }
  Value found = vector[0];
  for (auto [i, lane] : llvm::enumerate(vector)) {
    Value index = arith::ConstantIndexOp::create(b, loc, i);
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, dynamic, index);
    if (extract) {
      found = arith::SelectOp::create(b, loc, isHere, lane, found);
    } else {
      vector[i] = arith::SelectOp::create(b, loc, isHere, part[0], lane);
    }
  }
  lanes[op->getResult(0)] = extract ? Lanes{found} : vector;
  return success();
}

LogicalResult LaneRewriter::rewriteStrided(Operation *op) {
  auto extract = dyn_cast<vector::ExtractStridedSliceOp>(op);
  auto insert = dyn_cast<vector::InsertStridedSliceOp>(op);
  VectorType whole = extract ? extract.getSourceVectorType() : insert.getDestVectorType();
  VectorType part = extract ? extract.getType() : insert.getSourceVectorType();
  ArrayAttr offsets = extract ? extract.getOffsets() : insert.getOffsets();
  if (whole.getRank() != part.getRank() ||
      (extract ? extract.hasNonUnitStrides() : insert.hasNonUnitStrides())) {
    return op->emitError("a slice with strides or fewer axes is not handled for Vulkan");
  }
  SmallVector<int64_t> inWhole = laneStrides(whole), inPart = laneStrides(part);
  Lanes vector = lanesOf(extract ? extract.getSource() : insert.getDest());
  Lanes piece = extract ? Lanes(part.getNumElements()) : Lanes(lanesOf(insert.getValueToStore()));
  for (int64_t lane = 0; lane < part.getNumElements(); ++lane) {
    int64_t at = 0;
    for (int64_t axis = 0; axis < part.getRank(); ++axis) {
      int64_t offset = axis < static_cast<int64_t>(offsets.size())
                           ? cast<IntegerAttr>(offsets[axis]).getInt()
                           : 0;
      at += (lane / inPart[axis] % part.getDimSize(axis) + offset) * inWhole[axis];
    }
    (extract ? piece[lane] : vector[at]) = extract ? vector[at] : piece[lane];
  }
  lanes[op->getResult(0)] = extract ? piece : vector;
  return success();
}

/// A reduction of all lanes, in their order, from the accumulator on.
LogicalResult LaneRewriter::rewriteReduction(Operation *op) {
  auto reduction = cast<vector::ReductionOp>(op);
  Location loc = op->getLoc();
  Type type = reduction.getType();
  bool isBf16 = type.isBF16();
  Lanes values;
  if (Value start = reduction.getAcc()) {
    values.push_back(scalarOf(start));
  }
  llvm::append_range(values, lanesOf(reduction.getVector()));
  auto wide = [&](Value lane) {
    return isBf16 ? widen(loc, lane, type) : lane;
  };
  Value result = wide(values[0]);
  for (Value lane : ArrayRef(values).drop_front()) {
    result = vector::makeArithReduction(b, loc, reduction.getKind(), result, wide(lane));
  }
  lanes[op->getResult(0)] = {isBf16 ? narrow(loc, result, type) : result};
  return success();
}

/// `value` of the subgroup's lane `source`, or of this lane xor `source`. SPIR-V 1.3 shuffles 32
/// bits everywhere; other widths go through them.
Value LaneRewriter::shuffleLane(Location loc, Value value, Value source, bool isXor) {
  Type type = value.getType();
  unsigned bits = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
  auto shuffle = [&](Value word) -> Value {
    if (isXor) {
      return spirv::GroupNonUniformShuffleXorOp::create(b, loc, spirv::Scope::Subgroup, word,
                                                        source);
    }
    return spirv::GroupNonUniformShuffleOp::create(b, loc, spirv::Scope::Subgroup, word, source);
  };
  if (type.isIndex()) {
    Value word = arith::IndexCastUIOp::create(b, loc, b.getI32Type(), value);
    return arith::IndexCastUIOp::create(b, loc, type, shuffle(word));
  }
  if (bits == 32) {
    return shuffle(value);
  }
  if (bits == 64) {
    Type pair = VectorType::get(2, b.getI32Type());
    Value words = spirv::BitcastOp::create(b, loc, pair, value);
    return spirv::BitcastOp::create(b, loc, type, shuffle(words));
  }
  Type narrowType = b.getIntegerType(bits);
  Value raw = type == narrowType ? value : arith::BitcastOp::create(b, loc, narrowType, value);
  raw = shuffle(arith::ExtUIOp::create(b, loc, b.getI32Type(), raw));
  raw = arith::TruncIOp::create(b, loc, narrowType, raw);
  return type == narrowType ? raw : arith::BitcastOp::create(b, loc, type, raw);
}

LogicalResult LaneRewriter::rewriteShuffle(gpu::ShuffleOp op) {
  Location loc = op.getLoc();
  APInt width;
  if (!matchPattern(op.getWidth(), m_ConstantInt(&width)) || !width.isPowerOf2() ||
      width.getZExtValue() > subgroupSize) {
    return op.emitError("a shuffle's width is a constant power of two of at most ")
           << subgroupSize << ", the device's subgroup size";
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  auto less = [&](Value left, Value right) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, left, right);
  };
  int64_t inside = width.getZExtValue() - 1;
  auto shuffleAll = [&](Value source, bool isXor, Value isValid) {
    Lanes result;
    for (Value value : Lanes(lanesOf(op.getValue()))) {
      result.push_back(shuffleLane(loc, value, source, isXor));
    }
    lanes[op.getShuffleResult()] = result;
    lanes[op.getValid()] = {isValid};
    return success();
  };
  APInt mask;
  if (op.getMode() == gpu::ShuffleMode::XOR && matchPattern(op.getOffset(), m_ConstantInt(&mask)) &&
      mask.ult(width)) {
    Value always = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    return shuffleAll(scalarOf(op.getOffset()), true, always);
  }
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  Value size = arith::ConstantIndexOp::create(b, loc, subgroupSize);
  Value id = arith::RemUIOp::create(b, loc, thread, size);
  Value lane = arith::IndexCastUIOp::create(b, loc, b.getI32Type(), id);
  Value offset = scalarOf(op.getOffset());
  Value first = arith::AndIOp::create(b, loc, lane, constant(~inside));
  Value source;
  switch (op.getMode()) {
  case gpu::ShuffleMode::XOR: source = arith::XOrIOp::create(b, loc, lane, offset); break;
  case gpu::ShuffleMode::UP: source = arith::SubIOp::create(b, loc, lane, offset); break;
  case gpu::ShuffleMode::DOWN: source = arith::AddIOp::create(b, loc, lane, offset); break;
  case gpu::ShuffleMode::IDX: source = arith::AddIOp::create(b, loc, first, offset); break;
  }
  // Outside the group of `width` lanes the result is any value: the lane's own.
  Value isValid = less(arith::SubIOp::create(b, loc, source, first), constant(inside + 1));
  source = arith::SelectOp::create(b, loc, isValid, source, lane);
  return shuffleAll(source, false, isValid);
}

} // namespace zyxc
