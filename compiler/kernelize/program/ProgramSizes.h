// The symbolic sizes of a program: which of them its kernel is given, and the program with other
// sizes in their place.
#pragma once
#include "compiler/kernelize/program/Program.h"
#include "runtime/core/Dim.h"

namespace zyxc::kernelize {

/// True if an affine expression over dims can write this factor of a size: a quotient of such an
/// expression by a number.
bool isAffineFactor(const dim::Factor &factor);
/// Any other factor as a difference of dims, which are never negative: itself alone, or max(f, 0)
/// and max(-f, 0) if it may be. 0 is none of them.
struct FactorDims {
  int64_t positive = 0;
  int64_t negative = 0;
};
FactorDims dimsOf(const dim::Factor &factor);

/// The terms of a size, and the factors of each, in an order that follows from the positions of
/// dims: other names of variables do not change it.
std::vector<dim::Term> orderedTerms(int64_t size, const Program &program);

/// Sets `dims`: those of the factors that occur, in order of their first use.
void findDims(Program &program);

/// The program with these values for variables; others stay. Input errors: a size leaves 2^58.
Expected<Program> bindSizes(const Program &program, const dim::Bindings &bindings);

/// True if sizes of the program are not known: those of code by its dims, those of calls by ports.
bool hasOpenSizes(const Program &program);

/// The program with numbers for its symbolic sizes (dim::estimate), to be priced. It computes
/// something else: for heuristics only.
Program estimated(const Program &program);

/// Numbers of elements and bytes of a tensor for costs: sizes are dim::estimate, at least 0.
int64_t estimatedElements(std::span<const int64_t> shape);
int64_t estimatedBytes(const TensorType &type);

} // namespace zyxc::kernelize
