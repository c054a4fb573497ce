// How much of what programs return is compared, and how closely: an oracle that lets too much pass
// is seen here.
#pragma once
#include "test/fuzz/graphs/oracle/Oracle.h"
#include <map>

namespace zyxc::fuzz {

/// Counts elements of outputs by what a target must give for them.
class Tolerances {
public:
  /// The outputs of a program, at its own sizes where they are open.
  Status add(const Graph &graph);
  /// A table by the outputs' dtypes, and a line for all of them.
  std::string table() const;

private:
  struct Row {
    int64_t equal = 0;       ///< must be the same
    int64_t within = 0;      ///< may differ by a tolerance
    int64_t notCompared = 0; ///< may be anything
    double logUnits = 0;     ///< sum of the logarithms of tolerances in units in the last place

    void add(const Row &other);
    std::string text() const;
  };
  Row total() const;

  std::map<DType, Row> rows;
};

} // namespace zyxc::fuzz
