#include "passes/kernel/schedule/VerifySchedule.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/schedule/ScheduleLimits.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace zyxc {

#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

//===- Limits --------------------------------------------------------------------------------===//

LogicalResult ScheduleLimits::fits(int64_t needed, uint64_t limit, StringRef what) const {
  if (needed <= 0 || static_cast<uint64_t>(needed) <= limit) {
    return success();
  }
  return error() << "needs " << needed << ' ' << what << ", " << target.name << " has " << limit;
}

LogicalResult ScheduleLimits::threadsFit(int64_t threads) const {
  if (threads && !isGpu()) {
    return error() << "names threads of a workgroup, which " << target.name << " does not have";
  }
  if (threads % target.subgroupSize != 0) {
    return error() << "has " << threads << " threads, which is no multiple of the subgroup of "
                   << target.subgroupSize << " of " << target.name;
  }
  return fits(threads, target.maxThreads, "threads");
}

LogicalResult ScheduleLimits::vectorFits(int64_t vec) const {
  return isGpu() ? fits(vec * widestBytes() * 8, target.vectorBits, "bits of one access")
                 : success();
}

uint64_t ScheduleLimits::registersPerThread(int64_t threads) const {
  uint64_t limit = target.registersPerThread ? target.registersPerThread : UINT64_MAX;
  if (target.registers && threads > 0) {
    // The file is shared by the workgroup and handed out by 8.
    limit = std::min(limit, target.registers / threads / 8 * 8);
  }
  return limit;
}

int64_t ScheduleLimits::points(AxisSet axes) const {
  int64_t product = extents ? 1 : 0;
  for (unsigned axis = 0; extents && axis < extents->size(); ++axis) {
    if (contains(axes, axis) && __builtin_mul_overflow(product, (*extents)[axis], &product)) {
      return INT64_MAX;
    }
  }
  return product;
}

int64_t ScheduleLimits::widestBytes() const {
  int64_t widest = 1;
  for (BlockArgument port : kernel().getBlock().getArguments()) {
    widest = std::max(widest, bytesOf(cast<PortType>(port.getType()).getElementType()));
  }
  return widest;
}

//===- Families ------------------------------------------------------------------------------===//

/// Elements that all rows hold between reductions: per load that a reduction reads, one row.
static int64_t heldElements(const ScheduleLimits &limits, AxisSet &reduced) {
  reduced = 0;
  for (Operation &op : limits.kernel().getBlock()) {
    reduced |= combinedAxes(op);
  }
  int64_t elements = 0;
  for (auto load : limits.kernel().getBlock().getOps<LoadOp>()) {
    AxisSet axes = limits.sets[load.getResult()];
    // What a row does not share with other rows is held; weights of all rows are read again.
    if ((axes & reduced) && (axes & ~reduced)) {
      elements += limits.points(axes & reduced);
    }
  }
  return elements;
}

/// Bytes of workgroup memory that one row takes at least: one value of its narrowest load.
static int64_t leastRowBytes(const ScheduleLimits &limits) {
  AxisSet reduced = 0;
  for (Operation &op : limits.kernel().getBlock()) {
    reduced |= combinedAxes(op);
  }
  int64_t least = 0;
  for (auto load : limits.kernel().getBlock().getOps<LoadOp>()) {
    AxisSet axes = limits.sets[load.getResult()];
    if ((axes & reduced) && (axes & ~reduced)) {
      int64_t bytes = limits.points(axes & reduced) * bytesOf(load.getType());
      least = least ? std::min(least, bytes) : bytes;
    }
  }
  return least;
}

static LogicalResult verifyHeld(const ScheduleLimits &limits, const RowFields &row) {
  AxisSet reduced = 0;
  int64_t rows = std::max<int64_t>(row.rows, 1);
  int64_t elements = heldElements(limits, reduced) * rows;
  int64_t threads = row.threads ? row.threads : limits.target.subgroupSize;
  int64_t cluster = std::max<int64_t>(row.cluster, 1);
  if (row.hold == Hold::Smem) {
    return limits.fits(llvm::divideCeil(leastRowBytes(limits) * rows, cluster),
                       limits.target.sharedBytes, "bytes of shared memory to hold its rows");
  }
  if (row.hold != Hold::Reg || elements == 0) {
    return success();
  }
  int64_t workers = row.scope == Scope::Lane       ? 1
                    : row.scope == Scope::Subgroup ? limits.target.subgroupSize
                                                   : threads * cluster;
  int64_t words = llvm::divideCeil(limits.widestBytes(), 4);
  return limits.fits(llvm::divideCeil(elements, workers) * words + workingRegisters,
                     limits.registersPerThread(threads), "registers a thread to hold its rows");
}

static LogicalResult verifyRow(const ScheduleLimits &limits, const RowFields &row) {
  if (!limits.isGpu() && row.scope != Scope::Lane) {
    return limits.error() << "has scope = " << stringifyScope(row.scope) << ", but "
                          << limits.target.name << " works on a row by one task: scope = lane";
  }
  if (row.scope == Scope::Cluster) {
    int64_t cluster = row.cluster ? row.cluster : 2;
    if (failed(limits.fits(cluster, limits.target.maxCluster, "workgroups of a cluster"))) {
      return failure();
    }
  }
  return failure(failed(limits.threadsFit(row.threads)) || failed(limits.vectorFits(row.vec)) ||
                 (limits.isGpu() && failed(verifyHeld(limits, row))));
}

static LogicalResult verifyCol(const ScheduleLimits &limits, const ColFields &col) {
  // Threads of one column join through shared memory.
  int64_t bytes = col.threads * std::max<int64_t>(col.vec, 1) * limits.widestBytes();
  return failure(failed(limits.threadsFit(col.threads)) || failed(limits.vectorFits(col.vec)) ||
                 failed(limits.fits(bytes, limits.target.sharedBytes, "bytes of shared memory")));
}

static LogicalResult verifyMove(const ScheduleLimits &limits, const MoveFields &move) {
  if (move.via == Via::Tma && limits.target.matrixUnit != MatrixUnit::Wgmma) {
    return limits.error() << "moves tiles via tma, which " << limits.target.name
                          << " does not have";
  }
  int64_t pad = move.swizzle ? 0 : 1;
  int64_t bytes = move.tile[0] * (move.tile[1] + pad) * limits.widestBytes();
  bool inShared = limits.isGpu() && move.via != Via::Reg;
  return failure(failed(limits.threadsFit(move.threads)) || failed(limits.vectorFits(move.vec)) ||
                 (inShared &&
                  failed(limits.fits(bytes, limits.target.sharedBytes, "bytes of shared memory"))));
}

static LogicalResult verifyScan(const ScheduleLimits &limits, const ScanFields &scan) {
  int64_t words = llvm::divideCeil(limits.widestBytes(), 4);
  return failure(failed(limits.threadsFit(scan.threads)) || failed(limits.vectorFits(scan.vec)) ||
                 (limits.isGpu() && failed(limits.fits(scan.items * words + workingRegisters,
                                                       limits.registersPerThread(scan.threads),
                                                       "registers a thread"))));
}

/// Lanes, elements and threads of map and block.
template <class Fields>
static LogicalResult verifyPlain(const ScheduleLimits &limits, const Fields &fields) {
  return failure(failed(limits.threadsFit(fields.threads)) ||
                 failed(limits.vectorFits(fields.vec)));
}

static LogicalResult verifyContract(const ScheduleLimits &limits) {
  return limits.isGpu() ? limits.error()
                              << "is #zyxk.contract, which is for the host; " << limits.target.name
                              << " takes " << fittingFamilies(limits.kernel(), /*isGpu=*/true)
                        : success();
}

std::string fittingFamilies(KernelOp kernel, bool isGpu) {
  Block &block = kernel.getBlock();
  SmallVector<StringRef> families;
  if (!block.getOps<OpaqueOp>().empty()) {
    return "";
  }
  if (!block.getOps<ContractOp>().empty()) {
    bool isAttention = !block.getOps<ExpsumOp>().empty();
    families.push_back(isAttention ? "attn" : isGpu ? "mma" : "contract");
  } else if (!block.getOps<ScanOp>().empty()) {
    families.push_back("scan");
  } else if (llvm::any_of(block, [](Operation &op) { return combinedAxes(op) != 0; })) {
    families = {"row", "col", "map"};
    if (isGpu) {
      families.push_back("block");
    }
  } else {
    families = {"map", "move"};
  }
  std::string own;
  if (Attribute schedule = kernel.getScheduleAttr()) {
    llvm::raw_string_ostream(own) << schedule;
  }
  std::string text;
  for (StringRef family : families) {
    std::string name = ("#zyxk." + family).str();
    if (!StringRef(own).starts_with(name + "<") && own != name) {
      text += (text.empty() ? "" : ", ") + name;
    }
  }
  return text;
}

LogicalResult verifySchedule(KernelOp kernel, const Target &target) {
  if (!kernel.getSchedule()) {
    return success();
  }
  ScheduleLimits limits(kernel, target);
  return llvm::TypeSwitch<Attribute, LogicalResult>(*kernel.getSchedule())
      .Case([&](MapScheduleAttr map) { return verifyPlain(limits, map.getFields()); })
      .Case([&](BlockScheduleAttr block) { return verifyPlain(limits, block.getFields()); })
      .Case([&](RowScheduleAttr row) { return verifyRow(limits, row.getFields()); })
      .Case([&](ColScheduleAttr col) { return verifyCol(limits, col.getFields()); })
      .Case([&](MoveScheduleAttr move) { return verifyMove(limits, move.getFields()); })
      .Case([&](ScanScheduleAttr scan) { return verifyScan(limits, scan.getFields()); })
      .Case([&](ContractScheduleAttr) { return verifyContract(limits); })
      .Case([&](MmaScheduleAttr mma) { return verifyMma(limits, mma.getFields()); })
      .Case([&](AttnScheduleAttr attn) { return verifyAttn(limits, attn.getFields()); });
}

//===- The pass ------------------------------------------------------------------------------===//

namespace {

struct VerifySchedulePass : impl::VerifySchedulePassBase<VerifySchedulePass> {
  using Base::Base;

  void runOnOperation() override {
    std::optional<Target> machine = findTarget(target.getValue());
    if (!machine) {
      getOperation().emitError() << "unknown target '" << target << "'; known are "
                                 << targetNames();
      return signalPassFailure();
    }
    if (failed(verifySchedule(getOperation(), *machine))) {
      signalPassFailure();
    }
  }
};

} // namespace

} // namespace zyxc
