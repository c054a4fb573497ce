#include "passes/lower/HostFunction.h"

using namespace mlir;

namespace zyxc {

int64_t hostPortElements(zyxk::PortType type) {
  std::optional<SmallVector<int64_t>> shape = type.getStaticShape();
  assert(shape && "host ports have static shapes");
  int64_t elements = 1;
  for (int64_t extent : *shape) {
    elements *= extent;
  }
  if (!type.getLayout() || elements == 0) {
    return elements;
  }
  // Layouts do not decrease along any axis, so the last element is at the far corner.
  SmallVector<Attribute> corner;
  for (int64_t extent : *shape) {
    corner.push_back(IntegerAttr::get(IndexType::get(type.getContext()), extent - 1));
  }
  SmallVector<Attribute> last;
  AffineMap linear = type.getLinearMap();
  if (linear.getNumSymbols() != 0 || failed(linear.constantFold(corner, last))) {
    return elements;
  }
  return std::max(elements, cast<IntegerAttr>(last.front()).getInt() + 1);
}

} // namespace zyxc
