// Which programs of our own are products of matrices that a BLAS library computes, too. What is
// looked at is the program that a cut became: its index maps say where each operand lies, whatever
// views of the graph led to it, and all that is not a plain product has another body.
#pragma once
#include "compiler/kernelize/program/Program.h"
#include "runtime/library/Product.h"
#include <optional>

namespace zyxc::kernelize {

/// A product and where its operands are among the ports of the program.
struct MatchedProduct {
  rt::Product product; ///< sizes as in the program, symbolic ones too
  uint32_t a = 0;      ///< input ports; both may be one
  uint32_t b = 0;
  DType dtype = DType::F32; ///< F32 or F64
};

/// c = scale * a * b of matrices with rows and columns. Nothing if the program is something else,
/// or if it was not proved for all values of its symbolic sizes that what lies in memory is
/// matrices whose rows do not overlap.
std::optional<MatchedProduct> matchMatrixProduct(const Program &program);

/// The same where b and c are vectors: nothing of b occurs in c but a batch.
std::optional<MatchedProduct> matchVectorProduct(const Program &program);

} // namespace zyxc::kernelize
