// Text form of zyxk.kernel, and its accessors.
#include "dialects/zyxk/IR/BodyText.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

//===- Accessors -----------------------------------------------------------------------------===//

KernelOp KernelOp::createWithPorts(OpBuilder &builder, Location loc, StringRef name,
                                   ArrayRef<StringRef> dims, ArrayRef<StringRef> axes,
                                   AffineMap bounds, ArrayRef<PortType> ports) {
  auto kernel = create(builder, loc, builder.getStringAttr(name), builder.getStrArrayAttr(dims),
                       builder.getStrArrayAttr(axes), AffineMapAttr::get(bounds), IntegerSetAttr(),
                       IntegerSetAttr(), Attribute());
  Block &block = kernel.getBody().emplaceBlock();
  for (PortType port : ports) {
    block.addArgument(port, loc);
  }
  return kernel;
}

StringRef KernelOp::getAxisName(unsigned axis) {
  return cast<StringAttr>(getAxisNames()[axis]).getValue();
}

std::optional<unsigned> KernelOp::findAxis(StringRef name) {
  for (unsigned axis = 0; axis < getNumAxes(); ++axis) {
    if (getAxisName(axis) == name) {
      return axis;
    }
  }
  return std::nullopt;
}

PortType KernelOp::getPortType(unsigned port) {
  return cast<PortType>(getPort(port).getType());
}

std::optional<SmallVector<int64_t>> KernelOp::getStaticExtents() {
  SmallVector<int64_t> extents;
  for (AffineExpr bound : getAxisBounds().getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(bound);
    if (!constant) {
      return std::nullopt;
    }
    extents.push_back(constant.getValue());
  }
  return extents;
}

/// Ports are named by mode and position, so that the text does not depend on the source's names.
void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments()) {
    auto port = dyn_cast<PortType>(argument.getType());
    std::string number = std::to_string(argument.getArgNumber());
    setName(argument,
            (port ? stringifyPortMode(port.getMode()) : StringRef("port")).str() + number);
  }
}

NameScope scopeOf(KernelOp kernel) {
  NameScope scope;
  for (auto axis : kernel.getAxisNames().getAsValueRange<StringAttr>()) {
    scope.axes.push_back(axis);
  }
  for (auto dim : kernel.getDimNames().getAsValueRange<StringAttr>()) {
    scope.dims.push_back(dim);
  }
  return scope;
}

NameScope scopeAround(Operation *bodyOp) {
  auto kernel = bodyOp->getParentOfType<KernelOp>();
  return kernel ? scopeOf(kernel) : NameScope();
}

//===- Parsing -------------------------------------------------------------------------------===//

namespace {

/// Reads one kernel. Ports have no type of their own until the body is read: a body op cannot know
/// the type of a port that it uses.
class KernelParser {
public:
  KernelParser(OpAsmParser &parser, OperationState &result) : parser(parser), result(result) {}

  ParseResult parse();

private:
  ParseResult parseDims();
  ParseResult parsePorts();
  ParseResult parsePortGroup();
  ParseResult parseLayout(unsigned rank, AffineMap &layout);
  ParseResult parseAxes();
  ParseResult parseAxis();
  ParseResult parseName(SmallVectorImpl<StringRef> &names);
  /// The set in `where ..` or `assume(..)` with its names resolved.
  ParseResult parseSet(StringRef attribute, const NameScope &names);
  InFlightDiagnostic error() { return parser.emitError(parser.getCurrentLocation()); }

  OpAsmParser &parser;
  OperationState &result;
  NameScope scope;
  SmallVector<AffineExpr> bounds;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<PortType> ports;
};

} // namespace

ParseResult KernelParser::parseName(SmallVectorImpl<StringRef> &names) {
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

ParseResult KernelParser::parseDims() {
  if (failed(parser.parseOptionalKeyword("dims"))) {
    return success();
  }
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                        [&] { return parseName(scope.dims); });
}

/// `layout(a, b -> a * 72 + b)`.
ParseResult KernelParser::parseLayout(unsigned rank, AffineMap &layout) {
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
ParseResult KernelParser::parsePortGroup() {
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

ParseResult KernelParser::parsePorts() {
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

ParseResult KernelParser::parseSet(StringRef attribute, const NameScope &names) {
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

/// `j < N`, where N may use the axes before j. The bound is resolved when all axes are known.
ParseResult KernelParser::parseAxis() {
  NameTable names;
  AffineExpr bound;
  SmallVector<StringRef> axis;
  if (parseName(axis) || parser.parseLess() || AffineTextParser(parser, names).parseExpr(bound)) {
    return failure();
  }
  auto read = AffineMap::get(0, names.names.size(), {bound}, parser.getContext());
  FailureOr<AffineMap> map = resolveNames(read, names.names, scope, [&] { return error(); });
  if (failed(map)) {
    return failure();
  }
  bounds.push_back(map->getResult(0));
  scope.axes.push_back(axis.front());
  return success();
}

ParseResult KernelParser::parseAxes() {
  if (failed(parser.parseOptionalKeyword("axes"))) {
    return success();
  }
  if (parser.parseLParen()) {
    return failure();
  }
  if (succeeded(parser.parseOptionalRParen())) {
    return success();
  }
  if (parser.parseCommaSeparatedList([&] { return parseAxis(); })) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("where")) &&
      parseSet(KernelOp::getDomainAttrName(result.name), scope)) {
    return failure();
  }
  return parser.parseRParen();
}

ParseResult KernelParser::parse() {
  StringAttr name;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), result.attributes) ||
      parseDims() || parsePorts() || parseAxes()) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("assume"))) {
    NameScope dims;
    dims.dims = scope.dims;
    if (parser.parseLParen() || parseSet(KernelOp::getAssumeAttrName(result.name), dims) ||
        parser.parseRParen()) {
      return failure();
    }
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes)) {
    return failure();
  }
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
  if (failed(resolveBodyNames(body->front(), scope))) {
    return failure();
  }
  Builder builder(parser.getContext());
  result.addAttribute(KernelOp::getDimNamesAttrName(result.name),
                      builder.getStrArrayAttr(scope.dims));
  result.addAttribute(KernelOp::getAxisNamesAttrName(result.name),
                      builder.getStrArrayAttr(scope.axes));
  result.addAttribute(KernelOp::getAxisBoundsAttrName(result.name),
                      AffineMapAttr::get(AffineMap::get(scope.axes.size(), scope.dims.size(),
                                                        bounds, parser.getContext())));
  Attribute schedule;
  if (succeeded(parser.parseOptionalKeyword("schedule"))) {
    if (parser.parseAttribute(schedule)) {
      return failure();
    }
    result.addAttribute(KernelOp::getScheduleAttrName(result.name), schedule);
  }
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return KernelParser(parser, result).parse();
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

void KernelOp::print(OpAsmPrinter &printer) {
  raw_ostream &os = printer.getStream();
  NameScope scope = scopeOf(*this);
  NameScope dims;
  dims.dims = scope.dims;
  os << ' ';
  printer.printSymbolName(getSymName());
  if (!scope.dims.empty()) {
    os << " dims(";
    llvm::interleaveComma(scope.dims, os);
    os << ')';
  }
  os << " ports(";
  llvm::interleaveComma(getBody().getArguments(), os,
                        [&](BlockArgument argument) { printPort(printer, argument, dims); });
  os << ") axes(";
  for (unsigned axis = 0; axis < scope.axes.size(); ++axis) {
    os << (axis ? ", " : "") << scope.axes[axis] << " < ";
    printExpr(os, getAxisBounds().getResult(axis), scope);
  }
  if (getDomain()) {
    os << " where ";
    printConstraints(os, *getDomain(), scope);
  }
  os << ')';
  if (getAssume()) {
    os << " assume(";
    printConstraints(os, *getAssume(), dims);
    os << ')';
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getDiscardableAttrs().empty()
                                               ? ArrayRef<NamedAttribute>()
                                               : llvm::to_vector((*this)->getDiscardableAttrs()));
  os << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
  if (getSchedule()) {
    os << " schedule ";
    printer.printAttribute(*getSchedule());
  }
}

} // namespace zyxc::zyxk
