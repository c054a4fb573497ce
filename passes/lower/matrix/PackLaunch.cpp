#include "passes/lower/matrix/PackLaunch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/matrix/TileCoordinates.h"
#include "passes/lower/ptx/UnalignedLoad.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static constexpr int64_t halfBytes = 2;
static constexpr int64_t lanes = 8;       ///< of a thread: 16 bytes
static constexpr int64_t lineHalves = 64; ///< of 128 bytes
static constexpr int64_t packThreads = 256;
/// Vectors that a thread loads before it stores the first: what hides the latency of memory.
static constexpr int64_t inFlight = 4;
static constexpr int64_t scratchAlignment = 256;

/// True if the values of a factor follow each other along its rows' last axis rather than along k.
static bool runsAlongRows(const AccessTable &table, const MatrixOperand &operand,
                          ArrayRef<unsigned> k) {
  if (operand.source) {
    return !operand.source->kMajor;
  }
  auto load = operand.value.getDefiningOp<LoadOp>();
  return load && !operand.rows.empty() && strideOf(table, load, operand.rows.back()) == 1 &&
         (k.empty() || strideOf(table, load, k.back()) != 1);
}

/// Elements from one packed row to the next: whole lines of the cache where that is little more.
static int64_t pitchOf(int64_t inner) {
  int64_t lines = llvm::alignTo(inner, lineHalves);
  return lines - inner <= inner / 16 ? lines : int64_t(llvm::alignTo(inner, lanes));
}

MatrixPacking MatrixPacking::plan(const AccessTable &table, MatrixProblem &problem,
                                  function_ref<bool(const MatrixSource &)> isReadable) {
  MatrixPacking packing;
  for (MatrixOperand *operand : {&problem.a, &problem.b}) {
    if (operand->source && isReadable(*operand->source)) {
      continue;
    }
    MatrixSource packed;
    packed.kMajor = !runsAlongRows(table, *operand, problem.k);
    int64_t rows = productOf(table, operand->rows);
    int64_t inner = packed.kMajor ? problem.depth : rows;
    int64_t pitch = pitchOf(inner);
    packed.rowStride = packed.kMajor ? pitch : 1;
    packed.kStride = packed.kMajor ? 1 : pitch;
    int64_t elements = pitch * (packed.kMajor ? rows : problem.depth);
    packed.batchStrides.resize(operand->batch.size());
    for (size_t i = operand->batch.size(); i-- > 0;) {
      packed.batchStrides[i] = elements;
      elements *= table.extent(operand->batch[i]);
    }
    packed.offset = packing.scratchBytes;
    packing.scratchBytes += llvm::alignTo(elements * halfBytes, scratchAlignment);
    packing.unpacked.push_back(operand->source);
    operand->source = packed;
    packing.operands.push_back(operand);
  }
  return packing;
}

namespace {

/// The part of the launch that packs one factor.
class FactorPacker {
public:
  FactorPacker(const AccessTable &table, const MatrixProblem &problem, const MatrixOperand &operand,
               const std::optional<MatrixSource> &from)
      : table(table), problem(problem), operand(operand), source(*operand.source), from(from),
        loc(operand.value.getLoc()),
        inner(source.kMajor ? problem.depth : productOf(table, operand.rows)),
        outer(source.kMajor ? productOf(table, operand.rows) : problem.depth),
        chunks(llvm::divideCeil(inner, lanes)),
        pitch(source.kMajor ? source.rowStride : source.kStride) {}

  Location location() const { return loc; }
  /// Vectors of `lanes` to write.
  int64_t vectors() const { return productOf(table, operand.batch) * outer * chunks; }
  /// Whether vectors are copied from a port as they are, which may fail near its end.
  bool copies(const GpuLaunch &launch) const;
  /// Where a vector comes from and goes to; all but `packed` are i32.
  struct Place {
    Value first;        ///< element along the contiguous direction
    Value row;          ///< packed row of its batch
    Value batch;        ///< number of the batch
    Value packed;       ///< element in the packed factor (an index)
    Value element = {}; ///< of the port, where the factor is copied
  };
  /// Of vector `number` (i32).
  Place placeOf(OpBuilder &builder, Value number, const GpuLaunch &launch);
  Value load(OpBuilder &builder, const Place &place, const GpuLaunch &launch);
  /// Whether load() gives the vector's values, where the factor is copied.
  Value isLoaded(OpBuilder &builder, const Place &place, const GpuLaunch &launch);
  /// Writes the vector's values one after the other.
  void copySingly(OpBuilder &builder, const Place &place, const GpuLaunch &launch);
  /// Writes them.
  void store(OpBuilder &builder, Value values, const Place &place, const GpuLaunch &launch);

private:
  Value evaluate(OpBuilder &builder, VectorExpr &expr, Value first);
  Value portMemory(const GpuLaunch &launch) const { return launch.ports[*from->port]; }
  /// The element of the port where a vector starts.
  Value firstElement(OpBuilder &builder, const Place &place);
  Value scratchMemory(OpBuilder &builder, const GpuLaunch &launch);
  ArrayRef<unsigned> innerAxes() const { return source.kMajor ? problem.k : operand.rows; }
  ArrayRef<unsigned> outerAxes() const { return source.kMajor ? operand.rows : problem.k; }

  const AccessTable &table;
  const MatrixProblem &problem;
  const MatrixOperand &operand;
  const MatrixSource &source;
  const std::optional<MatrixSource> &from;
  Location loc;
  int64_t inner, outer, chunks;
  int64_t pitch; ///< of packed rows
};

} // namespace

/// The factor's values from `first` on along the contiguous direction.
Value FactorPacker::evaluate(OpBuilder &builder, VectorExpr &expr, Value first) {
  I32Math math(builder, loc);
  ArrayRef<unsigned> axes = innerAxes();
  if (expr.width() > 1) {
    VectorExpr::Scope scope(expr);
    expr.assignLanes(axes.front(), math.toIndex(first), 1, lanes);
    return expr.evaluateVector(builder, operand.value);
  }
  SmallVector<Value> values;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    VectorExpr::Scope scope(expr);
    // What lies behind the end is never read.
    Value at =
        arith::MinUIOp::create(builder, loc, math.add(first, lane), math.constant(inner - 1));
    assignFlat(builder, expr, axes, at);
    values.push_back(expr.evaluate(builder, operand.value));
  }
  auto type = VectorType::get({lanes}, problem.element);
  return vector::FromElementsOp::create(builder, loc, type, values);
}

bool FactorPacker::copies(const GpuLaunch &launch) const {
  if (!from || !from->port || inner < lanes || inner % lanes == 0) {
    return false;
  }
  constexpr int64_t most = (int64_t(1) << 31) - packThreads * lanes;
  return cast<MemRefType>(portMemory(launch).getType()).getNumElements() < most;
}

Value FactorPacker::firstElement(OpBuilder &builder, const Place &place) {
  I32Math math(builder, loc);
  int64_t stride = from->kMajor ? from->rowStride : from->kStride;
  Value element = math.add(place.first, math.mul(place.row, stride));
  SmallVector<Value> batch = coordinatesOf(math, table, operand.batch, place.batch);
  for (auto [at, batchStride] : llvm::zip_equal(batch, from->batchStrides)) {
    element = math.add(element, math.mul(at, batchStride));
  }
  return element;
}

FactorPacker::Place FactorPacker::placeOf(OpBuilder &builder, Value number,
                                          const GpuLaunch &launch) {
  I32Math math(builder, loc);
  Value row = math.div(number, chunks);
  Value first = math.mul(math.sub(number, math.mul(row, chunks)), lanes);
  Value packed = arith::MulIOp::create(builder, loc, math.toIndex(row),
                                       arith::ConstantIndexOp::create(builder, loc, pitch));
  packed = arith::AddIOp::create(builder, loc, packed, math.toIndex(first));
  Value batch = operand.batch.empty() ? math.constant(0) : math.div(row, outer);
  Value inBatch = operand.batch.empty() ? row : math.sub(row, math.mul(batch, outer));
  Place place = {first, inBatch, batch, packed};
  if (copies(launch)) {
    place.element = firstElement(builder, place);
  }
  return place;
}

Value FactorPacker::load(OpBuilder &builder, const Place &place, const GpuLaunch &launch) {
  if (copies(launch)) {
    return loadUnaligned(builder, loc, portMemory(launch), place.element);
  }
  bool wholeVectors = inner % lanes == 0 && innerAxes().size() == 1;
  VectorExpr expr(table, launch.ports, wholeVectors ? lanes : 1, LaneStyle::Thread);
  assignFlat(builder, expr, outerAxes(), place.row);
  assignFlat(builder, expr, operand.batch, place.batch);
  return evaluate(builder, expr, place.first);
}

Value FactorPacker::isLoaded(OpBuilder &builder, const Place &place, const GpuLaunch &launch) {
  return isWithinVectors(builder, loc, portMemory(launch), place.element);
}

Value FactorPacker::scratchMemory(OpBuilder &builder, const GpuLaunch &launch) {
  int64_t elements = vectors() / chunks * pitch;
  auto type = MemRefType::get({elements}, problem.element, MemRefLayoutAttrInterface(),
                              globalSpace(builder.getContext()));
  Value offset = arith::ConstantIndexOp::create(builder, loc, source.offset);
  return memref::ViewOp::create(builder, loc, type, launch.scratch, offset, ValueRange());
}

void FactorPacker::store(OpBuilder &builder, Value values, const Place &place,
                         const GpuLaunch &launch) {
  vector::StoreOp::create(builder, loc, values, scratchMemory(builder, launch), place.packed,
                          /*nontemporal=*/false, llvm::MaybeAlign(lanes * halfBytes));
}

void FactorPacker::copySingly(OpBuilder &builder, const Place &place, const GpuLaunch &launch) {
  I32Math math(builder, loc);
  Value memory = scratchMemory(builder, launch);
  Value port = portMemory(launch);
  auto loop =
      scf::ForOp::create(builder, loc, math.constant(0), math.constant(lanes), math.constant(1));
  OpBuilder inside = OpBuilder::atBlockTerminator(loop.getBody());
  I32Math inner(inside, loc);
  Value lane = loop.getInductionVar();
  // What lies behind the end of the port is behind the end of a row, too, and never read.
  int64_t last = cast<MemRefType>(port.getType()).getNumElements() - 1;
  Value from =
      arith::MinUIOp::create(inside, loc, inner.add(place.element, lane), inner.constant(last));
  Value one = memref::LoadOp::create(inside, loc, port, inner.toIndex(from));
  Value at = arith::AddIOp::create(inside, loc, place.packed, inner.toIndex(lane));
  memref::StoreOp::create(inside, loc, one, memory, at);
}

/// Writes `inFlight` vectors from `first` (i32) on, all loaded before the first is stored. Numbers
/// behind the last vector load that one and store nothing.
static void emitVectors(OpBuilder &builder, FactorPacker &packer, Value first,
                        const GpuLaunch &launch) {
  Location loc = packer.location();
  I32Math math(builder, loc);
  struct Vector {
    Value number, values;
    FactorPacker::Place place;
  };
  SmallVector<Vector> vectors;
  for (int64_t i = 0; i < inFlight; ++i) {
    Value number = math.add(first, i * packThreads);
    Value inside =
        arith::MinUIOp::create(builder, loc, number, math.constant(packer.vectors() - 1));
    FactorPacker::Place place = packer.placeOf(builder, inside, launch);
    vectors.push_back({number, packer.load(builder, place, launch), place});
  }
  for (const auto &[number, values, place] : vectors) {
    Value exists = math.less(number, packer.vectors());
    OpBuilder then = scf::IfOp::create(builder, loc, exists).getThenBodyBuilder();
    if (!packer.copies(launch)) {
      packer.store(then, values, place, launch);
      continue;
    }
    auto isLoaded = scf::IfOp::create(then, loc, packer.isLoaded(then, place, launch),
                                      /*withElseRegion=*/true);
    OpBuilder loaded = isLoaded.getThenBodyBuilder();
    packer.store(loaded, values, place, launch);
    OpBuilder behind = isLoaded.getElseBodyBuilder();
    packer.copySingly(behind, place, launch);
  }
}

void addPackLaunch(GpuModule &module, const AccessTable &table, const MatrixProblem &problem,
                   const MatrixPacking &packing) {
  SmallVector<FactorPacker> packers;
  SmallVector<int64_t> firstGroups = {0};
  for (auto [operand, from] : llvm::zip_equal(packing.operands, packing.unpacked)) {
    packers.emplace_back(table, problem, *operand, from);
    firstGroups.push_back(firstGroups.back() + int64_t(llvm::divideCeil(packers.back().vectors(),
                                                                        packThreads * inFlight)));
  }
  GpuLaunch launch = module.addLaunch(firstGroups.back(), packThreads);
  OpBuilder builder = launch.atEnd();
  Location loc = launch.function.getLoc();
  I32Math math(builder, loc);
  Value group = math.fromIndex(blockIndex(builder, loc, launch));
  Value thread =
      math.fromIndex(gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x).getResult());
  for (auto [i, packer] : llvm::enumerate(packers)) {
    // The groups of one factor do nothing for the others: their numbers are out of range.
    Value own = math.sub(group, math.constant(firstGroups[i]));
    Value first = math.add(math.mul(own, packThreads * inFlight), thread);
    Value isOwn = math.less(own, firstGroups[i + 1] - firstGroups[i]);
    OpBuilder inside = scf::IfOp::create(builder, loc, isOwn).getThenBodyBuilder();
    emitVectors(inside, packer, first, launch);
  }
}

} // namespace zyxc
