#include "tools/zyxc/egraph/EGraphFile.h"
#include "runtime/support/File.h"
#include "tools/zyxc/egraph/CheckJson.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace zyxc::tool {

namespace {

Decimal makeDecimal(int64_t digits, int exponent) {
  if (digits == 0) {
    return {};
  }
  while (digits % 10 == 0) {
    digits /= 10;
    ++exponent;
  }
  return {digits, exponent};
}

/// The shortest decimal that reads as this double, which is what the file had up to 17 digits.
Decimal shortestDecimal(double value) {
  char buffer[64];
  char *end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  int64_t digits = 0;
  int exponent = 0;
  const char *at = buffer;
  for (bool fraction = false; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    digits = digits * 10 + (*at - '0');
    exponent -= fraction;
  }
  int shift = 0;
  bool plus = at + 1 < end && at[1] == '+'; // from_chars takes no plus
  std::from_chars(at + 1 + plus, end, shift);
  return makeDecimal(digits, exponent + shift);
}

Expected<Decimal> readCost(const llvm::json::Value &value) {
  std::optional<double> number = value.getAsNumber();
  if (!number || !std::isfinite(*number)) {
    return makeError(ErrorCode::Input, "the cost is not a finite number");
  }
  if (*number < 0) {
    return makeError(ErrorCode::Unsupported,
                     "the cost is negative: extraction takes costs of 0 and more");
  }
  if (std::optional<int64_t> integer = value.getAsInteger()) {
    return makeDecimal(*integer, 0);
  }
  return shortestDecimal(*number);
}

class Reader {
public:
  Reader(const llvm::json::Object &top, bool repairRoots) : top(top), repairRoots(repairRoots) {}

  Expected<EGraphFile> read() {
    const llvm::json::Object *nodes = top.getObject("nodes");
    if (!nodes) {
      return makeError(ErrorCode::Input, "there is no object 'nodes'");
    }
    for (const auto &[name, value] : *nodes) {
      order.emplace_back(name.str(), &value);
    }
    std::sort(order.begin(), order.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    ZYXC_RETURN_IF_ERROR(readClasses());
    for (const auto &[name, value] : order) {
      Status status = readNode(name, *value->getAsObject());
      if (!status.isOk()) {
        return std::move(status).withContext("node '" + name + "'");
      }
    }
    ZYXC_RETURN_IF_ERROR(readRoots());
    return std::move(graph);
  }

private:
  Status readClasses() {
    for (uint32_t i = 0; i < order.size(); ++i) {
      const llvm::json::Object *node = order[i].second->getAsObject();
      std::optional<llvm::StringRef> cls = node ? node->getString("eclass") : std::nullopt;
      if (!cls) {
        return makeError(ErrorCode::Input, "node '{}': there is no string 'eclass'",
                         order[i].first);
      }
      nodeIndex[order[i].first] = i;
      graph.classes.push_back(cls->str());
    }
    std::sort(graph.classes.begin(), graph.classes.end());
    graph.classes.erase(std::unique(graph.classes.begin(), graph.classes.end()),
                        graph.classes.end());
    for (const auto &[name, value] : order) {
      classOfNode.push_back(*findClass(value->getAsObject()->getString("eclass")->str()));
    }
    return Status::ok();
  }

  std::optional<uint32_t> findClass(const std::string &name) const {
    auto at = std::lower_bound(graph.classes.begin(), graph.classes.end(), name);
    if (at == graph.classes.end() || *at != name) {
      return std::nullopt;
    }
    return static_cast<uint32_t>(at - graph.classes.begin());
  }

  Status readNode(const std::string &name, const llvm::json::Object &object) {
    EGraphFile::Node node;
    node.name = name;
    node.cls = classOfNode[nodeIndex.at(name)];
    if (const llvm::json::Value *op = object.get("op")) {
      if (!op->getAsString()) {
        return makeError(ErrorCode::Input, "'op' is not a string");
      }
      node.op = op->getAsString()->str();
    }
    const llvm::json::Value *children = object.get("children");
    if (children && !children->getAsArray()) {
      return makeError(ErrorCode::Input, "'children' is not an array");
    }
    for (size_t i = 0; children && i < children->getAsArray()->size(); ++i) {
      std::optional<llvm::StringRef> child = (*children->getAsArray())[i].getAsString();
      if (!child) {
        return makeError(ErrorCode::Input, "child {} is not a string", i);
      }
      auto at = nodeIndex.find(child->str());
      if (at == nodeIndex.end()) {
        return makeError(ErrorCode::Input, "child {}: there is no node '{}'", i, child->str());
      }
      node.children.push_back(classOfNode[at->second]);
    }
    if (const llvm::json::Value *cost = object.get("cost")) {
      ZYXC_ASSIGN(node.cost, readCost(*cost));
    } else {
      node.cost = {1, 0};
    }
    graph.nodes.push_back(std::move(node));
    return Status::ok();
  }

  Status readRoots() {
    const llvm::json::Array *roots = top.getArray("root_eclasses");
    if (!roots && top.get("root_eclasses")) {
      return makeError(ErrorCode::Input, "root_eclasses: this is not an array of strings");
    }
    isRoot.assign(graph.classes.size(), false);
    for (size_t i = 0; roots && i < roots->size(); ++i) {
      std::optional<llvm::StringRef> name = (*roots)[i].getAsString();
      if (!name) {
        return makeError(ErrorCode::Input, "root_eclasses: entry {} is not a string", i);
      }
      std::optional<uint32_t> cls = findClass(name->str());
      if (cls) {
        addRoot(*cls);
      } else if (repairRoots) {
        graph.repairs.push_back("dropped root '" + name->str() + "', which is no class");
      } else {
        return makeError(ErrorCode::Input,
                         "root_eclasses: no node is in class '{}': use --repair-roots to drop such "
                         "roots",
                         name->str());
      }
    }
    if (!graph.roots.empty()) {
      return Status::ok();
    }
    if (!repairRoots) {
      return makeError(ErrorCode::Input, "root_eclasses: no root is given: use --repair-roots to "
                                         "take the classes that no other class uses");
    }
    return takeTopClasses();
  }

  void addRoot(uint32_t cls) {
    if (!isRoot[cls]) {
      isRoot[cls] = true;
      graph.roots.push_back(cls);
    }
  }

  Status takeTopClasses() {
    std::vector<bool> isUsed(graph.classes.size(), false);
    for (const EGraphFile::Node &node : graph.nodes) {
      for (uint32_t child : node.children) {
        isUsed[child] = isUsed[child] || child != node.cls;
      }
    }
    for (uint32_t cls = 0; cls < isUsed.size(); ++cls) {
      if (!isUsed[cls]) {
        addRoot(cls);
        graph.repairs.push_back("took root '" + graph.classes[cls] + "', which no class uses");
      }
    }
    return graph.roots.empty() ? makeError(ErrorCode::Input,
                                           "root_eclasses: every class is used by another one, so "
                                           "there is nothing to take as a root")
                               : Status::ok();
  }

  const llvm::json::Object &top;
  bool repairRoots;
  EGraphFile graph;
  std::vector<std::pair<std::string, const llvm::json::Value *>> order;
  std::unordered_map<std::string, uint32_t> nodeIndex;
  std::vector<uint32_t> classOfNode;
  std::vector<bool> isRoot; ///< by class
};

Expected<EGraphFile> parse(std::string_view text, bool repairRoots) {
  ZYXC_RETURN_IF_ERROR(checkJson(text));
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(llvm::StringRef(text));
  if (!value) {
    return makeError(ErrorCode::Input, "malformed JSON: {}", llvm::toString(value.takeError()));
  }
  const llvm::json::Object *top = value->getAsObject();
  if (!top) {
    return makeError(ErrorCode::Input, "this is JSON, but not an object with 'nodes'");
  }
  return Reader(*top, repairRoots).read();
}

} // namespace

Expected<EGraphFile> EGraphFile::read(const std::string &path, bool repairRoots) {
  ZYXC_ASSIGN(InputFile file, InputFile::open(path));
  ZYXC_ASSIGN(std::string text, file.readAll());
  Expected<EGraphFile> graph = parse(text, repairRoots);
  if (!graph) {
    return std::move(graph).error().withContext(path);
  }
  return graph;
}

} // namespace zyxc::tool
