#include "compiler/kernelize/emit/BodyBuilder.h"
#include "compiler/kernelize/program/ProgramSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/IntegerSet.h"
#include <bit>

namespace zyxc::kernelize {

namespace arith = mlir::arith;

BodyBuilder::BodyBuilder(mlir::OpBuilder &b, zyxk::KernelOp k, const Program &p)
    : builder(b), loc(k.getLoc()), kernel(k), program(p), sizes(b.getContext(), p) {}

void BodyBuilder::build() {
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&kernel.getBlock());
  if (program.family == Family::Routine) {
    emitRoutine();
  }
  for (const Value &value : program.values) {
    values.push_back(emit(value));
  }
  for (const Store &store : program.stores) {
    emitStore(store);
  }
}

mlir::Value BodyBuilder::emit(const Value &value) {
  switch (value.op) {
  case Value::Op::Literal: return emitLiteral(value);
  case Value::Op::Index:
    return arith::IndexCastOp::create(builder, loc, scalarType(builder.getContext(), value.dtype),
                                      emitIndex(value.coords[0]));
  case Value::Op::Load: return emitLoad(value);
  case Value::Op::Scalar: return emitElementwise(value);
  case Value::Op::Where: return emitWhere(value);
  case Value::Op::Reduce: return emitReduce(value);
  case Value::Op::Scan: return emitScan(value);
  case Value::Op::SoftmaxSum: return emitSoftmaxSum(value);
  case Value::Op::Contract: break;
  }
  mlir::Value a = contractOperand(value.operands[0], value.dtype);
  mlir::Value b = contractOperand(value.operands[1], value.dtype);
  return zyxk::ContractOp::create(builder, loc, scalarType(builder.getContext(), value.dtype), a, b,
                                  builder.getDenseI64ArrayAttr(value.axes));
}

mlir::Value BodyBuilder::emitLiteral(const Value &value) {
  return isFloat(value.dtype)
             ? emitConstant(builder, loc, value.dtype, std::bit_cast<double>(value.literal))
             : emitIntConstant(builder, loc, value.dtype, static_cast<int64_t>(value.literal));
}

mlir::AffineMap BodyBuilder::coordinateMap(const std::vector<IndexExpr> &coords,
                                           size_t numOperands) const {
  llvm::SmallVector<mlir::AffineExpr> results;
  for (const IndexExpr &coord : coords) {
    results.push_back(sizes(coord));
  }
  return mlir::AffineMap::get(static_cast<unsigned>(program.extents.size() + numOperands),
                              sizes.numDims(), results, builder.getContext());
}

mlir::IntegerSet BodyBuilder::guardSet(const std::vector<Constraint> &guard) const {
  llvm::SmallVector<mlir::AffineExpr> constraints;
  for (const Constraint &constraint : guard) {
    auto [least, most] = constraint.expr.range(program.extents);
    mlir::AffineExpr expr = sizes(constraint.expr);
    if (!dim::provablyAtMost(constraint.low, least)) {
      constraints.push_back(expr - sizes(constraint.low)); // expr >= low
    }
    if (!dim::provablyLess(most, constraint.high)) {
      constraints.push_back(sizes(dim::sub(constraint.high, 1)) - expr); // expr < high
    }
  }
  llvm::SmallVector<bool> equalities(constraints.size(), false);
  return mlir::IntegerSet::get(static_cast<unsigned>(program.extents.size()), sizes.numDims(),
                               constraints, equalities);
}

mlir::Value BodyBuilder::emitAtom(const IndexAtom &atom) {
  if (atom.kind == IndexAtom::Kind::Dim) {
    return zyxk::IndexOp::create(builder, loc, builder.getIndexType(), atom.value);
  }
  mlir::Value argument = emitIndex(*atom.argument);
  mlir::Value divisor = emitSize(atom.value);
  mlir::Value quotient = arith::FloorDivSIOp::create(builder, loc, argument, divisor);
  if (atom.kind == IndexAtom::Kind::FloorDiv) {
    return quotient;
  }
  mlir::Value whole = arith::MulIOp::create(builder, loc, quotient, divisor);
  return arith::SubIOp::create(builder, loc, argument, whole);
}

mlir::Value BodyBuilder::emitIndex(const IndexExpr &expr) {
  mlir::Value sum;
  for (const IndexExpr::Term &term : expr.terms()) {
    mlir::Value part = emitAtom(term.atom);
    if (term.coefficient != 1) {
      mlir::Value factor = emitSize(term.coefficient);
      part = arith::MulIOp::create(builder, loc, part, factor);
    }
    sum = sum ? arith::AddIOp::create(builder, loc, sum, part).getResult() : part;
  }
  if (expr.constant() != 0 || !sum) {
    mlir::Value constant = emitSize(expr.constant());
    sum = sum ? arith::AddIOp::create(builder, loc, sum, constant).getResult() : constant;
  }
  return sum;
}

mlir::Value BodyBuilder::emitFactor(const dim::Factor &factor) {
  if (isAffineFactor(factor)) {
    mlir::Value argument = emitSize(factor.a);
    return arith::FloorDivSIOp::create(builder, loc, argument, emitSize(factor.b));
  }
  auto dim = [&](int64_t size) {
    return zyxk::DimOp::create(builder, loc, builder.getIndexType(), sizes.dimOf(size));
  };
  auto [positive, negative] = dimsOf(factor);
  mlir::Value value = dim(positive);
  return negative == 0 ? value
                       : arith::SubIOp::create(builder, loc, value, dim(negative)).getResult();
}

mlir::Value BodyBuilder::emitSize(int64_t size) {
  if (!dim::isSymbolic(size)) {
    return arith::ConstantIndexOp::create(builder, loc, size);
  }
  mlir::Value sum;
  for (const dim::Term &term : orderedTerms(size, program)) {
    mlir::Value product;
    if (term.coefficient != 1 || term.factors.empty()) {
      product = arith::ConstantIndexOp::create(builder, loc, term.coefficient);
    }
    for (const dim::Factor &factor : term.factors) {
      mlir::Value value = emitFactor(factor);
      product = product ? arith::MulIOp::create(builder, loc, product, value).getResult() : value;
    }
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product).getResult() : product;
  }
  return sum;
}

mlir::Value BodyBuilder::emitLoad(const Value &value) {
  llvm::SmallVector<mlir::Value> coords;
  for (ValueId operand : value.operands) {
    coords.push_back(
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), values[operand]));
  }
  // A coordinate from data is in range by the value itself or not at all: clamp it.
  zyxk::Oob oob = coords.empty() ? zyxk::Oob::Prove : zyxk::Oob::Clamp;
  mlir::Value loaded = zyxk::LoadOp::create(
      builder, loc, kernel.getPortType(value.port).getElementType(), kernel.getPort(value.port),
      coords, coordinateMap(value.coords, coords.size()), oob);
  return emitFromStorage(builder, loc, value.dtype, loaded);
}

mlir::Value BodyBuilder::emitElementwise(const Value &value) {
  llvm::SmallVector<mlir::Value> operands;
  for (ValueId operand : value.operands) {
    operands.push_back(values[operand]);
  }
  // Operands share a dtype; the first of a select is its condition.
  DType dtype = program.values[value.operands.back()].dtype;
  return emitScalar(builder, loc, value.kind, dtype, operands, value.dtype);
}

mlir::Value BodyBuilder::emitWhere(const Value &value) {
  mlir::Value inside = values[value.operands[0]];
  return zyxk::WhereOp::create(builder, loc, inside.getType(), inside, values[value.operands[1]],
                               guardSet(value.guard));
}

static zyxk::ReduceKind reduceKind(OpKind kind, DType dtype) {
  bool unsignedOrder = isUnsigned(dtype) || dtype == DType::Bool;
  using enum zyxk::ReduceKind;
  switch (kind) {
  case OpKind::ReduceSum:
  case OpKind::ScanSum: return Add;
  case OpKind::ReduceProd:
  case OpKind::ScanProd: return Mul;
  case OpKind::ReduceMax:
  case OpKind::ScanMax: return unsignedOrder ? UMax : Max;
  case OpKind::ReduceMin:
  case OpKind::ScanMin: return unsignedOrder ? UMin : Min;
  case OpKind::ReduceAnd: return And;
  case OpKind::ReduceOr: return Or;
  case OpKind::ArgMax: return unsignedOrder ? UArgMax : ArgMax;
  default: assert(kind == OpKind::ArgMin); return unsignedOrder ? UArgMin : ArgMin;
  }
}

mlir::Value BodyBuilder::convert(mlir::Value value, DType from, DType to) {
  return from == to ? value : emitScalar(builder, loc, OpKind::Cast, from, value, to);
}

// 8-bit floats are integers in the body: they are combined as f32.
mlir::Value BodyBuilder::emitReduce(const Value &value) {
  DType from = program.values[value.operands[0]].dtype;
  DType combined = isSmallFloat(from) ? DType::F32 : from;
  mlir::Value operand = convert(values[value.operands[0]], from, combined);
  bool isArg = value.kind == OpKind::ArgMax || value.kind == OpKind::ArgMin;
  mlir::Value result = zyxk::ReduceOp::create(
      builder, loc, isArg ? builder.getI64Type() : operand.getType(), reduceKind(value.kind, from),
      operand, builder.getDenseI64ArrayAttr(value.axes), zyxk::ReduceOrder::Free, value.last);
  if (!isArg && !program.dims.empty() && value.dtype == DType::F8E4M3FN) {
    result = clampToFinite(value.kind, result);
  }
  return isArg ? result : convert(result, combined, value.dtype);
}

/// In f32 an extreme of no elements is infinite, where f8E4M3FN, which has no infinity, has its
/// largest number. Only axes of open size can be empty here.
mlir::Value BodyBuilder::clampToFinite(OpKind kind, mlir::Value extreme) {
  if (kind != OpKind::ReduceMax && kind != OpKind::ReduceMin) {
    return extreme;
  }
  double identity = reduceIdentity(kind, DType::F8E4M3FN).f;
  mlir::Value largest = emitConstant(builder, loc, DType::F32, identity);
  OpKind clamp = kind == OpKind::ReduceMax ? OpKind::Max : OpKind::Min;
  return emitScalar(builder, loc, clamp, DType::F32, {extreme, largest}, DType::F32);
}

mlir::Value BodyBuilder::emitScan(const Value &value) {
  DType dtype = program.values[value.operands[0]].dtype;
  mlir::Value operand = values[value.operands[0]];
  return zyxk::ScanOp::create(builder, loc, operand.getType(), reduceKind(value.kind, dtype),
                              operand, value.axes[0], value.exclusive, value.reverse);
}

// Where all logits are -inf both sums are 0 (else that of the weights is at least 1), and their
// quotient is NaN, as the softmax is.
mlir::Value BodyBuilder::emitSoftmaxSum(const Value &value) {
  mlir::Value logits = values[value.operands[0]];
  mlir::Value weight = contractOperand(value.operands[1], value.dtype);
  mlir::Type type = logits.getType();
  auto expsum = zyxk::ExpsumOp::create(builder, loc, type, llvm::SmallVector<mlir::Type>(2, type),
                                       logits, mlir::ValueRange(weight), value.axes,
                                       llvm::ArrayRef<bool>{true, false});
  mlir::Value sum = expsum.getSums()[0];
  if (value.guarded) {
    mlir::Value zero = emitConstant(builder, loc, value.dtype, 0);
    mlir::Value isHidden =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, sum, zero);
    mlir::Value one = emitConstant(builder, loc, value.dtype, 1);
    sum = arith::SelectOp::create(builder, loc, isHidden, one, sum);
  }
  return arith::DivFOp::create(builder, loc, expsum.getSums()[1], sum);
}

void BodyBuilder::emitRoutine() {
  llvm::SmallVector<mlir::Value> ports;
  for (unsigned port = 0; port < program.ports.size(); ++port) {
    ports.push_back(kernel.getPort(port));
  }
  auto cost =
      mlir::AffineMap::get(0, sizes.numDims(), {sizes(program.routineOps)}, builder.getContext());
  zyxk::OpaqueOp::create(builder, loc, llvm::StringRef(program.routine), ports,
                         builder.getDenseI64ArrayAttr(program.params),
                         mlir::AffineMapAttr::get(cost));
}

// A contraction widens signed integers and floats itself; other operands are converted before.
mlir::Value BodyBuilder::contractOperand(ValueId operand, DType accumulate) {
  DType from = program.values[operand].dtype;
  bool widens = !isSmallFloat(from) && isFloat(from) == isFloat(accumulate) && !isUnsigned(from) &&
                from != DType::Bool && bitWidth(from) <= bitWidth(accumulate);
  return widens ? values[operand] : convert(values[operand], from, accumulate);
}

void BodyBuilder::emitStore(const Store &store) {
  DType dtype = program.ports[store.port].type.dtype;
  mlir::Value stored = emitToStorage(builder, loc, dtype, values[store.value]);
  zyxk::StoreOp::create(builder, loc, stored, kernel.getPort(store.port), mlir::ValueRange(),
                        coordinateMap(store.coords, 0), zyxk::Combine::None);
}

} // namespace zyxc::kernelize
