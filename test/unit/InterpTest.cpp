// The interpreter's loops against element by element evaluation.
#include "compiler/interp/Interp.h"
#include "dialects/zyx/semantics/Infer.h"
#include "dialects/zyx/semantics/Scalar.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

using namespace zyxc;
using Ints = std::vector<int64_t>;

static std::mt19937_64 &generator() {
  static std::mt19937_64 random(5);
  return random;
}

/// Random bits, so that NaN, infinities and denormals occur.
static Tensor randomBits(TensorType type) {
  Tensor tensor = Tensor::allocate(std::move(type));
  for (size_t i = 0; i < tensor.byteSize(); ++i) {
    auto byte = static_cast<uint8_t>(generator()());
    tensor.asMutable<uint8_t>()[i] = tensor.dtype() == DType::Bool ? byte & 1 : byte;
    if (isSubByte(tensor.dtype()) && !isFloat(tensor.dtype())) {
      tensor.setInt(static_cast<int64_t>(i), byte);
    }
  }
  return tensor;
}

static Tensor numbered(Shape shape) {
  Tensor tensor = Tensor::allocate({DType::I32, std::move(shape)});
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    tensor.setInt(i, i);
  }
  return tensor;
}

static Tensor run(OpKind kind, const Attrs &attrs, std::vector<Tensor> operands) {
  Expected<Tensor> value = interp::evaluate(kind, attrs, operands);
  INFO(name(kind) << " " << attrs.toString() << (value ? "" : value.error().message()));
  REQUIRE(static_cast<bool>(value));
  return *value;
}

static Scalar element(const Tensor &tensor, int64_t i) {
  return loadScalar(tensor.dtype(), tensor.data() + i * byteSize(tensor.dtype()));
}

/// Same bits, or both NaN.
static bool same(DType dtype, Scalar a, Scalar b) {
  if (isFloat(dtype) && a.f != a.f) {
    return b.f != b.f;
  }
  return a.i == b.i;
}

TEST_CASE("elementwise loops agree with scalar evaluation on every dtype", "[interp]") {
  for (int number = 0; number < numOpKinds(); ++number) {
    auto kind = static_cast<OpKind>(number);
    if (!isUnary(kind) && !isBinary(kind)) {
      continue;
    }
    for (const DTypeInfo &row : dtypeTable) {
      if (!isDefinedOn(kind, row.dtype)) {
        continue;
      }
      Tensor x = randomBits({row.dtype, {700}}); // more than one block
      Tensor y = randomBits({row.dtype, {700}});
      Tensor result = isUnary(kind) ? run(kind, {}, {x}) : run(kind, {}, {x, y});
      for (int64_t i = 0; i < 700; ++i) {
        Scalar expected = isUnary(kind) ? evalUnary(kind, row.dtype, element(x, i))
                                        : evalBinary(kind, row.dtype, element(x, i), element(y, i));
        INFO(name(kind) << " " << row.name << " element " << i);
        REQUIRE(same(result.dtype(), element(result, i), expected));
      }
    }
  }
}

TEST_CASE("casts agree with scalar evaluation for every pair of dtypes", "[interp]") {
  for (const DTypeInfo &from : dtypeTable) {
    Tensor x = randomBits({from.dtype, {600}});
    for (const DTypeInfo &to : dtypeTable) {
      Tensor result = run(OpKind::Cast, {{"dtype", to.dtype}}, {x});
      for (int64_t i = 0; i < 600; ++i) {
        INFO(from.name << " to " << to.name << " element " << i);
        REQUIRE(same(to.dtype, element(result, i), evalCast(from.dtype, to.dtype, element(x, i))));
      }
    }
  }
}

TEST_CASE("movement follows the index map", "[interp]") {
  Tensor x = numbered({4, 6, 5});
  Shape viewShape = {3, 8, 5};
  IndexMap reshaped = reshapeMap(x.shape(), Shape{8, 3, 5});
  IndexMap swapped{3, {IndexExpr::dim(1), IndexExpr::dim(0), IndexExpr::dim(2)}};
  std::vector<std::pair<OpKind, Attrs>> cases = {
      {OpKind::Reshape, {{"shape", Ints{2, 60}}}},
      {OpKind::Permute, {{"perm", Ints{2, 0, 1}}}},
      {OpKind::Permute, {{"perm", Ints{1, 0, 2}}}},
      {OpKind::Narrow,
       {{"starts", Ints{1, 0, 2}}, {"sizes", Ints{2, 3, 1}}, {"steps", Ints{2, 2, 1}}}},
      {OpKind::Flip, {{"axes", Ints{0, 2}}}},
      {OpKind::Window, {{"sizes", Ints{3, 2}}, {"strides", Ints{2, 1}}, {"dilations", Ints{1, 3}}}},
      {OpKind::View, {{"map", compose(reshaped, swapped, viewShape)}, {"shape", viewShape}}},
  };
  for (const auto &[kind, attrs] : cases) {
    Tensor result = run(kind, attrs, {x});
    IndexMap map = movementMap(kind, attrs, x.type(), result.type());
    IndexExpr offset = linearize(map.results, x.shape());
    std::vector<int64_t> at(result.type().rank(), 0);
    for (int64_t i = 0; i < result.numElements(); ++i) {
      INFO(name(kind) << " " << map.toString() << " element " << i);
      REQUIRE(result.asInt(i) == offset.evaluate(at));
      for (size_t axis = at.size(); axis-- > 0 && ++at[axis] == result.shape()[axis];) {
        at[axis] = 0;
      }
    }
  }
}

TEST_CASE("identity movements have identity maps", "[interp]") {
  TensorType type{DType::F32, {1, 3, 1, 4}};
  REQUIRE(
      movementMap(OpKind::Reshape, {{"shape", type.shape}}, type, type).isIdentityOn(type.shape));
  REQUIRE(movementMap(OpKind::Permute, {{"perm", Ints{2, 1, 0, 3}}}, type, type)
              .isIdentityOn(type.shape));
  REQUIRE(movementMap(OpKind::Flip, {{"axes", Ints{0}}}, type, type).isIdentityOn(type.shape));
  REQUIRE(!movementMap(OpKind::Flip, {{"axes", Ints{1}}}, type, type).isIdentityOn(type.shape));
}

TEST_CASE("a large transpose is exact in every tile", "[interp]") {
  Tensor x = numbered({70, 3, 90});
  Tensor result = run(OpKind::Permute, {{"perm", Ints{2, 1, 0}}}, {x});
  for (int64_t i = 0; i < result.numElements(); ++i) {
    int64_t a = i / (3 * 70);
    int64_t b = i / 70 % 3;
    REQUIRE(result.asInt(i) == (i % 70 * 3 + b) * 90 + a);
  }
}

TEST_CASE("pad, concat, expand and select", "[interp]") {
  Tensor x = numbered({2, 2});
  Tensor padded = run(OpKind::Pad, {{"low", Ints{1, 0}}, {"high", Ints{0, 1}}},
                      {x, Tensor::scalarInt(DType::I32, -7)});
  Ints expected = {-7, -7, -7, 0, 1, -7, 2, 3, -7};
  for (int64_t i = 0; i < 9; ++i) {
    REQUIRE(padded.asInt(i) == expected[i]);
  }
  Tensor joined =
      run(OpKind::Concat, {{"axis", int64_t{1}}}, {x, numbered({2, 0}), numbered({2, 1})});
  Ints joinedExpected = {0, 1, 0, 2, 3, 1};
  for (int64_t i = 0; i < 6; ++i) {
    REQUIRE(joined.asInt(i) == joinedExpected[i]);
  }
  Tensor repeated = run(OpKind::Expand, {{"shape", Ints{2, 3}}}, {numbered({2, 1})});
  REQUIRE(repeated.asInt(2) == 0);
  REQUIRE(repeated.asInt(3) == 1);
  Tensor condition = run(OpKind::Lt, {}, {x, numbered({2, 2})});
  REQUIRE(run(OpKind::Select, {}, {condition, x, numbered({2, 2})}).identical(x));
}

TEST_CASE("gather clamps and counts from the end", "[interp]") {
  Tensor x = numbered({2, 3, 2});
  Tensor indices = Tensor::fromInts(Ints{0, -1, -5, 9});
  Tensor result = run(OpKind::Gather, {{"axis", int64_t{1}}}, {x, indices});
  Ints expected = {0, 1, 4, 5, 0, 1, 4, 5, 6, 7, 10, 11, 6, 7, 10, 11};
  for (int64_t i = 0; i < 16; ++i) {
    REQUIRE(result.asInt(i) == expected[i]);
  }
}

TEST_CASE("reductions agree with steps in any set of axes", "[interp]") {
  for (OpKind kind : {OpKind::ReduceSum, OpKind::ReduceProd, OpKind::ReduceMax, OpKind::ReduceMin,
                      OpKind::ReduceAnd, OpKind::ReduceOr}) {
    for (DType dtype : {DType::I8, DType::U16, DType::I64, DType::U64, DType::F16, DType::F64}) {
      if (!isDefinedOn(kind, dtype)) {
        continue;
      }
      Tensor x = randomBits({dtype, {3, 4, 5}});
      for (const Ints &axes : {Ints{0}, Ints{1}, Ints{2}, Ints{0, 2}, Ints{0, 1, 2}, Ints{}}) {
        Tensor result = run(kind, {{"axes", axes}}, {x});
        std::vector<Scalar> sums(result.numElements(), reduceIdentity(kind, dtype));
        for (int64_t i = 0; i < 60; ++i) {
          Ints at = {i / 20, i / 5 % 4, i % 5};
          int64_t target = 0;
          for (int64_t axis = 0; axis < 3; ++axis) {
            bool reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
            target = reduced ? target : target * x.shape()[axis] + at[axis];
          }
          sums[target] = reduceStep(kind, dtype, sums[target], element(x, i));
        }
        for (int64_t i = 0; i < result.numElements(); ++i) {
          uint64_t bits = 0;
          storeScalar(dtype, sums[i], &bits);
          INFO(name(kind) << " " << name(dtype) << " over " << listText(axes));
          REQUIRE(same(dtype, element(result, i), loadScalar(dtype, &bits)));
        }
      }
    }
  }
}

TEST_CASE("NaN is the extreme value of argmax, wherever it stands", "[interp]") {
  for (int64_t place = 0; place < 9; ++place) {
    Tensor x = Tensor::allocate({DType::F32, {9}});
    for (int64_t i = 0; i < 9; ++i) {
      x.setDouble(i, i == place ? NAN : static_cast<double>(i));
    }
    for (OpKind kind : {OpKind::ArgMax, OpKind::ArgMin}) {
      REQUIRE(run(kind, {{"axes", Ints{0}}, {"last", int64_t{0}}}, {x}).asInt(0) == place);
    }
    REQUIRE(std::isnan(run(OpKind::ReduceMax, {{"axes", Ints{0}}}, {x}).asDouble(0)));
  }
  Tensor x = run(OpKind::Cast, {{"dtype", DType::U8}}, {numbered({2, 2})});
  x.setInt(0, 3);
  REQUIRE(run(OpKind::ArgMax, {{"axes", Ints{0}}, {"last", int64_t{0}}}, {x}).asInt(1) == 1);
  x.setInt(2, 3);
  REQUIRE(run(OpKind::ArgMax, {{"axes", Ints{0}}, {"last", int64_t{0}}}, {x}).asInt(0) == 0);
  REQUIRE(run(OpKind::ArgMax, {{"axes", Ints{0}}, {"last", int64_t{1}}}, {x}).asInt(0) == 1);
}

TEST_CASE("empty tensors and what has no value", "[interp]") {
  Tensor empty = Tensor::zeros({DType::F32, {2, 0}});
  REQUIRE(run(OpKind::ReduceSum, {{"axes", Ints{1}}}, {empty}).asDouble(1) == 0);
  REQUIRE(run(OpKind::ReduceMax, {{"axes", Ints{1}}}, {empty}).asDouble(1) == -INFINITY);
  REQUIRE(run(OpKind::Matmul, {}, {empty, Tensor::zeros({DType::F32, {0, 3}})}).asDouble(5) == 0);
  REQUIRE(run(OpKind::Softmax, {{"axes", Ints{1}}}, {empty}).numElements() == 0);
  Attrs huge = {{"shape", Ints{1ll << 50}}, {"axis", int64_t{0}}, {"dtype", DType::F32}};
  REQUIRE(interp::evaluate(OpKind::Iota, huge, {}).error().code() == ErrorCode::OutOfMemory);
  Expected<Tensor> variable = interp::evaluate(OpKind::Variable, {{"name", std::string("N")}}, {});
  REQUIRE(variable.error().message() == "variable: has no value before it is bound");
}
