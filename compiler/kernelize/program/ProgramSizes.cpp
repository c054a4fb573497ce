#include "compiler/kernelize/program/ProgramSizes.h"
#include <algorithm>
#include <functional>
#include <tuple>

namespace zyxc::kernelize {

int64_t estimatedElements(std::span<const int64_t> shape) {
  return std::max<int64_t>(dim::estimate(numElements(shape)), 0);
}

int64_t estimatedBytes(const TensorType &type) {
  return estimatedElements(type.shape) * static_cast<int64_t>(byteSize(type.dtype));
}

bool isAffineFactor(const dim::Factor &factor) {
  return factor.kind == dim::Factor::Kind::FloorDiv && !dim::isSymbolic(factor.b) && factor.b > 0;
}

FactorDims dimsOf(const dim::Factor &factor) {
  int64_t size = dim::sizeOf(factor);
  if (dim::provablyAtMost(0, size)) {
    return {size, 0};
  }
  return {dim::max(size, 0), dim::max(dim::sub(0, size), 0)};
}

/// The position of the first dim that a factor is made of.
static size_t firstDim(const dim::Factor &factor, const Program &program) {
  auto position = [&](int64_t dim) {
    return static_cast<size_t>(std::find(program.dims.begin(), program.dims.end(), dim) -
                               program.dims.begin());
  };
  if (!isAffineFactor(factor)) {
    FactorDims dims = dimsOf(factor);
    return std::min(position(dims.positive), position(dims.negative));
  }
  size_t first = program.dims.size();
  for (const dim::Term &term : dim::terms(factor.a)) {
    for (const dim::Factor &inner : term.factors) {
      first = std::min(first, firstDim(inner, program));
    }
  }
  return first;
}

std::vector<dim::Term> orderedTerms(int64_t size, const Program &program) {
  auto place = [&](const dim::Factor &factor) {
    return std::tuple(isAffineFactor(factor), firstDim(factor, program), factor.b);
  };
  auto comesFirst = [&](const dim::Factor &a, const dim::Factor &b) {
    return place(a) < place(b);
  };
  std::vector<dim::Term> terms = dim::terms(size);
  for (dim::Term &term : terms) {
    std::sort(term.factors.begin(), term.factors.end(), comesFirst);
  }
  std::sort(terms.begin(), terms.end(), [&](const dim::Term &a, const dim::Term &b) {
    if (a.factors.size() != b.factors.size()) {
      return a.factors.size() > b.factors.size();
    }
    return std::lexicographical_compare(a.factors.begin(), a.factors.end(), b.factors.begin(),
                                        b.factors.end(), comesFirst);
  });
  return terms;
}

namespace {

using SizeMap = std::function<int64_t(int64_t)>;

/// Replaces each size of a program.
class SizeRewriter {
public:
  explicit SizeRewriter(SizeMap map) : map(std::move(map)) {}

  void rewrite(Program &program) {
    for (Port &port : program.ports) {
      rewrite(port.type.shape);
    }
    rewrite(program.extents);
    for (Value &value : program.values) {
      rewrite(value.coords);
      for (Constraint &constraint : value.guard) {
        constraint = {rewritten(constraint.expr), map(constraint.low), map(constraint.high)};
      }
    }
    for (Store &store : program.stores) {
      rewrite(store.coords);
    }
    rewrite(program.params);
  }

private:
  void rewrite(std::vector<int64_t> &sizes) {
    std::transform(sizes.begin(), sizes.end(), sizes.begin(), map);
  }

  void rewrite(std::vector<IndexExpr> &coords) {
    for (IndexExpr &coord : coords) {
      coord = rewritten(coord);
    }
  }

  IndexExpr rewritten(const IndexExpr &expr) {
    IndexExpr result(0);
    for (const IndexExpr::Term &term : expr.terms()) {
      IndexExpr::Term copy = term;
      copy.coefficient = map(term.coefficient);
      if (term.atom.argument) {
        copy.atom.argument = std::make_shared<const IndexExpr>(rewritten(*term.atom.argument));
        copy.atom.value = std::max<int64_t>(map(term.atom.value), 1); // no point exists at 0
      }
      result = result + IndexExpr::fromTerm(std::move(copy));
    }
    return result + IndexExpr(map(expr.constant()));
  }

  SizeMap map;
};

} // namespace

static void addDim(int64_t size, std::vector<int64_t> &dims) {
  if (dim::isSymbolic(size) && std::find(dims.begin(), dims.end(), size) == dims.end()) {
    dims.push_back(size);
  }
}

static void addFactors(int64_t size, std::vector<int64_t> &dims) {
  if (!dim::isSymbolic(size)) {
    return;
  }
  for (const dim::Term &term : dim::terms(size)) {
    for (const dim::Factor &factor : term.factors) {
      if (isAffineFactor(factor)) {
        addFactors(factor.a, dims);
        continue;
      }
      auto [positive, negative] = dimsOf(factor);
      addDim(positive, dims);
      addDim(negative, dims);
    }
  }
}

static void addFactors(const IndexExpr &expr, std::vector<int64_t> &dims) {
  for (const IndexExpr::Term &term : expr.terms()) {
    if (term.atom.argument) {
      addFactors(*term.atom.argument, dims);
      addFactors(term.atom.value, dims);
    }
    addFactors(term.coefficient, dims);
  }
  addFactors(expr.constant(), dims);
}

void findDims(Program &program) {
  program.dims.clear();
  auto addAll = [&](const auto &list) {
    for (const auto &item : list) {
      addFactors(item, program.dims);
    }
  };
  for (const Port &port : program.ports) {
    addAll(port.type.shape);
  }
  addAll(program.extents);
  for (const Value &value : program.values) {
    addAll(value.coords);
    for (const Constraint &constraint : value.guard) {
      addFactors(constraint.expr, program.dims);
      addFactors(constraint.low, program.dims);
      addFactors(constraint.high, program.dims);
    }
  }
  for (const Store &store : program.stores) {
    addAll(store.coords);
  }
  addAll(program.params);
}

Expected<Program> bindSizes(const Program &program, const dim::Bindings &bindings) {
  Program bound = program;
  bool fits = true;
  SizeRewriter([&](int64_t size) {
    int64_t value = dim::substitute(size, bindings);
    fits &= value != dim::invalid;
    return value;
  }).rewrite(bound);
  if (!fits) {
    return makeError(ErrorCode::Input, "a size of the kernel divides by zero or leaves 2^58");
  }
  findDims(bound);
  return bound;
}

/// The program where every variable is `typical`.
static Program estimatedAt(const Program &program, int64_t typical) {
  Program copy = program;
  SizeRewriter([&](int64_t size) { return dim::estimate(size, typical); }).rewrite(copy);
  for (int64_t &extent : copy.extents) {
    extent = std::max<int64_t>(extent, 1);
  }
  for (Port &port : copy.ports) {
    for (int64_t &size : port.type.shape) {
      size = std::max<int64_t>(size, 0);
    }
  }
  copy.dims.clear();
  return copy;
}

/// True if no count of elements or points is beyond what numbers of them may be.
static bool hasCounts(const Program &program) {
  return checkedNumElements(program.extents) &&
         std::all_of(program.ports.begin(), program.ports.end(), [](const Port &port) {
           return checkedNumElements(port.type.shape).has_value();
         });
}

bool hasOpenSizes(const Program &program) {
  return !program.dims.empty() ||
         std::any_of(program.ports.begin(), program.ports.end(),
                     [](const Port &port) { return dim::anySymbolic(port.type.shape); });
}

Program estimated(const Program &program) {
  // Products of many variables are smaller, or they would be no number.
  for (int64_t typical : {64, 8, 2}) {
    Program copy = estimatedAt(program, typical);
    if (hasCounts(copy)) {
      return copy;
    }
  }
  return estimatedAt(program, 1);
}

} // namespace zyxc::kernelize
