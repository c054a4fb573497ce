#include "passes/kernel/canonical/CanonicalText.h"
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/canonical/CanonicalOps.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

uint64_t mixColors(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

SmallVector<Operation *> liveOps(KernelOp kernel) {
  DenseSet<Operation *> live;
  for (Operation &op : llvm::reverse(kernel.getBlock())) {
    if (isa<StoreOp, OpaqueOp>(op) ||
        llvm::any_of(op.getUsers(), [&](Operation *user) { return live.contains(user); })) {
      live.insert(&op);
    }
  }
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBlock()) {
    if (live.contains(&op)) {
      ops.push_back(&op);
    }
  }
  return ops;
}

//===- Hash under colors ---------------------------------------------------------------------===//

namespace {

class Hasher {
public:
  Hasher(KernelOp kernel, const KernelColors &colors) : kernel(kernel), colors(colors) {}
  uint64_t run();

private:
  static uint64_t text(StringRef text) {
    uint64_t hash = text.size();
    for (char c : text) {
      hash = mixColors(hash, static_cast<unsigned char>(c));
    }
    return hash;
  }
  uint64_t term(AffineExpr expr, ArrayRef<uint64_t> dims);
  uint64_t exprs(ArrayRef<AffineExpr> list, ArrayRef<uint64_t> dims);
  uint64_t set(IntegerSet set, ArrayRef<uint64_t> dims);
  uint64_t port(PortType type);
  uint64_t op(Operation *op);
  uint64_t access(AffineMap map, ValueRange coords);
  uint64_t axesOf(ArrayRef<int64_t> axes) {
    uint64_t sum = 0;
    for (int64_t axis : axes) {
      sum += mixColors(17, colors.axes[axis]);
    }
    return sum;
  }

  KernelOp kernel;
  const KernelColors &colors;
  DenseMap<Value, uint64_t> values;
};

} // namespace

/// Terms of a sum count in any order.
uint64_t Hasher::term(AffineExpr expr, ArrayRef<uint64_t> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    return mixColors(1, constant.getValue());
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    return mixColors(2, dims[dim.getPosition()]);
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    return mixColors(3, colors.dims[symbol.getPosition()]);
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  uint64_t left = term(binary.getLHS(), dims);
  uint64_t right = term(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add: return left + right;
  case AffineExprKind::Mul: return mixColors(4, left) + mixColors(4, right);
  default: break;
  }
  return mixColors(mixColors(5 + static_cast<uint64_t>(expr.getKind()), left), right);
}

uint64_t Hasher::exprs(ArrayRef<AffineExpr> list, ArrayRef<uint64_t> dims) {
  uint64_t hash = list.size();
  for (AffineExpr expr : list) {
    hash = mixColors(hash, term(expr, dims));
  }
  return hash;
}

uint64_t Hasher::set(IntegerSet set, ArrayRef<uint64_t> dims) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    sum += mixColors(set.isEq(i), term(set.getConstraint(i), dims));
  }
  return sum;
}

uint64_t Hasher::port(PortType type) {
  std::string element;
  llvm::raw_string_ostream(element) << type.getElementType();
  uint64_t hash = mixColors(text(element), static_cast<uint64_t>(type.getMode()));
  hash = mixColors(hash, type.getAlign());
  hash = mixColors(hash, exprs(type.getShape().getResults(), {}));
  if (AffineMap layout = type.getLayout()) {
    SmallVector<uint64_t> coordinates;
    for (unsigned i = 0; i < layout.getNumDims(); ++i) {
      coordinates.push_back(i);
    }
    hash = mixColors(hash, exprs(layout.getResults(), coordinates));
  }
  return hash;
}

uint64_t Hasher::access(AffineMap map, ValueRange coords) {
  SmallVector<uint64_t> dims(colors.axes);
  for (Value coord : coords) {
    dims.push_back(values.lookup(coord));
  }
  return exprs(map.getResults(), dims);
}

uint64_t Hasher::op(Operation *op) {
  uint64_t hash = text(nameOf(op));
  uint64_t any = 0;
  for (Value operand : op->getOperands()) {
    uint64_t value = values.lookup(operand);
    any += mixColors(7, value);
    hash = isCommutative(op) ? hash : mixColors(hash, value);
  }
  hash = mixColors(hash, any);
  if (auto load = dyn_cast<LoadOp>(op)) {
    hash = mixColors(hash, access(load.getMap(), load.getCoords()));
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    hash = mixColors(hash, access(store.getMap(), store.getCoords()));
  } else if (auto where = dyn_cast<WhereOp>(op)) {
    hash = mixColors(hash, set(where.getSet(), colors.axes));
  } else if (auto axis = op->getAttrOfType<IntegerAttr>("axis")) {
    hash = mixColors(hash, colors.axes[axis.getInt()]);
  } else if (auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes")) {
    hash = mixColors(hash, axesOf(axes));
  }
  if (auto fold = dyn_cast<FoldOp>(op)) {
    hash = mixColors(hash, text(codeOf(fold)));
  } else if (auto opaque = dyn_cast<OpaqueOp>(op); opaque && opaque.getCost()) {
    hash = mixColors(hash, term(opaque.getCost()->getResult(0), {}));
  }
  return hash;
}

uint64_t Hasher::run() {
  uint64_t sum = 0;
  for (unsigned i = 0; i < kernel.getNumPorts(); ++i) {
    uint64_t color = mixColors(colors.ports[i], port(kernel.getPortType(i)));
    values[kernel.getPort(i)] = color;
    sum += mixColors(11, color);
  }
  for (auto [axis, bound] : llvm::enumerate(kernel.getAxisBounds().getResults())) {
    sum += mixColors(mixColors(12, colors.axes[axis]), term(bound, colors.axes));
  }
  if (kernel.getDomain()) {
    sum += mixColors(13, set(*kernel.getDomain(), colors.axes));
  }
  if (kernel.getAssume()) {
    sum += mixColors(14, set(*kernel.getAssume(), {}));
  }
  for (Operation *bodyOp : liveOps(kernel)) {
    uint64_t hash = op(bodyOp);
    for (OpResult result : bodyOp->getResults()) {
      values[result] = mixColors(hash, result.getResultNumber());
    }
    sum += isa<StoreOp, OpaqueOp>(bodyOp) ? mixColors(15, hash) : 0;
  }
  return sum;
}

uint64_t hashKernel(KernelOp kernel, const KernelColors &colors) {
  return Hasher(kernel, colors).run();
}

//===- Bytes under a numbering ---------------------------------------------------------------===//

namespace {

class Writer {
public:
  Writer(KernelOp kernel, const KernelNumbering &numbering)
      : kernel(kernel), numbering(numbering), context(kernel.getContext()) {}
  std::string run();

private:
  std::string expr(AffineExpr expr, unsigned numCoords = 0);
  std::string set(IntegerSet set);
  std::string port(PortType type);
  std::string op(Operation *op);
  std::string access(AffineMap map, ValueRange coords);
  std::string axes(ArrayRef<int64_t> list);

  KernelOp kernel;
  const KernelNumbering &numbering;
  MLIRContext *context;
  ValueNames values; ///< how a value is named in the bytes
};

} // namespace

/// With canonical positions, sums come out in one order.
std::string Writer::expr(AffineExpr expr, unsigned numCoords) {
  SmallVector<AffineExpr> axes;
  SmallVector<AffineExpr> dims;
  for (unsigned rank : numbering.axes) {
    axes.push_back(getAffineDimExpr(rank, context));
  }
  for (unsigned i = 0; i < numCoords; ++i) {
    axes.push_back(getAffineDimExpr(axes.size(), context));
  }
  for (unsigned rank : numbering.dims) {
    dims.push_back(getAffineSymbolExpr(rank, context));
  }
  std::string text;
  llvm::raw_string_ostream(text) << simplifyExpr(expr.replaceDimsAndSymbols(axes, dims),
                                                 axes.size(), dims.size());
  return text;
}

std::string Writer::set(IntegerSet set) {
  SmallVector<std::string> constraints;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    constraints.push_back(expr(set.getConstraint(i)) + (set.isEq(i) ? "==0" : ">=0"));
  }
  llvm::sort(constraints);
  constraints.erase(llvm::unique(constraints), constraints.end());
  return llvm::join(constraints, "&");
}

std::string Writer::port(PortType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyPortMode(type.getMode()) << ' ' << type.getElementType() << '[';
  for (AffineExpr size : type.getShape().getResults()) {
    os << expr(size) << ',';
  }
  os << ']';
  if (AffineMap layout = type.getLayout()) {
    SmallVector<AffineExpr> dims;
    for (unsigned rank : numbering.dims) {
      dims.push_back(getAffineSymbolExpr(rank, context));
    }
    os << simplifyExpr(layout.getResult(0).replaceSymbols(dims), layout.getNumDims(), dims.size());
  }
  os << '@' << type.getAlign();
  return text;
}

std::string Writer::access(AffineMap map, ValueRange coords) {
  std::string text = "[";
  for (AffineExpr result : map.getResults()) {
    text += expr(result, coords.size()) + ",";
  }
  return text + "]";
}

std::string Writer::axes(ArrayRef<int64_t> list) {
  SmallVector<unsigned> ranks;
  for (int64_t axis : list) {
    ranks.push_back(numbering.axes[axis]);
  }
  llvm::sort(ranks);
  std::string text;
  for (unsigned rank : ranks) {
    text += std::to_string(rank) + ",";
  }
  return text;
}

std::string Writer::op(Operation *op) {
  std::string text = plainText(op, values);
  if (auto load = dyn_cast<LoadOp>(op)) {
    text += access(load.getMap(), load.getCoords());
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    text += access(store.getMap(), store.getCoords());
  } else if (auto where = dyn_cast<WhereOp>(op)) {
    text += set(where.getSet());
  } else if (auto axis = op->getAttrOfType<IntegerAttr>("axis")) {
    text += axes({axis.getInt()});
  } else if (auto list = op->getAttrOfType<DenseI64ArrayAttr>("axes")) {
    text += axes(list);
  }
  if (auto fold = dyn_cast<FoldOp>(op)) {
    text += codeOf(fold);
  } else if (auto opaque = dyn_cast<OpaqueOp>(op); opaque && opaque.getCost()) {
    text += expr(opaque.getCost()->getResult(0));
  }
  return text;
}

std::string Writer::run() {
  std::string bytes = "zyxk " + std::to_string(canonicalVersion) + "\n";
  SmallVector<std::string> ports(kernel.getNumPorts());
  for (unsigned i = 0; i < kernel.getNumPorts(); ++i) {
    ports[numbering.ports[i]] = port(kernel.getPortType(i));
    values[kernel.getPort(i)] = "p" + std::to_string(numbering.ports[i]);
  }
  SmallVector<std::string> bounds(kernel.getNumAxes());
  for (auto [axis, bound] : llvm::enumerate(kernel.getAxisBounds().getResults())) {
    bounds[numbering.axes[axis]] = expr(bound);
  }
  bytes += std::to_string(kernel.getNumDims()) + "\n" + llvm::join(ports, ";") + "\n" +
           llvm::join(bounds, ";") + "\n";
  bytes += kernel.getDomain() ? set(*kernel.getDomain()) + "\n" : "\n";
  bytes += kernel.getAssume() ? set(*kernel.getAssume()) + "\n" : "\n";
  writeLevels(liveOps(kernel), "v", values, [&](Operation *bodyOp) { return op(bodyOp); }, bytes);
  return bytes;
}

std::string writeKernel(KernelOp kernel, const KernelNumbering &numbering) {
  return Writer(kernel, numbering).run();
}

} // namespace zyxc
