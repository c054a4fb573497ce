#include "passes/kernel/schedule/TakenFields.h"
#include "dialects/zyxk/IR/text/ScheduleText.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

namespace {

/// Who lowers a schedule. Products and attention on a GPU have a lowering per unit.
enum class Maker : uint8_t { Host, Gpu, Fma, Mma, Wgmma };

/// A field that a lowering takes, with any value or with those listed between '|'.
struct Taken {
  StringRef family;
  Maker maker;
  StringRef field;
  StringRef values = "";
};

} // namespace

using enum Maker;

// Values that only say what the lowering does anyway are listed, too: they change nothing.
static constexpr Taken takenFields[] = {
    {"map", Host, "tile"},
    {"map", Host, "vec"},
    {"map", Host, "flatten"},
    {"map", Gpu, "tile"},
    {"map", Gpu, "elements"},
    {"map", Gpu, "vec"},
    {"map", Gpu, "flatten"},
    {"map", Gpu, "threads"},
    {"row", Host, "rows"},
    {"row", Host, "vec"},
    {"row", Host, "inflight"},
    {"row", Gpu, "scope", "subgroup|block"},
    {"row", Gpu, "threads"},
    {"row", Gpu, "rows"},
    {"row", Gpu, "hold"},
    {"row", Gpu, "online"},
    {"row", Gpu, "vec"},
    {"row", Gpu, "inflight"},
    {"col", Host, ""},
    {"col", Gpu, "tile"},
    {"col", Gpu, "threads"},
    {"col", Gpu, "split"},
    {"col", Gpu, "vec"},
    {"col", Gpu, "inflight"},
    {"contract", Host, "mr"},
    {"contract", Host, "nr"},
    {"contract", Host, "mc"},
    {"contract", Host, "nc"},
    {"contract", Host, "kc"},
    {"contract", Host, "pack_a", "prepared"},
    {"contract", Host, "pack_b", "prepared"},
    {"mma", Fma, "unit"},
    {"mma", Fma, "cta"},
    {"mma", Fma, "thread", "[4, 4]"},
    {"mma", Fma, "cluster", "[1, 1]"},
    {"mma", Fma, "split", "1"},
    {"mma", Mma, "unit"},
    {"mma", Mma, "cta"},
    {"mma", Mma, "warps"},
    {"mma", Mma, "stages"},
    {"mma", Mma, "copy", "cp_async"},
    {"mma", Mma, "swizzle", "128"},
    {"mma", Mma, "grid"},
    {"mma", Mma, "group"},
    {"mma", Mma, "cols", "64"},
    {"mma", Mma, "cluster", "[1, 1]"},
    {"mma", Mma, "split", "1"},
    {"mma", Wgmma, "unit"},
    {"mma", Wgmma, "cta"},
    {"mma", Wgmma, "warpgroups"},
    {"mma", Wgmma, "stages"},
    {"mma", Wgmma, "copy", "tma"},
    {"mma", Wgmma, "swizzle", "128"},
    {"mma", Wgmma, "loaders", "1"},
    {"mma", Wgmma, "regs"},
    {"mma", Wgmma, "grid", "persistent"},
    {"mma", Wgmma, "group"},
    {"mma", Wgmma, "cols", "64"},
    {"mma", Wgmma, "cluster", "[1, 1]"},
    {"mma", Wgmma, "split", "1"},
    {"attn", Host, "q"},
    {"attn", Host, "kv"},
    {"attn", Host, "pack", "1"},
    {"attn", Fma, "unit"},
    {"attn", Mma, "unit"},
    {"attn", Mma, "q"},
    {"attn", Mma, "kv"},
    {"attn", Mma, "warps"},
    {"attn", Mma, "stages"},
    {"attn", Mma, "copy", "cp_async"},
    {"attn", Mma, "queries"},
    {"attn", Mma, "rescale"},
    {"attn", Mma, "skip", "bounds"},
    {"attn", Mma, "gqa_pack", "1"},
    {"attn", Mma, "split_kv", "1"},
    {"attn", Wgmma, "unit"},
    {"attn", Wgmma, "q"},
    {"attn", Wgmma, "kv"},
    {"attn", Wgmma, "warpgroups"},
    {"attn", Wgmma, "stages"},
    {"attn", Wgmma, "copy", "tma"},
    {"attn", Wgmma, "loaders", "1"},
    {"attn", Wgmma, "regs"},
    {"attn", Wgmma, "queries"},
    {"attn", Wgmma, "rescale"},
    {"attn", Wgmma, "skip", "bounds"},
    {"attn", Wgmma, "gqa_pack", "1"},
    {"attn", Wgmma, "split_kv", "1"},
    {"move", Host, ""},
    {"move", Gpu, "tile"},
    {"move", Gpu, "swizzle", "1"},
    {"move", Gpu, "vec"},
    {"move", Gpu, "threads"},
    {"scan", Host, ""},
    {"scan", Gpu, "items"},
    {"scan", Gpu, "threads"},
    {"scan", Gpu, "mode", "two_pass"},
    {"scan", Gpu, "vec"},
    {"block", Gpu, "threads"},
    {"block", Gpu, "hold"},
    {"block", Gpu, "vec"},
};

static StringRef nameOf(Maker maker) {
  static constexpr StringRef names[] = {"the host", "GPUs", "unit = fma", "unit = mma",
                                        "unit = wgmma"};
  return names[static_cast<size_t>(maker)];
}

/// Products and attention have a unit.
template <class Fields> static Maker makerOf(const Fields &fields, bool isGpu) {
  if (!isGpu) {
    return Host;
  }
  if constexpr (requires { fields.splitKv; } || requires { fields.cta; }) {
    switch (fields.unit) {
    case MmaUnit::Fma: return Fma;
    case MmaUnit::Mma: return Mma;
    case MmaUnit::Wgmma: return Wgmma;
    case MmaUnit::Coop: return Gpu;
    }
  }
  return Gpu;
}

/// Texts of all fields in the order of visit.
template <class Fields> static SmallVector<std::string> textsOf(Fields fields) {
  SmallVector<std::string> texts;
  fields.visit([&](StringRef, const auto &value) {
    llvm::raw_string_ostream stream(texts.emplace_back());
    printFieldValue(stream, value);
  });
  return texts;
}

static LogicalResult checkField(KernelOp kernel, StringRef family, Maker maker, StringRef field,
                                StringRef text) {
  const auto *taken = llvm::find_if(takenFields, [&](const Taken &row) {
    return row.family == family && row.maker == maker && row.field == field;
  });
  if (taken == std::end(takenFields)) {
    return kernel.emitError() << "its schedule has " << field << " = " << text << ", but #zyxk."
                              << family << " on " << nameOf(maker) << " has no such choice";
  }
  SmallVector<StringRef> values;
  taken->values.split(values, '|');
  if (taken->values.empty() || llvm::is_contained(values, text)) {
    return success();
  }
  return kernel.emitError() << "its schedule has " << field << " = " << text << ", but #zyxk."
                            << family << " on " << nameOf(maker) << " takes " << taken->values
                            << " only";
}

template <class Fields>
static LogicalResult checkFields(KernelOp kernel, StringRef family, const Fields &given,
                                 bool isGpu) {
  Maker maker = makerOf(given, isGpu);
  if (llvm::none_of(takenFields,
                    [&](const Taken &row) { return row.family == family && row.maker == maker; })) {
    return kernel.emitError() << "its schedule is #zyxk." << family
                              << ", which has no lowering for "
                              << (isGpu ? "this unit of a GPU" : "the host");
  }
  SmallVector<std::string> texts = textsOf(given);
  SmallVector<std::string> standard = textsOf(Fields{});
  LogicalResult result = success();
  size_t index = 0;
  Fields fields = given;
  fields.visit([&](StringRef field, const auto &) {
    if (succeeded(result) && texts[index] != standard[index]) {
      result = checkField(kernel, family, maker, field, texts[index]);
    }
    ++index;
  });
  return result;
}

LogicalResult checkTakenFields(KernelOp kernel, bool isGpu) {
  if (!kernel.getSchedule()) {
    return success();
  }
  return llvm::TypeSwitch<Attribute, LogicalResult>(*kernel.getSchedule())
      .Case<MapScheduleAttr, RowScheduleAttr, ColScheduleAttr, ContractScheduleAttr,
            MmaScheduleAttr, AttnScheduleAttr, MoveScheduleAttr, ScanScheduleAttr,
            BlockScheduleAttr>([&](auto schedule) {
        return checkFields(kernel, decltype(schedule)::getMnemonic(), schedule.getFields(), isGpu);
      });
}

} // namespace zyxc
