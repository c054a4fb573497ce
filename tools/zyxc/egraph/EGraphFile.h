// E-graphs in egraph-serialize JSON, the form that extraction-gym and egglog write: nodes by name,
// each with its op, the nodes that stand for the classes of its children, its class and its cost.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace zyxc::tool {

/// A cost as the file writes it: digits * 10^exponent, digits without trailing zeros. Numbers of
/// more than 17 digits are those of the nearest double.
struct Decimal {
  int64_t digits = 0;
  int exponent = 0;
};

/// An e-graph of a file. Nodes and classes are in the order of their names, so that what is made
/// from it does not depend on the order of the file.
struct EGraphFile {
  struct Node {
    std::string name;
    std::string op;
    uint32_t cls = 0;
    std::vector<uint32_t> children; ///< classes, as often as the node has them
    Decimal cost;                   ///< 1 where the file gives none
  };
  std::vector<Node> nodes;
  std::vector<std::string> classes; ///< names
  std::vector<uint32_t> roots;      ///< classes, distinct, in the order of the file
  std::vector<std::string> repairs; ///< what was changed to make roots, a line each

  /// Reads a file. Input if it is malformed, if a child is no node, if a cost is not a finite
  /// number, or if a root is not a class; with `repairRoots` such roots are dropped, and where none
  /// is left the classes that no other class uses are the roots. Unsupported for a negative cost.
  static Expected<EGraphFile> read(const std::string &path, bool repairRoots);
};

} // namespace zyxc::tool
