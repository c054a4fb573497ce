// Text form of zyxk.kernel, and its accessors.
#include "dialects/zyxk/IR/Ranges.h"
#include "dialects/zyxk/IR/text/BodyText.h"
#include "dialects/zyxk/IR/text/SignatureText.h"
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

std::optional<SmallVector<int64_t>> KernelOp::getBoxExtents() {
  SmallVector<int64_t> extents;
  for (AffineExpr bound : getAxisBounds().getResults()) {
    std::optional<IndexRange> range = rangeOf(bound, extents);
    if (!range) {
      return std::nullopt;
    }
    extents.push_back(std::max<int64_t>(range->second, 0));
  }
  return extents;
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  namePorts(region, setName);
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

class KernelParser : public SignatureParser {
public:
  using SignatureParser::SignatureParser;
  ParseResult parse();

private:
  ParseResult parseAxes();
  ParseResult parseAxis();

  SmallVector<AffineExpr> bounds;
};

} // namespace

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
  if (parseHead() || parseAxes() || parseAssume(KernelOp::getAssumeAttrName(result.name)) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parseBody()) {
    return failure();
  }
  if (failed(resolveBodyNames(result.regions.front()->front(), scope))) {
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

void KernelOp::print(OpAsmPrinter &printer) {
  raw_ostream &os = printer.getStream();
  NameScope scope = scopeOf(*this);
  printHead(printer, getSymName(), getBlock(), scope.dims);
  os << " axes(";
  for (unsigned axis = 0; axis < scope.axes.size(); ++axis) {
    os << (axis ? ", " : "") << scope.axes[axis] << " < ";
    printExpr(os, getAxisBounds().getResult(axis), scope);
  }
  if (getDomain()) {
    os << " where ";
    printConstraints(os, *getDomain(), scope);
  }
  os << ')';
  printAssume(printer, getAssume(), scope.dims);
  printExtraAttributes(printer, *this);
  os << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
  if (getSchedule()) {
    os << " schedule ";
    printer.printAttribute(*getSchedule());
  }
}

} // namespace zyxc::zyxk
