#include "compiler/import/ops/network/Windows.h"
#include <algorithm>

namespace zyxc::importer {

static Status checkEntries(OnnxNode &n, std::string_view name, const std::vector<int64_t> &values,
                           size_t count, int64_t least) {
  if (values.size() != count ||
      std::any_of(values.begin(), values.end(), [&](int64_t v) { return v < least; })) {
    return n.malformed("{} {}: {} entries of at least {} are needed", name, sizesText(values),
                       count, least);
  }
  return n.checkSmall(values);
}

/// Padding of auto_pad SAME: as many positions as strides fit; the odd element goes to the end
/// (upper) or to the beginning (lower).
static void padToSame(OnnxWindows &w, size_t axis, int64_t extent, bool upper) {
  int64_t span = (w.sizes[axis] - 1) * w.dilations[axis] + 1;
  int64_t positions = dim::ceilDiv(extent, w.strides[axis]);
  int64_t covered = dim::add(dim::mul(dim::sub(positions, 1), w.strides[axis]), span);
  int64_t total = dim::max(dim::sub(covered, extent), 0);
  int64_t half = dim::floorDiv(total, 2);
  w.low[axis] = upper ? half : dim::sub(total, half);
  w.high[axis] = dim::sub(total, w.low[axis]);
}

/// Rounds the number of positions up: padding is added for a last window that starts inside the
/// input or the padding before it. What no window reaches is not padded.
static void padToCeil(OnnxWindows &w, size_t axis, int64_t extent) {
  int64_t span = (w.sizes[axis] - 1) * w.dilations[axis] + 1;
  int64_t stride = w.strides[axis];
  int64_t before = dim::add(extent, w.low[axis]);
  int64_t room = dim::sub(dim::add(before, w.high[axis]), span);
  int64_t positions =
      dim::min(dim::add(dim::ceilDiv(room, stride), 1), dim::ceilDiv(before, stride));
  int64_t covered = dim::add(dim::mul(dim::sub(positions, 1), stride), span);
  w.high[axis] = dim::max(dim::sub(covered, before), 0);
}

Expected<OnnxWindows> windowsOf(OnnxNode &n, std::vector<int64_t> sizes) {
  if (n.rank(0) < 3) {
    return n.malformed("the input has shape {}: [N,C,D1,..] is needed", shapeText(n.shape(0)));
  }
  std::vector<int64_t> spatial(n.shape(0).begin() + 2, n.shape(0).end());
  size_t count = spatial.size();
  OnnxWindows w;
  w.sizes = std::move(sizes);
  w.strides = n.attrInts("strides", std::vector<int64_t>(count, 1));
  w.dilations = n.attrInts("dilations", std::vector<int64_t>(count, 1));
  std::vector<int64_t> pads = n.attrInts("pads", std::vector<int64_t>(2 * count, 0));
  std::string autoPad = n.attrString("auto_pad", "NOTSET");
  ZYXC_RETURN_IF_ERROR(n.g.takeStatus());
  ZYXC_RETURN_IF_ERROR(checkEntries(n, "dims", spatial, count, 0));
  ZYXC_RETURN_IF_ERROR(checkEntries(n, "kernel_shape", w.sizes, count, 1));
  ZYXC_RETURN_IF_ERROR(checkEntries(n, "strides", w.strides, count, 1));
  ZYXC_RETURN_IF_ERROR(checkEntries(n, "dilations", w.dilations, count, 1));
  ZYXC_RETURN_IF_ERROR(checkEntries(n, "pads", pads, 2 * count, 0));
  w.low.assign(pads.begin(), pads.begin() + static_cast<int64_t>(count));
  w.high.assign(pads.begin() + static_cast<int64_t>(count), pads.end());
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!same && autoPad != "NOTSET" && autoPad != "VALID") {
    return n.malformed("auto_pad '{}' is unknown", autoPad);
  }
  if (autoPad == "VALID") {
    w.low.assign(count, 0);
    w.high.assign(count, 0);
  }
  for (size_t i = 0; same && i < count; ++i) {
    padToSame(w, i, spatial[i], autoPad == "SAME_UPPER");
  }
  w.highDeclared = w.high;
  bool ceil = n.attrInt("ceil_mode", 0) != 0 && !same;
  for (size_t i = 0; ceil && i < count; ++i) {
    padToCeil(w, i, spatial[i]);
  }
  return w;
}

} // namespace zyxc::importer
