#include "dialects/zyxk/IR/text/SignatureText.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

ParseResult SignatureParser::parseName(SmallVectorImpl<StringRef> &names) {
  StringRef name;
  if (parser.parseKeyword(&name)) {
    return failure();
  }
  if (llvm::is_contained(scope.axes, name) || llvm::is_contained(scope.dims, name)) {
    return error() << "'" << name << "' is declared twice";
  }
  names.push_back(name);
  return success();
}

ParseResult SignatureParser::parseDims() {
  if (failed(parser.parseOptionalKeyword("dims"))) {
    return success();
  }
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                        [&] { return parseName(scope.dims); });
}

/// `layout(a, b -> a * 72 + b)`.
ParseResult SignatureParser::parseLayout(unsigned rank, AffineMap &layout) {
  NameScope coordinates;
  coordinates.dims = scope.dims;
  if (parser.parseLParen()) {
    return failure();
  }
  auto parseCoordinate = [&] {
    return parser.parseKeyword(&coordinates.axes.emplace_back());
  };
  NameTable names;
  AffineExpr offset;
  if ((rank && parser.parseCommaSeparatedList(parseCoordinate)) || parser.parseArrow() ||
      AffineTextParser(parser, names).parseExpr(offset) || parser.parseRParen()) {
    return failure();
  }
  auto read = AffineMap::get(0, names.names.size(), {offset}, parser.getContext());
  FailureOr<AffineMap> map = resolveNames(read, names.names, coordinates, [&] { return error(); });
  if (failed(map)) {
    return failure();
  }
  layout = *map;
  return success();
}

/// `%x, %y: in f32[R, 64] layout(..) align 64`.
ParseResult SignatureParser::parsePortGroup() {
  unsigned first = arguments.size();
  do {
    if (parser.parseArgument(arguments.emplace_back())) {
      return failure();
    }
    if (succeeded(parser.parseOptionalColon())) {
      break;
    }
  } while (succeeded(parser.parseComma()));

  StringRef modeName;
  Type element;
  AffineMap shape;
  AffineMap layout;
  int64_t align = 0;
  NameTable names;
  if (parser.parseKeyword(&modeName)) {
    return failure();
  }
  std::optional<PortMode> mode = symbolizePortMode(modeName);
  if (!mode) {
    return error() << "a port is in, out, inout or scratch, not '" << modeName << "'";
  }
  if (parser.parseType(element) || AffineTextParser(parser, names).parseCoordinates(shape)) {
    return failure();
  }
  NameScope dims;
  dims.dims = scope.dims;
  FailureOr<AffineMap> resolved = resolveNames(shape, names.names, dims, [&] { return error(); });
  if (failed(resolved)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("layout")) &&
      parseLayout(resolved->getNumResults(), layout)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("align")) && parser.parseInteger(align)) {
    return failure();
  }
  auto emit = [&] {
    return error();
  };
  PortType type =
      PortType::getChecked(emit, parser.getContext(), element, *resolved, *mode, layout, align);
  if (!type) {
    return failure();
  }
  ports.append(arguments.size() - first, type);
  return success();
}

ParseResult SignatureParser::parsePorts() {
  if (parser.parseKeyword("ports") || parser.parseLParen()) {
    return failure();
  }
  if (succeeded(parser.parseOptionalRParen())) {
    return success();
  }
  do {
    if (parsePortGroup()) {
      return failure();
    }
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseRParen();
}

ParseResult SignatureParser::parseSet(StringRef attribute, const NameScope &names) {
  NameTable table;
  IntegerSet set;
  if (AffineTextParser(parser, table).parseConstraints(set)) {
    return failure();
  }
  FailureOr<IntegerSet> resolved = resolveNames(set, table.names, names, [&] { return error(); });
  if (failed(resolved)) {
    return failure();
  }
  result.addAttribute(attribute, IntegerSetAttr::get(*resolved));
  return success();
}

ParseResult SignatureParser::parseHead() {
  StringAttr name;
  return failure(
      parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), result.attributes) ||
      parseDims() || parsePorts());
}

ParseResult SignatureParser::parseAssume(StringRef attribute) {
  if (failed(parser.parseOptionalKeyword("assume"))) {
    return success();
  }
  NameScope dims;
  dims.dims = scope.dims;
  return failure(parser.parseLParen() || parseSet(attribute, dims) || parser.parseRParen());
}

ParseResult SignatureParser::parseBody() {
  for (OpAsmParser::Argument &argument : arguments) {
    argument.type = PortType::getPlaceholder(parser.getContext());
  }
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments)) {
    return failure();
  }
  if (body->empty()) {
    Block &block = body->emplaceBlock();
    for (const OpAsmParser::Argument &argument : arguments) {
      block.addArgument(argument.type, parser.getEncodedSourceLoc(argument.ssaName.location));
    }
  }
  for (auto [argument, port] : llvm::zip(body->getArguments(), ports)) {
    argument.setType(port);
  }
  return success();
}

//===- Printing ------------------------------------------------------------------------------===//

static void printPort(OpAsmPrinter &printer, BlockArgument argument, const NameScope &dims) {
  auto port = cast<PortType>(argument.getType());
  raw_ostream &os = printer.getStream();
  printer.printOperand(argument);
  os << ": " << stringifyPortMode(port.getMode()) << ' ';
  printer.printType(port.getElementType());
  os << '[';
  llvm::interleaveComma(port.getShape().getResults(), os,
                        [&](AffineExpr expr) { printExpr(os, expr, dims); });
  os << ']';
  if (AffineMap layout = port.getLayout()) {
    NameScope coordinates;
    coordinates.dims = dims.dims;
    SmallVector<std::string> names;
    for (unsigned i = 0; i < layout.getNumDims(); ++i) {
      names.push_back("_" + std::to_string(i));
    }
    coordinates.axes.assign(names.begin(), names.end());
    os << " layout(";
    llvm::interleaveComma(names, os);
    os << " -> ";
    printExpr(os, layout.getResult(0), coordinates);
    os << ')';
  }
  if (port.getAlign()) {
    os << " align " << port.getAlign();
  }
}

void printHead(OpAsmPrinter &printer, StringRef name, Block &body, ArrayRef<StringRef> dimNames) {
  raw_ostream &os = printer.getStream();
  NameScope dims;
  dims.dims.assign(dimNames.begin(), dimNames.end());
  os << ' ';
  printer.printSymbolName(name);
  if (!dims.dims.empty()) {
    os << " dims(";
    llvm::interleaveComma(dims.dims, os);
    os << ')';
  }
  os << " ports(";
  llvm::interleaveComma(body.getArguments(), os,
                        [&](BlockArgument argument) { printPort(printer, argument, dims); });
  os << ')';
}

void printAssume(OpAsmPrinter &printer, std::optional<IntegerSet> assume,
                 ArrayRef<StringRef> dimNames) {
  if (!assume) {
    return;
  }
  NameScope dims;
  dims.dims.assign(dimNames.begin(), dimNames.end());
  printer << " assume(";
  printConstraints(printer.getStream(), *assume, dims);
  printer << ')';
}

void printExtraAttributes(OpAsmPrinter &printer, Operation *op) {
  printer.printOptionalAttrDictWithKeyword(llvm::to_vector(op->getDiscardableAttrs()));
}

void namePorts(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments()) {
    auto port = dyn_cast<PortType>(argument.getType());
    std::string number = std::to_string(argument.getArgNumber());
    setName(argument,
            (port ? stringifyPortMode(port.getMode()) : StringRef("port")).str() + number);
  }
}

} // namespace zyxc::zyxk
