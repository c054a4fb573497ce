#include "compiler/interp/kernel/RootLoops.h"
#include "compiler/interp/kernel/Accumulators.h"
#include "compiler/interp/kernel/FoldStates.h"
#include "compiler/interp/kernel/Lanes.h"
#include <algorithm>
#include <cstring>

namespace zyxc::kernelinterp {

using zyxk::axisBit;
using zyxk::contains;

double pointsOf(const BodyGraph &graph, const Root &root) {
  double points = 1;
  for (unsigned axis = 0; axis < graph.extents.size(); ++axis) {
    if (contains(root.axes | root.reduced, axis)) {
      points *= static_cast<double>(graph.extents[axis]);
    }
  }
  return points;
}

namespace {

class RootRunner {
public:
  RootRunner(const BodyGraph &graph, unsigned index, std::span<const PortMemory> ports,
             std::vector<ResultArray> &results)
      : graph(graph), root(graph.roots[index]), ports(ports), results(results), index(index),
        lanes(graph) {}

  Status run();

private:
  void orderLoops();
  void placeNodes();
  unsigned levelOf(AxisSet axes) const;
  void makeResult();
  bool admit(unsigned level);
  bool compute(unsigned level);
  Status enter(unsigned level);
  Status loop(unsigned level);
  Status leaf();
  void finishReduction();
  PointBlock block();
  void scanLanes(const PointBlock &points);
  /// The values of nodes at the lanes of this point.
  FoldLanes lanesOf(const std::vector<NodeId> &nodes);
  void foldLanes(const PointBlock &points);
  Status storeLanes(const PointBlock &points);
  std::string placeOf(int lane) const;

  const BodyGraph &graph;
  const Root &root;
  std::span<const PortMemory> ports;
  std::vector<ResultArray> &results;
  unsigned index;
  Lanes lanes;
  std::vector<unsigned> order; ///< axes, outermost first; those that are kept, then the reduced
  unsigned numKept = 0;
  std::vector<std::vector<NodeId>> nodesAt;       ///< per level: nodes computed there
  std::vector<std::vector<NodeId>> constraintsAt; ///< per level: conditions known there
  std::vector<NodeId> laneConditions;             ///< constraints that vary along the lanes
  int64_t mask[maxLanes];
  std::optional<Accumulators> accumulators;
  std::optional<FoldStates> fold;
  std::vector<uint64_t> written; ///< a bit per element of the port of a plain store
};

} // namespace

/// Kept axes, then reduced ones; of each the one in lanes last. The longest axis is in lanes.
void RootRunner::orderLoops() {
  int vectorAxis = -1;
  AxisSet kept = root.axes & ~root.reduced;
  for (AxisSet set : {kept, root.reduced}) {
    for (unsigned axis = 0; axis < graph.extents.size(); ++axis) {
      if (contains(set, axis)) {
        order.push_back(axis);
        if (vectorAxis < 0 || graph.extents[axis] >= graph.extents[vectorAxis]) {
          vectorAxis = static_cast<int>(axis);
        }
      }
    }
  }
  numKept = llvm::popcount(kept);
  auto first = order.begin();
  auto middle = first + numKept;
  auto found = std::find(first, order.end(), static_cast<unsigned>(vectorAxis));
  if (found != order.end()) {
    std::rotate(found, found + 1, found < middle ? middle : order.end());
  }
  lanes.setVectorAxis(vectorAxis);
}

/// The number of loops inside of which all of `axes` are known.
unsigned RootRunner::levelOf(AxisSet axes) const {
  unsigned level = 0;
  for (unsigned i = 0; i < order.size(); ++i) {
    if (contains(axes, order[i])) {
      level = i + 1;
    }
  }
  return level;
}

void RootRunner::placeNodes() {
  std::vector<bool> needed(graph.nodes.size());
  AxisSet all = root.axes | root.reduced;
  constraintsAt.resize(order.size() + 1);
  for (NodeId constraint : graph.constraints) {
    AxisSet axes = graph.nodes[constraint].axes;
    if ((axes & ~all) == 0) {
      needed[constraint] = true;
      constraintsAt[levelOf(axes)].push_back(constraint);
      if (lanes.isVector(axes)) {
        laneConditions.push_back(constraint);
      }
    }
  }
  for (NodeId node : valuesOf(root)) {
    needed[node] = true;
  }
  for (const Coordinate &coordinate : root.coordinates) {
    if (coordinate.node != noNode) {
      needed[coordinate.node] = true;
    }
  }
  nodesAt.resize(order.size() + 1);
  for (size_t id = graph.nodes.size(); id-- > 0;) {
    if (needed[id]) {
      for (NodeId operand : graph.nodes[id].operands) {
        needed[operand] = true;
      }
    }
  }
  for (size_t id = 0; id < graph.nodes.size(); ++id) {
    if (needed[id]) {
      nodesAt[levelOf(graph.nodes[id].axes)].push_back(static_cast<NodeId>(id));
      lanes.add(static_cast<NodeId>(id));
    }
  }
}

void RootRunner::makeResult() {
  ResultArray &result = results[index];
  result.strides.assign(graph.extents.size(), 0);
  int64_t size = 1;
  for (unsigned axis = graph.extents.size(); axis-- > 0;) {
    if (contains(root.axes, axis)) {
      result.strides[axis] = size;
      size *= graph.extents[axis];
    }
  }
  if (root.kind == RootKind::Fold) {
    fold.emplace(*root.step);
    result.words.assign(size, Word{});
    return;
  }
  accumulators.emplace(root.monoid, root.last, graph.nodes[root.value].type);
  accumulators->reset(1);
  result.words.assign(size, accumulators->result(0));
}

/// Checks the conditions known at a level. False: no lane takes part.
bool RootRunner::admit(unsigned level) {
  for (NodeId constraint : constraintsAt[level]) {
    const Word *words = lanes.words(constraint);
    int count = lanes.isVector(graph.nodes[constraint].axes) ? lanes.count() : 1;
    if (std::none_of(words, words + count, [](Word word) { return word.i != 0; })) {
      return false;
    }
  }
  return true;
}

bool RootRunner::compute(unsigned level) {
  for (NodeId node : nodesAt[level]) {
    lanes.compute(node, ports, results);
  }
  return admit(level);
}

Status RootRunner::enter(unsigned level) {
  if (!compute(level)) {
    return Status::ok();
  }
  if (level != numKept || root.kind == RootKind::Store) {
    return loop(level);
  }
  if (fold) {
    fold->reset(lanesOf(root.inits));
  } else {
    accumulators->reset(lanes.count());
  }
  ZYXC_RETURN_IF_ERROR(loop(level));
  if (root.kind != RootKind::Scan) {
    finishReduction();
  }
  return Status::ok();
}

Status RootRunner::loop(unsigned level) {
  if (level == order.size()) {
    return leaf();
  }
  unsigned axis = order[level];
  int64_t extent = graph.extents[axis];
  int64_t step = lanes.isVector(axisBit(axis)) ? maxLanes : 1;
  bool backwards = root.reverse && contains(root.reduced, axis);
  for (int64_t done = 0; done < extent; done += step) {
    int64_t count = std::min(step, extent - done);
    lanes.move(axis, backwards ? extent - done - count : done, static_cast<int>(count));
    ZYXC_RETURN_IF_ERROR(enter(level + 1));
  }
  lanes.leave(axis);
  return Status::ok();
}

/// The values of all lanes at the innermost point.
PointBlock RootRunner::block() {
  PointBlock points;
  points.values = lanes.words(root.value);
  points.tags = lanes.tags(root.value);
  points.count = lanes.count();
  if (!laneConditions.empty()) {
    for (int i = 0; i < points.count; ++i) {
      mask[i] = 1;
      for (NodeId condition : laneConditions) {
        mask[i] &= lanes.words(condition)[i].i;
      }
    }
    points.mask = mask;
  }
  if (root.kind == RootKind::Reduce && root.monoid >= zyxk::ReduceKind::ArgMax) {
    auto axis = static_cast<unsigned>(llvm::countr_zero(root.reduced));
    points.position = lanes.coordinate(axis);
    points.positionStep = lanes.isVector(root.reduced);
  }
  return points;
}

FoldLanes RootRunner::lanesOf(const std::vector<NodeId> &nodes) {
  FoldLanes values;
  values.count = lanes.count();
  for (NodeId node : nodes) {
    values.words.push_back(lanes.words(node));
    values.tags.push_back(lanes.tags(node));
  }
  return values;
}

void RootRunner::foldLanes(const PointBlock &points) {
  FoldLanes values = lanesOf(root.folded);
  values.mask = points.mask;
  if (lanes.isVector(root.reduced)) {
    fold->addAcross(values);
  } else {
    fold->addLanes(values);
  }
}

Status RootRunner::leaf() {
  PointBlock points = block();
  if (root.kind == RootKind::Store) {
    return storeLanes(points);
  }
  if (root.kind == RootKind::Scan) {
    scanLanes(points);
  } else if (root.kind == RootKind::Fold) {
    foldLanes(points);
  } else if (lanes.isVector(root.reduced)) {
    accumulators->addAcross(points);
  } else {
    accumulators->addLanes(points);
  }
  return Status::ok();
}

/// Writes the running value of each lane, in the direction of the scan.
void RootRunner::scanLanes(const PointBlock &points) {
  ResultArray &result = results[index];
  int64_t offset = lanes.offset(result.strides);
  int64_t step = lanes.laneStride(result.strides);
  bool across = lanes.isVector(root.reduced);
  for (int done = 0; done < points.count; ++done) {
    int i = across && root.reverse ? points.count - 1 - done : done;
    if (points.mask && !points.mask[i]) {
      continue;
    }
    int accumulator = across ? 0 : i;
    auto write = [&] {
      result.words[offset + i * step] = accumulators->result(accumulator);
      if (uint16_t tag = accumulators->tag(accumulator)) {
        result.tags.resize(result.words.size());
        result.tags[offset + i * step] = tag;
      }
    };
    if (root.exclusive) {
      write();
    }
    accumulators->addOne(accumulator, points, i);
    if (!root.exclusive) {
      write();
    }
  }
}

void RootRunner::finishReduction() {
  ResultArray &result = results[index];
  int64_t offset = lanes.offset(result.strides);
  int64_t step = lanes.laneStride(result.strides);
  int count = step ? lanes.count() : 1;
  for (int i = 0; i < count; ++i) {
    result.words[offset + i * step] = fold ? fold->result(root.state, i) : accumulators->result(i);
    if (uint16_t tag = fold ? fold->tag(i) : accumulators->tag(i)) {
      result.tags.resize(result.words.size());
      result.tags[offset + i * step] = tag;
    }
  }
}

std::string RootRunner::placeOf(int lane) const {
  std::string text;
  for (unsigned axis : order) {
    int64_t value = lanes.coordinate(axis) + (lanes.isVector(axisBit(axis)) ? lane : 0);
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", graph.axisNames[axis], value);
  }
  return text.empty() ? "" : " at " + text;
}

Status RootRunner::storeLanes(const PointBlock &points) {
  const GraphPort &port = graph.ports[root.port];
  int64_t offsets[maxLanes];
  uint16_t tags[maxLanes] = {};
  AccessLanes access = {&port, &root.coordinates, /*clamp=*/false, root.source};
  lanes.offsets(access, offsets, tags);
  for (int i = 0; i < points.count; ++i) {
    if (points.mask && !points.mask[i]) {
      continue;
    }
    if (tags[i]) {
      return makeError(ErrorCode::Input, "{} is outside of port {}{}", graph.sources[tags[i]],
                       root.port, placeOf(i));
    }
    if (points.tags && points.tags[i]) {
      return makeError(ErrorCode::Input,
                       "{} reads outside of its port, and the value is stored by {}{}",
                       graph.sources[points.tags[i]], graph.sources[root.source], placeOf(i));
    }
    if (root.combine == zyxk::Combine::None) {
      uint64_t &bits = written[offsets[i] / 64];
      uint64_t bit = uint64_t(1) << (offsets[i] % 64);
      if (bits & bit) {
        return makeError(ErrorCode::Input, "{} writes an element of port {} twice{}",
                         graph.sources[root.source], root.port, placeOf(i));
      }
      bits |= bit;
    }
    storeElement(port.type.dtype, ports[root.port].target, offsets[i], root.combine,
                 points.values[i]);
  }
  return Status::ok();
}

Status RootRunner::run() {
  orderLoops();
  placeNodes();
  if (root.kind != RootKind::Store) {
    makeResult();
  } else if (root.combine == zyxk::Combine::None) {
    written.resize(graph.ports[root.port].type.numElements() / 64 + 1);
  }
  return enter(0);
}

Status runRoot(const BodyGraph &graph, unsigned index, std::span<const PortMemory> ports,
               std::vector<ResultArray> &results) {
  return RootRunner(graph, index, ports, results).run();
}

} // namespace zyxc::kernelinterp
