#include "tools/zyxc/explain/ExplanationJson.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace zyxc::tool {

using namespace zyxc::explain;
using llvm::json::OStream;

/// Changes only if a key changes its meaning or goes.
constexpr int formatVersion = 1;

namespace {

class JsonWriter {
public:
  explicit JsonWriter(OStream &json) : json(json) {}

  void write(const Explanation &explanation, const ExplainedModel &model) {
    json.object([&] {
      text("format", "zyxc-explanation");
      json.attribute("version", formatVersion);
      text("zyxc", model.zyxc);
      text("model", model.file);
      text("target", model.target);
      text("numerics", model.numerics);
      if (model.node.empty()) {
        json.attribute("node", nullptr);
      } else {
        text("node", model.node);
      }
      texts("openSizes", explanation.openSizes);
      if (explanation.measuredCosts.empty()) {
        json.attribute("measuredCosts", nullptr);
      } else {
        text("measuredCosts", explanation.measuredCosts);
      }
      array("parts", explanation.parts, [&](const Part &part) { write(part); });
    });
  }

private:
  /// Bytes that are not UTF-8 become replacement characters.
  static std::string clean(std::string_view text) {
    llvm::StringRef bytes(text.data(), text.size());
    return llvm::json::isUTF8(bytes) ? std::string(text) : llvm::json::fixUTF8(bytes);
  }

  void text(llvm::StringRef key, std::string_view value) { json.attribute(key, clean(value)); }

  template <class T, class F>
  void array(llvm::StringRef key, const std::vector<T> &list, F writeItem) {
    json.attributeArray(key, [&] {
      for (const T &item : list) {
        writeItem(item);
      }
    });
  }

  void texts(llvm::StringRef key, const std::vector<std::string> &list) {
    array(key, list, [&](const std::string &item) { json.value(clean(item)); });
  }

  /// An id, or null for -1.
  void id(llvm::StringRef key, int value) {
    if (value < 0) {
      json.attribute(key, nullptr);
    } else {
      json.attribute(key, value);
    }
  }

  void ids(llvm::StringRef key, const std::vector<int> &list) {
    array(key, list, [&](int item) { json.value(item); });
  }

  void write(const Part &part) {
    json.object([&] {
      text("name", part.name);
      json.attribute("cost", part.cost);
      json.attribute("lowerBound", part.lowerBound);
      json.attribute("gap", part.gap());
      json.attribute("proved", part.proved);
      json.attribute("searchNodes", static_cast<int64_t>(part.searchNodes));
      json.attribute("storedBetweenParts", static_cast<int64_t>(part.borders));
      json.attribute("equalParts", static_cast<int64_t>(part.parts));
      json.attribute("differentParts", static_cast<int64_t>(part.distinctParts));
      json.attribute("candidates", static_cast<int64_t>(part.candidates));
      json.attribute("programs", static_cast<int64_t>(part.programs));
      json.attribute("classes", static_cast<int64_t>(part.classes));
      json.attribute("arenaBytes", static_cast<int64_t>(part.arenaBytes));
      json.attribute("liveBytes", static_cast<int64_t>(part.liveBytes));
      array("limits", part.limits, [&](const LimitHit &limit) {
        json.object([&] {
          text("step", limit.step);
          text("name", limit.name);
          json.attribute("limit", limit.limit);
          json.attribute("hits", limit.hits);
        });
      });
      array("inputs", part.inputs, [&](const Port &port) {
        json.object([&] {
          text("name", port.name);
          text("type", port.type);
        });
      });
      array("outputs", part.outputs, [&](const Port &port) {
        json.object([&] {
          text("name", port.name);
          text("type", port.type);
          id("node", port.node);
          id("kernel", port.kernel);
        });
      });
      array("nodes", part.nodes, [&](const ModelNode &node) { write(node); });
      array("kernels", part.kernels, [&](const ChosenKernel &kernel) { write(kernel); });
    });
  }

  void write(const ModelNode &node) {
    json.object([&] {
      json.attribute("id", node.id);
      text("name", node.name);
      texts("ops", node.ops);
      texts("types", node.types);
      ids("operands", node.operands);
      texts("inputs", node.inputs);
      text("state", name(node.state));
      members("kernels", "kernel", node.kernels);
    });
  }

  void members(llvm::StringRef key, llvm::StringRef of, const std::vector<Membership> &list) {
    array(key, list, [&](const Membership &member) {
      json.object([&] {
        json.attribute(of, member.id);
        text("role", name(member.role));
      });
    });
  }

  void stored(llvm::StringRef key, const std::vector<Stored> &list) {
    array(key, list, [&](const Stored &item) {
      json.object([&] {
        text("name", item.name);
        text("type", item.type);
        text("kind", name(item.kind));
        if (item.kind == Stored::Kind::Made) {
          json.attribute("kernel", item.madeBy);
        }
      });
    });
  }

  void write(const ChosenKernel &kernel) {
    json.object([&] {
      json.attribute("id", kernel.id);
      text("kind", name(kernel.kind));
      text("name", kernel.name);
      text("family", kernel.family);
      text("what", kernel.what);
      text("when", kernel.atLoad ? "load" : "run");
      members("nodes", "node", kernel.nodes);
      json.attribute("cost", kernel.cost);
      json.attribute("bytes", kernel.bytes);
      json.attribute("flops", kernel.flops);
      json.attribute("ports", static_cast<int64_t>(kernel.ports));
      json.attribute("values", static_cast<int64_t>(kernel.values));
      stored("reads", kernel.reads);
      stored("makes", kernel.makes);
      texts("runs", kernel.runs);
      array("form", kernel.form, [&](const FormStep &step) {
        json.object([&] {
          text("by", name(step.by));
          if (step.by == FormStep::By::Rule) {
            text("rule", step.rule);
            json.attribute("backwards", step.backwards);
          }
          text("from", step.from);
          text("to", step.to);
          text("because", step.because);
        });
      });
      array("rejected", kernel.rejected, [&](const Rejected &other) { write(other); });
    });
  }

  void write(const Rejected &other) {
    json.object([&] {
      text("what", other.what);
      texts("origins", other.origins);
      stored("reads", other.reads);
      json.attribute("cost", other.cost);
      text("why", name(other.why));
      if (other.why == Rejected::Why::Place || other.why == Rejected::Why::Cycle) {
        return;
      }
      json.attribute("inAll", other.inAll);
      array("extras", other.extras, [&](const Rejected::Extra &extra) {
        json.object([&] {
          stored("makes", extra.makes);
          json.attribute("cost", extra.cost);
        });
      });
      ids("saves", other.saves);
      json.attribute("keepsChosen", other.keepsChosen);
    });
  }

  OStream &json;
};

} // namespace

std::string explanationJson(const Explanation &explanation, const ExplainedModel &model,
                            unsigned indent) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream, indent);
  JsonWriter(json).write(explanation, model);
  json.flush();
  return text;
}

} // namespace zyxc::tool
