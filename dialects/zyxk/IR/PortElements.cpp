#include "dialects/zyxk/IR/PortElements.h"
#include "dialects/zyxk/IR/Ranges.h"

using namespace mlir;

namespace zyxc::zyxk {

int64_t portElements(PortType type) {
  std::optional<SmallVector<int64_t>> shape = type.getStaticShape();
  assert(shape && "ports have static shapes when a kernel is lowered");
  int64_t elements = 1;
  for (int64_t extent : *shape) {
    elements *= extent;
  }
  if (!type.getLayout() || elements == 0) {
    return elements;
  }
  std::optional<IndexRange> range = rangeOf(type.getLinearMap().getResult(0), *shape);
  assert(range && "the kernel's verifier knows the range of layouts");
  return range ? std::max(elements, range->second + 1) : elements;
}

} // namespace zyxc::zyxk
