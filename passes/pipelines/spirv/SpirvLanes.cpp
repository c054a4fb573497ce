#include "passes/pipelines/spirv/SpirvLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zyxc {

static unsigned countLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

const Lanes &LaneRewriter::lanesOf(Value value) {
  auto found = lanes.find(value);
  assert(found != lanes.end() && "operands are rewritten before their uses");
  return found->second;
}

Lanes LaneRewriter::scalarsOf(ValueRange values) {
  Lanes result;
  for (Value value : values) {
    result.push_back(scalarOf(value));
  }
  return result;
}

Lanes LaneRewriter::flatten(ValueRange values) {
  Lanes result;
  for (Value value : values) {
    llvm::append_range(result, lanesOf(value));
  }
  return result;
}

/// Gives the values `from` the consecutive scalars `to`.
void LaneRewriter::take(ValueRange from, ValueRange to) {
  for (Value value : from) {
    unsigned count = countLanes(value.getType());
    lanes[value] = Lanes(to.take_front(count));
    to = to.drop_front(count);
  }
  assert(to.empty() && "as many scalars as lanes");
}

static SmallVector<Type> flatTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types) {
    result.append(countLanes(type), laneType(type));
  }
  return result;
}

LogicalResult LaneRewriter::run(gpu::GPUFuncOp function) {
  name = function.getName();
  threads = function.getKnownBlockSize() ? function.getKnownBlockSize()->front() : 1;
  if (!function.getBody().hasOneBlock()) {
    return function.emitError("a GPU function for Vulkan has structured control flow only");
  }
  b.setInsertionPoint(function);
  auto rewritten = gpu::GPUFuncOp::create(b, function.getLoc(), name, b.getFunctionType({}, {}));
  for (NamedAttribute attribute : function->getDiscardableAttrs()) {
    rewritten->setDiscardableAttr(attribute.getName(), attribute.getValue());
  }
  rewritten.setKnownBlockSizeAttr(function.getKnownBlockSizeAttr());
  rewritten->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(&rewritten.getBody().front());
  if (failed(memory.bindPorts(b, function)) || failed(rewriteBody(function.getBody().front()))) {
    return failure();
  }
  function.erase();
  return success();
}

LogicalResult LaneRewriter::rewriteBody(Block &block) {
  for (Operation &op : block) {
    if (failed(rewrite(&op))) {
      return failure();
    }
  }
  return success();
}

LogicalResult LaneRewriter::rewrite(Operation *op) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return rewriteFor(loop); })
      .Case([&](scf::IfOp branch) { return rewriteIf(branch); })
      .Case([&](scf::WhileOp loop) { return rewriteWhile(loop); })
      .Case([&](scf::YieldOp) {
        scf::YieldOp::create(b, loc, flatten(op->getOperands()));
        return success();
      })
      .Case([&](scf::ConditionOp condition) {
        scf::ConditionOp::create(b, loc, scalarOf(condition.getCondition()),
                                 flatten(condition.getArgs()));
        return success();
      })
      .Case([&](gpu::ReturnOp) {
        gpu::ReturnOp::create(b, loc);
        return success();
      })
      .Case([&](gpu::BarrierOp) {
        // Like CUDA's: global memory is ordered within the workgroup too.
        spirv::ControlBarrierOp::create(b, loc, spirv::Scope::Workgroup, spirv::Scope::Workgroup,
                                        spirv::MemorySemantics::AcquireRelease |
                                            spirv::MemorySemantics::WorkgroupMemory |
                                            spirv::MemorySemantics::UniformMemory);
        return success();
      })
      .Case([&](gpu::ShuffleOp shuffle) { return rewriteShuffle(shuffle); })
      .Case<gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::SubgroupSizeOp, gpu::NumSubgroupsOp>(
          [&](Operation *id) { return rewriteSubgroupId(id); })
      .Case([&](arith::ConstantOp constant) { return rewriteConstant(op, constant.getValue()); })
      .Case([&](ub::PoisonOp) {
        // Any value will do; zero needs no undefined value in SPIR-V.
        return rewriteConstant(op, b.getZeroAttr(op->getResult(0).getType()));
      })
      .Default([&](Operation *) -> LogicalResult {
        StringRef dialect = op->getDialect()->getNamespace();
        if (dialect == memref::MemRefDialect::getDialectNamespace() ||
            isa<vector::LoadOp, vector::StoreOp>(op)) {
          return rewriteMemory(op);
        }
        if (dialect == vector::VectorDialect::getDialectNamespace()) {
          return rewriteVector(op);
        }
        return rewriteElementwise(op);
      });
}

/// A thread's place among subgroups follows from its place in the workgroup, as drivers of kernels
/// assume as well: so no built-in variable is asked.
LogicalResult LaneRewriter::rewriteSubgroupId(Operation *op) {
  Location loc = op->getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value size = constant(subgroupSize);
  Value result = size;
  if (isa<gpu::NumSubgroupsOp>(op)) {
    result = constant(llvm::divideCeil(threads, subgroupSize));
  } else if (isa<gpu::LaneIdOp, gpu::SubgroupIdOp>(op)) {
    Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
    result = isa<gpu::LaneIdOp>(op) ? arith::RemUIOp::create(b, loc, thread, size).getResult()
                                    : arith::DivUIOp::create(b, loc, thread, size).getResult();
  }
  lanes[op->getResult(0)] = {result};
  return success();
}

/// Rewrites a region whose block arguments have been mapped.
LogicalResult LaneRewriter::rewriteRegion(Region &from, Region &to) {
  OpBuilder::InsertionGuard guard(b);
  Block &source = from.front();
  if (to.empty()) {
    b.createBlock(&to);
  }
  b.setInsertionPointToEnd(&to.front());
  return rewriteBody(source);
}

LogicalResult LaneRewriter::rewriteFor(scf::ForOp op) {
  Lanes inits = flatten(op.getInitArgs());
  auto loop = scf::ForOp::create(b, op.getLoc(), scalarOf(op.getLowerBound()),
                                 scalarOf(op.getUpperBound()), scalarOf(op.getStep()), inits,
                                 [](OpBuilder &, Location, Value, ValueRange) {});
  lanes[op.getInductionVar()] = {loop.getInductionVar()};
  take(op.getRegionIterArgs(), loop.getRegionIterArgs());
  if (failed(rewriteRegion(op.getRegion(), loop.getRegion()))) {
    return failure();
  }
  take(op.getResults(), loop.getResults());
  return success();
}

LogicalResult LaneRewriter::rewriteIf(scf::IfOp op) {
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, op.getLoc(), flatTypes(op.getResultTypes()),
                                  scalarOf(op.getCondition()), hasElse);
  // The builder adds terminators to regions without results.
  branch.getThenRegion().front().clear();
  if (failed(rewriteRegion(op.getThenRegion(), branch.getThenRegion()))) {
    return failure();
  }
  if (hasElse) {
    branch.getElseRegion().front().clear();
    if (failed(rewriteRegion(op.getElseRegion(), branch.getElseRegion()))) {
      return failure();
    }
  }
  take(op.getResults(), branch.getResults());
  return success();
}

LogicalResult LaneRewriter::rewriteWhile(scf::WhileOp op) {
  Lanes inits = flatten(op.getInits());
  auto loop = scf::WhileOp::create(b, op.getLoc(), flatTypes(op.getResultTypes()), inits);
  auto rewriteHalf = [&](Region &from, Region &to) {
    SmallVector<Type> types = flatTypes(from.front().getArgumentTypes());
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&to, {}, types, SmallVector<Location>(types.size(), op.getLoc()));
    take(from.front().getArguments(), block->getArguments());
    return rewriteRegion(from, to);
  };
  if (failed(rewriteHalf(op.getBefore(), loop.getBefore())) ||
      failed(rewriteHalf(op.getAfter(), loop.getAfter()))) {
    return failure();
  }
  take(op.getResults(), loop.getResults());
  return success();
}

LogicalResult LaneRewriter::rewriteConstant(Operation *op, Attribute value) {
  Location loc = op->getLoc();
  auto scalar = [&](Attribute element) -> Value {
    if (auto number = dyn_cast<FloatAttr>(element); number && number.getType().isBF16()) {
      element = b.getIntegerAttr(laneType(number.getType()), number.getValue().bitcastToAPInt());
    }
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(element));
  };
  Lanes &result = lanes[op->getResult(0)];
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements) {
    result = {scalar(value)};
    return success();
  }
  if (elements.isSplat()) {
    result.assign(elements.getNumElements(), scalar(elements.getSplatValue<Attribute>()));
    return success();
  }
  for (Attribute element : elements.getValues<Attribute>()) {
    result.push_back(scalar(element));
  }
  return success();
}

/// The lane as f32, if `type` (what it had before) is a type that is computed in f32.
Value LaneRewriter::widen(Location loc, Value lane, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF16()) {
    return arith::ExtFOp::create(b, loc, b.getF32Type(), lane);
  }
  if (!element.isBF16()) {
    return lane;
  }
  Value bits = arith::ExtUIOp::create(b, loc, b.getI32Type(), lane);
  Value shift = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(16));
  bits = arith::ShLIOp::create(b, loc, bits, shift);
  return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
}

/// The f32 value as a lane of `type`, rounded to nearest, ties to even.
Value LaneRewriter::narrow(Location loc, Value lane, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF16()) {
    return arith::TruncFOp::create(b, loc, element, lane);
  }
  if (!element.isBF16()) {
    return lane;
  }
  auto constant = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getI32Type(), value));
  };
  Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, lane, lane);
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), lane);
  Value upper = arith::ShRUIOp::create(b, loc, bits, constant(16));
  Value odd = arith::AndIOp::create(b, loc, upper, constant(1));
  Value rounding = arith::AddIOp::create(b, loc, odd, constant(0x7fff));
  Value rounded = arith::AddIOp::create(b, loc, bits, rounding);
  rounded = arith::ShRUIOp::create(b, loc, rounded, constant(16));
  rounded = arith::SelectOp::create(b, loc, isNan, constant(0x7fc0), rounded);
  return arith::TruncIOp::create(b, loc, laneType(type), rounded);
}

/// True if an f16 operation is computed in f32: division and functions, which f16 units and
/// GLSL.std.450 do worse than rounding an f32 result.
static bool computesHalfAsSingle(Operation *op) {
  if (isa<math::FmaOp, math::AbsFOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp,
          math::CopySignOp>(op)) {
    return false;
  }
  return isa<arith::DivFOp, arith::RemFOp>(op) || isa<math::MathDialect>(op->getDialect());
}

/// One lane of an elementwise operation; `operands` are its lanes.
FailureOr<Value> LaneRewriter::rewriteLane(Operation *op, ValueRange operands, unsigned result) {
  Location loc = op->getLoc();
  Type resultType = getElementTypeOrSelf(op->getResult(result).getType());
  if (isa<arith::BitcastOp>(op) && operands[0].getType() == laneType(resultType)) {
    return operands[0];
  }
  bool moves = isa<arith::SelectOp, arith::BitcastOp>(op);
  bool single = computesHalfAsSingle(op);
  auto isWidened = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    return !moves && (element.isBF16() || (single && element.isF16()));
  };
  Lanes inputs;
  for (auto [lane, operand] : llvm::zip(operands, op->getOperands())) {
    inputs.push_back(isWidened(operand.getType()) ? widen(loc, lane, operand.getType()) : lane);
  }
  Type type = isWidened(resultType) ? b.getF32Type() : laneType(resultType);
  Value value;
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) && inputs[0].getType() == type) {
    value = inputs[0];
  } else {
    IRMapping mapping;
    mapping.map(op->getOperands(), ValueRange(inputs));
    Operation *lane = b.clone(*op, mapping);
    for (OpResult other : lane->getResults()) {
      other.setType(other.getResultNumber() == result ? type : laneType(other.getType()));
    }
    value = lane->getResult(result);
  }
  return isWidened(resultType) ? narrow(loc, value, resultType) : value;
}

LogicalResult LaneRewriter::rewriteElementwise(Operation *op) {
  bool hasVectors = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<VectorType>) ||
                    llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>);
  bool isKnown = isa<arith::ArithDialect, math::MathDialect, gpu::GPUDialect>(op->getDialect()) ||
                 op->getDialect()->getNamespace() == "index";
  bool isCarrying = isa<arith::AddUIExtendedOp, arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op);
  if (!isKnown || op->getNumRegions() != 0 || (op->getNumResults() != 1 && !isCarrying) ||
      (hasVectors && !OpTrait::hasElementwiseMappableTraits(op) &&
       !isa<gpu::SubgroupReduceOp>(op))) {
    return op->emitError("not handled for Vulkan");
  }
  unsigned count = 1;
  for (Value value : op->getResults()) {
    count = std::max(count, countLanes(value.getType()));
  }
  for (unsigned result = 0; result < op->getNumResults(); ++result) {
    Lanes values;
    for (unsigned lane = 0; lane < count; ++lane) {
      Lanes operands;
      for (Value operand : op->getOperands()) {
        const Lanes &of = lanesOf(operand);
        operands.push_back(of.size() == 1 ? of[0] : of[lane]);
      }
      FailureOr<Value> value = rewriteLane(op, operands, result);
      if (failed(value)) {
        return failure();
      }
      values.push_back(*value);
    }
    lanes[op->getResult(result)] = values;
  }
  return success();
}

LogicalResult LaneRewriter::rewriteMemory(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<memref::LoadOp, vector::LoadOp>([&](auto load) -> LogicalResult {
        Value memref;
        if constexpr (std::is_same_v<decltype(load), memref::LoadOp>) {
          memref = load.getMemRef();
        } else {
          memref = load.getBase();
        }
        FailureOr<Lanes> loaded = memory.load(b, op, memref, scalarsOf(load.getIndices()));
        if (failed(loaded)) {
          return failure();
        }
        lanes[op->getResult(0)] = *loaded;
        return success();
      })
      .Case([&](memref::StoreOp store) {
        return memory.store(b, op, store.getMemRef(), scalarsOf(store.getIndices()),
                            lanesOf(store.getValueToStore()));
      })
      .Case([&](vector::StoreOp store) {
        return memory.store(b, op, store.getBase(), scalarsOf(store.getIndices()),
                            lanesOf(store.getValueToStore()));
      })
      .Case<memref::AllocOp, memref::AllocaOp>(
          [&](Operation *alloc) { return memory.allocate(b, alloc, name); })
      .Case([&](memref::ViewOp view) {
        return memory.view(b, view, scalarsOf(view.getByteShift()).front());
      })
      .Case([](memref::DeallocOp) { return success(); })
      .Default([](Operation *other) { return other->emitError("not handled for Vulkan"); });
}

} // namespace zyxc
