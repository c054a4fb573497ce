// Text form of opaque.
#include "dialects/zyxk/IR/text/BodyText.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

ParseResult OpaqueOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr routine;
  SmallVector<OpAsmParser::UnresolvedOperand> ports;
  if (parser.parseSymbolName(routine) ||
      parser.parseOperandList(ports, OpAsmParser::Delimiter::Paren)) {
    return failure();
  }
  Builder &builder = parser.getBuilder();
  SmallVector<int64_t> params;
  auto parseParam = [&] {
    return parser.parseInteger(params.emplace_back());
  };
  if (succeeded(parser.parseOptionalKeyword("params"))) {
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseParam)) {
      return failure();
    }
    result.addAttribute("params", builder.getDenseI64ArrayAttr(params));
  }
  NameTable names;
  if (succeeded(parser.parseOptionalKeyword("cost"))) {
    AffineExpr cost;
    if (parser.parseLParen() || AffineTextParser(parser, names).parseExpr(cost) ||
        parser.parseRParen()) {
      return failure();
    }
    result.addAttribute("cost", AffineMapAttr::get(AffineMap::get(0, names.names.size(), {cost},
                                                                  parser.getContext())));
  }
  result.addAttribute("routine", FlatSymbolRefAttr::get(routine));
  keepNames(parser, result, names);
  return failure(parser.parseOptionalAttrDict(result.attributes) ||
                 parser.resolveOperands(ports, PortType::getPlaceholder(parser.getContext()),
                                        result.operands));
}

void OpaqueOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getRoutineAttr() << '(' << getPorts() << ')';
  if (!getParams().empty()) {
    printer << " params(";
    llvm::interleaveComma(getParams(), printer);
    printer << ')';
  }
  if (std::optional<AffineMap> cost = getCost()) {
    printer << " cost(";
    printExpr(printer.getStream(), cost->getResult(0), scopeAround(*this));
    printer << ')';
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"routine", "params", "cost"});
}

} // namespace zyxc::zyxk
