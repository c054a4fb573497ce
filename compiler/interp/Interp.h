// The reference interpreter: slow and obvious, the oracle of everything else. Floats are computed
// in double and rounded to the dtype after each op; integers are exact.
#pragma once
#include "dialects/zyx/semantics/Attrs.h"

namespace zyxc::interp {

/// Value of one op. Composites are evaluated directly where that is simple, or through their
/// decomposition. Contractions run as plain typed loops (f32 sums in double).
Expected<Tensor> evaluate(OpKind kind, const Attrs &attrs, std::span<const Tensor> operands);

} // namespace zyxc::interp
