// The fields of each family's schedule, as plain structs: an attribute holds one of them
// (`MmaScheduleAttr::get(context, MmaFields{.cta = {128, 128, 64}})`, `schedule.getFields().cta`).
// Text, equality, hash and checks all come from `visit`, which names each field once. A field that
// is 0 is left to the lowering, unless its comment says otherwise.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include <array>
#include <cstdint>

#include "dialects/zyxk/IR/ZyxkEnums.h.inc"

namespace zyxc::zyxk {

/// Elementwise, gather, pad, windows.
struct MapFields {
  int64_t tile = 0;     ///< elements that one task (host) or workgroup handles
  int64_t elements = 0; ///< elements of one thread (GPU)
  int64_t vec = 0;      ///< lanes of an access along the innermost stored axis
  int64_t flatten = 1;  ///< 1 merges axes where every access allows it, 0 keeps them
  int64_t threads = 0;  ///< of a workgroup

  void visit(auto &&field) {
    field("tile", tile);
    field("elements", elements);
    field("vec", vec);
    field("flatten", flatten);
    field("threads", threads);
  }
  bool operator==(const MapFields &) const = default;
};

/// Reductions along rows, and maps of the rows with them.
struct RowFields {
  Scope scope = Scope::Lane; ///< who works on one row; the host has lane only
  int64_t threads = 0;       ///< of a workgroup (per workgroup of a cluster)
  int64_t rows = 0;          ///< rows of one task or scope
  Hold hold = Hold::Auto;    ///< where the row waits between its reductions
  int64_t vec = 0;           ///< lanes of an access along the row
  int64_t inflight = 0; ///< independent accumulators (host), loads before their first use (GPU)
  int64_t online = 0;   ///< 1: max and sum of exponentials in one pass
  int64_t cluster = 0;  ///< workgroups on one row, with scope cluster

  void visit(auto &&field) {
    field("scope", scope);
    field("threads", threads);
    field("rows", rows);
    field("hold", hold);
    field("vec", vec);
    field("inflight", inflight);
    field("online", online);
    field("cluster", cluster);
  }
  bool operator==(const RowFields &) const = default;
};

/// Reductions whose result keeps the contiguous axis: column sums, bias gradients, full sums.
struct ColFields {
  int64_t tile = 0;               ///< columns of one task or workgroup
  int64_t threads = 0;            ///< of a workgroup
  int64_t split = 0;              ///< parts of the reduced axes that work side by side
  Finish finish = Finish::Second; ///< who joins the parts
  int64_t vec = 0;                ///< columns of one access
  int64_t inflight = 0;           ///< rows loaded before their first use

  void visit(auto &&field) {
    field("tile", tile);
    field("threads", threads);
    field("split", split);
    field("finish", finish);
    field("vec", vec);
    field("inflight", inflight);
  }
  bool operator==(const ColFields &) const = default;
};

/// Contractions on the host.
struct ContractFields {
  int64_t mr = 0, nr = 0;         ///< register tile
  int64_t mc = 0, nc = 0, kc = 0; ///< cache blocks
  Pack packA = Pack::Loop;        ///< packing of the operands
  Pack packB = Pack::Loop;
  Unit unit = Unit::Fma;
  mlir::StringAttr order = {}; ///< loop order of the blocks, outermost first, such as "nkm"
  mlir::StringAttr task = {};  ///< the role that tasks split: "m", "n" or "batch"

  void visit(auto &&field) {
    field("mr", mr);
    field("nr", nr);
    field("mc", mc);
    field("nc", nc);
    field("kc", kc);
    field("pack_a", packA);
    field("pack_b", packB);
    field("unit", unit);
    field("order", order);
    field("task", task);
  }
  bool operator==(const ContractFields &) const = default;
};

/// Contractions on a GPU. Roles m, n and k follow from axis sets; batch axes go to the grid.
struct MmaFields {
  MmaUnit unit = MmaUnit::Fma;
  std::array<int64_t, 3> cta = {};        ///< m, n, k of a workgroup's tile
  std::array<int64_t, 2> warps = {};      ///< warps along m and n (fma, mma, coop)
  std::array<int64_t, 2> warpgroups = {}; ///< warpgroups along m and n (wgmma)
  std::array<int64_t, 2> thread = {};     ///< m and n of a thread's tile (fma)
  int64_t stages = 0;                     ///< tiles of the operands in shared memory
  Copy copy = Copy::Ld;
  int64_t swizzle = 0;                 ///< bytes of the swizzled row: 0 (none), 32, 64, 128
  std::array<int64_t, 2> cluster = {}; ///< workgroups of a cluster along m and n
  int64_t loaders = 0;                 ///< warpgroups that only load
  std::array<int64_t, 2> regs = {};    ///< registers of a loading and of a computing thread
  Grid grid = Grid::Plain;
  int64_t group = 0;              ///< tiles along m before the next n
  int64_t split = 0;              ///< parts of k that work side by side
  Finish finish = Finish::Second; ///< who joins the parts
  Place a = Place::Smem;          ///< where the unit reads a: reg takes a prologue
  Place epilogue = Place::Smem;   ///< through which the accumulators go to the epilogue
  int64_t cols = 0;               ///< columns that the epilogue handles at once

  void visit(auto &&field) {
    field("unit", unit);
    field("cta", cta);
    field("warps", warps);
    field("warpgroups", warpgroups);
    field("thread", thread);
    field("stages", stages);
    field("copy", copy);
    field("swizzle", swizzle);
    field("cluster", cluster);
    field("loaders", loaders);
    field("regs", regs);
    field("grid", grid);
    field("group", group);
    field("split", split);
    field("finish", finish);
    field("a", a);
    field("epilogue", epilogue);
    field("cols", cols);
  }
  bool operator==(const MmaFields &) const = default;
};

/// Attention: a contraction, an expsum over its result, whose weight is the second operand.
struct AttnFields {
  int64_t q = 0;  ///< rows of queries of one task or workgroup
  int64_t kv = 0; ///< keys of one turn
  MmaUnit unit = MmaUnit::Fma;
  int64_t warpgroups = 0; ///< that compute, 64 rows each (wgmma)
  int64_t warps = 0;      ///< that compute (fma, mma, coop)
  int64_t stages = 0;     ///< tiles of keys and of values in shared memory
  Copy copy = Copy::Ld;
  int64_t loaders = 0;              ///< warpgroups that only load
  std::array<int64_t, 2> regs = {}; ///< registers of a loading and of a computing thread
  Place queries = Place::Smem;      ///< where the unit reads q
  Place p = Place::Reg;             ///< where the unit reads the weights e^(t - m)
  Overlap overlap = Overlap::None;
  int64_t rescale = 0; ///< the sums are rescaled when a maximum grew by more than this log2
  int64_t gqaPack = 0; ///< heads of queries that share keys, packed into one tile
  int64_t splitKv = 0; ///< parts of the keys that work side by side
  Skip skip = Skip::None;
  int64_t pack = 0; ///< 1: keys and values are packed (host)

  void visit(auto &&field) {
    field("q", q);
    field("kv", kv);
    field("unit", unit);
    field("warpgroups", warpgroups);
    field("warps", warps);
    field("stages", stages);
    field("copy", copy);
    field("loaders", loaders);
    field("regs", regs);
    field("queries", queries);
    field("p", p);
    field("overlap", overlap);
    field("rescale", rescale);
    field("gqa_pack", gqaPack);
    field("split_kv", splitKv);
    field("skip", skip);
    field("pack", pack);
  }
  bool operator==(const AttnFields &) const = default;
};

/// Transposes and other changes of layout, with elementwise ops in between.
struct MoveFields {
  std::array<int64_t, 2> tile = {}; ///< along the contiguous axes of the store and of the load
  Via via = Via::Smem;
  int64_t swizzle = 0; ///< 1: the tile is stored with xor instead of padding
  int64_t vec = 0;     ///< lanes of an access
  int64_t threads = 0; ///< of a workgroup

  void visit(auto &&field) {
    field("tile", tile);
    field("via", via);
    field("swizzle", swizzle);
    field("vec", vec);
    field("threads", threads);
  }
  bool operator==(const MoveFields &) const = default;
};

/// Prefix forms.
struct ScanFields {
  int64_t items = 0;   ///< elements of one thread in a row
  int64_t threads = 0; ///< of a workgroup
  ScanMode mode = ScanMode::Serial;
  int64_t vec = 0; ///< lanes of an access

  void visit(auto &&field) {
    field("items", items);
    field("threads", threads);
    field("mode", mode);
    field("vec", vec);
  }
  bool operator==(const ScanFields &) const = default;
};

/// A whole subgraph with any number of reduction levels in one workgroup.
struct BlockFields {
  int64_t threads = 0;    ///< of the workgroup
  Hold hold = Hold::Auto; ///< where values wait between levels
  int64_t vec = 0;        ///< lanes of an access

  void visit(auto &&field) {
    field("threads", threads);
    field("hold", hold);
    field("vec", vec);
  }
  bool operator==(const BlockFields &) const = default;
};

/// The fields of some family.
template <class T>
concept ScheduleFields = requires(T fields) { fields.visit([](auto &&...) {}); };

// The name that LLVM looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
template <ScheduleFields Fields> llvm::hash_code hash_value(const Fields &fields) {
  llvm::hash_code hash(0);
  auto combine = [&](const auto &value) {
    hash = llvm::hash_combine(hash, value);
  };
  Fields copy = fields;
  copy.visit([&](llvm::StringRef, const auto &value) {
    if constexpr (requires { value.max_size(); }) { // an array
      llvm::for_each(value, combine);
    } else {
      combine(value);
    }
  });
  return hash;
}

} // namespace zyxc::zyxk
