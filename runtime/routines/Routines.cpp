// The table of routines.
#include "runtime/routines/Routine.h"
#include "runtime/routines/Scatter.h"
#include "runtime/routines/Sort.h"
#include <algorithm>
#include <fmt/format.h>

namespace zyxc::rt {

static constexpr Routine table[] = {
    {"argsort", "(x, out i64 positions) params(descending, dtype): sorts the last axis, stable",
     checkArgSort, runArgSort},
    {"scatter", "(x, indices, updates, out) params(kind, dtype, index dtype): rows to given places",
     checkScatter, runScatter, 8}, // each call reads all indices
    {"sort", "(x, out values, out i64 positions) params(descending): the last axis, stable",
     checkSort, runSort},
    {"sort_values", "(x, out values) params(descending, dtype): the last axis", checkSortValues,
     runSortValues},
    {"topk", "(x, out values, out i64 positions): the largest of the last axis, falling", checkTopK,
     runTopK},
};

std::span<const Routine> routines() {
  return table;
}

const Routine *findRoutine(std::string_view name) {
  const auto *found = std::find_if(std::begin(table), std::end(table),
                                   [&](const Routine &routine) { return routine.name == name; });
  return found == std::end(table) ? nullptr : found;
}

std::string routineNames() {
  std::string names;
  for (const Routine &routine : table) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", routine.name);
  }
  return names;
}

int64_t routineRows(std::span<const int64_t> sizes) {
  int64_t rows = 1;
  for (size_t axis = 0; axis + 1 < sizes.size(); ++axis) {
    rows *= sizes[axis];
  }
  return rows;
}

} // namespace zyxc::rt
