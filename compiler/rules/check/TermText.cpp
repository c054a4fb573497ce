#include "compiler/rules/check/TermText.h"
#include <cmath>
#include <fmt/format.h>

namespace zyxc::rules {

using graph::Choice;
using graph::ClassId;
using graph::NodeId;
using graph::TensorGraph;

std::string elementText(const Tensor &tensor, int64_t element) {
  if (isFloat(tensor.dtype()) && std::isnan(tensor.asDouble(element))) {
    return "nan"; // which NaN is not told apart
  }
  switch (tensor.dtype()) {
  case DType::F64: return fmt::format("{}", tensor.asDouble(element));
  case DType::U64: return fmt::format("{}", static_cast<uint64_t>(tensor.asInt(element)));
  default: break;
  }
  return isFloat(tensor.dtype()) ? fmt::format("{}", static_cast<float>(tensor.asDouble(element)))
                                 : fmt::format("{}", tensor.asInt(element));
}

/// Elements from `at` on, as lists nested along the axes from `axis` on.
static std::string listFrom(const Tensor &tensor, size_t axis, int64_t &at) {
  if (axis == tensor.shape().size()) {
    return elementText(tensor, at++);
  }
  std::string text = "[";
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    text += i == 0 ? "" : ", ";
    text += listFrom(tensor, axis + 1, at);
  }
  return text + "]";
}

std::string valueText(const Tensor &tensor) {
  constexpr int64_t mostElements = 64;
  if (tensor.numElements() > mostElements) {
    return fmt::format("{} elements", tensor.numElements());
  }
  int64_t at = 0;
  return listFrom(tensor, 0, at);
}

static std::string termBelow(const TensorGraph &graph, const Choice &choice, ClassId cls,
                             int depth) {
  constexpr int deepest = 20;
  cls = graph.find(cls);
  NodeId node = cls < choice.size() ? choice[cls] : egraph::none;
  if (node == egraph::none || depth > deepest) {
    return "...";
  }
  const Attrs &attrs = graph.attrs(node);
  if (graph.kind(node) == OpKind::Leaf) {
    return attrs.getString("name");
  }
  if (graph.kind(node) == OpKind::Constant) {
    const Tensor &value = attrs.getTensor("value");
    return fmt::format("{}:{}", valueText(value), toString(value.type()));
  }
  std::string text;
  for (ClassId operand : graph.operands(node)) {
    text += text.empty() ? "" : ", ";
    text += termBelow(graph, choice, operand, depth + 1);
  }
  for (const auto &[name, value] : attrs.entries()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, toString(value));
  }
  return fmt::format("{}({})", name(graph.kind(node)), text);
}

std::string termText(const TensorGraph &graph, const Choice &choice, ClassId cls) {
  return termBelow(graph, choice, cls, 0);
}

} // namespace zyxc::rules
