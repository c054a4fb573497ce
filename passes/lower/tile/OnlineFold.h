// Expsum and welford in one sweep: a group of points at a time joins the accumulators, which are
// rescaled when the maximum, or the mean, moves.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "passes/lower/tile/Tile.h"

namespace zyxc {

/// Expsum and welford, whose results are several.
inline bool isOnline(mlir::Operation *op) {
  return llvm::isa<zyxk::ExpsumOp, zyxk::WelfordOp>(op);
}

/// What one chunk brings: the operands, scalars or vectors of its lanes, in the type of the
/// results, and whether the chunk exists (i1; null: it does).
struct OnlinePoint {
  mlir::Value value;
  llvm::SmallVector<mlir::Value> weights; ///< of expsum: per sum, null for 1
  mlir::Value active;
};

/// Builds the accumulation of one op. Accumulators are scalars, or vectors if lanes are columns:
/// maximum and sums, or count, sum and squared deviations from the mean of those.
class OnlineFold {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  explicit OnlineFold(mlir::Operation *op) : op(op), loc(op->getLoc()) {}

  Values identity(mlir::OpBuilder &builder, int64_t lanes) const;
  /// One group of points, all at once. Points with lanes and an accumulator without: lanes join.
  Values add(mlir::OpBuilder &builder, mlir::ValueRange carried,
             llvm::ArrayRef<OnlinePoint> points) const;
  Values combine(mlir::OpBuilder &builder, mlir::ValueRange a, mlir::ValueRange b) const;
  /// Of all members of a team, bit-equal for each: first what the others are rescaled to.
  Values combineMembers(mlir::OpBuilder &builder, Tile &tile, const Team &team,
                        mlir::ValueRange part) const;
  /// The op's results.
  Values finish(mlir::OpBuilder &builder, mlir::ValueRange total) const;

private:
  enum class Join : uint8_t { Add, Max };

  bool isExpsum() const { return llvm::isa<zyxk::ExpsumOp>(op); }
  Values addExpsum(mlir::OpBuilder &builder, mlir::ValueRange carried,
                   llvm::ArrayRef<OnlinePoint> points) const;
  Values addWelford(mlir::OpBuilder &builder, mlir::ValueRange carried,
                    llvm::ArrayRef<OnlinePoint> points) const;
  mlir::Value constant(mlir::OpBuilder &builder, mlir::Type type, double value) const;
  mlir::Value join(mlir::OpBuilder &builder, Join kind, mlir::Value a, mlir::Value b) const;
  /// All lanes of `value` joined if `like` is a scalar.
  mlir::Value lanesAs(mlir::OpBuilder &builder, Join kind, mlir::Value value,
                      mlir::Type like) const;
  mlir::Value splat(mlir::OpBuilder &builder, mlir::Value value, mlir::Type like) const;
  mlir::Value select(mlir::OpBuilder &builder, mlir::Value condition, mlir::Value yes,
                     double no) const;
  /// `maximum`, or 0 if it is -inf: what exponents are taken less.
  mlir::Value baseOf(mlir::OpBuilder &builder, mlir::Value maximum) const;
  mlir::Value expLess(mlir::OpBuilder &builder, mlir::Value value, mlir::Value base) const;
  /// sum / count; 0 / 1 where nothing was counted.
  mlir::Value meanOf(mlir::OpBuilder &builder, mlir::Value sum, mlir::Value count) const;

  mlir::Operation *op;
  mlir::Location loc;
};

} // namespace zyxc
