#include "dialects/zyxk/IR/text/AffineText.h"
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace zyxc::zyxk {

/// Parentheses and signs nested deeper than this are refused.
static constexpr unsigned maxDepth = 200;
/// Terms of one expression: walks of expressions recur, and MLIR's rules for one term look at all.
static constexpr unsigned maxTerms = 2000;

unsigned NameTable::find(StringRef name) {
  auto *at = llvm::find(names, name);
  if (at == names.end()) {
    names.push_back(name);
    return names.size() - 1;
  }
  return at - names.begin();
}

//===- Parsing -------------------------------------------------------------------------------===//

ParseResult AffineTextParser::tooLarge(SMLoc loc) {
  return parser.emitError(loc,
                          "the numbers of an expression are too large: it could leave 64 bits");
}

/// `left op right`, with the checks that MLIR only asserts.
ParseResult AffineTextParser::combine(char op, AffineExpr &left, AffineExpr right) {
  if (op == '+' || op == '-') {
    if (magnitudeOf(left) > mostMagnitude - std::min(magnitudeOf(right), mostMagnitude)) {
      return tooLarge(parser.getCurrentLocation());
    }
    left = op == '+' ? left + right : left - right;
    return success();
  }
  if (op == '*') {
    if (magnitudeOf(left) > mostMagnitude / std::max<int64_t>(magnitudeOf(right), 1)) {
      return tooLarge(parser.getCurrentLocation());
    }
    if (!left.isSymbolicOrConstant() || !right.isSymbolicOrConstant()) {
      if (!isa<AffineConstantExpr>(left) && !isa<AffineConstantExpr>(right)) {
        return parser.emitError(parser.getCurrentLocation(),
                                "an SSA coordinate can only be multiplied by a constant");
      }
    }
    left = left * right;
    return success();
  }
  auto divisor = dyn_cast<AffineConstantExpr>(right);
  if (divisor ? divisor.getValue() <= 0 : !right.isSymbolicOrConstant()) {
    return parser.emitError(parser.getCurrentLocation(),
                            "floordiv and mod need a positive constant or dims on the right");
  }
  if (magnitudeOf(right) > mostMagnitude) {
    return tooLarge(parser.getCurrentLocation());
  }
  left = op == '/' ? left.floorDiv(right) : left % right;
  return success();
}

ParseResult AffineTextParser::parseAtom(AffineExpr &expr) {
  MLIRContext *context = parser.getContext();
  OpAsmParser::UnresolvedOperand operand;
  int64_t integer = 0;
  StringRef name;
  if (++depth > maxDepth) {
    return parser.emitError(parser.getCurrentLocation(), "expression is nested too deeply");
  }
  if (++terms > maxTerms) {
    return parser.emitError(parser.getCurrentLocation(), "expression has more than ")
           << maxTerms << " terms";
  }
  if (OptionalParseResult number = parser.parseOptionalInteger(integer); number.has_value()) {
    expr = getAffineConstantExpr(integer, context);
    if (failed(*number)) {
      return failure();
    }
  } else if (succeeded(parser.parseOptionalMinus())) {
    if (parseAtom(expr)) {
      return failure();
    }
    expr = -expr;
  } else if (succeeded(parser.parseOptionalLParen())) {
    if (parseSum(expr) || parser.parseRParen()) {
      return failure();
    }
  } else if (succeeded(parser.parseOptionalKeyword(&name))) {
    expr = getAffineSymbolExpr(names.find(name), context);
  } else if (!operands) {
    return parser.emitError(parser.getCurrentLocation(), "expected an axis, a dim or an integer");
  } else {
    if (parser.parseOperand(operand)) {
      return failure();
    }
    expr = getAffineDimExpr(operands->size(), context);
    operands->push_back(operand);
  }
  --depth;
  return success();
}

ParseResult AffineTextParser::parseProduct(AffineExpr &expr) {
  if (parseAtom(expr)) {
    return failure();
  }
  while (true) {
    char op = 0;
    if (succeeded(parser.parseOptionalStar())) {
      op = '*';
    } else if (succeeded(parser.parseOptionalKeyword("floordiv"))) {
      op = '/';
    } else if (succeeded(parser.parseOptionalKeyword("mod"))) {
      op = '%';
    } else {
      return success();
    }
    AffineExpr right;
    if (parseAtom(right) || combine(op, expr, right)) {
      return failure();
    }
  }
}

ParseResult AffineTextParser::parseSum(AffineExpr &expr) {
  if (parseProduct(expr)) {
    return failure();
  }
  while (true) {
    AffineExpr right;
    bool plus = succeeded(parser.parseOptionalPlus());
    if (!plus && failed(parser.parseOptionalMinus())) {
      return success();
    }
    if (parseProduct(right) || combine(plus ? '+' : '-', expr, right)) {
      return failure();
    }
  }
}

ParseResult AffineTextParser::parseExpr(AffineExpr &expr) {
  SMLoc loc = parser.getCurrentLocation();
  terms = 0;
  if (parseSum(expr)) {
    return failure();
  }
  if (magnitudeOf(expr) > mostMagnitude) { // of a single number
    return tooLarge(loc);
  }
  // What is printed must be read again.
  if (nestingOf(expr) > maxDepth) {
    return parser.emitError(loc, "expression is nested too deeply");
  }
  return success();
}

ParseResult AffineTextParser::parseCoordinates(AffineMap &map) {
  SmallVector<AffineExpr> results;
  auto parseOne = [&] {
    return parseExpr(results.emplace_back());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne)) {
    return failure();
  }
  map = AffineMap::get(operands ? operands->size() : 0, names.names.size(), results,
                       parser.getContext());
  return success();
}

ParseResult AffineTextParser::parseConstraint(SmallVectorImpl<AffineExpr> &exprs,
                                              SmallVectorImpl<bool> &equalities) {
  AffineExpr left;
  AffineExpr right;
  enum { Less, LessEqual, Greater, GreaterEqual, Equal } relation = Equal;
  if (parseExpr(left)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalLess())) {
    relation = succeeded(parser.parseOptionalEqual()) ? LessEqual : Less;
  } else if (succeeded(parser.parseOptionalGreater())) {
    relation = succeeded(parser.parseOptionalEqual()) ? GreaterEqual : Greater;
  } else if (parser.parseEqual() || parser.parseEqual()) {
    return failure();
  }
  if (parseExpr(right)) {
    return failure();
  }
  bool swap = relation == Less || relation == LessEqual;
  AffineExpr difference = swap ? right - left : left - right;
  if (relation == Less || relation == Greater) {
    difference = difference - 1;
  }
  exprs.push_back(difference);
  equalities.push_back(relation == Equal);
  return success();
}

ParseResult AffineTextParser::parseConstraints(IntegerSet &set) {
  SmallVector<AffineExpr> exprs;
  SmallVector<bool> equalities;
  do {
    if (parseConstraint(exprs, equalities)) {
      return failure();
    }
  } while (succeeded(parser.parseOptionalKeyword("and")));
  set = IntegerSet::get(0, names.names.size(), exprs, equalities);
  return success();
}

//===- Names to affine dims and symbols ------------------------------------------------------===//

namespace {

/// Rebuilds expressions over names as expressions over axes and dims.
class Resolver {
public:
  Resolver(ArrayRef<StringRef> names, const NameScope &scope, ErrorFn error)
      : scope(scope), error(error) {
    for (StringRef name : names) {
      auto axis = llvm::find(scope.axes, name);
      auto dim = llvm::find(scope.dims, name);
      if (axis != scope.axes.end()) {
        meaning.push_back(static_cast<int64_t>(axis - scope.axes.begin()));
      } else if (dim != scope.dims.end()) {
        meaning.push_back(-1 - static_cast<int64_t>(dim - scope.dims.begin()));
      } else {
        error() << "unknown axis or dim '" << name << "'";
        ok = false;
        return;
      }
    }
  }

  AffineExpr resolve(AffineExpr expr) {
    MLIRContext *context = expr.getContext();
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
      int64_t to = meaning[symbol.getPosition()];
      return to >= 0 ? getAffineDimExpr(to, context) : getAffineSymbolExpr(-1 - to, context);
    }
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      return getAffineDimExpr(scope.axes.size() + dim.getPosition(), context);
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary) {
      return expr;
    }
    AffineExpr left = resolve(binary.getLHS());
    AffineExpr right = resolve(binary.getRHS());
    bool multiplies = expr.getKind() == AffineExprKind::Mul && !left.isSymbolicOrConstant();
    bool divides =
        expr.getKind() == AffineExprKind::FloorDiv || expr.getKind() == AffineExprKind::Mod;
    if ((multiplies || divides) && !right.isSymbolicOrConstant()) {
      if (ok) {
        error() << (divides ? "an expression divides by an axis"
                            : "an expression multiplies two axes");
      }
      ok = false;
      return left;
    }
    return getAffineBinaryOpExpr(expr.getKind(), left, right);
  }

  bool ok = true;

private:
  const NameScope &scope;
  ErrorFn error;
  SmallVector<int64_t> meaning; ///< axis, or -1 - dim
};

} // namespace

FailureOr<AffineMap> resolveNames(AffineMap map, ArrayRef<StringRef> names, const NameScope &scope,
                                  ErrorFn error) {
  Resolver resolver(names, scope, error);
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : resolver.ok ? map.getResults() : ArrayRef<AffineExpr>()) {
    results.push_back(resolver.resolve(expr));
  }
  if (!resolver.ok) {
    return failure();
  }
  return AffineMap::get(scope.axes.size() + map.getNumDims(), scope.dims.size(), results,
                        map.getContext());
}

FailureOr<IntegerSet> resolveNames(IntegerSet set, ArrayRef<StringRef> names,
                                   const NameScope &scope, ErrorFn error) {
  Resolver resolver(names, scope, error);
  SmallVector<AffineExpr> constraints;
  for (AffineExpr expr : resolver.ok ? set.getConstraints() : ArrayRef<AffineExpr>()) {
    constraints.push_back(resolver.resolve(expr));
  }
  if (!resolver.ok) {
    return failure();
  }
  return IntegerSet::get(scope.axes.size(), scope.dims.size(), constraints, set.getEqFlags());
}

//===- Printing ------------------------------------------------------------------------------===//

namespace {

class Printer {
public:
  Printer(raw_ostream &os, const NameScope &scope, llvm::function_ref<void(unsigned)> operand)
      : os(os), scope(scope), operand(operand) {}

  void print(AffineExpr expr) {
    if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
        sum && expr.getKind() == AffineExprKind::Add) {
      print(sum.getLHS());
      printAddend(sum.getRHS());
      return;
    }
    printProduct(expr);
  }

private:
  /// `+ x`, or `- x` for a negative constant or factor.
  void printAddend(AffineExpr expr) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr);
        constant && constant.getValue() < 0 && constant.getValue() != INT64_MIN) {
      os << " - " << -constant.getValue();
      return;
    }
    auto product = dyn_cast<AffineBinaryOpExpr>(expr);
    if (product && expr.getKind() == AffineExprKind::Mul) {
      auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
      if (factor && factor.getValue() < 0 && factor.getValue() != INT64_MIN) {
        os << " - ";
        printProduct(product.getLHS() * -factor.getValue());
        return;
      }
    }
    os << " + ";
    printProduct(expr);
  }

  void printProduct(AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary) {
      printAtom(expr);
      return;
    }
    if (expr.getKind() == AffineExprKind::Add) {
      os << '(';
      print(expr);
      os << ')';
      return;
    }
    printFactor(binary.getLHS());
    os << (expr.getKind() == AffineExprKind::Mul        ? " * "
           : expr.getKind() == AffineExprKind::FloorDiv ? " floordiv "
           : expr.getKind() == AffineExprKind::CeilDiv  ? " ceildiv "
                                                        : " mod ");
    printFactor(binary.getRHS());
  }

  void printFactor(AffineExpr expr) {
    if (isa<AffineBinaryOpExpr>(expr)) {
      os << '(';
      print(expr);
      os << ')';
      return;
    }
    printAtom(expr);
  }

  void printAtom(AffineExpr expr) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      os << constant.getValue();
      return;
    }
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
      unsigned at = symbol.getPosition();
      if (at < scope.dims.size()) {
        os << scope.dims[at];
      } else {
        os << "s" << at;
      }
      return;
    }
    unsigned at = cast<AffineDimExpr>(expr).getPosition();
    if (at < scope.axes.size()) {
      os << scope.axes[at];
    } else if (operand) {
      operand(at - scope.axes.size());
    } else {
      os << "d" << at;
    }
  }

  raw_ostream &os;
  const NameScope &scope;
  llvm::function_ref<void(unsigned)> operand;
};

} // namespace

void printExpr(raw_ostream &os, AffineExpr expr, const NameScope &scope,
               llvm::function_ref<void(unsigned)> printOperand) {
  Printer(os, scope, printOperand).print(expr);
}

/// Splits a sum into terms; those with a negative constant or factor go to `negative`, negated.
static void splitTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &positive,
                       SmallVectorImpl<AffineExpr> &negative) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Add) {
    splitTerms(binary.getLHS(), positive, negative);
    splitTerms(binary.getRHS(), positive, negative);
    return;
  }
  auto constant = dyn_cast<AffineConstantExpr>(expr);
  if (!constant && binary && expr.getKind() == AffineExprKind::Mul) {
    constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  }
  bool isNegative = constant && constant.getValue() < 0 && constant.getValue() != INT64_MIN;
  (isNegative ? negative : positive).push_back(isNegative ? -expr : expr);
}

static AffineExpr sumOf(ArrayRef<AffineExpr> terms, MLIRContext *context) {
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (AffineExpr term : terms) {
    sum = sum + term;
  }
  return sum;
}

void printConstraints(raw_ostream &os, IntegerSet set, const NameScope &scope) {
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    SmallVector<AffineExpr> positive;
    SmallVector<AffineExpr> negative;
    splitTerms(set.getConstraint(i), positive, negative);
    AffineExpr left = sumOf(positive, set.getContext());
    AffineExpr right = sumOf(negative, set.getContext());
    const char *relation = set.isEq(i) ? " == " : " >= ";
    if (isa<AffineConstantExpr>(left) && !isa<AffineConstantExpr>(right)) {
      std::swap(left, right);
      relation = set.isEq(i) ? " == " : " <= ";
    }
    os << (i ? " and " : "");
    printExpr(os, left, scope);
    os << relation;
    printExpr(os, right, scope);
  }
}

} // namespace zyxc::zyxk
