// From a cut to a program: the body is built by walking from the class down to the cut's inputs,
// with the coordinates at which each class is needed.
#pragma once
#include "compiler/kernelize/Cuts.h"
#include "compiler/kernelize/program/Program.h"
#include <optional>

namespace zyxc::kernelize {

/// A program and what its inputs are in the graph.
struct BuiltProgram {
  Program program;
  std::vector<ClassId> inputs; ///< one per input port
};

/// The program that computes `cls` by `cut`. Nothing if the cut turns out to be no legal kernel (a
/// contraction at coordinates that are not its own, reductions over different axes in one row, too
/// many ports or values).
std::optional<BuiltProgram> buildProgram(const graph::TensorGraph &graph, ClassId cls,
                                         const Cut &cut, const Caps &caps);

/// A program that stores one value to every element of a tensor of this type.
Program fillProgram(const TensorType &type, const Tensor &value);

/// A program that copies a tensor of this type.
Program copyProgram(const TensorType &type);

/// A program that stores a tensor into a part of another: element i goes to map(i).
Program storeProgram(const TensorType &type, const IndexMap &map, const TensorType &into);

} // namespace zyxc::kernelize
