// Text form of the body ops that combine values along axes, and of scalar calls.
#include "dialects/zyxk/IR/text/BodyText.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zyxc::zyxk {

ParseResult parseOver(OpAsmParser &parser, NameTable &names) {
  if (parser.parseKeyword("over")) {
    return failure();
  }
  auto parseAxis = [&] {
    return parser.parseKeyword(&names.names.emplace_back());
  };
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseAxis);
}

void printOver(OpAsmPrinter &printer, Operation *op, ArrayRef<int64_t> axes) {
  NameScope scope = scopeAround(op);
  printer << " over [";
  llvm::interleaveComma(axes, printer, [&](int64_t axis) { printAxis(printer, axis, scope); });
  printer << ']';
}

ParseResult parseOrder(OpAsmParser &parser, ReduceOrder &order) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("order"))) {
    return success();
  }
  if (parser.parseKeyword(&name)) {
    return failure();
  }
  std::optional<ReduceOrder> parsed = symbolizeReduceOrder(name);
  if (!parsed) {
    return parser.emitError(loc, "order is free, tree or serial, not '") << name << "'";
  }
  order = *parsed;
  return success();
}

static ParseResult parseKind(OpAsmParser &parser, ReduceKind &kind) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name)) {
    return failure();
  }
  std::optional<ReduceKind> parsed = symbolizeReduceKind(name);
  if (!parsed) {
    SmallVector<StringRef> known;
    for (unsigned i = 0; i <= getMaxEnumValForReduceKind(); ++i) {
      known.push_back(stringifyReduceKind(static_cast<ReduceKind>(i)));
    }
    return parser.emitError(loc, "unknown monoid '")
           << name << "'; known are " << llvm::join(known, ", ");
  }
  kind = *parsed;
  return success();
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  ReduceKind kind;
  ReduceOrder order = ReduceOrder::Free;
  OpAsmParser::UnresolvedOperand value;
  NameTable names;
  Type type;
  Type resultType;
  if (parseKind(parser, kind) || parser.parseOperand(value) || parseOver(parser, names) ||
      parseOrder(parser, order)) {
    return failure();
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
  result.addAttribute("kind", ReduceKindAttr::get(parser.getContext(), kind));
  if (order != ReduceOrder::Free) {
    result.addAttribute("order", ReduceOrderAttr::get(parser.getContext(), order));
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

//===- expsum and welford --------------------------------------------------------------------===//

ParseResult ExpsumOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value;
  SmallVector<OpAsmParser::UnresolvedOperand> weights;
  SmallVector<Type> weightTypes;
  SmallVector<bool> units;
  NameTable names;
  Type type;
  auto parseWeight = [&]() -> ParseResult {
    units.push_back(succeeded(parser.parseOptionalKeyword("unit")));
    return failure(!units.back() && (parser.parseOperand(weights.emplace_back()) ||
                                     parser.parseColonType(weightTypes.emplace_back())));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(value) || parseOver(parser, names) || parser.parseKeyword("weights") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseWeight) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(value, type, result.operands) ||
      parser.resolveOperands(weights, weightTypes, loc, result.operands)) {
    return failure();
  }
  result.addAttribute("axes", parser.getBuilder().getDenseI64ArrayAttr({}));
  result.addAttribute("units", parser.getBuilder().getDenseBoolArrayAttr(units));
  keepNames(parser, result, names);
  result.types.append(units.size() + 1, type);
  return success();
}

void ExpsumOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValue();
  printOver(printer, *this, getAxes());
  printer << " weights(";
  llvm::interleaveComma(llvm::seq(getNumSums()), printer, [&](unsigned sum) {
    if (Value weight = getWeight(sum)) {
      printer << weight << " : " << weight.getType();
    } else {
      printer << "unit";
    }
  });
  printer << ')';
  printer.printOptionalAttrDict((*this)->getAttrs(), {"axes", "units"});
  printer << " : " << getValue().getType();
}

Value ExpsumOp::getWeight(unsigned sum) {
  ArrayRef<bool> units = getUnits();
  return units[sum] ? Value() : getWeights()[llvm::count(units.take_front(sum), false)];
}

ParseResult WelfordOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value;
  NameTable names;
  Type type;
  if (parser.parseOperand(value) || parseOver(parser, names) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(value, type, result.operands)) {
    return failure();
  }
  result.addAttribute("axes", parser.getBuilder().getDenseI64ArrayAttr({}));
  keepNames(parser, result, names);
  result.addTypes({type, type});
  return success();
}

void WelfordOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValue();
  printOver(printer, *this, getAxes());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"axes"});
  printer << " : " << getValue().getType();
}

//===- scan ----------------------------------------------------------------------------------===//

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value;
  ReduceKind kind;
  NameTable names;
  Type type;
  if (parseKind(parser, kind) || parser.parseOperand(value) || parser.parseKeyword("along") ||
      parser.parseKeyword(&names.names.emplace_back())) {
    return failure();
  }
  for (StringRef flag : {"exclusive", "reverse"}) {
    if (succeeded(parser.parseOptionalKeyword(flag))) {
      result.addAttribute(flag, parser.getBuilder().getUnitAttr());
    }
  }
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperand(value, type, result.operands)) {
    return failure();
  }
  result.addAttribute("kind", ReduceKindAttr::get(parser.getContext(), kind));
  result.addAttribute("axis", parser.getBuilder().getI64IntegerAttr(0));
  keepNames(parser, result, names);
  result.addTypes(type);
  return success();
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyReduceKind(getKind()) << ' ' << getValue() << " along ";
  printAxis(printer, getAxis(), scopeAround(*this));
  printer << (getExclusive() ? " exclusive" : "") << (getReverse() ? " reverse" : "");
  printer.printOptionalAttrDict((*this)->getAttrs(), {"kind", "axis", "exclusive", "reverse"});
  printer << " : " << getType();
}

//===- scalar --------------------------------------------------------------------------------===//

ParseResult ScalarOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  StringAttr function;
  Type type;
  if (parser.parseSymbolName(function, "function", result.attributes) ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type, result.operands)) {
    return failure();
  }
  result.addTypes(type);
  return success();
}

void ScalarOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getFunction());
  printer << '(' << getArgs() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs(), {"function"});
  printer << " : " << getType();
}

} // namespace zyxc::zyxk
