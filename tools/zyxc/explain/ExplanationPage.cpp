#include "tools/zyxc/explain/ExplanationPage.h"
#include "tools/zyxc/explain/layout/LayerLayout.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace zyxc::tool {

using namespace zyxc::explain;
using llvm::json::OStream;

// Files of the folder page/, as they are.
static constexpr std::string_view pageFrame =
#include "tools/zyxc/explain/page.html.inc"
    ;
static constexpr std::string_view pageStyle =
#include "tools/zyxc/explain/page.css.inc"
    ;
/// In this order.
static constexpr std::string_view pageScripts[] = {
#include "tools/zyxc/explain/data.js.inc"
    ,
#include "tools/zyxc/explain/graph.js.inc"
    ,
#include "tools/zyxc/explain/details.js.inc"
    ,
#include "tools/zyxc/explain/search.js.inc"
    ,
#include "tools/zyxc/explain/page.js.inc"
};

//===- Places ---------------------------------------------------------------------------------===//

static double lettersOf(std::string_view text) {
  auto letters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80; // no continuation of UTF-8
  });
  return static_cast<double>(letters);
}

/// The width of a box for a name and what is written below it, in smaller letters. The page cuts
/// both where they are too long.
static double boxWidth(std::string_view label, std::string_view below) {
  constexpr double ofLabel = 6.6;
  constexpr double ofBelow = 5.7;
  constexpr double beside = 30;
  constexpr double least = 110;
  constexpr double most = 210;
  double widest = std::max(ofLabel * lettersOf(label), ofBelow * lettersOf(below));
  return std::clamp(widest + beside, least, most);
}

namespace {

/// One drawing: inputs, boxes (nodes or kernels), outputs, in this order.
class Drawing {
public:
  explicit Drawing(const Part &part) {
    for (const Port &input : part.inputs) {
      inputs.emplace(input.name, add(input.name, input.type));
    }
  }

  static Drawing ofModel(const Part &part) {
    Drawing drawing(part);
    std::vector<const ModelNode *> drawn; // data.js leaves out the same
    for (const ModelNode &node : part.nodes) {
      if (node.state != ModelNode::State::Constant) {
        drawing.boxes.emplace(node.id,
                              drawing.add(node.name, fmt::format("{}", fmt::join(node.ops, ", "))));
        drawn.push_back(&node);
      }
    }
    for (const ModelNode *node : drawn) {
      uint32_t box = drawing.boxes.at(node->id);
      for (const std::string &input : node->inputs) {
        drawing.connect(drawing.inputs, input, box);
      }
      for (int operand : node->operands) {
        drawing.connect(drawing.boxes, operand, box);
      }
    }
    for (const Port &output : part.outputs) {
      drawing.connect(drawing.boxes, output.node, drawing.add(output.name, output.type));
    }
    return drawing;
  }

  static Drawing ofKernels(const Part &part) {
    Drawing drawing(part);
    for (const ChosenKernel &kernel : part.kernels) {
      drawing.boxes.emplace(kernel.id,
                            drawing.add(kernel.name.empty() ? kernel.what : kernel.name, ""));
    }
    for (const ChosenKernel &kernel : part.kernels) {
      uint32_t box = drawing.boxes.at(kernel.id);
      for (const Stored &read : kernel.reads) {
        if (read.kind == Stored::Kind::Input) {
          drawing.connect(drawing.inputs, read.name, box);
        } else {
          drawing.connect(drawing.boxes, read.madeBy, box);
        }
      }
    }
    for (const Port &output : part.outputs) {
      drawing.connect(drawing.boxes, output.kernel, drawing.add(output.name, output.type));
    }
    return drawing;
  }

  /// {"width", "height", "boxes": [[x, y, width], ..], "edges": [[from, to, x, y, x, y, ..], ..]}
  void write(OStream &json) const {
    Layout layout = layOut(graph);
    json.object([&] {
      json.attribute("width", std::lround(layout.width));
      json.attribute("height", std::lround(layout.height));
      json.attributeArray("boxes", [&] {
        for (size_t i = 0; i < layout.centers.size(); ++i) {
          json.array([&] {
            point(json, layout.centers[i]);
            json.value(std::lround(graph.widths[i]));
          });
        }
      });
      json.attributeArray("edges", [&] {
        for (size_t i = 0; i < layout.routes.size(); ++i) {
          json.array([&] {
            json.value(graph.edges[i].first);
            json.value(graph.edges[i].second);
            for (const LayoutPoint &at : layout.routes[i]) {
              point(json, at);
            }
          });
        }
      });
    });
  }

private:
  uint32_t add(std::string_view label, std::string_view below) {
    graph.widths.push_back(boxWidth(label, below));
    return static_cast<uint32_t>(graph.widths.size() - 1);
  }

  template <class Key>
  void connect(const std::map<Key, uint32_t> &from, const Key &key, uint32_t to) {
    auto found = from.find(key);
    if (found == from.end()) {
      return; // a constant, or what --node leaves out
    }
    if (known.emplace(found->second, to).second) {
      graph.edges.emplace_back(found->second, to);
    }
  }

  static void point(OStream &json, LayoutPoint at) {
    json.value(std::lround(at.x));
    json.value(std::lround(at.y));
  }

  LayoutGraph graph;
  std::map<std::string, uint32_t> inputs;
  std::map<int, uint32_t> boxes;
  std::set<std::pair<uint32_t, uint32_t>> known; ///< edges
};

} // namespace

static std::string placesJson(const Explanation &explanation) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream);
  json.array([&] {
    for (const Part &part : explanation.parts) {
      json.object([&] {
        json.attributeBegin("model");
        Drawing::ofModel(part).write(json);
        json.attributeEnd();
        json.attributeBegin("kernels");
        Drawing::ofKernels(part).write(json);
        json.attributeEnd();
      });
    }
  });
  json.flush();
  return text;
}

//===- The page -------------------------------------------------------------------------------===//

/// JSON inside of a script element: no text in it ends the element.
static std::string inScript(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (char c : json) {
    text += c == '<' ? std::string_view("\\u003c") : std::string_view(&c, 1);
  }
  return text;
}

/// Text between elements.
static std::string escaped(std::string_view text) {
  std::string clean = llvm::json::fixUTF8(llvm::StringRef(text.data(), text.size()));
  std::string result;
  for (char c : clean) {
    switch (c) {
    case '&': result += "&amp;"; break;
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    default: result += c;
    }
  }
  return result;
}

std::string explanationPage(const Explanation &explanation, const ExplainedModel &model) {
  const std::pair<std::string_view, std::string> places[] = {
      {"@TITLE@", escaped(model.file.substr(model.file.rfind('/') + 1))},
      {"@STYLE@", std::string(pageStyle)},
      {"@EXPLANATION@", inScript(explanationJson(explanation, model, 0))},
      {"@PLACES@", inScript(placesJson(explanation))},
      {"@SCRIPT@", fmt::format("{}", fmt::join(pageScripts, ""))},
  };
  // In the order of the frame, so that nothing is looked for in what was put in.
  std::string page;
  size_t done = 0;
  for (const auto &[mark, text] : places) {
    size_t at = pageFrame.find(mark, done);
    page += pageFrame.substr(done, at - done);
    page += text;
    done = at + mark.size();
  }
  page += pageFrame.substr(done);
  return page;
}

} // namespace zyxc::tool
