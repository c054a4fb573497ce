// Schedules of contractions and attention: threads, accumulators, stages.
#include "passes/kernel/schedule/ScheduleLimits.h"
#include "passes/kernel/schedule/VerifySchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static constexpr int64_t warpgroupThreads = 128;
static constexpr int64_t wgmmaRows = 64;
/// Registers of a thread that setmaxnreg takes.
static constexpr int64_t leastRegisters = 24;
static constexpr int64_t mostRegisters = 240;

/// Rows and columns of a tile that one instruction of a unit covers, in any number of them.
static std::pair<int64_t, int64_t> unitTile(MmaUnit unit) {
  switch (unit) {
  case MmaUnit::Fma: return {1, 1};
  case MmaUnit::Mma: return {16, 8};
  case MmaUnit::Wgmma: return {wgmmaRows, 8};
  case MmaUnit::Coop: return {16, 16};
  }
  return {1, 1};
}

static LogicalResult verifyUnit(const ScheduleLimits &limits, MmaUnit unit, Copy copy) {
  const Target &target = limits.target;
  if (!limits.isGpu() && unit != MmaUnit::Fma) {
    return limits.error() << "multiplies by " << stringifyMmaUnit(unit) << ", which " << target.name
                          << " does not have";
  }
  bool present = unit == MmaUnit::Fma ||
                 (unit == MmaUnit::Mma && target.matrixUnit != MatrixUnit::None) ||
                 (unit == MmaUnit::Wgmma && target.matrixUnit == MatrixUnit::Wgmma);
  if (!present) {
    return limits.error() << "multiplies by " << stringifyMmaUnit(unit) << ", which " << target.name
                          << " does not have";
  }
  // cp.async came with mma of sm_80, TMA with wgmma.
  bool copies = copy == Copy::Ld ||
                (copy == Copy::CpAsync && target.matrixUnit != MatrixUnit::None) ||
                (copy == Copy::Tma && target.matrixUnit == MatrixUnit::Wgmma);
  if (!copies) {
    return limits.error() << "copies by " << stringifyCopy(copy) << ", which " << target.name
                          << " does not have";
  }
  return success();
}

/// Registers of the two roles: what setmaxnreg takes, and in sum no more than the machine has.
static LogicalResult verifyRoles(const ScheduleLimits &limits, std::array<int64_t, 2> regs,
                                 int64_t loadThreads, int64_t computeThreads) {
  for (int64_t count : regs) {
    if (count && (count % 8 != 0 || count < leastRegisters || count > mostRegisters)) {
      return limits.error() << "gives a role " << count
                            << " registers; it takes multiples of 8 from " << leastRegisters
                            << " to " << mostRegisters;
    }
  }
  return limits.fits(regs[0] * loadThreads + regs[1] * computeThreads, limits.target.registers,
                     "registers for its roles");
}

/// `elements` accumulators of `type` over the computing threads.
static LogicalResult verifyAccumulators(const ScheduleLimits &limits, int64_t elements, Type type,
                                        std::array<int64_t, 2> regs, int64_t computeThreads,
                                        int64_t threads) {
  if (computeThreads == 0) {
    return success();
  }
  int64_t words = llvm::divideCeil(elements, computeThreads) * llvm::divideCeil(bytesOf(type), 4);
  uint64_t limit = limits.registersPerThread(threads);
  if (regs[1]) {
    limit = std::min<uint64_t>(regs[1], limits.target.registersPerThread);
  }
  if (static_cast<uint64_t>(words + workingRegisters) <= limit) {
    return success();
  }
  return limits.error() << "needs " << words + workingRegisters
                        << " registers a thread for its accumulators, " << limits.target.name
                        << " has " << limit << " for each of " << threads << " threads";
}

//===- mma -----------------------------------------------------------------------------------===//

static LogicalResult verifyTile(const ScheduleLimits &limits, const MmaFields &mma) {
  auto [rows, columns] = unitTile(mma.unit);
  std::array<int64_t, 2> parts = mma.unit == MmaUnit::Wgmma ? mma.warpgroups : mma.warps;
  if (mma.unit == MmaUnit::Fma) {
    parts = {1, 1};
    rows = std::max<int64_t>(mma.thread[0], 1);
    columns = std::max<int64_t>(mma.thread[1], 1);
  }
  int64_t m = rows * std::max<int64_t>(parts[0], 1);
  int64_t n = columns * std::max<int64_t>(parts[1], 1);
  if (mma.cta[0] % m != 0 || mma.cta[1] % n != 0) {
    return limits.error() << "has a tile of " << mma.cta[0] << "x" << mma.cta[1]
                          << ", which is no multiple of the " << m << "x" << n
                          << " that its units cover at once";
  }
  return success();
}

static int64_t computeThreads(const ScheduleLimits &limits, const MmaFields &mma) {
  if (mma.unit == MmaUnit::Wgmma) {
    return mma.warpgroups[0] * mma.warpgroups[1] * warpgroupThreads;
  }
  if (mma.unit == MmaUnit::Fma && mma.thread[0] && mma.thread[1]) {
    return mma.cta[0] * mma.cta[1] / (mma.thread[0] * mma.thread[1]);
  }
  return mma.warps[0] * mma.warps[1] * limits.target.subgroupSize;
}

LogicalResult verifyMma(const ScheduleLimits &limits, const MmaFields &mma) {
  if (!limits.isGpu()) {
    return limits.error() << "is #zyxk.mma, which is for GPUs; " << limits.target.name << " takes "
                          << fittingFamilies(limits.kernel(), /*isGpu=*/false);
  }
  auto contracts = limits.kernel().getBlock().getOps<ContractOp>();
  if (contracts.empty()) {
    return limits.error() << "is #zyxk.mma, but the kernel has no contract; it takes "
                          << fittingFamilies(limits.kernel(), /*isGpu=*/true);
  }
  ContractOp contract = *contracts.begin();
  int64_t compute = computeThreads(limits, mma);
  int64_t load = mma.loaders * warpgroupThreads;
  int64_t stages = std::max<int64_t>(mma.stages, 1);
  int64_t bytes = stages * mma.cta[2] *
                  (mma.cta[0] * bytesOf(contract.getA().getType()) +
                   mma.cta[1] * bytesOf(contract.getB().getType()));
  if (mma.epilogue == Place::Smem && mma.unit == MmaUnit::Wgmma) {
    // The other units use the stages again.
    bytes += compute / warpgroupThreads * wgmmaRows * mma.cols * bytesOf(contract.getType());
  }
  int64_t cluster = std::max<int64_t>(mma.cluster[0], 1) * std::max<int64_t>(mma.cluster[1], 1);
  return failure(
      failed(verifyUnit(limits, mma.unit, mma.copy)) || failed(verifyTile(limits, mma)) ||
      failed(limits.threadsFit(compute + load)) ||
      failed(limits.fits(cluster, limits.target.maxCluster, "workgroups of a cluster")) ||
      failed(verifyRoles(limits, mma.regs, load, compute)) ||
      failed(verifyAccumulators(limits, mma.cta[0] * mma.cta[1], contract.getType(), mma.regs,
                                compute, compute + load)) ||
      failed(limits.fits(bytes, limits.target.sharedBytes, "bytes of shared memory")));
}

//===- attn ----------------------------------------------------------------------------------===//

namespace {

/// What one turn of attention works on.
struct AttnSizes {
  int64_t depth = 0;   ///< of the scores: summed axes
  int64_t columns = 0; ///< of the output: axes of the weight that the scores lack
  int64_t bytes = 2;   ///< of an element of the operands
  Type type;           ///< of the sums
};

} // namespace

static std::optional<AttnSizes> attnSizes(const ScheduleLimits &limits) {
  auto expsums = limits.kernel().getBlock().getOps<ExpsumOp>();
  auto contracts = limits.kernel().getBlock().getOps<ContractOp>();
  if (expsums.empty() || contracts.empty()) {
    return std::nullopt;
  }
  ExpsumOp expsum = *expsums.begin();
  ContractOp contract = *contracts.begin();
  AttnSizes sizes;
  sizes.type = expsum.getValue().getType();
  sizes.depth = limits.points(axisSetOf(contract.getAxes()));
  sizes.bytes = bytesOf(contract.getA().getType());
  for (Value weight : expsum.getWeights()) {
    AxisSet extra = limits.sets[weight] & ~limits.sets[expsum.getValue()];
    sizes.columns = std::max(sizes.columns, limits.points(extra));
  }
  return sizes;
}

LogicalResult verifyAttn(const ScheduleLimits &limits, const AttnFields &attn) {
  std::optional<AttnSizes> sizes = attnSizes(limits);
  if (!sizes) {
    return limits.error()
           << "is #zyxk.attn, but the kernel has no contract with an expsum over it; "
              "it takes "
           << fittingFamilies(limits.kernel(), limits.isGpu());
  }
  if (failed(verifyUnit(limits, attn.unit, attn.copy))) {
    return failure();
  }
  if (!limits.isGpu()) {
    return success();
  }
  int64_t parts = attn.unit == MmaUnit::Wgmma ? attn.warpgroups : attn.warps;
  int64_t rows = unitTile(attn.unit).first * parts;
  if (rows && attn.q % rows != 0) {
    return limits.error() << "has tiles of " << attn.q << " queries, which is no multiple of the "
                          << rows << " that its units cover at once";
  }
  int64_t compute =
      parts * (attn.unit == MmaUnit::Wgmma ? warpgroupThreads : limits.target.subgroupSize);
  int64_t load = attn.loaders * warpgroupThreads;
  // Scores and output of the rows; the weights are made from the scores in place.
  int64_t accumulators = attn.q * (attn.kv + sizes->columns);
  int64_t stages = std::max<int64_t>(attn.stages, 1);
  int64_t bytes = attn.queries == Place::Smem ? attn.q * sizes->depth * sizes->bytes : 0;
  bytes += stages * attn.kv * (sizes->depth + sizes->columns) * sizes->bytes;
  return failure(failed(limits.threadsFit(compute + load)) ||
                 failed(verifyRoles(limits, attn.regs, load, compute)) ||
                 failed(verifyAccumulators(limits, accumulators, sizes->type, attn.regs, compute,
                                           compute + load)) ||
                 failed(limits.fits(bytes, limits.target.sharedBytes, "bytes of shared memory")));
}

} // namespace zyxc
