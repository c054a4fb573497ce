// Sizes in the text of zyx ops: numbers, or expressions as strings.
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/IR/OpImplementation.h"
#include "runtime/core/Dim.h"

namespace zyxc::zyx {

/// The size of a text that must be in canonical form.
static Expected<int64_t> parseCanonical(llvm::StringRef text) {
  ZYXC_ASSIGN(int64_t size, dim::parse(std::string_view(text)));
  if (std::string canonical = dim::toString(size); canonical != text) {
    return makeError(ErrorCode::Input, "size '{}' must be written as '{}'", std::string_view(text),
                     canonical);
  }
  return size;
}

llvm::LogicalResult DimsAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                     llvm::ArrayRef<mlir::StringAttr> sizes) {
  for (mlir::StringAttr text : sizes) {
    Expected<int64_t> size = parseCanonical(text.getValue());
    if (!size) {
      return emitError() << size.error().message();
    }
    if (!dim::isSymbolic(*size)) {
      return emitError() << "size '" << text.getValue() << "' is a number: write it into the shape";
    }
  }
  return mlir::success();
}

mlir::ParseResult parseSizes(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &sizes) {
  llvm::SmallVector<int64_t> list;
  auto parseOne = [&]() -> mlir::ParseResult {
    std::string text;
    llvm::SMLoc place = parser.getCurrentLocation();
    if (mlir::failed(parser.parseOptionalString(&text))) {
      return parser.parseInteger(list.emplace_back());
    }
    Expected<int64_t> size = parseCanonical(text);
    if (!size) {
      return parser.emitError(place, size.error().message());
    }
    list.push_back(*size);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, parseOne)) {
    return mlir::failure();
  }
  sizes = mlir::DenseI64ArrayAttr::get(parser.getContext(), list);
  return mlir::success();
}

void printSizes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI64ArrayAttr sizes) {
  printer << "[";
  llvm::interleaveComma(sizes.asArrayRef(), printer, [&](int64_t size) {
    if (dim::isSymbolic(size)) {
      printer << '"' << dim::toString(size) << '"';
    } else {
      printer << size;
    }
  });
  printer << "]";
}

} // namespace zyxc::zyx
