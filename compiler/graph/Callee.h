// What runs apart from the e-graph: regions, kernels that the user wrote, functions of libraries.
#pragma once
#include "compiler/egraph/EGraph.h"
#include "dialects/zyx/semantics/CustomSource.h"
#include "runtime/core/Tensor.h"
#include <memory>
#include <string>
#include <vector>

namespace zyxc::graph {

class TensorGraph;

/// What the `call` nodes of one op of the source graph stand for; each node is one of its results.
/// No rule looks into it, and two of them are never merged.
struct Callee {
  enum class Kind : uint8_t {
    If,     ///< operands: condition, captures. Bodies: then, else; their inputs are the captures
    Loop,   ///< operands: first condition, initial values, captures. One body, whose inputs are the
            ///< iteration, the carried values, the captures, and whose outputs are the condition
            ///< of the next iteration, the carried values, the collected rows
    Kernel, ///< a zyxk kernel; its ports are the operands, then the results
    Custom, ///< a kernel of the user, `source`
  };
  Kind kind = Kind::If;
  std::vector<std::shared_ptr<TensorGraph>> bodies = {};
  int64_t limit = 0;       ///< Loop: the most iterations; a size
  uint32_t numCarried = 0; ///< Loop
  std::string text =
      {}; ///< Kernel: its text, with givenKernelName; Custom: its declaration, if any
  std::shared_ptr<const CustomSource> source = {}; ///< Custom
  std::vector<egraph::Id> results = {};            ///< classes
};

/// What a kernel of the user is called in Callee::text, instead of its own name.
inline constexpr std::string_view givenKernelName = "zyxc_given_kernel";

} // namespace zyxc::graph
