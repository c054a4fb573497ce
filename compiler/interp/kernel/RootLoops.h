// Evaluates one root of a BodyGraph: loops over its axes, with the longest one in blocks of lanes;
// each node is computed in the outermost loop that knows all of its axes.
//
// A lane of a value may be tagged: it comes from an access outside of a port. Tags travel with
// values, a `where` drops those of the side that it does not take, and a tag that reaches a store
// is an error.
#pragma once
#include "compiler/interp/kernel/BodyGraph.h"

namespace zyxc::kernelinterp {

/// The values of a root over its axes, row-major by axis number.
struct ResultArray {
  std::vector<int64_t> strides; ///< per axis of the kernel; 0 for other axes
  std::vector<Word> words;
  std::vector<uint16_t> tags; ///< sources; empty where no element is tagged
};

/// Memory of a port while a kernel runs.
struct PortMemory {
  const std::byte *source = nullptr; ///< what loads read
  std::byte *target = nullptr;       ///< what stores write
};

/// Points of a root's loops, lanes counted one by one.
double pointsOf(const BodyGraph &graph, const Root &root);

/// Evaluates root `index`; results of the roots before it are in `results`. Errors are of kind
/// Input: the kernel reads or writes where it must not.
Status runRoot(const BodyGraph &graph, unsigned index, std::span<const PortMemory> ports,
               std::vector<ResultArray> &results);

} // namespace zyxc::kernelinterp
