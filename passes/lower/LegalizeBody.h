// Kernels in the ops that emitters know: expsum and welford become reductions (which hold what
// is dear, so nothing is computed twice), a restricted domain becomes masks of reductions and
// guards of stores.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// Rewrites a kernel; fails with a diagnostic if an axis has no largest extent.
llvm::LogicalResult legalizeBody(zyxk::KernelOp kernel);

/// Replaces every contract by a reduction of products.
void contractsToReductions(zyxk::KernelOp kernel);

/// True if the kernel has contractions, each of them has no rows or no columns to tile (matrix
/// times vector, depthwise convolution, batched dot product), and nothing that is reduced is
/// reduced again. Memory bounds such kernels: they run as reductions of products unless a schedule
/// asks for tiles. The dims must be bound, else false.
bool isVectorProduct(zyxk::KernelOp kernel);

/// True if a factor of a contraction takes functions, such as an exponential, and lacks axes of the
/// other one: a reduction of products evaluates it anew along these, a packed one does not. The
/// dims must be bound.
bool repeatsFunctions(zyxk::KernelOp kernel);

/// True if every port that is stored to has a static shape without elements.
bool storesNothing(zyxk::KernelOp kernel);

/// Makes e / s, where s is the sum of e^(x - max x) over a row, a product with 1 / s: one division
/// a row. Such a sum is at least 1, so its reciprocal is a normal number; if there is none of it
/// (every x is -inf, or some x is NaN or inf), both forms give NaN.
void hoistSoftmaxReciprocals(zyxk::KernelOp kernel);

} // namespace zyxc
