#include "compiler/interp/kernel/BodyGraph.h"
#include "compiler/interp/kernel/GraphBuilder.h"
#include "dialects/zyxk/IR/Ranges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::kernelinterp {

std::vector<NodeId> valuesOf(const Root &root) {
  std::vector<NodeId> values = root.folded;
  values.insert(values.end(), root.inits.begin(), root.inits.end());
  return root.kind == RootKind::Fold ? values : std::vector<NodeId>{root.value};
}

//===- Nodes ---------------------------------------------------------------------------------===//

Expected<ScalarType> scalarTypeOf(Type type) {
  if (type.isIndex()) {
    return integerType(64);
  }
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned bits = integer.getWidth();
    if (bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64) {
      return integerType(bits);
    }
  }
  if (type.isF16()) {
    return ScalarType{true, 16, DType::F16};
  }
  if (type.isBF16()) {
    return ScalarType{true, 16, DType::BF16};
  }
  if (type.isF32()) {
    return ScalarType{true, 32, DType::F32};
  }
  if (type.isF64()) {
    return ScalarType{true, 64, DType::F64};
  }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return makeError(ErrorCode::Unsupported, "the kernel interpreter has no values of type {}", text);
}

NodeId GraphBuilder::add(Node node) {
  graph.nodes.push_back(std::move(node));
  return static_cast<NodeId>(graph.nodes.size() - 1);
}

NodeId GraphBuilder::constant(ScalarType type, Word value) {
  Node node;
  node.type = type;
  node.constant = value;
  return add(std::move(node));
}

NodeId GraphBuilder::integer(int64_t value) {
  Word word;
  word.i = value;
  return constant(integerType(64), word);
}

NodeId GraphBuilder::axis(unsigned position) {
  Node node;
  node.kind = NodeKind::Axis;
  node.axis = position;
  node.axes = axisBit(position);
  node.type = integerType(64);
  return add(std::move(node));
}

NodeId GraphBuilder::scalar(ScalarFn fn, ScalarType result, std::vector<NodeId> operands) {
  Node node;
  node.kind = NodeKind::Scalar;
  node.fn = fn;
  node.type = result;
  for (NodeId operand : operands) {
    node.axes |= graph.nodes[operand].axes;
  }
  bool isSelect = operands.size() == 3 && graph.nodes[operands[0]].type.bits == 1;
  node.context = {graph.nodes[operands[isSelect ? 1 : 0]].type, result};
  node.operands = std::move(operands);
  return add(std::move(node));
}

NodeId GraphBuilder::where(NodeId condition, NodeId inside, NodeId outside) {
  Node node;
  node.kind = NodeKind::Where;
  node.type = graph.nodes[inside].type;
  node.operands = {condition, inside, outside};
  for (NodeId operand : node.operands) {
    node.axes |= graph.nodes[operand].axes;
  }
  return add(std::move(node));
}

NodeId GraphBuilder::result(Root root) {
  Node node;
  node.kind = NodeKind::Result;
  node.root = graph.roots.size();
  node.axes = root.axes;
  node.type = root.type;
  graph.roots.push_back(std::move(root));
  return add(std::move(node));
}

NodeId GraphBuilder::reduce(ReduceKind monoid, NodeId value, AxisSet reduced, uint16_t source) {
  Root root;
  root.monoid = monoid;
  root.value = value;
  root.reduced = reduced;
  root.axes = graph.nodes[value].axes & ~reduced;
  root.type = graph.nodes[value].type;
  root.source = source;
  return result(std::move(root));
}

uint16_t GraphBuilder::sourceOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
    os << place.getFilename().getValue() << ':' << place.getLine() << ':' << place.getColumn()
       << ": ";
  }
  os << op->getName().stripDialect();
  if (graph.sources.size() < UINT16_MAX) {
    graph.sources.push_back(text);
  }
  return graph.sources.size() - 1;
}

//===- Affine expressions --------------------------------------------------------------------===//

AffineExpr GraphBuilder::bound(AffineExpr expr) {
  return expr.replaceSymbols(dimConstants);
}

/// The linear form of an expression over axes only.
static std::optional<LinearForm> linearFormOf(AffineExpr expr, unsigned numAxes) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    return LinearForm{constant.getValue(), {}};
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= numAxes) {
      return std::nullopt;
    }
    return LinearForm{0, {{dim.getPosition(), 1}}};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return std::nullopt;
  }
  std::optional<LinearForm> left = linearFormOf(binary.getLHS(), numAxes);
  std::optional<LinearForm> right = linearFormOf(binary.getRHS(), numAxes);
  if (!left || !right) {
    return std::nullopt;
  }
  if (expr.getKind() == AffineExprKind::Add) {
    left->constant += right->constant;
    left->terms.insert(left->terms.end(), right->terms.begin(), right->terms.end());
    return left;
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    if (!right->terms.empty()) {
      std::swap(left, right);
    }
    if (!right->terms.empty()) {
      return std::nullopt;
    }
    left->constant *= right->constant;
    for (auto &term : left->terms) {
      term.second *= right->constant;
    }
    return left;
  }
  return std::nullopt;
}

/// a mod b of the affine dialect: never negative.
static void floorRemainder(const ScalarContext &, Word *out, const Word *const *in, int count) {
  for (int i = 0; i < count; ++i) {
    int64_t b = in[1][i].i;
    int64_t rest = b ? in[0][i].i % b : 0;
    out[i].i = rest < 0 ? rest + b : rest;
  }
}

NodeId GraphBuilder::affine(AffineExpr expr, ArrayRef<NodeId> coords) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    return integer(constant.getValue());
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    unsigned position = dim.getPosition();
    return position < kernel.getNumAxes() ? axis(position) : coords[position - kernel.getNumAxes()];
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  NodeId left = affine(binary.getLHS(), coords);
  NodeId right = affine(binary.getRHS(), coords);
  ScalarFn fn = nullptr;
  switch (expr.getKind()) {
  case AffineExprKind::Add: fn = findScalar("arith.addi"); break;
  case AffineExprKind::Mul: fn = findScalar("arith.muli"); break;
  case AffineExprKind::FloorDiv: fn = findScalar("arith.floordivsi"); break;
  case AffineExprKind::CeilDiv: fn = findScalar("arith.ceildivsi"); break;
  default: fn = floorRemainder; break;
  }
  return scalar(fn, integerType(64), {left, right});
}

Coordinate GraphBuilder::coordinate(AffineExpr expr, ArrayRef<NodeId> coords) {
  Coordinate result;
  expr = bound(expr);
  if (std::optional<LinearForm> linear = linearFormOf(expr, kernel.getNumAxes())) {
    result.linear = std::move(*linear);
  } else {
    result.node = affine(expr, coords);
  }
  return result;
}

NodeId GraphBuilder::condition(AffineExpr expr, bool isEquality) {
  constexpr int64_t equal = 0;
  constexpr int64_t signedGreaterEqual = 5;
  ScalarFn compare = findCompareInteger(isEquality ? equal : signedGreaterEqual);
  return scalar(compare, integerType(1), {affine(bound(expr), {}), integer(0)});
}

NodeId GraphBuilder::condition(IntegerSet set) {
  NodeId all = noNode;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    NodeId one = condition(set.getConstraint(i), set.isEq(i));
    all = all == noNode ? one : scalar(findScalar("arith.andi"), integerType(1), {all, one});
  }
  if (all == noNode) {
    Word yes;
    yes.i = 1;
    all = constant(integerType(1), yes);
  }
  return all;
}

//===- Domain and ports ----------------------------------------------------------------------===//

Status GraphBuilder::addDims(std::span<const int64_t> dims) {
  if (dims.size() != kernel.getNumDims()) {
    return makeError(ErrorCode::Input, "the kernel has {} dims, but {} values are given",
                     kernel.getNumDims(), dims.size());
  }
  for (int64_t value : dims) {
    dimConstants.push_back(getAffineConstantExpr(value, kernel.getContext()));
  }
  if (!kernel.getAssume()) {
    return Status::ok();
  }
  IntegerSet assume = *kernel.getAssume();
  for (unsigned i = 0; i < assume.getNumConstraints(); ++i) {
    auto value = dyn_cast<AffineConstantExpr>(bound(assume.getConstraint(i)));
    bool holds = value && (assume.isEq(i) ? value.getValue() == 0 : value.getValue() >= 0);
    if (!holds) {
      return makeError(ErrorCode::Input, "the dims are not what the kernel assumes");
    }
  }
  return Status::ok();
}

Status GraphBuilder::addAxes() {
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    graph.axisNames.push_back(kernel.getAxisName(axis).str());
    AffineExpr expr = bound(kernel.getAxisBounds().getResult(axis));
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant) {
      graph.extents.push_back(std::max<int64_t>(constant.getValue(), 0));
      continue;
    }
    // A bound over outer axes: the largest one, and a condition on points.
    std::optional<IndexRange> range = rangeOf(expr, graph.extents);
    bool noPoints = llvm::is_contained(graph.extents, 0);
    if (!range && !noPoints) {
      return makeError(ErrorCode::Unsupported, "the bound of axis '{}' has no known largest value",
                       graph.axisNames.back());
    }
    graph.extents.push_back(noPoints ? 0 : std::max<int64_t>(range->second, 0));
    AffineExpr inside = expr - getAffineDimExpr(axis, kernel.getContext()) - 1;
    graph.constraints.push_back(condition(inside, /*isEquality=*/false));
  }
  if (kernel.getDomain()) {
    IntegerSet domain = *kernel.getDomain();
    for (unsigned i = 0; i < domain.getNumConstraints(); ++i) {
      graph.constraints.push_back(condition(domain.getConstraint(i), domain.isEq(i)));
    }
  }
  return Status::ok();
}

Status GraphBuilder::addPorts() {
  for (unsigned i = 0; i < kernel.getNumPorts(); ++i) {
    PortType type = kernel.getPortType(i);
    GraphPort port;
    ZYXC_ASSIGN(ScalarType element, scalarTypeOf(type.getElementType()));
    port.type.dtype = element.dtype;
    port.mode = type.getMode();
    for (AffineExpr expr : type.getShape().getResults()) {
      auto extent = dyn_cast<AffineConstantExpr>(bound(expr));
      if (!extent || extent.getValue() < 0) {
        return makeError(ErrorCode::Input, "port {} has no valid shape at these dims", i);
      }
      port.type.shape.push_back(extent.getValue());
    }
    if (!checkedNumElements(port.type.shape)) {
      return makeError(ErrorCode::Input, "port {} has too many elements at these dims", i);
    }
    graph.ports.push_back(std::move(port));
  }
  return Status::ok();
}

Expected<BodyGraph> buildBodyGraph(KernelOp kernel, std::span<const int64_t> dims) {
  GraphBuilder builder(kernel);
  ZYXC_RETURN_IF_ERROR(builder.addDims(dims));
  ZYXC_RETURN_IF_ERROR(builder.addAxes());
  ZYXC_RETURN_IF_ERROR(builder.addPorts());
  ZYXC_RETURN_IF_ERROR(builder.addBody());
  return std::move(builder.graph);
}

} // namespace zyxc::kernelinterp
