// The text that kernels and programs share: dims, ports, assumptions.
#pragma once
#include "dialects/zyxk/IR/text/AffineText.h"

namespace zyxc::zyxk {

/// Reads the head of one kernel or program. Ports have no type of their own until the body is read:
/// a body op cannot know the type of a port that it uses.
class SignatureParser {
public:
  SignatureParser(mlir::OpAsmParser &parser, mlir::OperationState &result)
      : parser(parser), result(result) {}

protected:
  /// `@name dims(..) ports(..)`.
  mlir::ParseResult parseHead();
  mlir::ParseResult parseName(llvm::SmallVectorImpl<llvm::StringRef> &names);
  /// The set in `where ..` or `assume(..)` with its names resolved.
  mlir::ParseResult parseSet(llvm::StringRef attribute, const NameScope &names);
  /// `assume(..)`, if it is there.
  mlir::ParseResult parseAssume(llvm::StringRef attribute);
  /// The body with one block, whose arguments are the ports.
  mlir::ParseResult parseBody();
  mlir::InFlightDiagnostic error() { return parser.emitError(parser.getCurrentLocation()); }

  mlir::OpAsmParser &parser;
  mlir::OperationState &result;
  NameScope scope;

private:
  mlir::ParseResult parseDims();
  mlir::ParseResult parsePorts();
  mlir::ParseResult parsePortGroup();
  mlir::ParseResult parseLayout(unsigned rank, mlir::AffineMap &layout);

  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
  llvm::SmallVector<PortType> ports;
};

/// ` @name dims(..) ports(..)`.
void printHead(mlir::OpAsmPrinter &printer, llvm::StringRef name, mlir::Block &body,
               llvm::ArrayRef<llvm::StringRef> dims);
/// ` assume(..)`, if there is one.
void printAssume(mlir::OpAsmPrinter &printer, std::optional<mlir::IntegerSet> assume,
                 llvm::ArrayRef<llvm::StringRef> dims);
/// ` attributes {..}` of the attributes that are not part of the text.
void printExtraAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op);

/// Names ports by mode and position, so that the text does not depend on the source's names.
void namePorts(mlir::Region &region, mlir::OpAsmSetValueNameFn setName);

} // namespace zyxc::zyxk
