#include "compiler/interp/Elements.h"
#include "compiler/interp/Families.h"
#include "compiler/interp/Products.h"
#include "compiler/interp/Windows.h"
#include "dialects/zyx/semantics/Infer.h"

namespace zyxc::interp {

template <class Data, class Sum>
static Tensor convTyped(const Attrs &attrs, const Tensor &x, const Tensor &w,
                        const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  ElementsAs<Data> image(x);
  ElementsAs<Data> weights(w);
  Windows windows(attrs, spatial(w.shape()), spatial(x.shape()), spatial(type.shape));
  int64_t groups = attrs.getInt("groups");
  int64_t channels = w.shape()[1];
  int64_t outputs = w.shape()[0] / groups;
  int64_t plane = numElements(spatial(x.shape()));
  int64_t positions = numElements(spatial(type.shape));
  // The taps of all channels of a group; their images lie one after the other.
  std::vector<int64_t> taps;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t tap : windows.taps()) {
      taps.push_back(c * windows.imageSize() + tap);
    }
  }
  auto depth = static_cast<int64_t>(taps.size());
  std::vector<Data> images(channels * windows.imageSize());
  std::vector<Sum> sums(outputs * windows.flatCount());
  std::vector<Sum> row(positions);
  for (int64_t n = 0; n < x.shape()[0] * groups; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      windows.makeImages(image.data() + (n * channels + c) * plane, Data(0),
                         images.data() + c * windows.imageSize());
    }
    const Data *groupWeights = weights.data() + n % groups * outputs * depth;
    sumTapsOfRows(outputs, groupWeights, depth, std::span<const int64_t>(taps), images.data(),
                  windows.flatCount(), sums.data());
    for (int64_t o = 0; o < outputs; ++o) {
      windows.pickPositions(sums.data() + o * windows.flatCount(), row.data());
      storeSums(result, (n * outputs + o) * positions, positions, row.data(),
                accumulatorOf(type.dtype));
    }
  }
  return result;
}

Tensor conv(const Attrs &attrs, Operands operands, const TensorType &type) {
  if (type.numElements() == 0) {
    return Tensor::allocate(type);
  }
  return withProductTypes(type.dtype, [&]<class Data, class Sum>(Data *, Sum *) {
    return convTyped<Data, Sum>(attrs, operands[0], operands[1], type);
  });
}

} // namespace zyxc::interp
