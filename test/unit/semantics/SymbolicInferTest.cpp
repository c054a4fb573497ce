// Result types over symbolic sizes: at each value of the variables they are those of the op on the
// bound operands, and it is valid where the guards say so.
#include "dialects/zyx/semantics/BindSizes.h"
#include "dialects/zyx/semantics/GraphBuilder.h"
#include <catch2/catch.hpp>

using namespace zyxc;

namespace {

int64_t of(std::string_view text) {
  Expected<int64_t> size = dim::parse(text);
  REQUIRE(size);
  return *size;
}

Shape shapeOf(std::initializer_list<std::string_view> sizes) {
  Shape shape;
  for (std::string_view text : sizes) {
    shape.push_back(of(text));
  }
  return shape;
}

TensorType f32(std::initializer_list<std::string_view> sizes) {
  return {DType::F32, shapeOf(sizes)};
}

struct Case {
  OpKind kind;
  Attrs attrs;
  std::vector<TensorType> operands;
  std::string result; ///< with the guards after it
};

std::vector<Case> cases() {
  using K = OpKind;
  Attrs conv = {{"strides", Shape{2, 1}},
                {"low", Shape{1, 0}},
                {"high", Shape{1, 0}},
                {"dilations", Shape{1, 2}},
                {"groups", int64_t(1)}};
  TensorType indices{DType::I64, shapeOf({"M"})};
  return {
      {K::Add, {}, {f32({"N", "M"}), f32({"N", "M"})}, "f32[N,M]"},
      {K::Cast, {{"dtype", DType::F16}}, {f32({"2 * N"})}, "f16[2 * N]"},
      {K::ReduceSum, {{"axes", Shape{0}}}, {f32({"N", "M"})}, "f32[M]"},
      {K::ArgMax, {{"axes", Shape{0}}, {"last", int64_t(0)}}, {f32({"N", "M"})}, "i64[M] N - 1"},
      {K::Reshape, {{"shape", shapeOf({"N", "4", "M"})}}, {f32({"N", "4 * M"})}, "f32[N,4,M]"},
      {K::Permute, {{"perm", Shape{1, 0}}}, {f32({"N", "M"})}, "f32[M,N]"},
      {K::Expand, {{"shape", shapeOf({"N", "M"})}}, {f32({"1", "M"})}, "f32[N,M]"},
      {K::Pad,
       {{"low", shapeOf({"M"})}, {"high", Shape{1}}},
       {f32({"N"}), f32({})},
       "f32[M + N + 1]"},
      {K::Narrow,
       {{"starts", Shape{1}}, {"sizes", shapeOf({"N - 1"})}, {"steps", Shape{1}}},
       {f32({"N"})},
       "f32[N - 1] N - 1"},
      {K::Narrow,
       {{"starts", shapeOf({"min(3, N)"})},
        {"sizes", shapeOf({"max(min(9, N) - min(3, N), 0)"})},
        {"steps", Shape{1}}},
       {f32({"N"})},
       "f32[-min(3, N) + min(9, N)]"},
      {K::Narrow,
       {{"starts", Shape{1}}, {"sizes", shapeOf({"floordiv(N, 2)"})}, {"steps", Shape{2}}},
       {f32({"N"})},
       "f32[floordiv(N, 2)] N - 1"},
      {K::View,
       {{"map", IndexMap{2, {IndexExpr(2), IndexExpr::dim(0)}}}, {"shape", shapeOf({"M", "4"})}},
       {f32({"N", "M"})},
       "f32[M,4] max(-4 * M, N - 3)"},
      {K::Flip, {{"axes", Shape{0}}}, {f32({"N"})}, "f32[N]"},
      {K::Window,
       {{"sizes", Shape{3}}, {"strides", Shape{2}}, {"dilations", Shape{1}}},
       {f32({"N"})},
       "f32[floordiv(N + 1, 2) - 1,3] N - 3 floordiv(N + 1, 2) - 1"},
      {K::Iota,
       {{"shape", shapeOf({"N"})}, {"axis", int64_t(0)}, {"dtype", DType::I64}},
       {},
       "i64[N]"},
      {K::Concat, {{"axis", int64_t(0)}}, {f32({"N", "2"}), f32({"M", "2"})}, "f32[M + N,2]"},
      {K::Stack, {{"axis", int64_t(0)}}, {f32({"N"}), f32({"N"})}, "f32[2,N]"},
      {K::Gather, {{"axis", int64_t(0)}}, {f32({"N", "3"}), indices}, "f32[M,3] max(-M, N - 1)"},
      {K::Matmul, {}, {f32({"N", "8"}), f32({"8", "M"})}, "f32[N,M]"},
      {K::Matmul, {}, {f32({"1", "N", "M"}), f32({"K", "M", "4"})}, "f32[K,N,4]"},
      {K::Softmax, {{"axes", Shape{1}}}, {f32({"N", "M"})}, "f32[N,M]"},
      {K::Conv,
       conv,
       {f32({"N", "3", "M", "K"}), f32({"8", "3", "3", "3"})},
       "f32[N,8,floordiv(M + 1, 2),K - 4] M - 1 K - 5 K - 4"},
      {K::ScanSum,
       {{"axis", int64_t(0)}, {"exclusive", int64_t(0)}, {"reverse", int64_t(0)}},
       {f32({"N"})},
       "f32[N]"},
      {K::Variable, {{"name", std::string("2 * N + 1")}}, {}, "i64[]"},
  };
}

} // namespace

TEST_CASE("types over symbolic sizes are right at every value", "[infer]") {
  for (const Case &c : cases()) {
    std::vector<int64_t> guards;
    Expected<TensorType> type = inferType(c.kind, c.attrs, c.operands, &guards);
    INFO(name(c.kind));
    INFO((type ? "" : type.error().message()));
    REQUIRE(type);
    std::string text = toString(*type);
    for (int64_t guard : guards) {
      text += " " + dim::toString(guard);
    }
    CHECK(text == c.result);
    for (int64_t value : {0, 1, 2, 3, 5, 8}) {
      for (int64_t other : {0, 1, 4, 7}) {
        dim::Bindings sizes = {{"N", value}, {"M", other}, {"K", value + other}};
        bool isValid = true;
        for (int64_t guard : guards) {
          isValid &= *dim::evaluate(guard, sizes) >= 0;
        }
        std::vector<TensorType> bound;
        for (const TensorType &operand : c.operands) {
          bound.push_back(bindSizes(operand, sizes));
        }
        Expected<TensorType> plain = inferType(c.kind, bindSizes(c.attrs, sizes), bound);
        INFO("N " << value << " M " << other << " K " << value + other);
        CHECK(static_cast<bool>(plain) == isValid);
        if (plain && isValid) {
          CHECK(*plain == bindSizes(*type, sizes));
        }
      }
    }
  }
}

TEST_CASE("sizes that provably differ or leave their bounds are refused", "[infer]") {
  auto refusal = [](OpKind kind, const Attrs &attrs, std::vector<TensorType> operands) {
    Expected<TensorType> type = inferType(kind, attrs, operands);
    return type ? toString(*type) : type.error().message();
  };
  CHECK(refusal(OpKind::Add, {}, {f32({"N"}), f32({"M"})}) ==
        "add: operand types f32[N] and f32[M] differ");
  CHECK(refusal(OpKind::Matmul, {}, {f32({"2", "N"}), f32({"8", "3"})}) ==
        "matmul: f32[2,N] by f32[8,3]: inner dims N and 8 differ");
  CHECK(refusal(OpKind::Reshape, {{"shape", shapeOf({"N"})}}, {f32({"N", "2"})}) ==
        "reshape: f32[N,2] has 2 * N elements, shape [N] has N");
  CHECK(refusal(
            OpKind::Narrow, {{"starts", Shape{1}}, {"sizes", shapeOf({"N"})}, {"steps", Shape{1}}},
            {f32({"N"})}) == "narrow: start 1 with N elements by step 1 leaves axis 0 of f32[N]");
  CHECK(refusal(OpKind::Window,
                {{"sizes", Shape{8}}, {"strides", Shape{1}}, {"dilations", Shape{1}}},
                {f32({"min(N, 7)"})}) ==
        "window: a window of 8 elements, 1 apart, exceeds the extent min(7, N)");
  CHECK(refusal(OpKind::Reshape, {{"shape", Shape{of("N") + 1}}}, {f32({"N"})})
            .find("which exceeds the limit") != std::string::npos);
  CHECK(refusal(OpKind::Variable, {{"name", std::string("N N")}}, {}) ==
        "variable: size 'N N': an operator is expected at character 3");
}
