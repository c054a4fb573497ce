// Terms and tensors of small instances as text, for people.
#pragma once
#include "compiler/graph/Choice.h"

namespace zyxc::rules {

/// "add(x, mul(y, 2))": the chosen term of a class, with attributes; inputs by name, constants by
/// value. A term that is deeper than 20 ops ends with "...".
std::string termText(const graph::TensorGraph &graph, const graph::Choice &choice,
                     graph::ClassId cls);

/// "[[1, 2], [3, -0]]"; numbers of rank 0 without brackets; long ones are cut.
std::string valueText(const Tensor &tensor);
/// One element: enough digits to tell it from others of its dtype.
std::string elementText(const Tensor &tensor, int64_t element);

} // namespace zyxc::rules
