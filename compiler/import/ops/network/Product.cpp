// Products of matrices and tensors: MatMul, Gemm, Einsum.
#include "compiler/import/node/OnnxOp.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace zyxc::importer {

static Status matMul(OnnxNode &n) {
  return n.result(n.g.op(OpKind::Matmul, {n.in(0), n.in(1)}));
}

/// x times a factor that an integer dtype must be able to hold.
static Expected<GraphValue> scaled(OnnxNode &n, GraphValue x, double factor) {
  if (factor == 1) {
    return x;
  }
  if (!isFloat(n.g.dtypeOf(x)) && factor != std::trunc(factor)) {
    return n.unsupported("a factor of {} for elements of {}", factor, name(n.g.dtypeOf(x)));
  }
  return n.g.mul(x, factor);
}

static Status gemm(OnnxNode &n) {
  if (n.rank(0) != 2 || n.rank(1) != 2) {
    return n.malformed("matrices are needed, not {} and {}", toString(n.type(0)),
                       toString(n.type(1)));
  }
  for (std::string_view flag : {"transA", "transB", "broadcast"}) {
    if (int64_t value = n.attrInt(flag, 0); value != 0 && value != 1) {
      return n.malformed("{} must be 0 or 1, not {}", flag, value);
    }
  }
  GraphValue a = n.attrInt("transA", 0) ? n.g.permute(n.in(0), {1, 0}) : n.in(0);
  GraphValue b = n.attrInt("transB", 0) ? n.g.permute(n.in(1), {1, 0}) : n.in(1);
  GraphValue product = n.g.op(OpKind::Matmul, {a, b});
  ZYXC_RETURN_IF_ERROR(n.g.takeStatus());
  ZYXC_ASSIGN(GraphValue y, scaled(n, product, n.attrFloat("alpha", 1)));
  if (n.has(2)) {
    ZYXC_ASSIGN(GraphValue c, scaled(n, n.in(2), n.attrFloat("beta", 1)));
    const Shape shape = n.g.shapeOf(y);
    y = n.g.add(y, n.g.broadcast(c, shape));
  }
  return n.result(y);
}

/// One operand of an Einsum on the way: a value and the label of each axis.
struct Labelled {
  GraphValue value;
  std::vector<int64_t> labels;
};

/// An Einsum equation: labels are numbers; the axes of an ellipsis have labels of their own.
struct Equation {
  std::vector<std::vector<int64_t>> inputs;
  std::vector<int64_t> output;
};

static constexpr int64_t firstEllipsisLabel = 52; // after the letters

static int64_t letterLabel(char c) {
  return c >= 'a' && c <= 'z' ? c - 'a' : c >= 'A' && c <= 'Z' ? 26 + c - 'A' : -1;
}

/// Labels of one term; `rank` is that of the operand, or of the ellipsis for the output.
static Expected<std::vector<int64_t>> parseTerm(OnnxNode &n, std::string_view term, int64_t rank,
                                                int64_t &ellipsisRank, bool isOutput) {
  int64_t letters =
      std::count_if(term.begin(), term.end(), [](char c) { return letterLabel(c) >= 0; });
  std::vector<int64_t> labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (int64_t label = letterLabel(term[i]); label >= 0) {
      labels.push_back(label);
    } else if (term.substr(i, 3) == "...") {
      int64_t own = isOutput ? rank : rank - letters;
      if (own < 0 || own > 8) {
        return n.malformed("term '{}' does not suit rank {}", term, rank);
      }
      ellipsisRank = std::max(ellipsisRank, own);
      for (int64_t axis = own; axis-- > 0;) { // aligned at the end
        labels.push_back(firstEllipsisLabel + axis);
      }
      i += 2;
    } else if (term[i] != ' ') {
      return n.malformed("term '{}' holds '{}'", term, term[i]);
    }
  }
  if (!isOutput && static_cast<int64_t>(labels.size()) != rank) {
    return n.malformed("term '{}' does not suit rank {}", term, rank);
  }
  return labels;
}

/// The output of an equation without an arrow: the ellipsis, then letters that occur once.
static std::vector<int64_t> implicitOutput(const Equation &equation, int64_t ellipsisRank) {
  std::map<char, int> order; // alphabetical, capitals first, as NumPy sorts
  for (const std::vector<int64_t> &labels : equation.inputs) {
    for (int64_t label : labels) {
      if (label < firstEllipsisLabel) {
        ++order[static_cast<char>(label < 26 ? 'a' + label : 'A' + label - 26)];
      }
    }
  }
  std::vector<int64_t> output;
  for (int64_t axis = ellipsisRank; axis-- > 0;) {
    output.push_back(firstEllipsisLabel + axis);
  }
  for (auto [letter, count] : order) {
    if (count == 1) {
      output.push_back(letterLabel(letter));
    }
  }
  return output;
}

static Expected<Equation> parseEquation(OnnxNode &n, std::string_view text) {
  Equation equation;
  int64_t ellipsisRank = 0;
  size_t arrow = text.find("->");
  std::string_view rest = text.substr(0, arrow);
  for (size_t i = 0; i < n.numInputs(); ++i) {
    size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == n.numInputs())) {
      return n.malformed("equation '{}' does not have {} terms", text, n.numInputs());
    }
    ZYXC_ASSIGN(std::vector<int64_t> labels,
                parseTerm(n, rest.substr(0, comma), n.rank(i), ellipsisRank, false));
    equation.inputs.push_back(std::move(labels));
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  if (arrow == std::string_view::npos) {
    equation.output = implicitOutput(equation, ellipsisRank);
    return equation;
  }
  ZYXC_ASSIGN(equation.output,
              parseTerm(n, text.substr(arrow + 2), ellipsisRank, ellipsisRank, true));
  return equation;
}

/// Takes the diagonal of axes with one label: one axis remains.
static Labelled takeDiagonals(OnnxNode &n, Labelled x) {
  std::vector<int64_t> labels;
  Shape shape;
  IndexMap map;
  for (size_t axis = 0; axis < x.labels.size(); ++axis) {
    auto found = std::find(labels.begin(), labels.end(), x.labels[axis]);
    map.results.push_back(IndexExpr::dim(found - labels.begin()));
    int64_t size = n.g.shapeOf(x.value)[axis];
    if (found == labels.end()) {
      labels.push_back(x.labels[axis]);
      shape.push_back(size);
    } else if (int64_t first = shape[static_cast<size_t>(found - labels.begin())];
               !n.g.agree(first, size)) {
      int64_t sizes[] = {first, size};
      n.g.fail(n.malformed("one label stands for axes of {} elements", sizesText(sizes)));
    }
  }
  if (labels.size() == x.labels.size()) {
    return x;
  }
  map.numDims = static_cast<int64_t>(labels.size());
  return {n.g.op(OpKind::View, {x.value}, {{"map", map}, {"shape", shape}}), labels};
}

/// Sums over the axes whose label is not wanted, and puts the rest in the order of `wanted`.
static Labelled sumAndOrder(OnnxNode &n, Labelled x, const std::vector<int64_t> &wanted) {
  std::vector<int64_t> summed, kept, perm, order;
  for (size_t axis = 0; axis < x.labels.size(); ++axis) {
    bool keep = std::find(wanted.begin(), wanted.end(), x.labels[axis]) != wanted.end();
    keep ? kept.push_back(x.labels[axis]) : summed.push_back(static_cast<int64_t>(axis));
  }
  GraphValue value = n.g.reduce(OpKind::ReduceSum, x.value, summed, false);
  for (int64_t label : wanted) {
    auto found = std::find(kept.begin(), kept.end(), label);
    if (found != kept.end()) {
      perm.push_back(found - kept.begin());
      order.push_back(label);
    }
  }
  return {n.g.permute(value, perm), order};
}

/// Drops axes of size 1 whose label has another size in `other`: they are broadcast.
static Labelled dropBroadcast(OnnxNode &n, const Labelled &x, const Labelled &other) {
  Labelled result{x.value, {}};
  Shape shape;
  for (size_t axis = 0; axis < x.labels.size(); ++axis) {
    int64_t dim = n.g.shapeOf(x.value)[axis];
    auto found = std::find(other.labels.begin(), other.labels.end(), x.labels[axis]);
    bool dropped = dim == 1 && found != other.labels.end() &&
                   n.g.shapeOf(other.value)[static_cast<size_t>(found - other.labels.begin())] != 1;
    if (!dropped) {
      shape.push_back(dim);
      result.labels.push_back(x.labels[axis]);
    }
  }
  result.value = n.g.reshape(x.value, shape);
  return result;
}

/// Contracts two operands; labels in `later` stay.
static Labelled contractPair(OnnxNode &n, const Labelled &a, const Labelled &b,
                             const std::set<int64_t> &later) {
  Labelled x = dropBroadcast(n, a, b);
  Labelled y = dropBroadcast(n, b, a);
  std::vector<int64_t> out;
  for (const Labelled *side : {&x, &y}) {
    for (int64_t label : side->labels) {
      if (later.contains(label) && std::find(out.begin(), out.end(), label) == out.end()) {
        out.push_back(label);
      }
    }
  }
  DType dtype = n.g.dtypeOf(x.value);
  GraphValue value = n.g.op(OpKind::Contract, {x.value, y.value},
                            {{"lhs", x.labels},
                             {"rhs", y.labels},
                             {"out", out},
                             {"accumulate", accumulatorOf(dtype)},
                             {"dtype", dtype}});
  return {value, out};
}

static Status einsum(OnnxNode &n) {
  ZYXC_ASSIGN(Equation equation, parseEquation(n, n.attrString("equation", "")));
  Labelled result;
  for (size_t i = 0; i < n.numInputs(); ++i) {
    Labelled operand = takeDiagonals(n, {n.in(i), equation.inputs[i]});
    ZYXC_RETURN_IF_ERROR(n.g.takeStatus());
    if (i == 0) {
      result = operand;
      continue;
    }
    std::set<int64_t> later(equation.output.begin(), equation.output.end());
    for (size_t k = i + 1; k < n.numInputs(); ++k) {
      later.insert(equation.inputs[k].begin(), equation.inputs[k].end());
    }
    result = contractPair(n, result, operand, later);
    ZYXC_RETURN_IF_ERROR(n.g.takeStatus());
  }
  result = sumAndOrder(n, result, equation.output);
  if (result.labels != equation.output) {
    return n.malformed("its output has a label that no input has, or one twice");
  }
  return n.result(result.value);
}

/// Determinant of x [..,k,k] without some rows and columns, by cofactors of its first row.
static GraphValue determinant(GraphWriter &g, GraphValue x, const std::vector<int64_t> &columns,
                              int64_t row) {
  auto last = static_cast<int64_t>(g.shapeOf(x).size()) - 1;
  std::optional<GraphValue> sum;
  for (size_t i = 0; i < columns.size(); ++i) {
    GraphValue term = g.entry(g.entry(x, last, columns[i]), last - 1, row);
    if (columns.size() > 1) {
      std::vector<int64_t> rest = columns;
      rest.erase(rest.begin() + static_cast<int64_t>(i));
      term = g.mul(term, determinant(g, x, rest, row + 1));
    }
    sum = !sum ? term : i % 2 == 1 ? g.sub(*sum, term) : g.add(*sum, term);
  }
  return *sum;
}

static Status det(OnnxNode &n) {
  constexpr int64_t largest = 4; // cofactors grow as a factorial
  int64_t size = n.rank(0) < 2 ? 0 : n.shape(0).back();
  if (size < 1 || n.shape(0)[n.shape(0).size() - 2] != size) {
    return n.malformed("square matrices are needed, not {}", shapeText(n.shape(0)));
  }
  if (size > largest) {
    return n.unsupported("determinants of {0}x{0}: at most {1}x{1} are supported",
                         dim::toString(size), largest);
  }
  std::vector<int64_t> columns(static_cast<size_t>(size));
  std::iota(columns.begin(), columns.end(), 0);
  return n.result(determinant(n.g, n.in(0), columns, 0));
}

static constexpr OnnxOp rows[] = {
    {"Det", 11, newest, 1, 1, 1, openDims, det},
    {"Einsum", 12, newest, 1, variadic, 1, openDims, einsum},
    {"Gemm", 1, newest, 2, 3, 1, openDims, gemm},
    {"MatMul", 1, newest, 2, 2, 1, openDims, matMul},
};

std::span<const OnnxOp> productOps() {
  return rows;
}

} // namespace zyxc::importer
