#include "test/fuzz/graphs/program/Coverage.h"
#include "test/fuzz/graphs/program/Open.h"
#include <algorithm>

namespace zyxc::fuzz {

DType subjectOf(OpKind kind, std::span<const TensorType> operands, const TensorType &result) {
  bool isOfResult = operands.empty() || kind == OpKind::Select || kind == OpKind::RandomBits;
  return isOfResult ? result.dtype : operands[0].dtype;
}

/// True if the operand's dtype does not follow the op's: conditions and indices.
static bool isFixed(OpKind kind, size_t operand) {
  return (kind == OpKind::Select && operand == 0) || (kind == OpKind::Gather && operand == 1) ||
         (kind == OpKind::Scatter && operand == 1) || kind == OpKind::RandomBits;
}

void Coverage::add(const Graph &graph) {
  openPrograms += !graph.sizes.empty();
  openAxes += countOpenAxes(graph);
  for (const Node &node : graph.nodes) {
    std::vector<TensorType> operands;
    for (uint32_t operand : node.operands) {
      operands.push_back(graph.nodes[operand].type);
    }
    auto isOpen = [](const TensorType &type) {
      return dim::anySymbolic(type.shape);
    };
    if (isOpen(node.type) || std::ranges::any_of(operands, isOpen)) {
      ++openOps[node.kind];
    }
    DType dtype = subjectOf(node.kind, operands, node.type);
    ++counts[node.kind][static_cast<size_t>(dtype)];
    samples.try_emplace(node.kind, node.attrs, std::move(operands));
    ranks[std::min(node.type.rank(), maxRank)] += node.type.rank() <= maxRank;
    zeros += std::ranges::find(node.type.shape, 0) != node.type.shape.end();
    ones += std::ranges::find(node.type.shape, 1) != node.type.shape.end();
  }
}

bool Coverage::isValid(OpKind kind, DType dtype) const {
  if (kind == OpKind::Leaf || kind == OpKind::Constant) {
    return true;
  }
  auto sample = samples.find(kind);
  if (sample == samples.end()) {
    return true; // its absence is a gap on every dtype
  }
  auto [attrs, operands] = sample->second;
  for (size_t i = 0; i < operands.size(); ++i) {
    operands[i].dtype = isFixed(kind, i) ? operands[i].dtype : dtype;
  }
  if (kind != OpKind::Cast && attrs.find("dtype")) {
    attrs.set("dtype", dtype);
  }
  if (attrs.find("accumulate")) {
    attrs.set("accumulate", accumulatorOf(dtype));
  }
  if (attrs.find("combine")) {
    attrs.set("combine", std::string("none"));
  }
  return static_cast<bool>(inferType(kind, attrs, operands));
}

std::string Coverage::table() const {
  std::string text = fmt::format("{:12}", "op");
  for (const DTypeInfo &info : dtypeTable) {
    text += fmt::format(" {:>{}}", info.name, std::max<size_t>(info.name.size(), 5));
  }
  text += "\n";
  for (const auto &[kind, row] : counts) {
    text += fmt::format("{:12}", name(kind));
    for (const DTypeInfo &info : dtypeTable) {
      int64_t count = row[static_cast<size_t>(info.dtype)];
      std::string cell =
          count > 0 || isValid(kind, info.dtype) ? std::to_string(count) : std::string("-");
      text += fmt::format(" {:>{}}", cell, std::max<size_t>(info.name.size(), 5));
    }
    text += "\n";
  }
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    text += fmt::format("values of rank {}: {}\n", rank, ranks[rank]);
  }
  return text + fmt::format("values with an extent of 0: {}, of 1: {}\n", zeros, ones);
}

std::string Coverage::openTable() const {
  std::string text =
      fmt::format("{} programs with {} open axes of inputs\n", openPrograms, openAxes);
  for (int i = 0; i < numOpKinds(); ++i) {
    auto kind = static_cast<OpKind>(i);
    auto count = openOps.find(kind);
    if (kind != OpKind::Variable && kind != OpKind::Constant && kind != OpKind::Call) {
      text += count == openOps.end() ? fmt::format("never open: {}\n", name(kind))
                                     : fmt::format("{:12} {:5}\n", name(kind), count->second);
    }
  }
  return text;
}

std::vector<std::string> Coverage::gaps() const {
  std::vector<std::string> list;
  for (int i = 0; i < numOpKinds(); ++i) {
    auto kind = static_cast<OpKind>(i);
    auto row = counts.find(kind);
    if (kind == OpKind::Variable || kind == OpKind::Call) { // no ops of a static module
      continue;
    }
    if (row == counts.end()) {
      list.emplace_back(name(kind));
      continue;
    }
    for (const DTypeInfo &info : dtypeTable) {
      if (row->second[static_cast<size_t>(info.dtype)] == 0 && isValid(kind, info.dtype)) {
        list.push_back(fmt::format("{} on {}", name(kind), info.name));
      }
    }
  }
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank] == 0) {
      list.push_back(fmt::format("rank {}", rank));
    }
  }
  if (zeros == 0 || ones == 0) {
    list.push_back(fmt::format("an extent of {}", zeros == 0 ? 0 : 1));
  }
  return list;
}

} // namespace zyxc::fuzz
