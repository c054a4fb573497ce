// Points of several axes as one row-major index, in chunks of `width` lanes along one axis.
#pragma once
#include "passes/lower/emit/VectorExpr.h"

namespace zyxc {

class PointSpace {
public:
  /// The points of `axes`. `lane`, if given, is one of them; what is left of its extent behind the
  /// last multiple of `width` does not belong to the space.
  PointSpace(const AccessTable &table, zyxk::AxisSet axes, std::optional<unsigned> lane,
             int64_t width);

  /// Chunks: points / width with lanes, else points.
  int64_t size() const { return chunks; }
  std::optional<unsigned> lane() const { return laneAxis; }
  zyxk::AxisSet axes() const { return set; }
  /// Points that belong to the space, lanes included.
  int64_t points() const { return laneAxis ? chunks * width : chunks; }
  /// Each axis and its stride in the row-major index over all points, the lanes innermost.
  llvm::SmallVector<std::pair<unsigned, int64_t>> strides() const;
  /// Assigns the coordinates of a chunk in the innermost scope.
  void assign(mlir::OpBuilder &builder, VectorExpr &expr, mlir::Value chunk) const;
  bool operator<(const PointSpace &other) const {
    return std::pair(set, laneAxis) < std::pair(other.set, other.laneAxis);
  }

private:
  zyxk::AxisSet set;
  std::optional<unsigned> laneAxis;
  int64_t width;
  int64_t chunks = 1;
  llvm::SmallVector<std::pair<unsigned, int64_t>> digits; ///< axis and its count, outermost first
};

/// index / by and index mod by, in 32 bits if the index is below `end` < 2^31.
std::pair<mlir::Value, mlir::Value> splitIndex(mlir::OpBuilder &builder, mlir::Location loc,
                                               mlir::Value index, int64_t by, int64_t end);

} // namespace zyxc
