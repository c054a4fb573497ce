// A kernel as the interpreter runs it: all dims bound, every body value a node over axes, and the
// roots that are evaluated one after the other: reductions, whose results are kept, and stores.
// Between roots there are only scalar nodes, which are computed again where they are needed.
#pragma once
#include "compiler/interp/kernel/ScalarTable.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "runtime/core/Tensor.h"
#include "runtime/support/Status.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zyxc::kernelinterp {

using NodeId = int32_t;
inline constexpr NodeId noNode = -1;
using zyxk::AxisSet;

/// constant + the sum of coefficient * coordinate along an axis.
struct LinearForm {
  int64_t constant = 0;
  std::vector<std::pair<unsigned, int64_t>> terms; ///< axis, coefficient
};

/// A coordinate of an access: linear in the axes, or the value of a node.
struct Coordinate {
  LinearForm linear;
  NodeId node = noNode;
};

enum class NodeKind : uint8_t {
  Constant,
  Axis,   ///< the coordinate along an axis
  Scalar, ///< a function of its operands
  Load,   ///< operands: the nodes among its coordinates, then `otherwise`
  Where,  ///< operands: condition, value inside, value outside
  Result, ///< the result of a root
};

/// One body value.
struct Node {
  NodeKind kind = NodeKind::Constant;
  AxisSet axes = 0;
  ScalarType type;
  std::vector<NodeId> operands;
  Word constant = {};
  unsigned axis = 0;
  ScalarFn fn = nullptr;
  ScalarContext context;
  unsigned port = 0;
  bool clamp = false;
  std::vector<Coordinate> coordinates;
  NodeId otherwise = noNode; ///< the value outside of the port
  unsigned root = 0;
  uint16_t source = 0; ///< into BodyGraph::sources: what a message calls it
};

enum class RootKind : uint8_t { Reduce, Scan, Fold, Store };

/// One op of a fold's step: a function of slots.
struct FoldOpcode {
  ScalarFn fn = nullptr;
  ScalarContext context;
  std::vector<unsigned> operands; ///< slots
};

/// The step of a fold. Slots are the states, the values of a point, constants, then the results of
/// the ops in order.
struct FoldStep {
  unsigned numStates = 0;
  unsigned numValues = 0;
  std::vector<Word> constants;
  std::vector<FoldOpcode> ops;
  std::vector<unsigned> yielded; ///< slots of the next states
};

/// What is evaluated over all points of `axes`, for reductions with `reduced` in the inner loops.
/// A scan has its axis in both.
struct Root {
  RootKind kind = RootKind::Reduce;
  AxisSet axes = 0;
  AxisSet reduced = 0;
  NodeId value = noNode;
  ScalarType type; ///< of the result
  // Reduce and Scan:
  zyxk::ReduceKind monoid = zyxk::ReduceKind::Add;
  bool last = false;
  bool exclusive = false; ///< scan: without the point itself
  bool reverse = false;   ///< scan: from the end
  // Fold: this root keeps one of its states; each other state has a root of its own.
  std::shared_ptr<const FoldStep> step;
  std::vector<NodeId> folded; ///< the values of a point; `value` is the first one
  std::vector<NodeId> inits;  ///< a state each
  unsigned state = 0;         ///< the one that is the result
  // Store:
  unsigned port = 0;
  zyxk::Combine combine = zyxk::Combine::None;
  std::vector<Coordinate> coordinates;
  uint16_t source = 0;
};

/// The nodes that a root evaluates at its points: its value, or values and inits of a fold.
std::vector<NodeId> valuesOf(const Root &root);

struct GraphPort {
  TensorType type;
  zyxk::PortMode mode = zyxk::PortMode::In;
  bool loaded = false;
  bool stored = false;
};

/// A routine that works on whole ports; the body has nothing else.
struct RoutineCall {
  std::string name;
  std::vector<unsigned> ports;
  std::vector<int64_t> params;
  double cost = 0;
};

struct BodyGraph {
  std::vector<int64_t> extents; ///< per axis; of a dependent bound, the largest
  std::vector<std::string> axisNames;
  std::vector<GraphPort> ports;
  std::vector<Node> nodes; ///< operands come first
  std::vector<Root> roots; ///< in the order of the body
  /// Conditions on points (i1). One applies to each root that runs over all of its axes.
  std::vector<NodeId> constraints;
  std::vector<std::string> sources = {""};
  std::optional<RoutineCall> routine;
};

/// Reads a kernel with one value per dim. Errors are of kind Input (dims against what the kernel
/// assumes) or Unsupported, and name the place.
Expected<BodyGraph> buildBodyGraph(zyxk::KernelOp kernel, std::span<const int64_t> dims);

} // namespace zyxc::kernelinterp
