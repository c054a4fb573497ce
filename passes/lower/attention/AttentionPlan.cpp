#include "passes/lower/attention/AttentionPlan.h"
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

int64_t AttentionPlan::queryTiles() const {
  return llvm::divideCeil(queries, queryTile());
}

int64_t AttentionPlan::depthSteps() const {
  return llvm::divideCeil(depth, int64_t(16));
}

int64_t AttentionPlan::keyTiles() const {
  return llvm::divideCeil(keys, keyTile);
}

int64_t AttentionPlan::batches() const {
  int64_t product = 1;
  for (int64_t extent : batch) {
    product *= extent;
  }
  return product;
}

int64_t AttentionPlan::sharedBytes() const {
  return unit == MmaUnit::Wgmma ? valueEmpty() + 8 * stages : barrierOffset();
}

namespace {

/// A schedule, for the unit and the sizes that it suits.
struct Preset {
  MmaUnit unit;
  int64_t largest; ///< of depth and width
  int64_t warpgroups;
  int64_t keyTile;
  int64_t stages;
  bool queriesInRegisters;
  int64_t loaderRegisters;
  int64_t computeRegisters;
  bool anyLogits; ///< has registers to spare for logits other than a scale
  int64_t minBlocks;
};

} // namespace

// Those of wgmma were measured on an H200. Up to 64 columns four warpgroups overlap by themselves;
// above, two leave each thread the registers for 64 rows x 128 columns of output.
static constexpr Preset presets[] = {
    {MmaUnit::Wgmma, 64, 4, 64, 4, true, 24, 112, false, 1},
    {MmaUnit::Wgmma, 128, 2, 128, 2, false, 24, 240, true, 1},
    {MmaUnit::Mma, 64, 1, 64, 2, true, 0, 0, true, 3},
    {MmaUnit::Mma, 128, 1, 64, 2, true, 0, 0, true, 2},
};
/// Growth (log2) of a row's maximum up to which its sums keep their scale: weights stay below 2^8,
/// which f16 holds.
static constexpr double toleratedGrowth = 8.0;

/// What TMA takes.
static constexpr size_t maxMapRank = 5;
static constexpr int64_t strideUnit = 16;

namespace {

/// A dim of a port, as a tensor map sees it.
struct MapDim {
  int64_t dim = 0;
  int64_t size = 0;
  int64_t bytes = 0;     ///< stride
  AffineExpr coordinate; ///< null: the rows
};

} // namespace

/// The dims of a map without the innermost one; nothing if a stride is not one that TMA takes.
static std::optional<SmallVector<MapDim>>
outerDims(KernelOp kernel, const AttentionOperand &operand, int64_t rows, int64_t columns) {
  PortType type = kernel.getPortType(operand.port);
  SmallVector<int64_t> shape = *type.getStaticShape();
  AffineExpr linear = type.getLinearMap().getResult(0);
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  SmallVector<MapDim> dims;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim == operand.columnDim || (dim != operand.rowDim && shape[dim] == 1)) {
      continue;
    }
    MapDim entry;
    entry.dim = dim;
    entry.size = dim == operand.rowDim ? rows : shape[dim];
    if (dim != operand.rowDim) {
      entry.coordinate = LoadOp(operand.load).getMap().getResult(dim);
    }
    auto factors = factorsOf(linear, dim, dim);
    entry.bytes = factors ? factors->first * bytes : 0;
    if (entry.size == 1) {
      entry.bytes = static_cast<int64_t>(llvm::alignTo(columns * bytes, strideUnit));
    }
    if (entry.bytes <= 0 || entry.bytes % strideUnit != 0) {
      return std::nullopt;
    }
    dims.push_back(entry);
  }
  llvm::sort(dims, [](const MapDim &a, const MapDim &b) {
    return std::pair(a.bytes, a.dim) < std::pair(b.bytes, b.dim);
  });
  return dims;
}

static bool makeMap(KernelOp kernel, const AttentionOperand &operand, int64_t rows, int64_t columns,
                    AttentionMap &map, std::string &obstacle) {
  if (!operand.load || operand.rowDim < 0 || operand.columnDim < 0) {
    obstacle = "matrix units take plain loads whose rows and columns are axes";
    return false;
  }
  PortType type = kernel.getPortType(operand.port);
  AffineExpr linear = type.getLinearMap().getResult(0);
  SmallVector<AffineExpr> zero(type.getRank(), getAffineConstantExpr(0, kernel.getContext()));
  auto offset = dyn_cast<AffineConstantExpr>(simplifyExpr(linear.replaceDims(zero), 0, 0));
  auto column = factorsOf(linear, operand.columnDim, operand.columnDim);
  std::optional<SmallVector<MapDim>> outer = outerDims(kernel, operand, rows, columns);
  if (!outer || !offset || offset.getValue() != 0 || !column || column->first != 1) {
    obstacle = "matrix units take contiguous columns and strides of a multiple of 16 bytes";
    return false;
  }
  if (outer->size() >= maxMapRank) {
    obstacle = "TMA takes ports of at most five dims";
    return false;
  }
  map.port = operand.port;
  map.element = type.getElementType();
  map.chunks = llvm::divideCeil(columns, int64_t(64));
  map.dims.push_back(columns);
  for (const MapDim &dim : *outer) {
    map.dims.push_back(dim.size);
    map.strides.push_back(dim.bytes);
    map.coordinates.push_back(dim.coordinate);
  }
  return true;
}

/// Applies what the kernel's schedule says; zero fields are left alone.
static bool applySchedule(KernelOp kernel, AttentionPlan &plan, std::string &obstacle) {
  auto schedule = dyn_cast_or_null<AttnScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule) {
    return true;
  }
  const AttnFields &fields = schedule.getFields();
  if (fields.p != Place::Reg || fields.overlap != Overlap::None || fields.splitKv > 1 ||
      fields.gqaPack > 1 || fields.loaders > 1 || fields.pack != 0) {
    obstacle = "matrix units take weights in registers and one loader, without overlap, split or "
               "packing";
    return false;
  }
  auto set = [](int64_t &value, int64_t field) {
    value = field != 0 ? field : value;
  };
  set(plan.warpgroups, fields.q / 64);
  int64_t parts = std::max(fields.warpgroups, fields.warps / 4);
  if (fields.q % 64 != 0 || fields.warps % 4 != 0 ||
      (parts != 0 && fields.q != 0 && fields.q != 64 * parts)) {
    obstacle = "matrix units take 64 queries a warpgroup, or four warps";
    return false;
  }
  set(plan.warpgroups, parts);
  set(plan.keyTile, fields.kv);
  set(plan.stages, fields.stages);
  set(plan.loaderRegisters, fields.regs[0]);
  set(plan.computeRegisters, fields.regs[1]);
  plan.registerSteps = fields.queries == Place::Reg ? plan.depthSteps() : 0;
  plan.rescale = static_cast<double>(fields.rescale);
  return true;
}

static bool check(const AttentionPlan &plan, const Target &target, std::string &obstacle) {
  int64_t mostParts = plan.unit == MmaUnit::Wgmma ? 4 : 1;
  int64_t leastStages = plan.unit == MmaUnit::Wgmma ? 1 : 2;
  if (plan.warpgroups < 1 || plan.warpgroups > mostParts || plan.stages < leastStages ||
      !llvm::isPowerOf2_64(plan.stages) || plan.keyTile % 16 != 0 || plan.keyTile < 16 ||
      plan.keyTile > 256) {
    obstacle = "wgmma takes 1 to 4 warpgroups, mma four warps; stages must be a power of two (for "
               "mma at least 2), key tiles a multiple of 16 up to 256";
    return false;
  }
  // ptxas gives each thread an equal share, which setmaxnreg redistributes.
  int64_t share = int64_t(target.registers) / plan.threads() / 8 * 8;
  int64_t asked = plan.loaderRegisters + plan.computeRegisters * plan.warpgroups;
  if (asked * 128 > share * plan.threads()) {
    obstacle = "its threads ask for more registers than " + target.name + " has";
    return false;
  }
  if (plan.sharedBytes() > int64_t(target.sharedBytes)) {
    obstacle = "its tiles take " + std::to_string(plan.sharedBytes()) +
               " bytes of shared memory, " + target.name + " has " +
               std::to_string(target.sharedBytes);
    return false;
  }
  constexpr int64_t most = int64_t(1) << 24; // the opaque zero is the top byte of a counter
  int64_t turns = llvm::divideCeil(plan.tiles(), int64_t(target.multiprocessors)) * plan.keyTiles();
  if (turns >= most || plan.tiles() >= INT32_MAX || plan.keys >= INT32_MAX / 2 ||
      plan.queries >= INT32_MAX / 2) {
    obstacle = "its counters do not fit";
    return false;
  }
  return true;
}

/// Whether the output is stored with no more precision than the values have: weights are rounded to
/// the type of the values, which a wider output would show.
static bool roundsOutput(const AttentionRoles &roles, const AccessTable &table, Type element) {
  return llvm::all_of(roles.stores, [&](StoreOp store) {
    auto stored = dyn_cast<FloatType>(store.getValue().getType());
    return !contains(table.domainOf(store), *roles.width) ||
           (stored && stored.getFPMantissaWidth() <= cast<FloatType>(element).getFPMantissaWidth());
  });
}

/// The sizes of the kernel, if they are ones that matrix units take.
static bool takeSizes(KernelOp kernel, const AttentionRoles &roles, const AccessTable &table,
                      AttentionPlan &plan, std::string &obstacle) {
  std::optional<KeyWindow> window = keyWindowOf(kernel, roles);
  if (!window) {
    obstacle = "its domain is no window of keys around the query";
    return false;
  }
  if (!table.isSafe(roles.logits)) {
    obstacle = "its logits load what only the domain proves to be inside of a port";
    return false;
  }
  if (!roles.query || !roles.width || !roles.scores.getType().isF32() ||
      !roles.logits.getType().isF32()) {
    obstacle = "matrix units take f32 scores of several queries, and values";
    return false;
  }
  plan.element = roles.q.value.getType();
  if ((!plan.element.isF16() && !plan.element.isBF16()) ||
      roles.k.value.getType() != plan.element || roles.v.value.getType() != plan.element) {
    obstacle = "matrix units take f16 or bf16";
    return false;
  }
  if (!kernel.getScheduleAttr() && !roundsOutput(roles, table, plan.element)) {
    obstacle = "its output is stored with more precision than weights on matrix units have";
    return false;
  }
  SmallVector<int64_t> extents = *kernel.getStaticExtents();
  plan.window = *window;
  plan.queries = extents[*roles.query];
  plan.keys = extents[roles.key];
  plan.depth = extents[roles.depth];
  plan.width = extents[*roles.width];
  for (unsigned axis : roles.batch) {
    plan.batch.push_back(extents[axis]);
  }
  return true;
}

static bool applyPreset(const AttentionRoles &roles, AttentionPlan &plan, std::string &obstacle) {
  int64_t largest = std::max(plan.depth, plan.width);
  const Preset *preset = llvm::find_if(presets, [&](const Preset &p) {
    return p.unit == plan.unit && largest <= p.largest && (roles.scale || p.anyLogits);
  });
  if (preset == std::end(presets) || plan.batches() * plan.queries * plan.keys == 0 ||
      plan.depth == 0 || plan.width == 0 || plan.depth % 8 != 0 || plan.width % 8 != 0) {
    obstacle = "matrix units take sizes that are not 0, and heads of 8 to 128 columns, a multiple "
               "of 8";
    return false;
  }
  plan.warpgroups = preset->warpgroups;
  plan.keyTile = preset->keyTile;
  plan.stages = preset->stages;
  plan.registerSteps = preset->queriesInRegisters ? plan.depthSteps() : 0;
  plan.loaderRegisters = preset->loaderRegisters;
  plan.computeRegisters = preset->computeRegisters;
  plan.minBlocks = preset->minBlocks;
  plan.rescale = toleratedGrowth;
  return true;
}

std::optional<AttentionPlan> AttentionPlan::make(KernelOp kernel, const AttentionRoles &roles,
                                                 const AccessTable &table, MmaUnit unit,
                                                 const Target &target, std::string &obstacle) {
  AttentionPlan plan;
  plan.unit = unit;
  if (!takeSizes(kernel, roles, table, plan, obstacle) || !applyPreset(roles, plan, obstacle) ||
      !applySchedule(kernel, plan, obstacle)) {
    return std::nullopt;
  }
  // A step takes eight registers of a thread, which a window with two ends needs itself.
  if (plan.window.first && plan.window.last) {
    plan.registerSteps = std::max<int64_t>(plan.registerSteps - 1, 0);
  }
  if (roles.needsMaximum) {
    plan.rescale = 0;
  }
  if (!makeMap(kernel, roles.q, plan.queries, plan.depth, plan.q, obstacle) ||
      !makeMap(kernel, roles.k, plan.keys, plan.depth, plan.k, obstacle) ||
      !makeMap(kernel, roles.v, plan.keys, plan.width, plan.v, obstacle)) {
    return std::nullopt;
  }
  plan.q.rows = plan.queryTile();
  plan.k.rows = plan.keyTile;
  plan.v.rows = plan.keyTile;
  if (!check(plan, target, obstacle)) {
    return std::nullopt;
  }
  return plan;
}

} // namespace zyxc
