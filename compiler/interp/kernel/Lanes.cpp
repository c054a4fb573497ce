#include "compiler/interp/kernel/Lanes.h"
#include "compiler/interp/kernel/Accumulators.h"
#include "runtime/core/Float.h"
#include <algorithm>
#include <cstring>

namespace zyxc::kernelinterp {

Lanes::Lanes(const BodyGraph &graph)
    : graph(graph), coordinates(graph.extents.size()), slots(graph.nodes.size()),
      tagged(graph.nodes.size()) {}

void Lanes::setVectorAxis(int axis) {
  vectorAxis = axis;
  width = axis < 0 ? 1 : static_cast<int>(std::min<int64_t>(maxLanes, graph.extents[axis]));
}

void Lanes::add(NodeId node) {
  slots[node] = static_cast<int64_t>(wordSlots.size());
  wordSlots.resize(wordSlots.size() + maxLanes);
  tagSlots.resize(tagSlots.size() + maxLanes);
}

void Lanes::move(unsigned axis, int64_t value, int count) {
  coordinates[axis] = value;
  if (static_cast<int>(axis) == vectorAxis) {
    active = count;
  }
}

void Lanes::leave(unsigned axis) {
  if (static_cast<int>(axis) == vectorAxis) {
    active = 1;
  }
}

int64_t Lanes::offset(const std::vector<int64_t> &strides) const {
  int64_t result = 0;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    result += strides[axis] ? coordinates[axis] * strides[axis] : 0;
  }
  return result;
}

int64_t Lanes::laneStride(const std::vector<int64_t> &strides) const {
  return vectorAxis < 0 ? 0 : strides[vectorAxis];
}

void Lanes::broadcast(NodeId id) {
  Word *words = wordsOf(id);
  std::fill(words + 1, words + width, words[0]);
  if (tagged[id]) {
    uint16_t *tags = tagsOf(id);
    std::fill(tags + 1, tags + width, tags[0]);
  }
}

void Lanes::compute(NodeId id, std::span<const PortMemory> ports,
                    const std::vector<ResultArray> &results) {
  const Node &node = graph.nodes[id];
  bool varies = isVector(node.axes);
  int lanesOfNode = varies ? active : 1;
  tagged[id] = false;
  switch (node.kind) {
  case NodeKind::Constant: std::fill_n(wordsOf(id), lanesOfNode, node.constant); break;
  case NodeKind::Axis:
    for (int i = 0; i < lanesOfNode; ++i) {
      wordsOf(id)[i].i = coordinates[node.axis] + i;
    }
    break;
  case NodeKind::Scalar: computeScalar(id, lanesOfNode); break;
  case NodeKind::Where: computeWhere(id, lanesOfNode); break;
  case NodeKind::Load: computeLoad(id, ports, lanesOfNode); break;
  case NodeKind::Result: computeResult(id, results[node.root], lanesOfNode); break;
  }
  if (!varies && width > 1) {
    broadcast(id);
  }
}

void Lanes::computeScalar(NodeId id, int lanesOfNode) {
  const Node &node = graph.nodes[id];
  constexpr size_t maxOperands = 4;
  const Word *in[maxOperands] = {};
  bool anyTagged = false;
  for (size_t i = 0; i < node.operands.size() && i < maxOperands; ++i) {
    in[i] = words(node.operands[i]);
    anyTagged |= tagged[node.operands[i]];
  }
  node.fn(node.context, wordsOf(id), in, lanesOfNode);
  if (!anyTagged) {
    return;
  }
  tagged[id] = true;
  std::fill_n(tagsOf(id), lanesOfNode, uint16_t(0));
  for (NodeId operand : node.operands) {
    const uint16_t *from = tags(operand);
    for (int i = 0; from && i < lanesOfNode; ++i) {
      tagsOf(id)[i] = std::max(tagsOf(id)[i], from[i]);
    }
  }
}

void Lanes::computeWhere(NodeId id, int lanesOfNode) {
  const Node &node = graph.nodes[id];
  const Word *condition = words(node.operands[0]);
  bool anyTagged = tagged[node.operands[1]] || tagged[node.operands[2]];
  for (int i = 0; i < lanesOfNode; ++i) {
    NodeId side = node.operands[condition[i].i ? 1 : 2];
    wordsOf(id)[i] = words(side)[i];
    if (anyTagged) {
      tagsOf(id)[i] = tagged[side] ? tagsOf(side)[i] : 0;
    }
  }
  tagged[id] =
      anyTagged && std::any_of(tagsOf(id), tagsOf(id) + lanesOfNode, [](uint16_t t) { return t; });
}

void Lanes::computeResult(NodeId id, const ResultArray &result, int lanesOfNode) {
  int64_t base = offset(result.strides);
  int64_t step = laneStride(result.strides);
  for (int i = 0; i < lanesOfNode; ++i) {
    wordsOf(id)[i] = result.words[base + i * step];
  }
  if (!result.tags.empty()) {
    tagged[id] = true;
    for (int i = 0; i < lanesOfNode; ++i) {
      tagsOf(id)[i] = result.tags[base + i * step];
    }
  }
}

//===- Memory --------------------------------------------------------------------------------===//

/// Adds one coordinate to the offsets. Returns whether a lane is outside of the port.
bool Lanes::addCoordinate(const AccessLanes &access, const Coordinate &coordinate, int64_t extent,
                          int64_t stride, int64_t *offsets, uint16_t *tags) const {
  const Word *values = nullptr;
  const uint16_t *valueTags = nullptr;
  int64_t base = 0;
  int64_t step = 0;
  if (coordinate.node != noNode) {
    values = words(coordinate.node);
    valueTags = this->tags(coordinate.node);
  } else {
    base = coordinate.linear.constant;
    for (auto [axis, coefficient] : coordinate.linear.terms) {
      base += coordinates[axis] * coefficient;
      step += static_cast<int>(axis) == vectorAxis ? coefficient : 0;
    }
    int64_t end = base + (active - 1) * step;
    if (std::min(base, end) >= 0 && std::max(base, end) < extent) {
      for (int i = 0; i < active; ++i) {
        offsets[i] += (base + i * step) * stride;
      }
      return false;
    }
  }
  bool outside = false;
  for (int i = 0; i < active; ++i) {
    int64_t at = values ? values[i].i : base + i * step;
    if (access.clamp && extent > 0) {
      at = std::clamp<int64_t>(at, 0, extent - 1);
    }
    uint16_t tag = valueTags ? valueTags[i] : 0;
    if (at < 0 || at >= extent) {
      tag = access.source;
    }
    if (tag) {
      tags[i] = tag;
      outside = true;
    } else {
      offsets[i] += at * stride;
    }
  }
  return outside;
}

bool Lanes::offsets(const AccessLanes &access, int64_t *offsets, uint16_t *tags) const {
  std::fill_n(offsets, active, int64_t(0));
  std::fill_n(tags, active, uint16_t(0));
  const Shape &shape = access.port->type.shape;
  bool outside = false;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    outside |= addCoordinate(access, (*access.coordinates)[i], shape[i], stride, offsets, tags);
    stride *= std::max<int64_t>(shape[i], 1);
  }
  for (int i = 0; outside && i < active; ++i) {
    offsets[i] = tags[i] ? 0 : offsets[i];
  }
  return outside;
}

/// Elements of a dtype in memory: T holds its bits.
template <class T>
static void loadBits(DType dtype, const std::byte *base, const int64_t *offsets, int count,
                     Word *words) {
  for (int i = 0; i < count; ++i) {
    T bits;
    std::memcpy(&bits, base + offsets[i] * static_cast<int64_t>(sizeof(T)), sizeof(T));
    words[i] = wordFromBits(dtype, static_cast<uint64_t>(bits));
  }
}

static void loadElements(DType dtype, const std::byte *base, const int64_t *offsets, int count,
                         Word *words) {
  if (dtype == DType::F32) {
    for (int i = 0; i < count; ++i) {
      float value;
      std::memcpy(&value, base + offsets[i] * static_cast<int64_t>(sizeof(value)), sizeof(value));
      words[i].f = value;
    }
    return;
  }
  switch (byteSize(dtype)) {
  case 1: return loadBits<uint8_t>(dtype, base, offsets, count, words);
  case 2: return loadBits<uint16_t>(dtype, base, offsets, count, words);
  case 4: return loadBits<uint32_t>(dtype, base, offsets, count, words);
  default: return loadBits<uint64_t>(dtype, base, offsets, count, words);
  }
}

void Lanes::computeLoad(NodeId id, std::span<const PortMemory> ports, int lanesOfNode) {
  const Node &node = graph.nodes[id];
  const GraphPort &port = graph.ports[node.port];
  int64_t at[maxLanes];
  tagged[id] = offsets({&port, &node.coordinates, node.clamp, node.source}, at, tagsOf(id));
  if (port.type.numElements() == 0) {
    // Nothing can be read; every lane is tagged unless there is none.
    std::fill_n(wordsOf(id), lanesOfNode, Word{});
  } else {
    loadElements(port.type.dtype, ports[node.port].source, at, lanesOfNode, wordsOf(id));
  }
  if (tagged[id] && node.otherwise != noNode) {
    replaceOutside(id, lanesOfNode);
  }
}

/// Lanes of a load that are outside of its port take its other value.
void Lanes::replaceOutside(NodeId id, int lanesOfNode) {
  const Node &node = graph.nodes[id];
  const uint16_t *otherTags = tags(node.otherwise);
  bool any = false;
  for (int i = 0; i < lanesOfNode; ++i) {
    uint16_t &tag = tagsOf(id)[i];
    if (tag == node.source) {
      wordsOf(id)[i] = words(node.otherwise)[i];
      tag = otherTags ? otherTags[i] : 0;
    }
    any |= tag != 0;
  }
  tagged[id] = any;
}

void storeElement(DType dtype, std::byte *base, int64_t offset, zyxk::Combine combine, Word value) {
  size_t size = byteSize(dtype);
  std::byte *place = base + offset * static_cast<int64_t>(size);
  if (combine != zyxk::Combine::None) {
    uint64_t bits = 0;
    std::memcpy(&bits, place, size);
    zyxk::ReduceKind kind = combine == zyxk::Combine::Add   ? zyxk::ReduceKind::Add
                            : combine == zyxk::Combine::Max ? zyxk::ReduceKind::Max
                                                            : zyxk::ReduceKind::Min;
    ScalarType type = {isFloat(dtype), static_cast<unsigned>(bitWidth(dtype)), dtype};
    value = combineWords(kind, type, wordFromBits(dtype, bits), value);
  }
  uint64_t bits = elementBits(dtype, value);
  std::memcpy(place, &bits, size);
}

} // namespace zyxc::kernelinterp
