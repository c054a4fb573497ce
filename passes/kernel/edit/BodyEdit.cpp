#include "passes/kernel/edit/BodyEdit.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Matchers.h"
#include "passes/kernel/edit/SpaceChange.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

void dropUnusedOps(KernelOp kernel) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(kernel.getBlock()))) {
    if (!isa<StoreOp, OpaqueOp>(op) && op.use_empty()) {
      op.erase();
    }
  }
}

SmallVector<unsigned> dropUnusedPorts(KernelOp kernel) {
  SmallVector<unsigned> kept;
  llvm::BitVector unused(kernel.getNumPorts());
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    if (kernel.getPort(port).use_empty()) {
      unused.set(port);
    } else {
      kept.push_back(port);
    }
  }
  kernel.getBlock().eraseArguments(unused);
  return kept;
}

static AxisSet usedAxes(KernelOp kernel) {
  AxisSet used = 0;
  unsigned numAxes = kernel.getNumAxes();
  for (Operation &op : kernel.getBlock()) {
    used |= combinedAxes(op);
    if (auto load = dyn_cast<LoadOp>(op)) {
      used |= axesIn(load.getMap(), numAxes);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      used |= axesIn(store.getMap(), numAxes);
    } else if (auto where = dyn_cast<WhereOp>(op)) {
      used |= axesIn(where.getSet(), numAxes);
    } else if (auto axis = op.getAttrOfType<IntegerAttr>("axis")) {
      used |= axisBit(axis.getInt());
    }
  }
  for (unsigned axis = numAxes; axis-- > 0;) {
    if (contains(used, axis)) {
      used |= axesIn(kernel.getAxisBounds().getResult(axis), numAxes);
    }
  }
  return used | (kernel.getDomain() ? axesIn(*kernel.getDomain(), numAxes) : 0);
}

void dropUnusedAxes(KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  AxisSet used = usedAxes(kernel);
  SpaceChange old = SpaceChange::identity(kernel);
  SpaceChange change = old;
  change.axisNames.clear();
  change.bounds.clear();
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    unsigned position = change.axisNames.size();
    change.axes[axis] = getAffineConstantExpr(0, context);
    change.combined[axis].clear();
    if (contains(used, axis)) {
      change.axes[axis] = getAffineDimExpr(position, context);
      change.combined[axis] = {position};
      change.axisNames.push_back(old.axisNames[axis]);
      change.bounds.push_back(old.bounds[axis]);
    }
  }
  for (AffineExpr &bound : change.bounds) {
    bound = bound.replaceDims(change.axes);
  }
  if (change.axisNames.size() < kernel.getNumAxes()) {
    changeSpace(kernel, change);
  }
}

void sortBody(KernelOp kernel) {
  sortTopologically(&kernel.getBlock());
}

AffineMap axesMap(KernelOp kernel, ArrayRef<unsigned> axes) {
  SmallVector<AffineExpr> results;
  for (unsigned axis : axes) {
    results.push_back(getAffineDimExpr(axis, kernel.getContext()));
  }
  return AffineMap::get(kernel.getNumAxes(), kernel.getNumDims(), results, kernel.getContext());
}

BlockArgument addPort(KernelOp kernel, Type element, PortMode mode, ArrayRef<unsigned> axes) {
  SmallVector<AffineExpr> sizes;
  for (unsigned axis : axes) {
    sizes.push_back(kernel.getAxisBounds().getResult(axis));
  }
  auto shape = AffineMap::get(0, kernel.getNumDims(), sizes, kernel.getContext());
  auto type = PortType::get(kernel.getContext(), element, shape, mode, AffineMap(), 0);
  return kernel.getBlock().addArgument(type, kernel.getLoc());
}

unsigned addAxis(KernelOp kernel, StringRef name, AffineExpr bound) {
  std::string unique = name.str();
  auto isTaken = [&](StringRef candidate) {
    auto has = [&](ArrayAttr names) {
      return llvm::is_contained(names.getAsValueRange<StringAttr>(), candidate);
    };
    return has(kernel.getAxisNames()) || has(kernel.getDimNames());
  };
  for (unsigned suffix = 1; isTaken(unique); ++suffix) {
    unique = name.str() + std::to_string(suffix);
  }
  unsigned axis = kernel.getNumAxes();
  SpaceChange change = SpaceChange::identity(kernel);
  change.axisNames.push_back(unique);
  change.bounds.push_back(bound);
  changeSpace(kernel, change);
  return axis;
}

unsigned addStore(KernelOp kernel, Value value) {
  SmallVector<unsigned> axes = axesOf(AxisSets(kernel)[value]);
  unsigned port = kernel.getNumPorts();
  BlockArgument target = addPort(kernel, value.getType(), PortMode::Out, axes);
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToEnd(&kernel.getBlock());
  StoreOp::create(builder, kernel.getLoc(), value, target, ValueRange(), axesMap(kernel, axes),
                  Combine::None);
  return port;
}

Value makeConstant(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr attribute = isa<FloatType>(type)
                            ? TypedAttr(builder.getFloatAttr(type, value))
                            : builder.getIntegerAttr(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, loc, attribute);
}

std::optional<double> floatConstant(Value value) {
  FloatAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute))) {
    return std::nullopt;
  }
  return attribute.getValueAsDouble();
}

Value makeIdentity(OpBuilder &builder, Location loc, ReduceKind kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  unsigned width = type.getIntOrFloatBitWidth();
  auto integer = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case ReduceKind::Mul: return makeConstant(builder, loc, type, 1);
  case ReduceKind::Max:
    return isFloat ? makeConstant(builder, loc, type, -infinity)
                   : integer(APInt::getSignedMinValue(width));
  case ReduceKind::Min:
    return isFloat ? makeConstant(builder, loc, type, infinity)
                   : integer(APInt::getSignedMaxValue(width));
  case ReduceKind::UMin:
  case ReduceKind::And: return integer(APInt::getMaxValue(width));
  default: break;
  }
  assert(kind <= ReduceKind::Or && "no arg reduction");
  return makeConstant(builder, loc, type, 0);
}

bool dependsOn(Value value, Value from) {
  SmallVector<Value> work = {value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (next == from) {
      return true;
    }
    if (next.getDefiningOp() && seen.insert(next).second) {
      llvm::append_range(work, next.getDefiningOp()->getOperands());
    }
  }
  return false;
}

SmallVector<unsigned> axesOf(AxisSet set) {
  SmallVector<unsigned> axes;
  for (unsigned axis = 0; axis < maxAxes; ++axis) {
    if (contains(set, axis)) {
      axes.push_back(axis);
    }
  }
  return axes;
}

std::string uniqueSymbol(Operation *symbolTable, StringRef name) {
  std::string unique = name.str();
  for (unsigned suffix = 1; SymbolTable::lookupSymbolIn(symbolTable, unique); ++suffix) {
    unique = name.str() + "_" + std::to_string(suffix);
  }
  return unique;
}

KernelOp copyKernel(KernelOp kernel, StringRef name) {
  std::string unique = uniqueSymbol(kernel->getParentOp(), name);
  OpBuilder builder(kernel);
  builder.setInsertionPointAfter(kernel);
  auto copy = cast<KernelOp>(builder.clone(*kernel));
  copy.setSymName(unique);
  return copy;
}

} // namespace zyxc
