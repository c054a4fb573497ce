// Result types: right for valid ops, one clear line for the rest, and no crash whatever comes.
#include "dialects/zyx/semantics/GraphBuilder.h"
#include <array>
#include <catch2/catch.hpp>
#include <random>

using namespace zyxc;
using Ints = std::vector<int64_t>;

static TensorType f32(Shape shape) {
  return {DType::F32, std::move(shape)};
}

static std::string infer(OpKind kind, const Attrs &attrs, std::vector<TensorType> operands) {
  Expected<TensorType> type = inferType(kind, attrs, operands);
  if (!type) {
    // Operands that do not fit are a malformed model, ops that a dtype has not are unsupported.
    bool isUndefined = type.error().message().find("is not defined on") != std::string::npos;
    REQUIRE(type.error().code() == (isUndefined ? ErrorCode::Unsupported : ErrorCode::Input));
    REQUIRE(type.error().message().find('\n') == std::string::npos);
    return type.error().message();
  }
  return toString(*type);
}

TEST_CASE("result types of valid ops", "[infer]") {
  REQUIRE(infer(OpKind::Add, {}, {f32({2, 3}), f32({2, 3})}) == "f32[2,3]");
  REQUIRE(infer(OpKind::Lt, {}, {f32({2}), f32({2})}) == "bool[2]");
  REQUIRE(infer(OpKind::IsNan, {}, {f32({2})}) == "bool[2]");
  REQUIRE(infer(OpKind::Cast, {{"dtype", DType::I8}}, {f32({4})}) == "i8[4]");
  REQUIRE(infer(OpKind::ReduceSum, {{"axes", Ints{0, 2}}}, {f32({2, 3, 4})}) == "f32[3]");
  REQUIRE(infer(OpKind::ArgMax, {{"axes", Ints{1}}, {"last", int64_t{0}}}, {f32({2, 3})}) ==
          "i64[2]");
  REQUIRE(infer(OpKind::Matmul, {}, {f32({3, 1, 2, 4}), f32({5, 4, 6})}) == "f32[3,5,2,6]");
  REQUIRE(infer(OpKind::Matmul, {}, {f32({4}), f32({4})}) == "f32[]");
  REQUIRE(infer(OpKind::Window, {{"sizes", Ints{3}}, {"strides", Ints{2}}, {"dilations", Ints{2}}},
                {f32({2, 9})}) == "f32[2,3,3]");
  REQUIRE(infer(OpKind::Conv,
                {{"strides", Ints{2, 2}},
                 {"low", Ints{3, 3}},
                 {"high", Ints{3, 3}},
                 {"dilations", Ints{1, 1}},
                 {"groups", int64_t{1}}},
                {f32({1, 3, 224, 224}), f32({64, 3, 7, 7})}) == "f32[1,64,112,112]");
  REQUIRE(infer(OpKind::Gather, {{"axis", int64_t{1}}}, {f32({2, 9, 4}), {DType::I32, {5, 6}}}) ==
          "f32[2,5,6,4]");
  REQUIRE(infer(OpKind::Stack, {{"axis", int64_t{1}}}, {f32({2}), f32({2}), f32({2})}) ==
          "f32[2,3]");
}

TEST_CASE("shapes of movement, reductions, comparisons and stacks", "[infer]") {
  // KZ-T-S1
  TensorType x = f32({2, 3});
  Attrs pad = {{"low", Ints{1, 0}}, {"high", Ints{2, 0}}};
  CHECK(infer(OpKind::Permute, {{"perm", Ints{1, 0}}}, {x}) == "f32[3,2]");
  CHECK(infer(OpKind::ReduceSum, {{"axes", Ints{1}}}, {x}) == "f32[2]");
  CHECK(infer(OpKind::Pad, pad, {x, f32({})}) == "f32[5,3]");
  CHECK(infer(OpKind::Narrow,
              {{"starts", Ints{0, 1}}, {"sizes", Ints{2, 2}}, {"steps", Ints{1, 1}}},
              {x}) == "f32[2,2]");
  // KZ-T-S2
  Expected<TensorType> less = inferType(OpKind::Lt, {}, std::array{f32({4}), f32({4})});
  REQUIRE(less);
  CHECK(*less == TensorType{DType::Bool, {4}});
  CHECK(less->byteSize() == 4);
  // KZ-T-S3
  CHECK(infer(OpKind::Stack, {{"axis", int64_t{0}}}, {f32({4}), f32({4})}) == "f32[2,4]");
  // KZ-T-S4: a full reduction has rank 0 everywhere, so there is no axis to pad.
  CHECK(infer(OpKind::ReduceSum, {{"axes", Ints{0, 1}}}, {x}) == "f32[]");
  CHECK(infer(OpKind::Pad, {{"low", Ints{0}}, {"high", Ints{1}}}, {f32({}), f32({})}) ==
        "pad: low [0] has 1 entries, 0 are needed");
}

TEST_CASE("errors name the op and both values", "[infer]") {
  REQUIRE(infer(OpKind::Permute, {{"perm", Ints{0, 0}}}, {f32({2, 3})}) ==
          "permute: perm [0, 0] is not a permutation of 2 axes");
  REQUIRE(infer(OpKind::Add, {}, {f32({2}), f32({3})}) ==
          "add: operand types f32[2] and f32[3] differ");
  REQUIRE(infer(OpKind::Exp, {}, {{DType::I32, {2}}}) == "exp: is not defined on i32");
  REQUIRE(infer(OpKind::Reshape, {{"shape", Ints{4}}}, {f32({2, 3})}) ==
          "reshape: f32[2,3] has 6 elements, shape [4] has 4");
  REQUIRE(infer(OpKind::Reshape, {{"shape", Ints{-1, -6}}}, {f32({2, 3})}) ==
          "reshape: shape [-1, -6] has a negative dim or too many elements");
  REQUIRE(infer(OpKind::ReduceMax, {{"axes", Ints{2}}}, {f32({2, 3})}) ==
          "reduce_max: axis 2 is out of range for rank 2");
  REQUIRE(infer(OpKind::Conv,
                {{"strides", Ints{}},
                 {"low", Ints{}},
                 {"high", Ints{}},
                 {"dilations", Ints{}},
                 {"groups", int64_t{1}}},
                {f32({1, 3, 8, 8}), f32({})}) ==
          "conv: x is f32[1,3,8,8] and w is f32[]: their ranks differ");
  REQUIRE(infer(OpKind::Matmul, {}, {f32({2, 3}), f32({4, 5})}) ==
          "matmul: f32[2,3] by f32[4,5]: inner dims 3 and 4 differ");
  REQUIRE(infer(OpKind::Add, {}, {f32({2})}) == "add: needs 2 operands, has 1");
  REQUIRE(infer(OpKind::Concat, {{"axis", int64_t{0}}}, {}) ==
          "concat: needs at least one operand, has none");
  REQUIRE(infer(OpKind::Flip, {}, {f32({2})}) == "flip: attribute axes is missing");
  REQUIRE(infer(OpKind::Expand, {{"shape", Ints{1ll << 40, 1ll << 40}}}, {f32({1, 1})}) ==
          "expand: shape [1099511627776, 1099511627776] has a negative dim or too many elements");
}

TEST_CASE("a view must stay inside its operand", "[infer]") {
  IndexMap map{1, {IndexExpr::dim(0) * 2 + IndexExpr(1)}};
  auto view = [&](int64_t size) {
    return infer(OpKind::View, {{"map", map}, {"shape", Ints{size}}}, {f32({6})});
  };
  REQUIRE(view(3) == "f32[3]");
  REQUIRE(view(4).find("can leave axis 0 of f32[6]") != std::string::npos);
  // Interval arithmetic alone would not see that d0 - (d0 floordiv 4) * 3 stays below 5.
  Shape extents = {8};
  map.results[0] = IndexExpr::dim(0) - floorDiv(IndexExpr::dim(0), 4, extents) * 3;
  REQUIRE(view(8) == "f32[8]");
  map.results[0] = IndexExpr::dim(3);
  REQUIRE(view(3).find("malformed") != std::string::npos);
  map.results[0] = IndexExpr::dim(0) * INT64_MAX;
  REQUIRE(view(3).find("malformed") != std::string::npos);
}

TEST_CASE("broadcastShape follows NumPy", "[infer]") {
  REQUIRE(*broadcastShape(Shape{2, 1, 4}, Shape{3, 1}) == Shape{2, 3, 4});
  REQUIRE(*broadcastShape(Shape{}, Shape{0, 1}) == Shape{0, 1});
  REQUIRE(*broadcastShape(Shape{1}, Shape{0}) == Shape{0});
  REQUIRE(broadcastShape(Shape{2}, Shape{3}).error().message() ==
          "shapes [2] and [3] do not broadcast");
}

TEST_CASE("random attributes and operands never crash inference", "[infer]") {
  std::mt19937_64 random(11);
  auto number = [&]() -> int64_t {
    constexpr int64_t extremes[] = {INT64_MIN, INT64_MAX, -1, 1ll << 40, 1ll << 58, 64};
    return random() % 8 == 0 ? extremes[random() % 6] : static_cast<int64_t>(random() % 5);
  };
  auto list = [&] {
    Ints values(random() % 5);
    for (int64_t &value : values) {
      value = number();
    }
    return values;
  };
  auto expr = [&] {
    IndexExpr sum(number());
    for (uint64_t first : {0, 2}) {
      auto dim = static_cast<int64_t>(first + random() % 2);
      sum = sum + IndexExpr::fromTerm({number(), {IndexAtom::Kind::Dim, dim, nullptr}});
    }
    return random() % 2 ? sum
                        : IndexExpr::fromTerm(
                              {number(),
                               {IndexAtom::Kind::Mod, number(), std::make_shared<IndexExpr>(sum)}});
  };
  int accepted = 0;
  for (int round = 0; round < 200000; ++round) {
    auto kind = static_cast<OpKind>(random() % numOpKinds());
    Attrs attrs;
    for (const AttrInfo &row : info(kind).attributes) {
      IndexMap map{number(), {expr(), expr()}};
      AttrValue values[] = {number(),
                            0.5,
                            list(),
                            std::string("name"),
                            static_cast<DType>(random() % numDTypes),
                            Tensor::scalar(DType::F32, 1),
                            map};
      bool wrong = random() % 32 == 0;
      attrs.set(row.name, values[wrong ? random() % 7 : static_cast<size_t>(row.type)]);
    }
    std::vector<TensorType> operands(random() % 4);
    DType dtype = static_cast<DType>(random() % numDTypes);
    for (TensorType &operand : operands) {
      operand = random() % 2 && &operand != &operands[0]
                    ? operands[0]
                    : TensorType{random() % 8 ? dtype : DType::I64, list()};
    }
    Expected<TensorType> type = inferType(kind, attrs, operands);
    accepted += static_cast<bool>(type);
    REQUIRE((!type || checkedNumElements(type->shape)));
  }
  REQUIRE(accepted > 1000);
}
