// Convolutions.
#include "compiler/import/OnnxOps.h"
#include "compiler/import/OnnxWindows.h"

namespace zyxc::importer {

static Status conv(OnnxNode &n) {
  if (n.rank(1) != n.rank(0) || n.rank(0) < 3) {
    return n.malformed("input {} and weight {} do not suit each other", toString(n.type(0)),
                       toString(n.type(1)));
  }
  std::vector<int64_t> sizes(n.shape(1).begin() + 2, n.shape(1).end());
  if (n.attrInts("kernel_shape", sizes) != sizes) {
    return n.malformed("kernel_shape [{}] differs from the weight's {}",
                       fmt::join(n.attrInts("kernel_shape"), ","), toString(n.type(1)));
  }
  ZYXC_ASSIGN(OnnxWindows w, windowsOf(n, std::move(sizes)));
  GraphValue y = n.g.op(OpKind::Conv, {n.in(0), n.in(1)},
                        {{"strides", w.strides},
                         {"low", w.low},
                         {"high", w.high},
                         {"dilations", w.dilations},
                         {"groups", n.attrInt("group", 1)}});
  if (n.has(2)) {
    y = n.g.add(y, n.g.alongAxis(n.in(2), 1, n.rank(0)));
  }
  return n.result(y);
}

static constexpr OnnxOp rows[] = {
    {"Conv", 1, newest, 2, 3, 1, conv},
};

std::span<const OnnxOp> convolutionOps() { return rows; }

} // namespace zyxc::importer
