// The values of a root's nodes at the current point of its loops: one block of lanes per node.
#pragma once
#include "compiler/interp/kernel/RootLoops.h"

namespace zyxc::kernelinterp {

/// An access whose element offsets are asked for.
struct AccessLanes {
  const GraphPort *port;
  const std::vector<Coordinate> *coordinates;
  bool clamp;
  uint16_t source; ///< tag of lanes outside of the port
};

/// Writes one element, joined with the one that is there.
void storeElement(DType dtype, std::byte *base, int64_t offset, zyxk::Combine combine, Word value);

class Lanes {
public:
  explicit Lanes(const BodyGraph &graph);

  /// The axis that runs along the lanes; -1 if none does. Before all others.
  void setVectorAxis(int axis);
  bool isVector(AxisSet axes) const {
    return vectorAxis >= 0 && zyxk::contains(axes, static_cast<unsigned>(vectorAxis));
  }
  /// Makes room for the values of a node.
  void add(NodeId node);

  /// Goes to coordinate `value` along an axis; `count` lanes from there if it is the vector axis.
  void move(unsigned axis, int64_t value, int count);
  /// After the loop over an axis: there is one lane again if it was the vector axis.
  void leave(unsigned axis);
  /// Lanes at this point: 1 outside of the loop over the vector axis.
  int count() const { return active; }
  int64_t coordinate(unsigned axis) const { return coordinates[axis]; }

  /// Computes a node whose operands are computed.
  void compute(NodeId node, std::span<const PortMemory> ports,
               const std::vector<ResultArray> &results);
  const Word *words(NodeId node) const { return &wordSlots[slots[node]]; }
  /// Tags of the lanes, or null if there is none.
  const uint16_t *tags(NodeId node) const {
    return tagged[node] ? &tagSlots[slots[node]] : nullptr;
  }

  /// The offsets in elements of an access at all lanes. Lanes outside of the port have offset 0
  /// and the tag of the access, or that of their coordinate. Returns whether any has.
  bool offsets(const AccessLanes &access, int64_t *offsets, uint16_t *tags) const;
  /// The sum of coordinate * stride, at lane 0, and its step from lane to lane.
  int64_t offset(const std::vector<int64_t> &strides) const;
  int64_t laneStride(const std::vector<int64_t> &strides) const;

private:
  void computeScalar(NodeId id, int lanesOfNode);
  void computeWhere(NodeId id, int lanesOfNode);
  void computeLoad(NodeId id, std::span<const PortMemory> ports, int lanesOfNode);
  void replaceOutside(NodeId id, int lanesOfNode);
  void computeResult(NodeId id, const ResultArray &result, int lanesOfNode);
  void broadcast(NodeId id);
  bool addCoordinate(const AccessLanes &access, const Coordinate &coordinate, int64_t extent,
                     int64_t stride, int64_t *offsets, uint16_t *tags) const;
  Word *wordsOf(NodeId node) { return &wordSlots[slots[node]]; }
  uint16_t *tagsOf(NodeId node) { return &tagSlots[slots[node]]; }

  const BodyGraph &graph;
  int vectorAxis = -1;
  int width = 1; ///< lanes that values which do not vary are copied to
  int active = 1;
  std::vector<int64_t> coordinates;
  std::vector<int64_t> slots; ///< per node: where its lanes begin
  std::vector<Word> wordSlots;
  std::vector<uint16_t> tagSlots;
  std::vector<bool> tagged; ///< per node: some lane is tagged
};

} // namespace zyxc::kernelinterp
