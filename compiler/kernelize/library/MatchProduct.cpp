#include "compiler/kernelize/library/MatchProduct.h"
#include "runtime/core/Dim.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace zyxc::kernelize {

namespace {

using rt::Product;

/// Axes of a program that have one role, as one: how many steps it has, and how many elements each
/// of them is in the operands and the result (0 where it does not occur).
struct Axis {
  int64_t extent = 1;
  int64_t a = 0, b = 0, c = 0;
};

/// The product that a body is, and the elements at which its loads and its store are.
struct Body {
  uint32_t portA = 0, portB = 0;
  DType dtype = DType::F32;
  double scale = 1;
  uint64_t summed = 0; ///< axes
  IndexExpr a, b, c;
};

/// The axes of a product by role.
struct Roles {
  std::vector<Axis> rows;    ///< of a and c
  std::vector<Axis> columns; ///< of b and c
  std::vector<Axis> inner;   ///< of a and b, summed
  std::vector<Axis> batch;   ///< of all three
};

/// One choice of axes for the product itself. All others are loops.
struct Choice {
  std::optional<Axis> rows, columns, inner;
  std::vector<Axis> loops;
  bool hasRows = false, hasColumns = false; ///< there is some such axis, perhaps as a loop
};

} // namespace

/// A scale that BLAS may apply to the operands or to the sum: it neither overflows nor underflows
/// where the sum alone does not, but at the very ends of the type's range. A negative one would
/// give sums of nothing another sign.
static bool isMildScale(double scale) {
  constexpr double most = 1 << 20;
  return scale >= 1 / most && scale <= most;
}

static std::optional<double> literalOf(const Value &value) {
  return value.op == Value::Op::Literal && isFloat(value.dtype)
             ? std::optional(std::bit_cast<Scalar>(value.literal).f)
             : std::nullopt;
}

/// The contraction that a stored value is, scaled or not; null if it is something else.
static const Value *contractionOf(const Program &program, const Value &stored, double &scale) {
  if (stored.op == Value::Op::Contract) {
    return &stored;
  }
  if (stored.op != Value::Op::Scalar || stored.kind != OpKind::Mul) {
    return nullptr;
  }
  for (size_t i = 0; i < 2; ++i) {
    const Value &factor = program.values[stored.operands[i]];
    const Value &other = program.values[stored.operands[1 - i]];
    std::optional<double> literal = literalOf(factor);
    if (literal && isMildScale(*literal) && other.op == Value::Op::Contract) {
      scale = *literal;
      return &other;
    }
  }
  return nullptr;
}

/// The element of its port that coordinates are, if it is a sum of axes times numbers of elements.
static std::optional<IndexExpr> elementAt(const Program &program, uint32_t port,
                                          const std::vector<IndexExpr> &coords) {
  auto isPlain = [&](const IndexExpr &coord) {
    auto isAxis = [&](const IndexExpr::Term &term) {
      return term.atom.kind == IndexAtom::Kind::Dim &&
             term.atom.value < static_cast<int64_t>(program.extents.size());
    };
    return !coord.hasSymbolicSizes() &&
           std::all_of(coord.terms().begin(), coord.terms().end(), isAxis);
  };
  return std::all_of(coords.begin(), coords.end(), isPlain)
             ? std::optional(linearize(coords, program.ports[port].type.shape))
             : std::nullopt;
}

static std::optional<Body> bodyOf(const Program &program) {
  if (program.family != Family::Contract || program.stores.size() != 1) {
    return std::nullopt;
  }
  Body body;
  const Store &store = program.stores[0];
  const Value &stored = program.values[store.value];
  const Value *contraction = contractionOf(program, stored, body.scale);
  if (!contraction) {
    return std::nullopt;
  }
  const Value &a = program.values[contraction->operands[0]];
  const Value &b = program.values[contraction->operands[1]];
  body.dtype = contraction->dtype;
  auto isOfType = [&](DType dtype) {
    return dtype == body.dtype;
  };
  if ((body.dtype != DType::F32 && body.dtype != DType::F64) || a.op != Value::Op::Load ||
      b.op != Value::Op::Load || !a.operands.empty() || !b.operands.empty() ||
      !isOfType(stored.dtype) || !isOfType(a.dtype) || !isOfType(b.dtype) ||
      program.ports[a.port].output || program.ports[b.port].output ||
      program.ports[store.port].isRead) {
    return std::nullopt;
  }
  for (uint32_t port : {a.port, b.port, store.port}) {
    if (!isOfType(program.ports[port].type.dtype)) {
      return std::nullopt;
    }
  }
  body.summed = contraction->reducedAxes();
  body.portA = a.port;
  body.portB = b.port;
  std::optional<IndexExpr> inA = elementAt(program, a.port, a.coords);
  std::optional<IndexExpr> inB = elementAt(program, b.port, b.coords);
  std::optional<IndexExpr> inC = elementAt(program, store.port, store.coords);
  if (!inA || !inB || !inC) {
    return std::nullopt;
  }
  body.a = *inA;
  body.b = *inB;
  body.c = *inC;
  return body;
}

/// Joins axes that memory does not tell from one: a step of the outer one is all steps of the inner
/// one, in each operand.
static void join(std::vector<Axis> &axes) {
  auto isOuter = [](const Axis &outer, const Axis &inner) {
    auto isStep = [&](int64_t step, int64_t of) {
      return step == dim::mul(inner.extent, of);
    };
    return isStep(outer.a, inner.a) && isStep(outer.b, inner.b) && isStep(outer.c, inner.c);
  };
  auto joinOne = [&] {
    for (size_t i = 0; i < axes.size(); ++i) {
      for (size_t j = 0; j < axes.size(); ++j) {
        if (i != j && isOuter(axes[i], axes[j])) {
          axes[j].extent = dim::mul(axes[i].extent, axes[j].extent);
          axes.erase(axes.begin() + static_cast<ptrdiff_t>(i));
          return true;
        }
      }
    }
    return false;
  };
  while (joinOne()) {
  }
}

/// The roles of all axes; nothing if one has none in a product.
static std::optional<Roles> rolesOf(const Program &program, const Body &body) {
  Roles roles;
  for (size_t i = 0; i < program.extents.size(); ++i) {
    auto dim = static_cast<int64_t>(i);
    Axis axis{program.extents[i], body.a.coefficientOf(dim), body.b.coefficientOf(dim),
              body.c.coefficientOf(dim)};
    bool inA = body.a.uses(dim);
    bool inB = body.b.uses(dim);
    bool inC = body.c.uses(dim);
    auto isDistance = [](int64_t stride, bool isUsed) {
      return !isUsed || (stride != 0 && dim::provablyAtMost(0, stride));
    };
    if (!isDistance(axis.a, inA) || !isDistance(axis.b, inB) || !isDistance(axis.c, inC)) {
      return std::nullopt; // what runs backwards
    }
    bool isSummed = (body.summed >> i & 1) != 0;
    if (isSummed == inC) {
      return std::nullopt; // a sum over what is stored over, too, or over nothing
    }
    if (inA && inB) {
      (inC ? roles.batch : roles.inner).push_back(axis);
    } else if (inC && (inA || inB)) {
      (inA ? roles.rows : roles.columns).push_back(axis);
    } else {
      return std::nullopt;
    }
  }
  for (std::vector<Axis> *axes : {&roles.rows, &roles.columns, &roles.inner, &roles.batch}) {
    join(*axes);
  }
  return roles.inner.size() <= 1 ? std::optional(roles) : std::nullopt;
}

/// Each way to have one axis of rows, or none, and one of columns, or none.
static std::vector<Choice> choicesOf(const Roles &roles) {
  std::vector<Choice> choices;
  for (size_t r = 0; r <= roles.rows.size(); ++r) {
    for (size_t c = 0; c <= roles.columns.size(); ++c) {
      Choice choice;
      auto take = [&](const std::vector<Axis> &axes, size_t taken, std::optional<Axis> &main) {
        for (size_t i = 0; i < axes.size(); ++i) {
          if (i == taken) {
            main = axes[i];
          } else {
            choice.loops.push_back(axes[i]);
          }
        }
      };
      choice.loops = roles.batch;
      choice.hasRows = !roles.rows.empty();
      choice.hasColumns = !roles.columns.empty();
      take(roles.rows, r, choice.rows);
      take(roles.columns, c, choice.columns);
      if (!roles.inner.empty()) {
        choice.inner = roles.inner[0];
      }
      choices.push_back(std::move(choice));
    }
  }
  return choices;
}

/// The same with a and b in each other's place: c transposed is b transposed times a transposed.
static Choice swapped(Choice choice) {
  auto swap = [](Axis &axis) {
    std::swap(axis.a, axis.b);
  };
  std::swap(choice.rows, choice.columns);
  std::swap(choice.hasRows, choice.hasColumns);
  for (std::optional<Axis> *axis : {&choice.rows, &choice.columns, &choice.inner}) {
    if (*axis) {
      swap(**axis);
    }
  }
  std::for_each(choice.loops.begin(), choice.loops.end(), swap);
  return choice;
}

static int64_t extentOf(const std::optional<Axis> &axis) {
  return axis ? axis->extent : 1;
}

/// How a matrix of these axes lies in memory: its rows, or its columns, side by side without
/// overlap. `stride` picks the operand.
static std::optional<Product::Matrix> layoutOf(const std::optional<Axis> &rows,
                                               const std::optional<Axis> &columns,
                                               int64_t Axis::*stride) {
  auto hasUnitSteps = [&](const std::optional<Axis> &axis) {
    return !axis || (*axis).*stride == 1;
  };
  auto lead = [&](const std::optional<Axis> &outer,
                  const std::optional<Axis> &inner) -> std::optional<int64_t> {
    int64_t length = extentOf(inner);
    int64_t lead = outer ? (*outer).*stride : length;
    return hasUnitSteps(inner) && dim::provablyAtMost(length, lead) ? std::optional(lead)
                                                                    : std::nullopt;
  };
  if (std::optional<int64_t> straight = lead(rows, columns)) {
    return Product::Matrix{0, *straight, false};
  }
  if (std::optional<int64_t> transposed = lead(columns, rows)) {
    return Product::Matrix{0, *transposed, true};
  }
  return std::nullopt;
}

/// The loops of a choice; false if there are too many.
static bool addLoops(const Choice &choice, Product &product) {
  if (choice.loops.size() > Product::mostLoops) {
    return false;
  }
  for (const Axis &loop : choice.loops) {
    product.loops[product.numLoops++] = {loop.extent, loop.a, loop.b, loop.c};
  }
  return true;
}

static std::optional<Product> matrixProduct(const Choice &choice) {
  Product product;
  if (!choice.rows || !choice.columns || !addLoops(choice, product)) {
    return std::nullopt;
  }
  auto a = layoutOf(choice.rows, choice.inner, &Axis::a);
  auto b = layoutOf(choice.inner, choice.columns, &Axis::b);
  auto c = layoutOf(choice.rows, choice.columns, &Axis::c);
  if (!a || !b || !c || c->transposed) {
    return std::nullopt;
  }
  product.rows = choice.rows->extent;
  product.columns = choice.columns->extent;
  product.inner = extentOf(choice.inner);
  product.a = *a;
  product.b = *b;
  product.c = *c;
  return product;
}

static std::optional<Product> vectorProduct(const Choice &choice) {
  Product product;
  if (!choice.rows || choice.hasColumns || !choice.inner || !addLoops(choice, product)) {
    return std::nullopt;
  }
  auto a = layoutOf(choice.rows, choice.inner, &Axis::a);
  if (!a) {
    return std::nullopt;
  }
  product.rows = choice.rows->extent;
  product.inner = choice.inner->extent;
  product.a = *a;
  product.b.lead = choice.inner->b;
  product.c.lead = choice.rows->c;
  return product;
}

/// The largest product that one of the choices gives, as it is or swapped.
template <class Make>
static std::optional<MatchedProduct> match(const Program &program, Make make) {
  std::optional<Body> body = bodyOf(program);
  std::optional<Roles> roles = body ? rolesOf(program, *body) : std::nullopt;
  if (!roles) {
    return std::nullopt;
  }
  std::optional<MatchedProduct> best;
  double most = 0;
  auto consider = [&](const Choice &choice, bool isSwapped) {
    std::optional<Product> product = make(choice);
    if (!product) {
      return;
    }
    double size = static_cast<double>(dim::estimate(product->rows)) *
                  static_cast<double>(dim::estimate(product->columns));
    if (best && size <= most) {
      return;
    }
    most = size;
    product->scale = body->scale;
    product->a.offset = (isSwapped ? body->b : body->a).constant();
    product->b.offset = (isSwapped ? body->a : body->b).constant();
    product->c.offset = body->c.constant();
    best = {*product, body->portA, body->portB, body->dtype};
    if (isSwapped) {
      std::swap(best->a, best->b);
    }
  };
  for (const Choice &choice : choicesOf(*roles)) {
    consider(choice, false);
    consider(swapped(choice), true);
  }
  auto isDistance = [](int64_t offset) {
    return dim::provablyAtMost(0, offset);
  };
  bool isForward = best && isDistance(best->product.a.offset) &&
                   isDistance(best->product.b.offset) && isDistance(best->product.c.offset);
  return isForward ? best : std::nullopt;
}

std::optional<MatchedProduct> matchMatrixProduct(const Program &program) {
  return match(program, matrixProduct);
}

std::optional<MatchedProduct> matchVectorProduct(const Program &program) {
  return match(program, vectorProduct);
}

} // namespace zyxc::kernelize
