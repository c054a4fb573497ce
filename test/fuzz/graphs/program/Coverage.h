// Which ops random programs have, on which dtypes, and what none of them has.
#pragma once
#include "test/fuzz/graphs/program/Graph.h"
#include <array>
#include <map>

namespace zyxc::fuzz {

/// The dtype that an op works on: that of its first operand, or of its result where operands do not
/// decide it.
DType subjectOf(OpKind kind, std::span<const TensorType> operands, const TensorType &result);

class Coverage {
public:
  void add(const Graph &graph);

  /// A line an op, a column a dtype; `-` where the op is not defined on it. Then ranks and extents.
  std::string table() const;
  /// How many programs and axes of inputs are open, and how often each op has an open size in its
  /// result or an operand.
  std::string openTable() const;
  /// What is valid and occurs in no program: "argsort on bf16", "rank 6". Sizes of models at run
  /// time are left out: programs have none.
  std::vector<std::string> gaps() const;

private:
  static constexpr int64_t maxRank = 6;
  using Row = std::array<int64_t, numDTypes>;
  /// True if some program with this op would be valid with its dtype replaced by this one.
  bool isValid(OpKind kind, DType dtype) const;

  std::map<OpKind, Row> counts;
  std::map<OpKind, std::pair<Attrs, std::vector<TensorType>>> samples; ///< one of each op
  std::array<int64_t, maxRank + 1> ranks = {};
  std::map<OpKind, int64_t> openOps;
  int64_t openPrograms = 0, openAxes = 0;
  int64_t zeros = 0, ones = 0; ///< values with an extent of 0, and of 1
};

} // namespace zyxc::fuzz
