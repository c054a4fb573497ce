// Sizes that an op needs to be equal: where dims are open, variables of the model are made equal.
#include "compiler/import/node/GraphWriter.h"
#include <algorithm>
#include <numeric>

namespace zyxc::importer {

/// a - b without a common factor: it is 0 for the same values of the variables.
static int64_t reducedDifference(int64_t a, int64_t b) {
  int64_t difference = dim::sub(a, b);
  int64_t divisor = 0;
  for (const dim::Term &term : dim::terms(difference)) {
    divisor = std::gcd(divisor, term.coefficient);
  }
  return divisor > 1 ? dim::exactQuotient(difference, divisor).value_or(difference) : difference;
}

bool GraphWriter::agree(int64_t a, int64_t b) {
  if (a == b || !firstError.isOk()) {
    return a == b;
  }
  int64_t both[] = {a, b};
  if (!dim::anySymbolic(both)) {
    return false;
  }
  int64_t difference = reducedDifference(a, b);
  std::optional<std::pair<std::string, int64_t>> solution =
      difference == dim::invalid ? std::nullopt : dim::solve(difference, 0);
  std::optional<int64_t> most = solution ? dim::upperBound(solution->second) : std::nullopt;
  if (solution && (!most || *most >= 0)) {
    needed = std::move(solution);
    fail(makeError(ErrorCode::Unsupported, "the sizes {} and {} must be equal", dim::toString(a),
                   dim::toString(b)));
    return false;
  }
  fail(makeError(ErrorCode::Unsupported, "the sizes {} and {} must be equal{}: give {}",
                 dim::toString(a), dim::toString(b),
                 solution ? "" : ", which the model does not say", dimRemedy(both)));
  return false;
}

bool GraphWriter::agree(const Shape &a, const Shape &b) {
  bool equal = a.size() == b.size();
  for (size_t i = 0; equal && i < a.size(); ++i) {
    equal = agree(a[i], b[i]);
  }
  return equal;
}

Expected<Shape> GraphWriter::broadcastShape(std::span<const int64_t> a,
                                            std::span<const int64_t> b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    int64_t left = a[a.size() - i], right = b[b.size() - i];
    if (left != 1 && right != 1) {
      agree(left, right);
    }
  }
  ZYXC_RETURN_IF_ERROR(firstError);
  return zyxc::broadcastShape(a, b);
}

void GraphWriter::agreeAxes(const Shape &x, size_t xAxis, const Shape &y, size_t yAxis) {
  if (xAxis < x.size() && yAxis < y.size()) {
    agree(x[xAxis], y[yAxis]);
  }
}

void GraphWriter::agreeShapes(const Shape &x, const Shape &y, std::optional<size_t> except) {
  for (size_t i = 0; i < x.size() && x.size() == y.size(); ++i) {
    if (i != except) {
      agree(x[i], y[i]);
    }
  }
}

/// What type inference demands of operands; it says what is wrong with ranks and numbers.
void GraphWriter::agreeOperands(OpKind kind, std::span<const GraphValue> operands,
                                const Attrs &attrs) {
  auto isOpen = [&](GraphValue operand) {
    return dim::anySymbolic(shapeOf(operand));
  };
  if (operands.empty() || std::none_of(operands.begin(), operands.end(), isOpen)) {
    return;
  }
  const Shape x = shapeOf(operands[0]);
  const Shape y = operands.size() > 1 ? shapeOf(operands[1]) : Shape();
  switch (kind) {
  case OpKind::Concat:
    for (GraphValue operand : operands.subspan(1)) {
      agreeShapes(x, shapeOf(operand), static_cast<size_t>(attrs.getInt("axis")));
    }
    return;
  case OpKind::Matmul: {
    agreeAxes(x, x.size() - 1, y, y.size() < 2 ? 0 : y.size() - 2);
    for (size_t i = 3; i <= std::min(x.size(), y.size()); ++i) { // from the end
      int64_t left = x[x.size() - i], right = y[y.size() - i];
      if (left != 1 && right != 1) {
        agree(left, right);
      }
    }
    return;
  }
  case OpKind::Contract: {
    const std::vector<int64_t> &lhs = attrs.getInts("lhs"), &rhs = attrs.getInts("rhs");
    for (size_t i = 0; i < lhs.size(); ++i) {
      agreeAxes(x, i, y,
                static_cast<size_t>(std::find(rhs.begin(), rhs.end(), lhs[i]) - rhs.begin()));
    }
    return;
  }
  case OpKind::Conv:
    if (x.size() > 1 && y.size() > 1) {
      agree(x[1], dim::mul(y[1], attrs.getInt("groups")));
    }
    return;
  case OpKind::BatchNorm:
    for (GraphValue operand : operands.subspan(1)) {
      agreeAxes(x, 1, shapeOf(operand), 0);
    }
    return;
  case OpKind::Reshape: {
    std::optional<int64_t> from = checkedNumElements(x);
    std::optional<int64_t> to = checkedNumElements(attrs.getInts("shape"));
    if (from && to) {
      agree(*from, *to);
    }
    return;
  }
  case OpKind::Expand: {
    const std::vector<int64_t> &to = attrs.getInts("shape");
    for (size_t i = 0; i < x.size() && x.size() == to.size(); ++i) {
      if (x[i] != 1) {
        agree(x[i], to[i]);
      }
    }
    return;
  }
  default:
    if (isBinary(kind) || kind == OpKind::Select || kind == OpKind::Stack) {
      for (GraphValue operand : operands.subspan(1)) {
        agreeShapes(x, shapeOf(operand));
      }
    }
  }
}

} // namespace zyxc::importer
