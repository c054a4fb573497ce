#include "tools/zyxc/egraph/WriteEGraph.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace zyxc::tool {

using namespace zyxc::egraph;

/// As JSON writes numbers: "12", "0.5", "1e-3", and not ".5" or "01".
static bool isCost(std::string_view text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(llvm::StringRef(text));
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  std::optional<double> number = value->getAsNumber();
  return number && std::isfinite(*number) && *number >= 0;
}

Status addCosts(OpCosts &costs, std::string_view text) {
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    size_t equals = part.rfind('=');
    if (equals == part.npos || equals == 0 || !isCost(part.substr(equals + 1))) {
      return makeError(ErrorCode::Usage, "write it as OP=COST,OP=COST, each cost 0 or more");
    }
    costs[std::string(part.substr(0, equals))] = part.substr(equals + 1);
    begin = end + 1;
  }
  return Status::ok();
}

namespace {

class Writer {
public:
  Writer(const EGraph &graph, const Language &language) : graph(graph), language(language) {}

  Status setCosts(const OpCosts &costs);
  std::string write(std::span<const Id> roots);

private:
  void nameNodes();
  void writeNode(llvm::json::OStream &json, NodeId node) const;
  std::string nodeName(NodeId node) const {
    return fmt::format("{}.{}", className(node), placeInClass[node]);
  }
  std::string className(Id cls) const { return fmt::format("{}", classNumber[graph.find(cls)]); }

  const EGraph &graph;
  const Language &language;
  std::vector<std::string> costOf;    ///< by op
  std::vector<uint32_t> classNumber;  ///< by canonical class
  std::vector<uint32_t> placeInClass; ///< by node
};

Status Writer::setCosts(const OpCosts &costs) {
  costOf.assign(language.numOps(), "1");
  size_t used = 0;
  for (uint32_t op = 0; op < language.numOps(); ++op) {
    if (auto cost = costs.find(language.opName(op)); cost != costs.end()) {
      costOf[op] = cost->second;
      ++used;
    }
  }
  if (used == costs.size()) {
    return Status::ok();
  }
  for (const auto &[name, cost] : costs) {
    bool isKnown = false;
    for (uint32_t op = 0; op < language.numOps(); ++op) {
      isKnown |= language.opName(op) == name;
    }
    if (!isKnown) {
      return makeError(ErrorCode::Usage, "--cost: no op is called '{}'", name);
    }
  }
  return Status::ok();
}

void Writer::nameNodes() {
  classNumber.assign(graph.numNodes(), none);
  placeInClass.assign(graph.numNodes(), 0);
  std::vector<uint32_t> count(graph.numNodes(), 0);
  uint32_t classes = 0;
  for (NodeId node = 0; node < graph.numNodes(); ++node) {
    if (graph.isLive(node)) {
      Id cls = graph.find(node);
      classNumber[cls] = classNumber[cls] == none ? classes++ : classNumber[cls];
      placeInClass[node] = count[cls]++;
    }
  }
}

void Writer::writeNode(llvm::json::OStream &json, NodeId node) const {
  std::string label = language.label(graph, node);
  json.attributeObject(nodeName(node), [&] {
    json.attribute("op", llvm::json::isUTF8(label) ? label : llvm::json::fixUTF8(label));
    json.attributeArray("children", [&] {
      for (Id child : graph.children(node)) {
        // Any node of the class stands for it; its oldest one is live.
        json.value(fmt::format("{}.0", className(child)));
      }
    });
    json.attribute("eclass", className(node));
    json.attributeBegin("cost");
    json.rawValue(costOf[graph.op(node)]);
    json.attributeEnd();
  });
}

std::string Writer::write(std::span<const Id> roots) {
  nameNodes();
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attributeObject("nodes", [&] {
      for (NodeId node = 0; node < graph.numNodes(); ++node) {
        if (graph.isLive(node)) {
          writeNode(json, node);
        }
      }
    });
    json.attributeArray("root_eclasses", [&] {
      std::vector<bool> isWritten(graph.numNodes(), false);
      for (Id root : roots) {
        Id cls = graph.find(root);
        if (!isWritten[cls]) {
          isWritten[cls] = true;
          json.value(className(cls));
        }
      }
    });
    json.attributeObject("class_data", [] {});
  });
  stream << '\n';
  return text;
}

} // namespace

Expected<std::string> toSerializeJson(const EGraph &graph, const Language &language,
                                      std::span<const Id> roots, const OpCosts &costs) {
  Writer writer(graph, language);
  ZYXC_RETURN_IF_ERROR(writer.setCosts(costs));
  return writer.write(roots);
}

} // namespace zyxc::tool
