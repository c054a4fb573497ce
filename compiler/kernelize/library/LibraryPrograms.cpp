#include "compiler/kernelize/library/LibraryPrograms.h"
#include "compiler/kernelize/library/MatchProduct.h"
#include "runtime/core/Dim.h"
#include "runtime/library/Blas.h"
#include <algorithm>

namespace zyxc::kernelize {

namespace {

using Form = rt::BlasFunction::Form;

/// How a product of one form is divided into tasks.
struct Division {
  int64_t flops;    ///< of a task, at least: about a millisecond of a core
  int64_t least;    ///< rows or columns of a task: each packs the other operand anew
  int64_t multiple; ///< of the register tiles of libraries
};
constexpr Division matrixDivision = {64'000'000, 192, 16};
constexpr Division transposedDivision = {2'000'000, 2048, 16}; ///< parts are strips of all rows
constexpr Division vectorDivision = {2'000'000, 192, 16};

} // namespace

/// Rows or columns of a task, where an axis of this extent has these flops in all; 0: all of them.
/// The parts depend on sizes alone, so results do not depend on the number of threads.
static int64_t perTask(int64_t extent, double flops, const Division &division) {
  int64_t size = dim::estimate(extent);
  auto parts = static_cast<int64_t>(
      std::min(flops / static_cast<double>(division.flops),
               static_cast<double>(size) / static_cast<double>(division.least)));
  if (dim::isSymbolic(extent)) {
    return division.least; // there may be many
  }
  if (parts <= 1) {
    return 0;
  }
  int64_t each = (size + parts - 1) / parts;
  return (each + division.multiple - 1) / division.multiple * division.multiple;
}

static void divide(rt::Product &product, Form form) {
  const Division &division = form == Form::MatrixMatrix ? matrixDivision
                             : product.a.transposed     ? transposedDivision
                                                        : vectorDivision;
  int64_t rows = dim::estimate(product.rows);
  int64_t columns = dim::estimate(product.columns);
  double flops = 2.0 * static_cast<double>(rows) * static_cast<double>(columns) *
                 static_cast<double>(dim::estimate(product.inner));
  bool areRowsLonger =
      dim::isSymbolic(product.rows) || (rows >= columns && !dim::isSymbolic(product.columns));
  if (areRowsLonger) {
    product.rowsPerTask = perTask(product.rows, flops, division);
  } else {
    product.columnsPerTask = perTask(product.columns, flops, division);
  }
}

std::vector<LibraryProgram> blasPrograms(const Program &program) {
  std::vector<LibraryProgram> programs;
  for (const rt::BlasFunction &function : rt::blasFunctions()) {
    std::optional<MatchedProduct> matched = function.form == Form::MatrixVector
                                                ? matchVectorProduct(program)
                                                : matchMatrixProduct(program);
    if (!matched || matched->dtype != function.dtype) {
      continue;
    }
    divide(matched->product, function.form);
    Program call;
    call.family = Family::Library;
    call.routine = function.symbol;
    call.params = rt::toDims(matched->product);
    call.ports = {program.ports[matched->a], program.ports[matched->b],
                  program.ports[program.stores[0].port]};
    programs.push_back({std::move(call), {matched->a, matched->b}});
  }
  return programs;
}

} // namespace zyxc::kernelize
