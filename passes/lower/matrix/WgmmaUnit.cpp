#include "passes/lower/matrix/WgmmaUnit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "passes/lower/matrix/MatrixEpilogue.h"
#include "passes/lower/matrix/OperandCopy.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

// A stage holds a's tile, then b's, in the layout of OperandCopy.h.
static constexpr int64_t atomBytes = 1024; ///< eight rows of a swizzled column
static constexpr int64_t stepK = 16;       ///< of one wgmma
static constexpr int64_t barrierBytes = 16;
static constexpr int64_t emptyOffset = 8; ///< of the empty barrier from its full one
static constexpr int64_t warpgroupThreads = 128;
static constexpr int64_t wgmmaRows = 64;

//===- Tensor maps ---------------------------------------------------------------------------===//

static constexpr int64_t strideUnit = 16; ///< bytes

static bool isTmaStride(int64_t elements) {
  constexpr int64_t limit = int64_t(1) << 40;
  return elements * halfBytes % strideUnit == 0 && elements * halfBytes < limit;
}

bool isTmaSource(const MatrixSource &source) {
  constexpr size_t mostBatchAxes = 3; // five dims in all
  return isTmaStride(source.kMajor ? source.rowStride : source.kStride) &&
         llvm::all_of(source.batchStrides, isTmaStride) &&
         source.batchStrides.size() <= mostBatchAxes;
}

DictionaryAttr tensorMapOf(OpBuilder &builder, const MatrixProblem &problem,
                           const MatrixOperand &operand, const AccessTable &table,
                           const MatrixSource &source, int64_t tileRows) {
  int64_t rows = productOf(table, operand.rows);
  unsigned numPorts = KernelOp(table.kernel()).getNumPorts();
  SmallVector<int64_t> dims = {problem.depth, rows};
  SmallVector<int64_t> box = {chunkRows, tileRows};
  int64_t pitch = source.rowStride;
  if (!source.kMajor) {
    dims = {rows, problem.depth};
    box = {chunkRows, chunkRows};
    pitch = source.kStride;
  }
  // A dim of extent 1 has no stride of its own: that of a dense row.
  auto bytesOf = [&](int64_t stride) {
    return stride ? stride * halfBytes
                  : static_cast<int64_t>(llvm::alignTo(dims.front() * halfBytes, strideUnit));
  };
  SmallVector<int64_t> strides = {bytesOf(pitch)};
  for (auto [axis, stride] : llvm::zip_equal(operand.batch, source.batchStrides)) {
    dims.push_back(table.extent(axis));
    strides.push_back(bytesOf(stride));
    box.push_back(1);
  }
  SmallVector<NamedAttribute> map = {
      builder.getNamedAttr("port", builder.getI64IntegerAttr(source.port.value_or(numPorts))),
      builder.getNamedAttr("dims", builder.getDenseI64ArrayAttr(dims)),
      builder.getNamedAttr("strides", builder.getDenseI64ArrayAttr(strides)),
      builder.getNamedAttr("box", builder.getDenseI64ArrayAttr(box)),
      builder.getNamedAttr("swizzle", builder.getI64IntegerAttr(swizzleBytes)),
      builder.getNamedAttr("type", TypeAttr::get(problem.element)),
  };
  if (source.offset != 0) {
    map.push_back(builder.getNamedAttr("offset", builder.getI64IntegerAttr(source.offset)));
  }
  return builder.getDictionaryAttr(map);
}

//===- The kernel ----------------------------------------------------------------------------===//

namespace {

/// Emits the body; the methods are its parts in order.
class WgmmaKernel {
public:
  explicit WgmmaKernel(MatrixFrame &frame)
      : frame(frame), plan(frame.plan), problem(frame.problem), builder(frame.builder),
        math(frame.math), ptx(frame.ptx) {}

  void emit();

private:
  using Values = MatrixFrame::Values;

  void initBarriers();
  /// The full barrier of a stage; the empty one follows.
  Value fullBarrier(Value stage) { return math.add(barriers, math.mul(stage, barrierBytes)); }
  Value stageOf(Value step) { return math.rem(step, plan.stages); }
  Value parityOf(Value step) { return math.bitAnd(math.div(step, plan.stages), 1); }
  Value stageAddress(Value stage) { return math.add(base, math.mul(stage, plan.stageBytes())); }

  void load();
  /// The TMA loads of one factor's tile: `first` is its first row.
  void loadTile(const MatrixOperand &operand, Value map, Value shared, int64_t tileRows,
                Value first, Value k, const TilePosition &tile, Value barrier);
  void compute();
  /// The sum over k; returns the accumulators and the step number after it.
  Values sum(Value firstStep);
  Values multiply(Value stage, ArrayRef<Value> accumulators);
  Value descriptor(Value address, bool kMajor);
  /// Gives a stage back to the loader.
  void release(Value step, Value condition);

  MatrixFrame &frame;
  const MatrixPlan &plan;
  const MatrixProblem &problem;
  OpBuilder &builder;
  I32Math &math;
  PtxAtoms &ptx;
  Value base, barriers;
  Value group;  ///< number of the warpgroup among those that compute
  Value member; ///< number of the thread in its warpgroup
};

} // namespace

void WgmmaKernel::emit() {
  base = dynamicSharedBase(builder, frame.loc);
  barriers = math.add(base, plan.barrierOffset);
  Value isFirst = math.equal(frame.thread(), 0);
  frame.branch(isFirst, [&] { initBarriers(); });
  gpu::BarrierOp::create(builder, frame.loc);
  Value warpgroup = math.shiftRight(frame.thread(), 7);
  frame.branch(
      math.equal(warpgroup, 0),
      [&] {
        if (plan.loadRegisters) {
          ptx.fewerRegisters(plan.loadRegisters);
        }
        frame.branch(isFirst, [&] { load(); });
      },
      [&] {
        if (plan.computeRegisters) {
          ptx.moreRegisters(plan.computeRegisters);
        }
        group = math.add(warpgroup, -1);
        member = math.bitAnd(frame.thread(), warpgroupThreads - 1);
        compute();
      });
}

void WgmmaKernel::initBarriers() {
  for (int64_t stage = 0; stage < plan.stages; ++stage) {
    Value full = math.add(barriers, stage * barrierBytes);
    ptx.barrierInit(full, 1);
    ptx.barrierInit(math.add(full, emptyOffset), plan.warpsM);
  }
  ptx.barrierInitFence();
}

//===- Loading -------------------------------------------------------------------------------===//

void WgmmaKernel::load() {
  Block &entry = frame.launch.function.getBody().front();
  Value mapB = entry.getArguments().back();
  Value mapA = entry.getArgument(entry.getNumArguments() - 2);
  frame.tileLoop(math.constant(0), [&](const TilePosition &tile, ValueRange carried) {
    Values initial = {math.constant(0), carried.front()};
    Values last = frame.doWhile(initial, [&](ValueRange arguments) {
      Value k = arguments[0];
      Value step = arguments[1];
      Value stage = stageOf(step);
      Value full = fullBarrier(stage);
      ptx.barrierWait(math.add(full, emptyOffset), math.bitXor(parityOf(step), 1));
      ptx.barrierExpect(full, plan.stageBytes());
      Value shared = stageAddress(stage);
      Value firstK = math.mul(k, plan.tileK);
      loadTile(problem.a, mapA, shared, plan.tileM, tile.row, firstK, tile, full);
      loadTile(problem.b, mapB, math.add(shared, plan.bytesA), plan.tileN, tile.column, firstK,
               tile, full);
      Value nextK = math.add(k, 1);
      return std::pair(math.less(nextK, plan.steps), Values{nextK, math.add(step, 1)});
    });
    return Values{last[1]};
  });
}

void WgmmaKernel::loadTile(const MatrixOperand &operand, Value map, Value shared, int64_t tileRows,
                           Value first, Value k, const TilePosition &tile, Value barrier) {
  SmallVector<Value> coordinates = {k, first};
  for (auto [axis, at] : llvm::zip_equal(problem.batch, tile.batch)) {
    if (llvm::is_contained(operand.batch, axis)) {
      coordinates.push_back(at);
    }
  }
  if (operand.source->kMajor) {
    ptx.tmaLoad(shared, map, coordinates, barrier);
    return;
  }
  coordinates[1] = k;
  for (int64_t i = 0; i < tileRows / chunkRows; ++i) {
    coordinates[0] = math.add(first, i * chunkRows);
    ptx.tmaLoad(math.add(shared, i * chunkBytes), map, coordinates, barrier);
  }
}

//===- Computing -----------------------------------------------------------------------------===//

Value WgmmaKernel::descriptor(Value address, bool kMajor) {
  // K-major has one column, so the leading distance is not used.
  return wgmmaDescriptor(builder, frame.loc, address, kMajor ? 16 : chunkBytes, atomBytes);
}

MatrixFrame::Values WgmmaKernel::multiply(Value stage, ArrayRef<Value> accumulators) {
  bool kMajorA = problem.a.source->kMajor;
  bool kMajorB = problem.b.source->kMajor;
  Value shared = stageAddress(stage);
  // Either form of a has 64 rows in 64 * 128 bytes.
  constexpr int64_t blockBytes = wgmmaRows * swizzleBytes;
  Value own = math.add(shared, math.mul(group, plan.blocksM * blockBytes));
  Value a = descriptor(own, kMajorA);
  Value b = descriptor(math.add(shared, plan.bytesA), kMajorB);
  auto stepBytes = [](bool kMajor) {
    return kMajor ? stepK * halfBytes : stepK * swizzleBytes;
  };
  WgmmaShape shape{static_cast<unsigned>(plan.tileN), problem.element, !kMajorA, !kMajorB};
  SmallVector<WgmmaFactors> factors;
  for (int64_t i = 0; i < plan.tileK / stepK; ++i) {
    Value stepB = advanceDescriptor(builder, frame.loc, b, i * stepBytes(kMajorB));
    for (int64_t block = 0; block < plan.blocksM; ++block) {
      int64_t offset = block * blockBytes + i * stepBytes(kMajorA);
      factors.push_back({{advanceDescriptor(builder, frame.loc, a, offset)},
                         stepB,
                         static_cast<unsigned>(block)});
    }
  }
  return ptx.wgmmaGroup(shape, accumulators, factors);
}

void WgmmaKernel::release(Value step, Value condition) {
  ptx.barrierArriveIf(math.add(fullBarrier(stageOf(step)), emptyOffset), condition);
}

MatrixFrame::Values WgmmaKernel::sum(Value firstStep) {
  Value zero = arith::ConstantOp::create(builder, frame.loc, builder.getF32FloatAttr(0));
  Values initial(2 + plan.blocksM * plan.tileN / 2, zero);
  initial[0] = math.constant(0);
  initial[1] = firstStep;
  Value isFirst = math.equal(member, 0);
  Values last = frame.doWhile(initial, [&](ValueRange arguments) {
    Value k = arguments[0];
    Value step = arguments[1];
    Value stage = stageOf(step);
    ptx.barrierWait(fullBarrier(stage), parityOf(step));
    Values next = multiply(stage, Values(arguments.drop_front(2)));
    // The group before this one has read its stage.
    ptx.wgmmaWait(1);
    Value releases = arith::AndIOp::create(builder, frame.loc, math.notEqual(k, 0), isFirst);
    release(math.add(step, -1), releases);
    Value nextK = math.add(k, 1);
    next.insert(next.begin(), {nextK, math.add(step, 1)});
    return std::pair(math.less(nextK, plan.steps), next);
  });
  Values sums = ptx.wgmmaWait(0, ArrayRef<Value>(last).drop_front(2));
  release(math.add(last[1], -1), isFirst);
  sums.insert(sums.begin(), last[1]);
  return sums;
}

void WgmmaKernel::compute() {
  Value shared = math.add(math.add(base, plan.epilogueOffset), math.mul(group, plan.epilogueBytes));
  Value barrier = math.add(group, 1);
  MatrixEpilogue epilogue(frame, warpgroupThreads, member, shared,
                          [&] { ptx.namedSync(barrier, warpgroupThreads); });
  frame.tileLoop(math.constant(0), [&](const TilePosition &tile, ValueRange carried) {
    Values sums = sum(carried.front());
    Value firstRow = math.add(tile.row, math.mul(group, plan.blocksM * wgmmaRows));
    epilogue.emit(ArrayRef<Value>(sums).drop_front(), tile, [&](Value part) {
      int64_t partsPerBlock = plan.tileN / MatrixEpilogue::columns;
      Value row = firstRow;
      if (plan.blocksM > 1) {
        row = math.add(row, math.mul(math.div(part, partsPerBlock), wgmmaRows));
        part = math.rem(part, partsPerBlock);
      }
      Value column = math.add(tile.column, math.mul(part, MatrixEpilogue::columns));
      return std::pair(row, column);
    });
    return Values{sums.front()};
  });
}

void emitWgmmaKernel(MatrixFrame &frame) {
  WgmmaKernel(frame).emit();
}

} // namespace zyxc
