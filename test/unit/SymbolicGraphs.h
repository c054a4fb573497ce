// Small graphs whose sizes are known at run time only, over the variables N and M. Test code only.
#pragma once
#include "test/unit/KernelGraph.h"
#include <functional>

namespace zyxc {

/// The size of a text, which must be one.
int64_t sizeOf(std::string_view text);
Shape sizesOf(std::initializer_list<std::string_view> texts);

struct SymbolicGraph : KernelGraph {
  /// A leaf, f32 unless said otherwise.
  graph::ClassId x(std::initializer_list<std::string_view> shape, DType dtype = DType::F32);
  graph::ClassId add(graph::ClassId a, graph::ClassId b) { return op(OpKind::Add, {a, b}); }
  graph::ClassId reduce(OpKind kind, graph::ClassId a, Shape axes);
  graph::ClassId permute(graph::ClassId a, Shape perm);
  graph::ClassId narrow(graph::ClassId a, Shape starts, Shape lengths, Shape steps);
  /// A size as a f32 tensor of this shape.
  graph::ClassId variable(std::string_view text, const Shape &shape);

private:
  int count = 0;
};

struct SymbolicCase {
  std::string name;
  /// Adds ops and outputs.
  std::function<void(SymbolicGraph &)> build;
  std::vector<int64_t> values; ///< of N and M, in all combinations
  bool divides = false;        ///< some kernel needs floordiv or mod

  std::vector<dim::Bindings> bindings() const;
};

/// One of each kind of kernel.
std::vector<SymbolicCase> symbolicCases();

} // namespace zyxc
