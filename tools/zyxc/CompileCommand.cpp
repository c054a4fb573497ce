// `zyxc compile`: plans for some targets into one file, or a form of them to standard output.
#include "compiler/driver/SavePlan.h"
#include "runtime/plan/BindPlan.h"
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/EmitForms.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace zyxc::tool {

static bool contains(const std::vector<std::string> &list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// The step whose text a form is; the e-graph as it is without rules where they are left out.
static std::string_view stepOf(const EmitForm &form, const CommandLine &line) {
  return form.name == "egraph" && contains(line.compile.disable, form.step) ? "egraph" : form.step;
}

/// Sets what compile() prints on the way: the form to standard output, else to standard error.
static void printForm(CommandLine &line, const EmitForm &form) {
  std::string step(stepOf(form, line));
  line.compile.keepTexts = form.kernel != nullptr;
  if (form.kernel) {
    return;
  }
  if (line.planFile.empty()) {
    line.compile.stopAfter = step;
  }
  std::vector<std::string> asked = line.compile.dumpAfter;
  if (!contains(asked, step)) {
    line.compile.dumpAfter.push_back(step);
  }
  line.compile.dump = [step, asked](std::string_view name, const std::string &text) {
    if (name == step) {
      fmt::print("{}", text);
    }
    if (contains(asked, name)) {
      std::fputs(fmt::format("// after {}\n{}\n", name, text).c_str(), stderr);
    }
  };
}

static Expected<Compiled> compileFor(const Model &model, CommandLine line,
                                     const std::string &target, bool several) {
  line.target = line.compile.target = target;
  const EmitForm *form = line.emit.empty() ? nullptr : findForm(line.emit);
  if (form) {
    if (several) {
      fmt::print("{} target {}\n", form->comment, ModelTarget::fullName(target));
    }
    printForm(line, *form);
  }
  auto compiled = compileGuarded(model, line);
  if (compiled && form && form->kernel) {
    auto isEmpty = [&](const KernelTexts &texts) {
      return (texts.*form->kernel).empty();
    };
    if (std::any_of(compiled->texts.begin(), compiled->texts.end(), isEmpty)) {
      return makeError(ErrorCode::Usage, "--emit={}: code for {} has no such form", form->name,
                       target);
    }
    for (const KernelTexts &texts : compiled->texts) {
      fmt::print("{}", texts.*form->kernel);
    }
  }
  return compiled;
}

/// Memory beside weights and inputs, for people.
static std::string memoryOf(const Compiled &program, int threads) {
  const rt::Plan &plan = program.plan;
  if (plan.isSymbolic()) {
    return fmt::format("memory by {}", fmt::join(rt::sizeVariables(plan), ", "));
  }
  return fmt::format("{} bytes of memory", plan.plannedBytes(threads));
}

/// What was made, for people; a form that is printed stands alone.
static void report(const CommandLine &line, const std::vector<Compiled> &programs) {
  for (const Compiled &program : programs) {
    if (line.compile.explain) {
      fmt::print("{}", explain::toText(program.explanation));
    }
    std::string where = program.target.isGpu() ? "" : fmt::format(" on {} threads", line.threads);
    fmt::print("{}: {} kernels, {} launches, {}{}\n", program.target.name,
               program.plan.kernels.size(), program.plan.steps.size(),
               memoryOf(program, line.threads), where);
    if (line.timing) {
      printCompileTimes(program);
    }
  }
  fmt::print("wrote {}\n", line.planFile);
}

Status compileCommand(const CommandLine &line) {
  if (line.planFile.empty() && line.emit.empty()) {
    return makeError(ErrorCode::Usage,
                     "nothing to make: give -o FILE.zyxp, or --emit=FORM to print "
                     "a form");
  }
  if (isPlanFile(line.model)) {
    return makeError(ErrorCode::Usage, "{} is compiled already: give the model that it was made of",
                     line.model);
  }
  std::error_code unknown;
  if (!line.planFile.empty() && std::filesystem::equivalent(line.planFile, line.model, unknown)) {
    return makeError(ErrorCode::Usage, "-o {} is the model itself: give another name",
                     line.planFile);
  }
  ZYXC_ASSIGN(LoadedModel loaded, loadModel(line));
  std::vector<std::string> targets = line.targets;
  if (targets.empty()) {
    targets.push_back(line.target);
  }
  std::vector<Compiled> programs;
  for (const std::string &target : targets) {
    auto compiled = compileFor(loaded.model, line, target, targets.size() > 1);
    if (!compiled) {
      return namingModel(std::move(compiled).error(), line);
    }
    programs.push_back(*std::move(compiled));
  }
  if (line.planFile.empty()) {
    return Status::ok();
  }
  ZYXC_RETURN_IF_ERROR(savePlan(line.planFile, programs));
  if (line.emit.empty()) {
    report(line, programs);
  }
  return Status::ok();
}

} // namespace zyxc::tool
