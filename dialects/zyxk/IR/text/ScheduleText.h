// Values of schedule fields as they stand in the text of an attribute.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace zyxc::zyxk {

inline void printFieldValue(llvm::raw_ostream &os, int64_t value) {
  os << value;
}

inline void printFieldValue(llvm::raw_ostream &os, mlir::StringAttr value) {
  if (value) {
    os << '"' << value.getValue() << '"';
  }
}

template <size_t n>
inline void printFieldValue(llvm::raw_ostream &os, const std::array<int64_t, n> &value) {
  os << '[';
  llvm::interleaveComma(value, os);
  os << ']';
}

template <class Enum>
  requires std::is_enum_v<Enum>
inline void printFieldValue(llvm::raw_ostream &os, Enum value) {
  os << stringifyEnum(value);
}

} // namespace zyxc::zyxk
