// Text form of the body ops. Axes and dims are written by name; see AffineText.h.
#include "dialects/zyxk/IR/BodyText.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

/// Discardable attribute that holds the names of a parsed op until its kernel resolves them.
static constexpr llvm::StringLiteral namesAttr = "zyxk.names";

static void keepNames(OpAsmParser &parser, OperationState &result, const NameTable &names) {
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
  SmallVector<int64_t> axes;
  if (failed(resolveAxes(op, names, scope, axes))) {
    return failure();
  }
  if (auto index = dyn_cast<IndexOp>(op)) {
    index.setAxis(axes.front());
  } else if (isa<ReduceOp, ContractOp>(op)) {
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

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand port;
  SmallVector<OpAsmParser::UnresolvedOperand> coords;
  NameTable names;
  AffineMap map;
  Type type;
  StringRef oob = "prove";
  SMLoc oobLoc;
  if (parser.parseOperand(port) || AffineTextParser(parser, names, &coords).parseCoordinates(map)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("oob"))) {
    oobLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&oob)) {
      return failure();
    }
  }
  std::optional<Oob> policy = symbolizeOob(oob);
  if (!policy) {
    return parser.emitError(oobLoc, "oob is prove or clamp, not '") << oob << "'";
  }
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      resolveAccess(parser, result, port, coords)) {
    return failure();
  }
  result.addAttribute("map", AffineMapAttr::get(map));
  if (*policy != Oob::Prove) {
    result.addAttribute("oob", OobAttr::get(parser.getContext(), *policy));
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
  printer.printOptionalAttrDict((*this)->getAttrs(), {"map", "oob"});
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

ParseResult IndexOp::parse(OpAsmParser &parser, OperationState &result) {
  NameTable names;
  if (parser.parseKeyword(&names.names.emplace_back()) ||
      parser.parseOptionalAttrDict(result.attributes)) {
    return failure();
  }
  result.addAttribute("axis", parser.getBuilder().getI64IntegerAttr(0));
  keepNames(parser, result, names);
  result.addTypes(parser.getBuilder().getIndexType());
  return success();
}

static void printAxis(OpAsmPrinter &printer, int64_t axis, const NameScope &scope) {
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

//===- reduce and contract -------------------------------------------------------------------===//

/// `over [k, c]`: the names go to the table.
static ParseResult parseOver(OpAsmParser &parser, NameTable &names) {
  if (parser.parseKeyword("over")) {
    return failure();
  }
  auto parseAxis = [&] {
    return parser.parseKeyword(&names.names.emplace_back());
  };
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseAxis);
}

static void printOver(OpAsmPrinter &printer, Operation *op, ArrayRef<int64_t> axes) {
  NameScope scope = scopeAround(op);
  printer << " over [";
  llvm::interleaveComma(axes, printer, [&](int64_t axis) { printAxis(printer, axis, scope); });
  printer << ']';
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  StringRef kindName;
  StringRef orderName = "free";
  OpAsmParser::UnresolvedOperand value;
  NameTable names;
  Type type;
  Type resultType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&kindName)) {
    return failure();
  }
  std::optional<ReduceKind> kind = symbolizeReduceKind(kindName);
  if (!kind) {
    return parser.emitError(loc, "unknown reduction '") << kindName << "'";
  }
  if (parser.parseOperand(value) || parseOver(parser, names)) {
    return failure();
  }
  loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("order")) && parser.parseKeyword(&orderName)) {
    return failure();
  }
  std::optional<ReduceOrder> order = symbolizeReduceOrder(orderName);
  if (!order) {
    return parser.emitError(loc, "order is free, tree or serial, not '") << orderName << "'";
  }
  Builder &builder = parser.getBuilder();
  if (succeeded(parser.parseOptionalKeyword("last"))) {
    result.addAttribute("last", builder.getUnitAttr());
  }
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(value, type, result.operands)) {
    return failure();
  }
  resultType = type;
  if (succeeded(parser.parseOptionalArrow()) && parser.parseType(resultType)) {
    return failure();
  }
  result.addAttribute("kind", ReduceKindAttr::get(parser.getContext(), *kind));
  if (*order != ReduceOrder::Free) {
    result.addAttribute("order", ReduceOrderAttr::get(parser.getContext(), *order));
  }
  result.addAttribute("axes", builder.getDenseI64ArrayAttr({}));
  keepNames(parser, result, names);
  result.addTypes(resultType);
  return success();
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyReduceKind(getKind()) << ' ' << getValue();
  printOver(printer, *this, getAxes());
  if (getOrder() != ReduceOrder::Free) {
    printer << " order " << stringifyReduceOrder(getOrder());
  }
  if (getLast()) {
    printer << " last";
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"kind", "axes", "order", "last"});
  printer << " : " << getValue().getType();
  if (getType() != getValue().getType()) {
    printer << " -> " << getType();
  }
}

ParseResult ContractOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand a;
  OpAsmParser::UnresolvedOperand b;
  NameTable names;
  Type aType;
  Type bType;
  Type type;
  if (parser.parseOperand(a) || parser.parseComma() || parser.parseOperand(b) ||
      parseOver(parser, names) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(aType) || parser.parseComma() || parser.parseType(bType) ||
      parser.parseArrow() || parser.parseType(type) ||
      parser.resolveOperand(a, aType, result.operands) ||
      parser.resolveOperand(b, bType, result.operands)) {
    return failure();
  }
  result.addAttribute("axes", parser.getBuilder().getDenseI64ArrayAttr({}));
  keepNames(parser, result, names);
  result.addTypes(type);
  return success();
}

void ContractOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getA() << ", " << getB();
  printOver(printer, *this, getAxes());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"axes"});
  printer << " : " << getA().getType() << ", " << getB().getType() << " -> " << getType();
}

} // namespace zyxc::zyxk
