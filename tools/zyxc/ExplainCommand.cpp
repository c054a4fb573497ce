// `zyxc explain`: why a model's plan is as it is, from the explanation that its compilation made.
#include "runtime/support/File.h"
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/explain/ExplanationPage.h"
#include "tools/zyxc/explain/NearNames.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace zyxc::tool {

using explain::Explanation;

/// Usage errors that need no compilation.
static Status checkLine(const CommandLine &line) {
  if (isPlanFile(line.model)) {
    return makeError(ErrorCode::Usage,
                     "{} is compiled already, and holds no reasons: give the model that it was "
                     "made of",
                     line.model);
  }
  std::error_code unknown;
  if (!line.page.empty() && std::filesystem::equivalent(line.page, line.model, unknown)) {
    return makeError(ErrorCode::Usage, "--html={} is the model itself: give another name",
                     line.page);
  }
  return Status::ok();
}

static Status noSuchNode(const CommandLine &line, const Explanation &explanation) {
  constexpr size_t most = 5;
  std::vector<std::string> names = explain::nodeNames(explanation);
  std::vector<std::string> near = nearNames(names, line.node, most);
  std::string hint = names.empty() ? "it has no nodes"
                     : near.empty()
                         ? fmt::format("nodes are called '{}' and the like; those whose values are "
                                       "known when a model is read are none",
                                       names.front())
                         : fmt::format("near are '{}'", fmt::join(near, "', '"));
  return makeError(ErrorCode::Usage, "--node={}: no node of {} is called so: {}", line.node,
                   line.model, hint);
}

static void printText(const CommandLine &line, const Explanation &explanation) {
  if (line.node.empty()) {
    fmt::print("{}", explain::toText(explanation));
    return;
  }
  for (const explain::Part &part : explanation.parts) {
    fmt::print("{}", explain::nodeText(part, part.nodes.front()));
  }
  fmt::print("{}", explain::toText(explanation, /*full=*/true));
}

Status explainCommand(const CommandLine &line) {
  ZYXC_RETURN_IF_ERROR(checkLine(line));
  ZYXC_ASSIGN(LoadedModel loaded, loadModel(line));
  CommandLine here = line;
  here.compile.explain = true;
  here.compile.stopAfter = "plan";
  // Not of the last step, unless it was asked for.
  here.compile.dump = [&](std::string_view step, const std::string &text) {
    const std::vector<std::string> &asked = line.compile.dumpAfter;
    if (std::find(asked.begin(), asked.end(), step) != asked.end()) {
      std::fputs(fmt::format("// after {}\n{}\n", step, text).c_str(), stderr);
    }
  };
  auto compiled = compileGuarded(loaded.model, here);
  if (!compiled) {
    return namingModel(std::move(compiled).error(), line);
  }
  Explanation explanation = std::move(compiled->explanation);
  if (!line.node.empty()) {
    Explanation ofNode = explain::restrictedTo(explanation, line.node);
    if (ofNode.parts.empty()) {
      return noSuchNode(line, explanation);
    }
    explanation = std::move(ofNode);
  }
  ExplainedModel model{version(), line.model, compiled->target.name,
                       std::string(rules::toString(line.compile.numerics)), line.node};
  if (!line.page.empty()) {
    ZYXC_RETURN_IF_ERROR(writeFile(line.page, explanationPage(explanation, model)));
  }
  if (line.json) {
    fmt::print("{}\n", explanationJson(explanation, model, 2));
  } else if (line.page.empty()) {
    printText(line, explanation);
  } else {
    fmt::print("wrote {}\n", line.page);
  }
  return Status::ok();
}

} // namespace zyxc::tool
