// S-expressions with the places where they stand: what programs and rules are read from.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zyxc::egraph {

/// A word or a list. Text lies in the source, which must outlive it.
struct SExpr {
  std::string_view word; ///< empty: a list
  std::vector<SExpr> items;
  uint32_t line = 0, column = 0; ///< from 1

  bool isList() const { return word.empty(); }
};

/// As it was written, with single spaces.
std::string toText(const SExpr &text);

/// An error of kind Input at a place: "line 3, column 7: ...".
Status errorAt(const SExpr &place, std::string_view message);

/// Reads all expressions of a text. Words end at white space, parentheses and commas; `,` and a `:`
/// at a word's end are words of their own; `#` and `;` begin comments. Input, with the place, for
/// parentheses without their partner, empty lists, and nesting of more than 200.
Expected<std::vector<SExpr>> readSExprs(std::string_view text);

} // namespace zyxc::egraph
