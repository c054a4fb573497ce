// Arithmetic at import on integers that stand for sizes over open dims.
#include "compiler/import/node/SizeValue.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using importer::evaluateSizes;
using importer::SizeValue;

/// Sizes as text, as a value of an operand.
static SizeValue sizes(const std::vector<std::string> &texts) {
  std::vector<int64_t> values;
  for (const std::string &text : texts) {
    Expected<int64_t> size = dim::parse(text);
    REQUIRE(size);
    values.push_back(*size);
  }
  return {Tensor::fromInts(values), dim::anySymbolic(values)};
}

static std::string evaluated(OpKind kind, const std::vector<SizeValue> &operands,
                             const Attrs &attrs = {}) {
  Expected<SizeValue> result = evaluateSizes(kind, attrs, operands);
  if (!result) {
    return result.error().message();
  }
  std::vector<int64_t> values;
  for (int64_t i = 0; i < result->tensor.numElements(); ++i) {
    values.push_back(result->tensor.asInt(i));
  }
  REQUIRE(result->open == dim::anySymbolic(values));
  return importer::sizesText(values);
}

TEST_CASE("integers and sizes combine by dim's rules", "[onnx][dims]") {
  SizeValue x = sizes({"N", "2 * N + 2", "6"});
  SizeValue y = sizes({"2", "2", "N"});
  REQUIRE(evaluated(OpKind::Add, {x, y}) == "[N + 2,2 * N + 4,N + 6]");
  REQUIRE(evaluated(OpKind::Sub, {x, x}) == "[0,0,0]");
  REQUIRE(evaluated(OpKind::Mul, {x, y}) == "[2 * N,4 * N + 4,6 * N]");
  REQUIRE(evaluated(OpKind::Div, {x, y}) == "[floordiv(N, 2),N + 1,floordiv(6, N)]");
  REQUIRE(evaluated(OpKind::Neg, {x}) == "[-N,-2 * N - 2,-6]");
  REQUIRE(evaluated(OpKind::Max, {x, sizes({"0", "1", "0"})}) == "[N,2 * N + 2,6]");
  SizeValue ends{Tensor::fromInts(std::vector<int64_t>{INT64_MAX, INT64_MAX, 1})};
  REQUIRE(evaluated(OpKind::Min, {x, ends}) == "[N,2 * N + 2,1]");
}

TEST_CASE("comparisons of sizes hold for all values or are not known", "[onnx][dims]") {
  SizeValue x = sizes({"N", "N + 1"});
  REQUIRE(evaluated(OpKind::Eq, {x, sizes({"-1", "0"})}) == "[0,0]");
  REQUIRE(evaluated(OpKind::Eq, {x, x}) == "[1,1]");
  REQUIRE(evaluated(OpKind::Ge, {x, sizes({"0", "1"})}) == "[1,1]");
  REQUIRE(evaluated(OpKind::Eq, {x, sizes({"1", "1"})}) ==
          "'eq' of [N,1] decides a shape, but is not known for all sizes: give --dim N=SIZE");
}

TEST_CASE("sizes move, and are summed and multiplied over axes", "[onnx][dims]") {
  SizeValue x = sizes({"N", "3", "M"});
  REQUIRE(evaluated(OpKind::Reshape, {x}, {{"shape", Shape{3, 1}}}) == "[N,3,M]");
  REQUIRE(evaluated(OpKind::Gather, {x, sizes({"2", "0"})}, {{"axis", int64_t(0)}}) == "[M,N]");
  REQUIRE(evaluated(OpKind::Concat, {x, sizes({"-1"})}, {{"axis", int64_t(0)}}) == "[N,3,M,-1]");
  std::vector<int64_t> axes = {0};
  REQUIRE(evaluated(OpKind::ReduceProd, {x}, {{"axes", axes}}) == "[3 * M * N]");
  REQUIRE(evaluated(OpKind::ReduceSum, {x}, {{"axes", axes}}) == "[M + N + 3]");
  REQUIRE(evaluated(OpKind::Cast, {x}, {{"dtype", DType::I32}}) == "[N,3,M]");
  REQUIRE_THAT(evaluated(OpKind::Cast, {x}, {{"dtype", DType::F32}}),
               Catch::Contains("give --dim M=SIZE --dim N=SIZE"));
  REQUIRE(evaluated(OpKind::Variable, {}, {{"name", std::string("2 * N")}}) == "[2 * N]");
}
