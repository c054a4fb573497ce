#include "compiler/interp/kernel/GraphBuilder.h"
#include "compiler/interp/kernel/ReferenceRoutines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "runtime/routines/Routine.h"
#include <cmath>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::kernelinterp {

std::vector<Coordinate> GraphBuilder::coordinates(AffineMap map, ValueRange coords) {
  SmallVector<NodeId> values;
  for (Value coord : coords) {
    values.push_back(nodes.lookup(coord));
  }
  std::vector<Coordinate> result;
  for (AffineExpr expr : map.getResults()) {
    result.push_back(coordinate(expr, values));
  }
  return result;
}

/// The axes of coordinates.
static AxisSet axesOf(const BodyGraph &graph, const std::vector<Coordinate> &coordinates) {
  AxisSet axes = 0;
  for (const Coordinate &coordinate : coordinates) {
    for (auto [axis, coefficient] : coordinate.linear.terms) {
      axes |= axisBit(axis);
    }
    if (coordinate.node != noNode) {
      axes |= graph.nodes[coordinate.node].axes;
    }
  }
  return axes;
}

Word wordOf(Attribute constant, ScalarType type) {
  Word word;
  if (auto floating = dyn_cast<FloatAttr>(constant)) {
    word.f = floating.getValueAsDouble();
  } else {
    APInt bits = cast<IntegerAttr>(constant).getValue();
    word.i = wrapInteger(bits.getSExtValue(), type.bits);
  }
  return word;
}

Status GraphBuilder::addConstant(Operation &op) {
  ZYXC_ASSIGN(ScalarType type, scalarTypeOf(op.getResult(0).getType()));
  nodes[op.getResult(0)] = constant(type, wordOf(cast<arith::ConstantOp>(op).getValue(), type));
  return Status::ok();
}

Status GraphBuilder::addLoad(LoadOp load) {
  ZYXC_ASSIGN(ScalarType type, scalarTypeOf(load.getType()));
  Node node;
  node.kind = NodeKind::Load;
  node.type = type;
  node.port = cast<BlockArgument>(load.getPort()).getArgNumber();
  node.clamp = load.getOob() == Oob::Clamp;
  node.coordinates = coordinates(load.getMap(), load.getCoords());
  node.source = sourceOf(load);
  // The axes of the map count even where their coefficient is 0 at these dims.
  node.axes = axesOf(graph, node.coordinates) | axesIn(load.getMap(), kernel.getNumAxes());
  for (const Coordinate &coordinate : node.coordinates) {
    if (coordinate.node != noNode) {
      node.operands.push_back(coordinate.node);
    }
  }
  graph.ports[node.port].loaded = true;
  if (load.getOob() == Oob::Else) {
    node.otherwise = nodes.lookup(load.getOtherwise());
    node.operands.push_back(node.otherwise);
    node.axes |= graph.nodes[node.otherwise].axes;
  }
  nodes[load.getResult()] = add(std::move(node));
  return Status::ok();
}

Status GraphBuilder::addStore(StoreOp store) {
  Root root;
  root.kind = RootKind::Store;
  root.value = nodes.lookup(store.getValue());
  root.port = cast<BlockArgument>(store.getPort()).getArgNumber();
  root.combine = store.getCombine();
  root.coordinates = coordinates(store.getMap(), store.getCoords());
  root.axes = axesOf(graph, root.coordinates) | axesIn(store.getMap(), kernel.getNumAxes()) |
              graph.nodes[root.value].axes;
  root.type = graph.nodes[root.value].type;
  root.source = sourceOf(store);
  graph.ports[root.port].stored = true;
  graph.roots.push_back(std::move(root));
  return Status::ok();
}

Status GraphBuilder::addReduce(ReduceOp op) {
  ZYXC_ASSIGN(ScalarType type, scalarTypeOf(op.getType()));
  Root root;
  root.value = nodes.lookup(op.getValue());
  root.monoid = op.getKind();
  root.last = op.getLast();
  root.reduced = axisSetOf(op.getAxes());
  root.axes = graph.nodes[root.value].axes & ~root.reduced;
  root.type = type;
  root.source = sourceOf(op);
  nodes[op.getResult()] = result(std::move(root));
  return Status::ok();
}

/// The sum of products; float products are formed in double, integers in the type of the result.
Status GraphBuilder::addContract(ContractOp contract) {
  ZYXC_ASSIGN(ScalarType type, scalarTypeOf(contract.getType()));
  std::vector<NodeId> operands;
  for (Value value : {contract.getA(), contract.getB()}) {
    NodeId operand = nodes.lookup(value);
    bool widens = !type.isFloat && graph.nodes[operand].type != type;
    operands.push_back(widens ? scalar(findScalar("arith.extsi"), type, {operand}) : operand);
  }
  NodeId product =
      scalar(findScalar(type.isFloat ? "arith.mulf" : "arith.muli"), type, std::move(operands));
  nodes[contract.getResult()] =
      reduce(ReduceKind::Add, product, axisSetOf(contract.getAxes()), sourceOf(contract));
  return Status::ok();
}

/// e^(t - m), and 0 where t is -inf, also if m is.
static void shiftedExponential(const ScalarContext &, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    double t = in[0][i].f;
    out[i].f = t == -HUGE_VAL ? 0 : std::exp(t - in[1][i].f);
  }
}

/// The maximum first, then the sums: as exact as doubles allow.
Status GraphBuilder::addExpsum(ExpsumOp expsum) {
  AxisSet reduced = axisSetOf(expsum.getAxes());
  uint16_t source = sourceOf(expsum);
  NodeId value = nodes.lookup(expsum.getValue());
  ScalarType type = graph.nodes[value].type;
  NodeId maximum = reduce(ReduceKind::Max, value, reduced, source);
  nodes[expsum.getMaximum()] = maximum;
  NodeId weight = scalar(shiftedExponential, type, {value, maximum});
  for (auto [i, sum] : llvm::enumerate(expsum.getSums())) {
    Value factor = expsum.getWeight(i);
    NodeId term = weight;
    if (factor) {
      term = scalar(findScalar("arith.mulf"), type, {weight, nodes.lookup(factor)});
    }
    nodes[sum] = reduce(ReduceKind::Add, term, reduced, source);
  }
  return Status::ok();
}

/// A sum over a count of points; 0 over no points.
static void meanOf(const ScalarContext &, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    double points = in[1][i].f;
    out[i].f = points == 0 ? 0 : in[0][i].f / points;
  }
}

static void squaredDifference(const ScalarContext &, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    double difference = in[0][i].f - in[1][i].f;
    out[i].f = difference * difference;
  }
}

Status GraphBuilder::addWelford(WelfordOp welford) {
  AxisSet reduced = axisSetOf(welford.getAxes());
  uint16_t source = sourceOf(welford);
  NodeId value = nodes.lookup(welford.getValue());
  ScalarType type = graph.nodes[value].type;
  Word unit;
  unit.f = 1;
  NodeId one = constant(type, unit);
  graph.nodes[one].axes = graph.nodes[value].axes;
  NodeId points = reduce(ReduceKind::Add, one, reduced, source);
  NodeId mean = scalar(meanOf, type, {reduce(ReduceKind::Add, value, reduced, source), points});
  nodes[welford.getMean()] = mean;
  NodeId squared = scalar(squaredDifference, type, {value, mean});
  nodes[welford.getM2()] = reduce(ReduceKind::Add, squared, reduced, source);
  return Status::ok();
}

Status GraphBuilder::addScan(ScanOp scan) {
  Root root;
  root.kind = RootKind::Scan;
  root.value = nodes.lookup(scan.getValue());
  root.monoid = scan.getKind();
  root.exclusive = scan.getExclusive();
  root.reverse = scan.getReverse();
  root.reduced = axisBit(scan.getAxis());
  root.axes = graph.nodes[root.value].axes | root.reduced;
  root.type = graph.nodes[root.value].type;
  root.source = sourceOf(scan);
  nodes[scan.getResult()] = result(std::move(root));
  return Status::ok();
}

/// Comparisons have a function per predicate, other ops one each.
ScalarFn scalarFunctionOf(Operation &op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    return findCompareInteger(static_cast<int64_t>(compare.getPredicate()));
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    return findCompareFloat(static_cast<int64_t>(compare.getPredicate()));
  }
  return findScalar(op.getName().getStringRef());
}

Status GraphBuilder::addScalar(Operation &op) {
  ScalarFn fn = scalarFunctionOf(op);
  if (!fn || op.getNumResults() != 1) {
    return makeError(ErrorCode::Unsupported, "{}: the kernel interpreter does not know {}",
                     graph.sources[sourceOf(&op)], op.getName().getStringRef().str());
  }
  ZYXC_ASSIGN(ScalarType type, scalarTypeOf(op.getResult(0).getType()));
  std::vector<NodeId> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(nodes.lookup(operand));
  }
  nodes[op.getResult(0)] = scalar(fn, type, std::move(operands));
  return Status::ok();
}

Status GraphBuilder::addRoutine(OpaqueOp opaque) {
  RoutineCall call;
  call.name = opaque.getRoutine().str();
  call.params.assign(opaque.getParams().begin(), opaque.getParams().end());
  std::vector<rt::RoutineArgument> arguments;
  std::string place = graph.sources[sourceOf(opaque)];
  for (Value port : opaque.getPorts()) {
    call.ports.push_back(cast<BlockArgument>(port).getArgNumber());
    GraphPort &used = graph.ports[call.ports.back()];
    if (used.mode != PortMode::In && used.mode != PortMode::Out) {
      return makeError(ErrorCode::Input, "{}: routines take in and out ports, port {} is '{}'",
                       place, call.ports.back(), stringifyPortMode(used.mode).str());
    }
    used.stored = used.mode == PortMode::Out;
    arguments.push_back({used.type.dtype, used.type.shape, used.stored});
  }
  const rt::Routine *routine = rt::findRoutine(call.name);
  if (!routine || !findReference(call.name)) {
    return makeError(ErrorCode::Unsupported, "{}: there is no routine '{}'; known are {}", place,
                     call.name, rt::routineNames());
  }
  if (std::string error = routine->check(arguments, call.params); !error.empty()) {
    return makeError(ErrorCode::Input, "{}: {}", place, error);
  }
  if (std::optional<AffineMap> cost = opaque.getCost()) {
    auto value = dyn_cast<AffineConstantExpr>(bound(cost->getResult(0)));
    call.cost = value ? static_cast<double>(value.getValue()) : 0;
  }
  graph.routine = std::move(call);
  return Status::ok();
}

Status GraphBuilder::addOp(Operation &op) {
  if (isa<arith::ConstantOp>(op)) {
    return addConstant(op);
  }
  if (auto load = dyn_cast<LoadOp>(op)) {
    return addLoad(load);
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    return addStore(store);
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    return addReduce(reduce);
  }
  if (auto contract = dyn_cast<ContractOp>(op)) {
    return addContract(contract);
  }
  if (auto expsum = dyn_cast<ExpsumOp>(op)) {
    return addExpsum(expsum);
  }
  if (auto welford = dyn_cast<WelfordOp>(op)) {
    return addWelford(welford);
  }
  if (auto scan = dyn_cast<ScanOp>(op)) {
    return addScan(scan);
  }
  if (auto fold = dyn_cast<FoldOp>(op)) {
    return addFold(fold);
  }
  if (auto opaque = dyn_cast<OpaqueOp>(op)) {
    return addRoutine(opaque);
  }
  if (auto index = dyn_cast<IndexOp>(op)) {
    nodes[index.getResult()] = axis(index.getAxis());
    return Status::ok();
  }
  if (auto dim = dyn_cast<DimOp>(op)) {
    nodes[dim.getResult()] =
        integer(cast<AffineConstantExpr>(dimConstants[dim.getDim()]).getValue());
    return Status::ok();
  }
  if (auto guard = dyn_cast<WhereOp>(op)) {
    nodes[guard.getResult()] = where(condition(guard.getSet()), nodes.lookup(guard.getValue()),
                                     nodes.lookup(guard.getOtherwise()));
    return Status::ok();
  }
  return addScalar(op);
}

Status GraphBuilder::addBody() {
  for (Operation &op : kernel.getBlock()) {
    ZYXC_RETURN_IF_ERROR(addOp(op));
  }
  return Status::ok();
}

} // namespace zyxc::kernelinterp
