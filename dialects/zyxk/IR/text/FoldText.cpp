// Text form of fold and of its regions.
#include "dialects/zyxk/IR/text/BodyText.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;

namespace zyxc::zyxk {

/// `(%s: f32, %x: f32) { .. }`.
static ParseResult parseCode(OpAsmParser &parser, Region &region,
                             SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  return failure(parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseRegion(region, arguments, /*enableNameShadowing=*/true));
}

/// The types of the operands are those of the arguments of step: states, then values.
static ParseResult resolveOperands(OpAsmParser &parser, OperationState &result, SMLoc loc,
                                   ArrayRef<OpAsmParser::UnresolvedOperand> values,
                                   ArrayRef<OpAsmParser::UnresolvedOperand> inits,
                                   ArrayRef<OpAsmParser::Argument> arguments) {
  if (arguments.size() != values.size() + inits.size()) {
    return parser.emitError(loc, "step takes ")
           << inits.size() << " states and " << values.size() << " values, not " << arguments.size()
           << " arguments";
  }
  SmallVector<Type> types;
  for (const OpAsmParser::Argument &argument : arguments) {
    types.push_back(argument.type);
  }
  ArrayRef<Type> states = ArrayRef<Type>(types).take_front(inits.size());
  result.addTypes(states);
  return failure(parser.resolveOperands(values, ArrayRef<Type>(types).drop_front(inits.size()), loc,
                                        result.operands) ||
                 parser.resolveOperands(inits, states, loc, result.operands));
}

ParseResult FoldOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> values;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SmallVector<OpAsmParser::Argument> stepArguments;
  SmallVector<OpAsmParser::Argument> mergeArguments;
  NameTable names;
  ReduceOrder order = ReduceOrder::Serial;
  if (parser.parseOperandList(values) || parseOver(parser, names) || parseOrder(parser, order) ||
      parser.parseKeyword("init") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("step")) {
    return failure();
  }
  SMLoc loc = parser.getCurrentLocation();
  Region *step = result.addRegion();
  Region *merge = result.addRegion();
  if (parseCode(parser, *step, stepArguments) ||
      (succeeded(parser.parseOptionalKeyword("merge")) &&
       parseCode(parser, *merge, mergeArguments)) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      resolveOperands(parser, result, loc, values, inits, stepArguments)) {
    return failure();
  }
  Builder &builder = parser.getBuilder();
  result.addAttribute(getOperandSegmentSizeAttr(),
                      builder.getDenseI32ArrayAttr({static_cast<int32_t>(values.size()),
                                                    static_cast<int32_t>(inits.size())}));
  result.addAttribute("axes", builder.getDenseI64ArrayAttr({}));
  if (order != ReduceOrder::Serial) {
    result.addAttribute("order", ReduceOrderAttr::get(parser.getContext(), order));
  }
  keepNames(parser, result, names);
  return success();
}

static void printCode(OpAsmPrinter &printer, StringRef name, Region &region) {
  printer << ' ' << name << '(';
  llvm::interleaveComma(region.getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

void FoldOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValues();
  printOver(printer, *this, getAxes());
  if (getOrder() != ReduceOrder::Serial) {
    printer << " order " << stringifyReduceOrder(getOrder());
  }
  printer << " init(" << getInits() << ')';
  printCode(printer, "step", getStep());
  if (hasMerge()) {
    printCode(printer, "merge", getMerge());
  }
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"axes", "order", getOperandSegmentSizeAttr()});
}

/// Arguments are named by what they are, so that equal folds have equal text.
void FoldOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  unsigned states = getNumStates();
  bool isStep = &region == &getStep();
  for (BlockArgument argument : region.getArguments()) {
    unsigned number = argument.getArgNumber();
    bool isFirst = number < states;
    StringRef kind = isStep ? (isFirst ? "state" : "value") : (isFirst ? "left" : "right");
    setName(argument, (kind + Twine(isFirst ? number : number - states)).str());
  }
}

} // namespace zyxc::zyxk
