// Text form of the body ops that touch ports or coordinates. Axes and dims are written by name; see
// AffineText.h.
#include "dialects/zyxk/IR/text/BodyText.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

/// Discardable attribute that holds the names of a parsed op until its kernel resolves them.
static constexpr llvm::StringLiteral namesAttr = "zyxk.names";

void keepNames(OpAsmParser &parser, OperationState &result, const NameTable &names) {
  result.addAttribute(namesAttr, parser.getBuilder().getStrArrayAttr(names.names));
}

//===- Resolving -----------------------------------------------------------------------------===//

static LogicalResult resolveAxes(Operation *op, ArrayRef<StringRef> names, const NameScope &scope,
                                 SmallVectorImpl<int64_t> &axes) {
  for (StringRef name : names) {
    auto axis = llvm::find(scope.axes, name);
    if (axis == scope.axes.end()) {
      return op->emitOpError() << "names no axis: '" << name << "'";
    }
    axes.push_back(axis - scope.axes.begin());
  }
  llvm::sort(axes);
  return success();
}

static LogicalResult resolveDim(Operation *op, StringRef name, const NameScope &scope) {
  auto dim = llvm::find(scope.dims, name);
  if (dim == scope.dims.end()) {
    return op->emitOpError() << "names no dim: '" << name << "'";
  }
  op->setAttr("dim", Builder(op->getContext()).getI64IntegerAttr(dim - scope.dims.begin()));
  return success();
}

static LogicalResult resolveOp(Operation *op, ArrayRef<StringRef> names, const NameScope &scope) {
  auto error = [&] {
    return op->emitOpError();
  };
  if (isa<LoadOp, StoreOp>(op)) {
    auto map = cast<AffineMapAttr>(op->getAttr("map")).getValue();
    FailureOr<AffineMap> resolved = resolveNames(map, names, scope, error);
    if (succeeded(resolved)) {
      op->setAttr("map", AffineMapAttr::get(*resolved));
    }
    return resolved;
  }
  if (auto where = dyn_cast<WhereOp>(op)) {
    FailureOr<IntegerSet> resolved = resolveNames(where.getSet(), names, scope, error);
    if (succeeded(resolved)) {
      where.setSet(*resolved);
    }
    return resolved;
  }
  if (auto opaque = dyn_cast<OpaqueOp>(op)) {
    std::optional<AffineMap> cost = opaque.getCost();
    FailureOr<AffineMap> resolved = resolveNames(cost ? *cost : AffineMap::get(op->getContext()),
                                                 names, NameScope{{}, scope.dims}, error);
    if (succeeded(resolved) && cost) {
      opaque.setCostAttr(AffineMapAttr::get(*resolved));
    }
    return resolved;
  }
  if (isa<DimOp>(op)) {
    return resolveDim(op, names.front(), scope);
  }
  SmallVector<int64_t> axes;
  if (failed(resolveAxes(op, names, scope, axes))) {
    return failure();
  }
  if (isa<IndexOp, ScanOp>(op)) {
    op->setAttr("axis", Builder(op->getContext()).getI64IntegerAttr(axes.front()));
  } else if (isa<ReduceOp, ContractOp, ExpsumOp, WelfordOp, FoldOp>(op)) {
    op->setAttr("axes", DenseI64ArrayAttr::get(op->getContext(), axes));
  }
  return success();
}

LogicalResult resolveBodyNames(Block &body, const NameScope &scope) {
  for (Operation &op : body) {
    auto attribute = op.getAttrOfType<ArrayAttr>(namesAttr);
    if (!attribute) {
      continue;
    }
    op.removeDiscardableAttr(namesAttr);
    SmallVector<StringRef> names(attribute.getAsValueRange<StringAttr>());
    if (failed(resolveOp(&op, names, scope))) {
      return failure();
    }
  }
  return success();
}

//===- load and store ------------------------------------------------------------------------===//

static ParseResult resolveAccess(OpAsmParser &parser, OperationState &result,
                                 const OpAsmParser::UnresolvedOperand &port,
                                 ArrayRef<OpAsmParser::UnresolvedOperand> coords) {
  return failure(
      parser.resolveOperand(port, PortType::getPlaceholder(parser.getContext()), result.operands) ||
      parser.resolveOperands(coords, parser.getBuilder().getIndexType(), result.operands));
}

/// `oob clamp` or `oob else(%c)`, if it is there.
static ParseResult parseOob(OpAsmParser &parser, Oob &oob,
                            SmallVectorImpl<OpAsmParser::UnresolvedOperand> &otherwise) {
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword("oob"))) {
    return success();
  }
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword)) {
    return failure();
  }
  std::optional<Oob> policy = symbolizeOob(keyword);
  if (!policy) {
    return parser.emitError(loc, "oob is prove, clamp or else(%value), not '") << keyword << "'";
  }
  oob = *policy;
  if (oob != Oob::Else) {
    return success();
  }
  return failure(parser.parseLParen() || parser.parseOperand(otherwise.emplace_back()) ||
                 parser.parseRParen());
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand port;
  SmallVector<OpAsmParser::UnresolvedOperand, 1> otherwise;
  SmallVector<OpAsmParser::UnresolvedOperand> coords;
  NameTable names;
  AffineMap map;
  Type type;
  Oob oob = Oob::Prove;
  if (parser.parseOperand(port) || AffineTextParser(parser, names, &coords).parseCoordinates(map) ||
      parseOob(parser, oob, otherwise) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) || resolveAccess(parser, result, port, coords) ||
      parser.resolveOperands(otherwise, type, result.operands)) {
    return failure();
  }
  result.addAttribute(getOperandSegmentSizeAttr(), parser.getBuilder().getDenseI32ArrayAttr(
                                                       {1, static_cast<int32_t>(coords.size()),
                                                        static_cast<int32_t>(otherwise.size())}));
  result.addAttribute("map", AffineMapAttr::get(map));
  if (oob != Oob::Prove) {
    result.addAttribute("oob", OobAttr::get(parser.getContext(), oob));
  }
  keepNames(parser, result, names);
  result.addTypes(type);
  return success();
}

static void printCoordinates(OpAsmPrinter &printer, Operation *op, AffineMap map,
                             ValueRange coords) {
  NameScope scope = scopeAround(op);
  raw_ostream &os = printer.getStream();
  auto printCoord = [&](unsigned i) {
    if (i < coords.size()) {
      printer.printOperand(coords[i]);
    } else {
      os << "d" << i;
    }
  };
  os << '[';
  llvm::interleaveComma(map.getResults(), os,
                        [&](AffineExpr expr) { printExpr(os, expr, scope, printCoord); });
  os << ']';
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getPort();
  printCoordinates(printer, *this, getMap(), getCoords());
  if (getOob() != Oob::Prove) {
    printer << " oob " << stringifyOob(getOob());
  }
  if (getOtherwise()) {
    printer << '(' << getOtherwise() << ')';
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"map", "oob", getOperandSegmentSizeAttr()});
  printer << " : " << getType();
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value;
  OpAsmParser::UnresolvedOperand port;
  SmallVector<OpAsmParser::UnresolvedOperand> coords;
  NameTable names;
  AffineMap map;
  Type type;
  StringRef combine = "none";
  SMLoc combineLoc;
  if (parser.parseOperand(value) || parser.parseComma() || parser.parseOperand(port) ||
      AffineTextParser(parser, names, &coords).parseCoordinates(map)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("combine"))) {
    combineLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&combine)) {
      return failure();
    }
  }
  std::optional<Combine> kind = symbolizeCombine(combine);
  if (!kind) {
    return parser.emitError(combineLoc, "combine is none, add, min or max, not '")
           << combine << "'";
  }
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(value, type, result.operands) ||
      resolveAccess(parser, result, port, coords)) {
    return failure();
  }
  result.addAttribute("map", AffineMapAttr::get(map));
  if (*kind != Combine::None) {
    result.addAttribute("combine", CombineAttr::get(parser.getContext(), *kind));
  }
  keepNames(parser, result, names);
  return success();
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValue() << ", " << getPort();
  printCoordinates(printer, *this, getMap(), getCoords());
  if (getCombine() != Combine::None) {
    printer << " combine " << stringifyCombine(getCombine());
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"map", "combine"});
  printer << " : " << getValue().getType();
}

//===- where and index -----------------------------------------------------------------------===//

ParseResult WhereOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value;
  OpAsmParser::UnresolvedOperand otherwise;
  NameTable names;
  IntegerSet set;
  Type type;
  if (parser.parseOperand(value) || parser.parseKeyword("if") || parser.parseLParen() ||
      AffineTextParser(parser, names).parseConstraints(set) || parser.parseRParen() ||
      parser.parseKeyword("else") || parser.parseOperand(otherwise) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands({value, otherwise}, type, result.operands)) {
    return failure();
  }
  result.addAttribute("set", IntegerSetAttr::get(set));
  keepNames(parser, result, names);
  result.addTypes(type);
  return success();
}

void WhereOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValue() << " if (";
  printConstraints(printer.getStream(), getSet(), scopeAround(*this));
  printer << ") else " << getOtherwise();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"set"});
  printer << " : " << getType();
}

/// `index n` or `dim N`: one name, which `attribute` will hold the number of.
static ParseResult parseNamed(OpAsmParser &parser, OperationState &result, StringRef attribute) {
  NameTable names;
  if (parser.parseKeyword(&names.names.emplace_back()) ||
      parser.parseOptionalAttrDict(result.attributes)) {
    return failure();
  }
  result.addAttribute(attribute, parser.getBuilder().getI64IntegerAttr(0));
  keepNames(parser, result, names);
  result.addTypes(parser.getBuilder().getIndexType());
  return success();
}

ParseResult IndexOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseNamed(parser, result, "axis");
}

ParseResult DimOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseNamed(parser, result, "dim");
}

void printAxis(OpAsmPrinter &printer, int64_t axis, const NameScope &scope) {
  if (axis >= 0 && axis < static_cast<int64_t>(scope.axes.size())) {
    printer << scope.axes[axis];
  } else {
    printer << "d" << axis;
  }
}

void IndexOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printAxis(printer, getAxis(), scopeAround(*this));
  printer.printOptionalAttrDict((*this)->getAttrs(), {"axis"});
}

void DimOp::print(OpAsmPrinter &printer) {
  NameScope scope = scopeAround(*this);
  printer << ' ';
  if (getDim() < scope.dims.size()) {
    printer << scope.dims[getDim()];
  } else {
    printer << "s" << getDim();
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dim"});
}

} // namespace zyxc::zyxk
