// One kernel without MLIR: axes, ports, a scalar body and stores through index maps. It mirrors the
// zyxk dialect (docs/kernels.md): what is computed, not how. Made from a cut, priced, hashed and
// compiled once for all its uses; no name of a graph node occurs in it. Extents, shapes and the
// numbers of index expressions are sizes, which may be symbolic (runtime/core/Dim.h).
#pragma once
#include "dialects/zyx/semantics/CustomSource.h"
#include "dialects/zyx/semantics/IndexMap.h"
#include "dialects/zyx/semantics/OpKind.h"
#include "dialects/zyx/semantics/Scalar.h"
#include "runtime/core/Tensor.h"
#include <memory>
#include <string>
#include <vector>

namespace zyxc::kernelize {

/// Which schedule family lowers a program.
enum class Family : uint8_t {
  Map,       ///< every stored element on its own; reductions are inner loops
  Row,       ///< reductions over one set of axes, which may be stored over again (softmax)
  Contract,  ///< one contraction with element-wise prologues and epilogue
  Attention, ///< a contraction, the softmax of its result, and the sum of values weighted by it
  Scan,      ///< a prefix form along one axis
  Routine,   ///< a function of runtime/routines on whole ports; no axes, no body
  Given,     ///< a zyxk kernel of the user, `routine` is its text
  Custom,    ///< a kernel whose code the user gives, `custom`
  Library,   ///< a function of a library that we know, `routine` is its symbol
  If,        ///< one of two other plans, see graph::Callee; no code of its own
  Loop,      ///< another plan again and again
};
std::string_view name(Family family);
/// A family whose programs are written in zyxk and compiled.
inline bool hasCode(Family family) {
  return family < Family::Custom;
}
/// A family whose programs are a name, parameters and ports: no axes, no body.
inline bool isOnWholePorts(Family family) {
  return family >= Family::Routine;
}

/// low <= expr < high.
struct Constraint {
  IndexExpr expr;
  int64_t low = 0;
  int64_t high = 0;
  bool operator==(const Constraint &) const = default;
};

/// A buffer of the kernel: inputs come first, outputs last.
struct Port {
  TensorType type;
  bool output = false;
  bool isRead = false; ///< an output whose elements are loaded, too, each before it is stored
};

using ValueId = uint32_t;

/// A scalar value of the body. Its axis set is inferred: those of its coordinates and operands,
/// minus the axes that it reduces.
struct Value {
  enum class Op : uint8_t {
    Literal,  ///< `literal`
    Index,    ///< `coords[0]` as i64; of no axis: a size that is known at run time
    Load,     ///< port `port` at `coords`; dim number numAxes + k means operand k (i64)
    Scalar,   ///< elementwise `kind` on the operands; Cast and Bitcast convert to `dtype`
    Where,    ///< operand 0 where all constraints of `guard` hold, else operand 1
    Reduce,   ///< operand 0 combined by `kind` over `axes`
    Contract, ///< sum over `axes` of operand 0 * operand 1, formed in `dtype`
    /// Sum over `axes` of softmax(operand 0) * operand 1, formed in `dtype`, which operand 0 has.
    SoftmaxSum,
    Scan, ///< prefix form `kind` of operand 0 along `axes[0]`, which stays an axis of it
  };
  Op op = Op::Literal;
  DType dtype = DType::F32;
  OpKind kind = OpKind::Add;
  bool last = false;      ///< ArgMax, ArgMin: the last extreme element
  bool exclusive = false; ///< Scan: without the element itself
  bool reverse = false;   ///< Scan: from the end
  bool guarded = false;   ///< SoftmaxSum: 0, not NaN, where operand 0 is -inf throughout
  uint32_t port = 0;
  uint64_t literal = 0; ///< bits of a Scalar: double for floats, integer for the rest
  std::vector<ValueId> operands;
  std::vector<IndexExpr> coords;
  std::vector<Constraint> guard;
  std::vector<int64_t> axes; ///< sorted

  uint64_t reducedAxes() const; ///< `axes` as a bit mask; none of a scan
  bool operator==(const Value &) const = default;
};

/// Writes `value` to an output port; the coordinates' axes are the value's and more (broadcast).
struct Store {
  ValueId value = 0;
  uint32_t port = 0;
  std::vector<IndexExpr> coords;
};

/// A kernel. Axes, ports and values are known by their index.
struct Program {
  Family family = Family::Map;
  std::vector<int64_t> extents; ///< of the axes; numbers are at least 1, symbolic ones may be 0
  std::vector<Port> ports;
  std::vector<Value> values; ///< operands before users; none unused
  std::vector<Store> stores;
  std::string routine;                             ///< Routine, Given, Library: see there
  std::shared_ptr<const CustomSource> custom = {}; ///< Custom
  /// Routine: its parameters. Library: rt::toDims of its product. If: the callee. Loop: the callee,
  /// the limit, a size, and the number of carried values.
  std::vector<int64_t> params;
  int64_t routineOps = 0; ///< Family::Routine: an estimate of its operations
  /// The sizes that the kernel is given at run time, in order: all others are affine in them. Each
  /// is a variable, or a min, max or floordiv that affine expressions cannot write, and never
  /// negative. Follows from the rest (ProgramSizes.h); a program whose sizes are numbers has none.
  std::vector<int64_t> dims;

  size_t numInputs() const;
  /// Axis sets of all values, as bit masks (bit i: axis i). At most 64 axes.
  std::vector<uint64_t> axisSets() const;
  /// Product of the extents of an axis set: a size.
  int64_t volume(uint64_t axes) const;
  /// Axes that occur in the coordinates of stores.
  uint64_t storedAxes() const;
  /// True if some reduction runs over an axis that is stored over, too (softmax).
  bool reducesStoredAxes() const;
  /// Hash of everything that decides the code; equal for identical programs.
  uint64_t hash() const;
  bool identical(const Program &other) const;
  /// Text in the manner of zyxk, for dumps and tests. The same program gives the same text.
  std::string toText() const;
};

} // namespace zyxc::kernelize
