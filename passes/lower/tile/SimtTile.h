// The tile interface on the threads of a GPU, for PTX and SPIR-V alike: scalar instructions,
// shuffles inside a subgroup, workgroup memory between subgroups.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "passes/lower/tile/GpuLaunch.h"
#include "passes/lower/tile/Tile.h"

namespace zyxc {

class SimtTile : public Tile {
public:
  /// `launch` must outlive this object.
  SimtTile(GpuLaunch &launch, const Target &target, mlir::Location loc);

  /// Where the body of the launch goes on.
  mlir::OpBuilder atEnd() { return launch.atEnd(); }
  int64_t threads() const override { return launch.threads; }
  mlir::Value thread(mlir::OpBuilder &builder) override { return threadId; }
  mlir::Value member(mlir::OpBuilder &builder, const Team &team) override;
  mlir::Value teamIndex(mlir::OpBuilder &builder, const Team &team) override;
  /// One tile a workgroup.
  void
  tileLoop(mlir::OpBuilder &builder, int64_t tiles,
           llvm::function_ref<void(mlir::OpBuilder &, mlir::Value, mlir::Value)> body) override;
  void role(mlir::OpBuilder &builder, mlir::Value condition,
            llvm::function_ref<void(mlir::OpBuilder &)> body) override;
  Stage stageAlloc(mlir::OpBuilder &builder, mlir::Type element, int64_t elements) override;
  void barrier(mlir::OpBuilder &builder) override;
  llvm::SmallVector<mlir::Value> fragReduce(mlir::OpBuilder &builder, const Team &team,
                                            mlir::ValueRange mine, Combine combine) override;
  std::pair<llvm::SmallVector<mlir::Value>, llvm::SmallVector<mlir::Value>>
  fragScan(mlir::OpBuilder &builder, const Team &team, mlir::ValueRange mine,
           mlir::ValueRange identity, Combine combine) override;

private:
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::Value constant(mlir::OpBuilder &builder, int64_t value);
  /// x / by and x mod by, for a power of two.
  mlir::Value quotient(mlir::OpBuilder &builder, mlir::Value x, int64_t by);
  mlir::Value remainder(mlir::OpBuilder &builder, mlir::Value x, int64_t by);
  /// The value of the lane whose number is this one's xor `distance`.
  mlir::Value shuffleXor(mlir::OpBuilder &builder, mlir::Value value, int64_t distance);
  /// The value of a lane of the subgroup (i32).
  mlir::Value shuffleFrom(mlir::OpBuilder &builder, mlir::Value value, mlir::Value lane);
  mlir::Value shuffle(mlir::OpBuilder &builder, mlir::Value value, mlir::Value operand,
                      mlir::gpu::ShuffleMode mode);
  /// Butterfly over `size` neighbours.
  Values butterfly(mlir::OpBuilder &builder, Values values, int64_t size, Combine combine);
  /// Stages for one value per slot, used in turn: those of the last exchange may still be read.
  llvm::SmallVector<Stage> exchangeStages(mlir::OpBuilder &builder, mlir::ValueRange values,
                                          int64_t slots);
  /// Workgroup memory behind what the launch has of it.
  Stage dynamicStage(mlir::OpBuilder &start, mlir::Type element, int64_t elements, int64_t bytes);
  void put(mlir::OpBuilder &builder, mlir::Value value, Stage stage, mlir::Value slot);
  mlir::Value get(mlir::OpBuilder &builder, mlir::Type type, Stage stage, mlir::Value slot);
  Values getAll(mlir::OpBuilder &builder, mlir::ValueRange like, llvm::ArrayRef<Stage> stages,
                mlir::Value slot);
  Values reduceStrided(mlir::OpBuilder &builder, const Team &team, mlir::ValueRange mine,
                       Combine combine);
  Values reduceSubgroups(mlir::OpBuilder &builder, const Team &team, Values values,
                         Combine combine);

  Values select(mlir::OpBuilder &builder, mlir::Value condition, mlir::ValueRange yes,
                mlir::ValueRange no);
  /// The values of the thread `distance` below, of `lanes` neighbours; and whether there is one.
  std::pair<mlir::Value, Values> fromBelow(mlir::OpBuilder &builder, mlir::ValueRange values,
                                           int64_t distance, int64_t lanes);
  std::pair<Values, Values> scanSubgroups(mlir::OpBuilder &builder, const Team &team,
                                          mlir::ValueRange inclusive, mlir::ValueRange exclusive,
                                          mlir::ValueRange identity, Combine combine);

  GpuLaunch &launch;
  Target target;
  mlir::Location loc;
  mlir::Value threadId;
  int64_t subgroup;
  int64_t staticBytes = 0; ///< of stages
  /// Exchange stages by (element type, index of the value), two of each; `turn` picks one.
  std::map<std::tuple<const void *, size_t, int64_t, unsigned>, Stage> exchanges;
  unsigned turn = 0;
};

} // namespace zyxc
