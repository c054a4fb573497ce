// Text form and checks of zyxk.program and its launches.
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "dialects/zyxk/IR/text/SignatureText.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

static NameScope dimsOf(ArrayAttr names) {
  NameScope scope;
  scope.dims = llvm::to_vector(names.getAsValueRange<StringAttr>());
  return scope;
}

//===- program -------------------------------------------------------------------------------===//

ProgramOp ProgramOp::createWithPorts(OpBuilder &builder, Location loc, StringRef name,
                                     ArrayRef<StringRef> dims, ArrayRef<PortType> ports) {
  auto program = create(builder, loc, builder.getStringAttr(name), builder.getStrArrayAttr(dims),
                        IntegerSetAttr());
  Block &block = program.getBody().emplaceBlock();
  for (PortType port : ports) {
    block.addArgument(port, loc);
  }
  return program;
}

PortType ProgramOp::getPortType(unsigned port) {
  return cast<PortType>(getPort(port).getType());
}

void ProgramOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  namePorts(region, setName);
}

namespace {

class ProgramParser : public SignatureParser {
public:
  using SignatureParser::SignatureParser;
  ParseResult parse();

private:
  ParseResult resolveLaunches();
};

} // namespace

/// Launches are read before the program exists: their dims are resolved here.
ParseResult ProgramParser::resolveLaunches() {
  for (auto launch : result.regions.front()->front().getOps<LaunchOp>()) {
    auto names = launch->getAttrOfType<ArrayAttr>("zyxk.names");
    if (!names) {
      continue;
    }
    launch->removeDiscardableAttr("zyxk.names");
    SmallVector<StringRef> written(names.getAsValueRange<StringAttr>());
    NameScope dims;
    dims.dims = scope.dims;
    FailureOr<AffineMap> map =
        resolveNames(launch.getDims(), written, dims, [&] { return launch.emitOpError(); });
    if (failed(map)) {
      return failure();
    }
    launch.setDims(*map);
  }
  return success();
}

ParseResult ProgramParser::parse() {
  if (parseHead() || parseAssume(ProgramOp::getAssumeAttrName(result.name)) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parseBody() ||
      resolveLaunches()) {
    return failure();
  }
  result.addAttribute(ProgramOp::getDimNamesAttrName(result.name),
                      parser.getBuilder().getStrArrayAttr(scope.dims));
  return success();
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  return ProgramParser(parser, result).parse();
}

void ProgramOp::print(OpAsmPrinter &printer) {
  SmallVector<StringRef> dims = dimsOf(getDimNames()).dims;
  printHead(printer, getSymName(), getBlock(), dims);
  printAssume(printer, getAssume(), dims);
  printExtraAttributes(printer, *this);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
}

LogicalResult ProgramOp::verify() {
  for (BlockArgument argument : getBody().getArguments()) {
    auto port = dyn_cast<PortType>(argument.getType());
    if (!port || isa<NoneType>(port.getElementType())) {
      return emitOpError() << "argument " << argument.getArgNumber() << " is no port";
    }
    if (port.getShape().getNumSymbols() != getNumDims()) {
      return emitOpError() << "the shape of port " << argument.getArgNumber()
                           << " must be over the dims of the program";
    }
  }
  if (getAssume() &&
      (getAssume()->getNumDims() != 0 || getAssume()->getNumSymbols() != getNumDims())) {
    return emitOpError() << "assumptions must be over the dims";
  }
  return success();
}

/// Every out port is written, and no scratch port is read before it is written.
LogicalResult ProgramOp::verifyRegions() {
  SmallVector<bool> written(getNumPorts(), false);
  for (Operation &op : getBlock()) {
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch) {
      return op.emitOpError() << "cannot stand in a program: it holds launches only";
    }
    KernelOp kernel = launch.lookUpKernel();
    if (!kernel || kernel.getNumPorts() != launch.getPorts().size()) {
      return success(); // the launch reports it
    }
    for (auto [i, value] : llvm::enumerate(launch.getPorts())) {
      unsigned number = cast<BlockArgument>(value).getArgNumber();
      PortType inner = kernel.getPortType(i);
      if (inner.getMode() != PortMode::Scratch && inner.isReadable() && !written[number] &&
          getPortType(number).getMode() == PortMode::Scratch) {
        return launch.emitOpError()
               << "reads scratch port " << number << ", which no launch before it writes";
      }
    }
    for (auto [i, value] : llvm::enumerate(launch.getPorts())) {
      written[cast<BlockArgument>(value).getArgNumber()] |= kernel.getPortType(i).isWritable();
    }
  }
  for (unsigned port = 0; port < getNumPorts(); ++port) {
    if (getPortType(port).getMode() == PortMode::Out && !written[port] && !getBlock().empty()) {
      return emitOpError() << "no launch writes out port " << port;
    }
  }
  return success();
}

//===- launch --------------------------------------------------------------------------------===//

ParseResult LaunchOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> ports;
  NameTable names;
  SmallVector<StringRef> dims;
  SmallVector<AffineExpr> sizes;
  auto parseDim = [&]() -> ParseResult {
    return failure(parser.parseKeyword(&dims.emplace_back()) || parser.parseEqual() ||
                   AffineTextParser(parser, names).parseExpr(sizes.emplace_back()));
  };
  StringAttr name;
  if (parser.parseSymbolName(name) ||
      parser.parseOperandList(ports, OpAsmParser::Delimiter::Paren)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("dims")) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseDim)) {
    return failure();
  }
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperands(ports, PortType::getPlaceholder(parser.getContext()),
                             result.operands)) {
    return failure();
  }
  Builder &builder = parser.getBuilder();
  result.addAttribute("kernel", FlatSymbolRefAttr::get(name));
  result.addAttribute("dim_names", builder.getStrArrayAttr(dims));
  result.addAttribute("dims", AffineMapAttr::get(AffineMap::get(0, names.names.size(), sizes,
                                                                parser.getContext())));
  result.addAttribute("zyxk.names", builder.getStrArrayAttr(names.names));
  return success();
}

void LaunchOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getKernelAttr() << '(' << getPorts() << ')';
  if (!getDimNames().empty()) {
    auto program = (*this)->getParentOfType<ProgramOp>();
    NameScope scope = program ? dimsOf(program.getDimNames()) : NameScope();
    raw_ostream &os = printer.getStream();
    os << " dims(";
    llvm::interleaveComma(
        llvm::zip(getDimNames().getAsValueRange<StringAttr>(), getDims().getResults()), os,
        [&](auto dim) {
          os << std::get<0>(dim) << " = ";
          printExpr(os, std::get<1>(dim), scope);
        });
    os << ')';
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"kernel", "dim_names", "dims"});
}

KernelOp LaunchOp::lookUpKernel() {
  return SymbolTable::lookupNearestSymbolFrom<KernelOp>((*this)->getParentOp(), getKernelAttr());
}

LogicalResult LaunchOp::verify() {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  if (getDims().getNumSymbols() != program.getNumDims() || getDims().getNumDims() != 0 ||
      getDims().getNumResults() != getDimNames().size()) {
    return emitOpError() << "dims must be one expression per dim over the dims of the program";
  }
  for (Value port : getPorts()) {
    if (port.getParentBlock() != &program.getBlock()) {
      return emitOpError() << "takes ports of its program only";
    }
  }
  return success();
}

/// May a port of the program with mode `outer` stand for a kernel's port with mode `inner`?
static bool modesMatch(PortMode outer, PortMode inner) {
  switch (inner) {
  case PortMode::In: return outer != PortMode::Out;
  case PortMode::Out: return outer != PortMode::In;
  case PortMode::InOut: return outer == PortMode::InOut || outer == PortMode::Scratch;
  case PortMode::Scratch: return outer == PortMode::Scratch;
  }
  return false;
}

static LogicalResult verifyPort(LaunchOp launch, unsigned i, PortType outer, PortType inner) {
  MLIRContext *context = launch.getContext();
  if (outer.getElementType() != inner.getElementType() || outer.getRank() != inner.getRank()) {
    return launch.emitOpError() << "port " << i << " is " << outer << ", but the kernel takes "
                                << inner;
  }
  if (!modesMatch(outer.getMode(), inner.getMode())) {
    return launch.emitOpError() << "port " << i << " is '" << stringifyPortMode(outer.getMode())
                                << "', but the kernel takes it as '"
                                << stringifyPortMode(inner.getMode()) << "'";
  }
  SmallVector<AffineExpr> dims(launch.getDims().getResults());
  for (auto [axis, expr] : llvm::enumerate(inner.getShape().getResults())) {
    AffineExpr bound = expr.replaceSymbols(dims);
    AffineExpr difference =
        simplifyExpr(bound - outer.getShape().getResult(axis), 0, launch.getDims().getNumSymbols());
    if (difference != getAffineConstantExpr(0, context)) {
      return launch.emitOpError() << "axis " << axis << " of port " << i
                                  << " has another size than the kernel's port";
    }
  }
  AffineMap layout = inner.getLayout();
  if (layout) {
    SmallVector<AffineExpr> same;
    for (unsigned axis = 0; axis < layout.getNumDims(); ++axis) {
      same.push_back(getAffineDimExpr(axis, context));
    }
    layout = simplifyExprs(layout.replaceDimsAndSymbols(same, dims, layout.getNumDims(),
                                                        launch.getDims().getNumSymbols()));
  }
  if (layout != (outer.getLayout() ? simplifyExprs(outer.getLayout()) : AffineMap())) {
    return launch.emitOpError() << "port " << i << " has another layout than the kernel's port";
  }
  if (inner.getAlign() > outer.getAlign() && outer.getMode() != PortMode::Scratch) {
    return launch.emitOpError() << "port " << i << " has an alignment of " << outer.getAlign()
                                << ", but the kernel needs " << inner.getAlign();
  }
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &) {
  KernelOp kernel = lookUpKernel();
  if (!kernel) {
    return emitOpError() << "launches " << getKernelAttr() << ", which is no kernel here";
  }
  if (kernel.getDimNames() != getDimNames()) {
    return emitOpError() << "gives dims " << getDimNames() << ", but the kernel has "
                         << kernel.getDimNames();
  }
  if (kernel.getNumPorts() != getPorts().size()) {
    return emitOpError() << "gives " << getPorts().size() << " ports, but the kernel has "
                         << kernel.getNumPorts();
  }
  for (auto [i, value] : llvm::enumerate(getPorts())) {
    if (failed(verifyPort(*this, i, cast<PortType>(value.getType()), kernel.getPortType(i)))) {
      return failure();
    }
  }
  return success();
}

} // namespace zyxc::zyxk
