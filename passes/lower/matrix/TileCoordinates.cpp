#include "passes/lower/matrix/TileCoordinates.h"

using namespace mlir;

namespace zyxc {

SmallVector<Value> coordinatesOf(I32Math &math, const AccessTable &table, ArrayRef<unsigned> axes,
                                 Value index) {
  SmallVector<Value> coordinates(axes.size());
  for (size_t i = axes.size(); i-- > 0;) {
    coordinates[i] = i == 0 ? index : math.rem(index, table.extent(axes[i]));
    index = i == 0 ? index : math.div(index, table.extent(axes[i]));
  }
  return coordinates;
}

void assignFlat(OpBuilder &builder, VectorExpr &expr, ArrayRef<unsigned> axes, Value index) {
  I32Math math(builder, index.getLoc());
  SmallVector<Value> coordinates = coordinatesOf(math, expr.table(), axes, index);
  for (auto [axis, at] : llvm::zip_equal(axes, coordinates)) {
    expr.assign(axis, math.toIndex(at));
  }
}

} // namespace zyxc
