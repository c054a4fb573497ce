#include "tools/zyxc/kernel/schedules/ScheduleList.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "passes/kernel/schedule/VerifySchedule.h"
#include "passes/lower/LegalizeBody.h"
#include "passes/lower/LowerHost.h"
#include "passes/lower/gpu/LowerGpu.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>
#include <utility>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

/// The text of the lowered kernel with a schedule (or none); empty if it is refused, for the reason
/// `refusal`.
static std::string lowered(KernelOp kernel, Attribute schedule, const Target &target,
                           std::string &refusal) {
  MLIRContext *context = kernel.getContext();
  refusal.clear();
  ScopedDiagnosticHandler first(context, [&](Diagnostic &diagnostic) {
    if (refusal.empty()) {
      llvm::raw_string_ostream(refusal) << diagnostic;
    }
    return success();
  });
  OwningOpRef<ModuleOp> module(ModuleOp::create(kernel.getLoc()));
  KernelOp copy = kernel.clone();
  module->push_back(copy);
  copy.removeScheduleAttr();
  if (schedule) {
    copy.setScheduleAttr(schedule);
    if (failed(verifySchedule(copy, target))) {
      return "";
    }
  }
  PassManager passes(context, ModuleOp::getOperationName());
  passes.addPass(target.kind == TargetKind::Host ? createLowerHostPass(target.vectorBits)
                                                 : createLowerGpuPass(target.name));
  if (failed(passes.run(*module))) {
    return "";
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

/// Equal times keep the order of the space.
static void rank(ScheduleList &list) {
  std::vector<std::pair<double, size_t>> order;
  order.reserve(list.schedules.size());
  for (const RankedSchedule &entry : list.schedules) {
    order.emplace_back(entry.estimate.time, order.size());
  }
  std::sort(order.begin(), order.end());
  std::vector<RankedSchedule> ranked;
  ranked.reserve(order.size());
  for (auto [time, index] : order) {
    ranked.push_back(list.schedules[index]);
  }
  list.schedules = std::move(ranked);
}

/// The schedules of one family; `plain` is the code of the kernel without a schedule.
static ScheduleList listFamily(KernelOp kernel, const Target &target, ScheduleFamily family,
                               const std::string &plain) {
  ScheduleList list;
  list.family = family;
  llvm::StringSet<> seen;
  for (Attribute schedule : scheduleSpace(family, kernel, target)) {
    std::string refusal;
    std::string text = lowered(kernel, schedule, target, refusal);
    if (text.empty()) {
      if (list.refused++ == 0) {
        llvm::raw_string_ostream(list.firstRefusal) << schedule << ": " << refusal;
      }
      continue;
    }
    if (!seen.insert(text).second) {
      ++list.equal;
      continue;
    }
    bool isDefault = text == plain;
    list.hasDefault |= isDefault;
    list.schedules.push_back({schedule, estimateSchedule(schedule, kernel, target), isDefault});
  }
  rank(list);
  return list;
}

Expected<std::vector<ScheduleList>> listSchedules(KernelOp kernel, const Target &target) {
  std::vector<ScheduleList> lists;
  std::string firstRefusal;
  std::string plain = lowered(kernel, {}, target, firstRefusal);
  bool takesSeveral = isVectorProduct(kernel);
  int refused = 0;
  for (ScheduleFamily family : familiesOf(kernel, target)) {
    ScheduleList list = listFamily(kernel, target, family, plain);
    if (list.schedules.empty()) {
      refused += list.refused;
      // What stands in the way of any schedule is said of the kernel alone.
      firstRefusal = firstRefusal.empty() ? list.firstRefusal : firstRefusal;
      continue;
    }
    list.refused += std::exchange(refused, 0);
    lists.push_back(std::move(list));
    if (!takesSeveral) {
      break;
    }
  }
  if (lists.empty()) {
    return makeError(ErrorCode::Unsupported, "{} lowers none of {} schedules: {}", target.name,
                     refused, firstRefusal);
  }
  auto first = std::find_if(lists.begin(), lists.end(),
                            [](const ScheduleList &list) { return list.hasDefault; });
  if (first != lists.end()) {
    std::rotate(lists.begin(), first, std::next(first));
  }
  return lists;
}

} // namespace zyxc::tool
