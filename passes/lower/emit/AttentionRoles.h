// Attention in a kernel: scores = contract(queries, keys), logits = a scalar function of them,
// expsum over the keys weighted by values, a scalar epilogue. Which axis and which port plays which
// role. Host and GPU lowerings of attention share this.
#pragma once
#include "passes/lower/emit/AccessTable.h"
#include <optional>
#include <string>

namespace zyxc {

/// One of the three tensors that are multiplied.
struct AttentionOperand {
  mlir::Value value;
  /// The plain load that the value is, else null.
  zyxk::LoadOp load;
  /// Of a plain load: the port, and its dims along which rows (queries, keys) and columns (the
  /// summed axis, the width) run; -1 if there is no such dim.
  unsigned port = 0;
  int rowDim = -1;
  int columnDim = -1;
};

/// Keys that a query may see: query + first <= key <= query + last.
struct KeyWindow {
  std::optional<int64_t> first;
  std::optional<int64_t> last;
};

/// The roles of a kernel's axes and values.
struct AttentionRoles {
  mlir::Value scores;  ///< the result of contract
  mlir::Value logits;  ///< the operand of expsum
  mlir::Value maximum; ///< results of expsum; the last two may be null
  mlir::Value sum;
  mlir::Value output;
  llvm::SmallVector<zyxk::StoreOp> stores;

  AttentionOperand q, k, v;
  std::optional<unsigned> query; ///< none: one query per batch
  unsigned key = 0;
  unsigned depth = 0;            ///< summed in the scores
  std::optional<unsigned> width; ///< of the values; none if the sum of weights is all that is asked
  llvm::SmallVector<unsigned> batch; ///< the other axes of the logits

  /// The logits are `scale` * scores, scale > 0.
  std::optional<double> scale;
  /// The maximum, or a sum other than as a divisor, is read: it must be the maximum itself.
  bool needsMaximum = false;

  /// The roles, or what stands in the way.
  static std::optional<AttentionRoles> find(zyxk::KernelOp kernel, std::string &obstacle);
};

/// The kernel's domain as a window of keys per query; nothing if it is not of that form. A kernel
/// without a domain has an open window.
std::optional<KeyWindow> keyWindowOf(zyxk::KernelOp kernel, const AttentionRoles &roles);

/// The analysis of accesses over the whole box of axes: the domain is the driver's own matter.
mlir::FailureOr<AccessTable> boxTable(zyxk::KernelOp kernel);

/// Rewrites quotients whose divisor does not depend on the width into products with a reciprocal,
/// which is then computed once per row.
void hoistReciprocals(zyxk::KernelOp kernel, const AttentionRoles &roles);

} // namespace zyxc
