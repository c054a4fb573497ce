#include "test/unit/SymbolicGraphs.h"
#include <catch2/catch.hpp>

namespace zyxc {

using graph::ClassId;

int64_t sizeOf(std::string_view text) {
  Expected<int64_t> parsed = dim::parse(text);
  REQUIRE(parsed);
  return *parsed;
}

Shape sizesOf(std::initializer_list<std::string_view> texts) {
  Shape shape;
  for (std::string_view text : texts) {
    shape.push_back(sizeOf(text));
  }
  return shape;
}

ClassId SymbolicGraph::x(std::initializer_list<std::string_view> shape, DType dtype) {
  return leaf("x" + std::to_string(count++), {dtype, sizesOf(shape)});
}

ClassId SymbolicGraph::reduce(OpKind kind, ClassId a, Shape axes) {
  return op(kind, {a}, {{"axes", std::move(axes)}});
}

ClassId SymbolicGraph::permute(ClassId a, Shape perm) {
  return op(OpKind::Permute, {a}, {{"perm", std::move(perm)}});
}

ClassId SymbolicGraph::narrow(ClassId a, Shape starts, Shape lengths, Shape steps) {
  return op(
      OpKind::Narrow, {a},
      {{"starts", std::move(starts)}, {"sizes", std::move(lengths)}, {"steps", std::move(steps)}});
}

ClassId SymbolicGraph::variable(std::string_view text, const Shape &shape) {
  ClassId scalar = op(OpKind::Variable, {}, {{"name", std::string(text)}});
  ClassId number = op(OpKind::Cast, {scalar}, {{"dtype", DType::F32}});
  return expand(reshape(number, Shape(shape.size(), 1)), shape);
}

std::vector<dim::Bindings> SymbolicCase::bindings() const {
  std::vector<dim::Bindings> all;
  for (int64_t n : values) {
    for (int64_t m : values) {
      all.push_back({{"N", n}, {"M", m}});
    }
  }
  return all;
}

namespace {

void buildBroadcast(SymbolicGraph &g) {
  ClassId row = g.expand(g.x({"1", "M"}), sizesOf({"N", "M"}));
  ClassId column = g.expand(g.reshape(g.x({"N"}), sizesOf({"N", "1"})), sizesOf({"N", "M"}));
  g.output("y", g.op(OpKind::Mul, {g.add(g.x({"N", "M"}), row), g.relu(column)}));
}

void buildSoftmax(SymbolicGraph &g) {
  g.output("y", g.op(OpKind::Softmax, {g.x({"N", "M"})}, {{"axes", Shape{1}}}));
}

void buildLayerNorm(SymbolicGraph &g) {
  Shape shape = sizesOf({"N", "M"});
  auto mean = [&](ClassId value) {
    ClassId total = g.reduce(OpKind::ReduceSum, value, {1});
    ClassId result = g.op(OpKind::Div, {total, g.variable("M", sizesOf({"N"}))});
    return g.expand(g.reshape(result, sizesOf({"N", "1"})), shape);
  };
  ClassId x = g.x({"N", "M"});
  ClassId centred = g.op(OpKind::Sub, {x, mean(x)});
  ClassId variance = mean(g.op(OpKind::Mul, {centred, centred}));
  ClassId one = g.constant(Tensor::scalar(DType::F32, 1));
  ClassId root = g.op(OpKind::Sqrt, {g.add(variance, g.expand(g.reshape(one, {1, 1}), shape))});
  g.output("y", g.op(OpKind::Div, {centred, root}));
}

void buildExtremes(SymbolicGraph &g) {
  ClassId x = g.x({"N", "M"});
  g.output("max", g.reduce(OpKind::ReduceMax, x, {0, 1}));
  g.output("at", g.op(OpKind::ArgMax, {x}, {{"axes", Shape{1}}, {"last", int64_t{0}}}));
}

void buildDense(SymbolicGraph &g) {
  ClassId product = g.op(OpKind::Matmul, {g.x({"N", "6"}), g.weights({DType::F32, {6, 5}})});
  ClassId bias = g.reshape(g.weights({DType::F32, {5}}), {1, 5});
  g.output("y", g.relu(g.add(product, g.expand(bias, sizesOf({"N", "5"})))));
}

void buildBatchedProduct(SymbolicGraph &g) {
  g.output("y", g.op(OpKind::Matmul, {g.x({"N", "3", "M"}), g.x({"N", "M", "4"})}));
}

void buildMergedRows(SymbolicGraph &g) {
  ClassId repeated = g.expand(g.x({"N", "1", "6"}), sizesOf({"N", "M", "6"}));
  ClassId rows = g.reshape(g.add(g.x({"N", "M", "6"}), repeated), sizesOf({"N * M", "6"}));
  ClassId product = g.op(OpKind::Matmul, {rows, g.weights({DType::F32, {6, 5}})});
  g.output("y", g.reshape(product, sizesOf({"N", "M", "5"})));
}

void buildConvolutions(SymbolicGraph &g) {
  ClassId x = g.x({"N", "3", "M + 3", "5"});
  g.output("y", g.conv(g.relu(g.conv(x, 4, 3)), 2, 3, 2));
}

/// A reshape between ops, so that kernels read through it.
std::function<void(SymbolicGraph &)> reshaped(std::initializer_list<std::string_view> fromTexts,
                                              std::initializer_list<std::string_view> toTexts) {
  return [from = sizesOf(fromTexts), to = sizesOf(toTexts)](SymbolicGraph &g) {
    ClassId x = g.op(OpKind::Exp, {g.leaf("from", {DType::F32, from})});
    g.output("y", g.add(g.reshape(x, to), g.leaf("to", {DType::F32, to})));
  };
}

/// Neither side can be read by its row-major offset.
void buildOtherRows(SymbolicGraph &g) {
  ClassId x = g.add(g.x({"N", "M"}), g.expand(g.x({"N", "1"}), sizesOf({"N", "M"})));
  ClassId y = g.expand(g.x({"M", "1"}), sizesOf({"M", "N"}));
  g.output("y", g.add(g.reshape(x, sizesOf({"M", "N"})), y));
}

void buildMergedTranspose(SymbolicGraph &g) {
  ClassId x = g.permute(g.x({"N", "M"}), {1, 0});
  ClassId scale = g.permute(g.expand(g.x({"N", "1"}), sizesOf({"N", "M"})), {1, 0});
  g.output("y", g.reshape(g.add(x, scale), sizesOf({"N * M"})));
}

void buildConcat(SymbolicGraph &g) {
  ClassId x = g.concat({g.x({"N", "3"}), g.x({"M", "3"}), g.x({"2", "3"})}, 0);
  g.output("y", g.op(OpKind::Exp, {g.permute(x, {1, 0})}));
}

void buildPad(SymbolicGraph &g) {
  ClassId padding = g.constant(Tensor::scalar(DType::F32, 0.5));
  g.output("y", g.op(OpKind::Pad, {g.x({"N", "3"}), padding},
                     {{"low", sizesOf({"M", "0"})}, {"high", sizesOf({"1", "N"})}}));
}

void buildNarrow(SymbolicGraph &g) {
  ClassId x = g.x({"2 * N + M + 1"});
  ClassId part = g.narrow(x, sizesOf({"M"}), sizesOf({"N"}), {2});
  g.output("y", g.add(part, g.narrow(x, sizesOf({"N + M"}), sizesOf({"N"}), {1})));
}

void buildFromEnd(SymbolicGraph &g) { // sizes that affine expressions cannot write
  ClassId x = g.op(OpKind::Exp, {g.x({"N", "3"})});
  ClassId part = g.narrow(x, sizesOf({"max(N - M, 0)", "0"}), sizesOf({"min(N, M)", "3"}), {1, 1});
  g.output("y", g.op(OpKind::Mul, {part, part}));
}

/// What depends on constants and sizes alone cannot be made before the sizes are known.
void buildPartOfConstant(SymbolicGraph &g) {
  ClassId table = g.op(OpKind::Exp, {g.weights({DType::F32, {10, 3}})});
  ClassId part = g.narrow(table, sizesOf({"N", "0"}), {2, 3}, {1, 1});
  g.output("y", g.add(g.x({"2", "3"}), part));
}

void buildGather(SymbolicGraph &g) {
  ClassId rows = g.x({"M"}, DType::I64);
  g.output("y", g.op(OpKind::Gather, {g.x({"N", "3"}), rows}, {{"axis", int64_t{0}}}));
}

void buildIota(SymbolicGraph &g) {
  ClassId iota =
      g.op(OpKind::Iota, {},
           {{"shape", sizesOf({"N", "M"})}, {"axis", int64_t{1}}, {"dtype", DType::F32}});
  g.output("y", g.add(g.x({"N", "M"}), iota));
}

void buildSizes(SymbolicGraph &g) {
  g.output("size", g.op(OpKind::Variable, {}, {{"name", std::string("N * M + 1")}}));
  ClassId factor = g.variable("min(2 * N - M, 3) + floordiv(N + 1, 2)", sizesOf({"N"}));
  g.output("y", g.op(OpKind::Mul, {g.x({"N"}), factor}));
}

} // namespace

std::vector<SymbolicCase> symbolicCases() {
  std::vector<int64_t> any = {0, 1, 2, 7};
  std::vector<int64_t> positive = {1, 2, 7};
  return {
      {"broadcast", buildBroadcast, any},
      {"softmax", buildSoftmax, {0, 1, 2, 16}},
      {"layer norm", buildLayerNorm, any},
      {"extremes", buildExtremes, positive},
      {"dense layer", buildDense, any},
      {"batched product", buildBatchedProduct, any},
      {"product of merged rows", buildMergedRows, any},
      {"convolutions", buildConvolutions, {0, 1, 4}},
      {"merge with 4", reshaped({"N", "4"}, {"4 * N"}), any},
      {"split by 4", reshaped({"4 * N"}, {"N", "4"}), any},
      {"merge", reshaped({"N", "M"}, {"N * M"}), any},
      {"split", reshaped({"N * M", "3"}, {"N", "M", "3"}), any},
      {"merge inside", reshaped({"N", "M", "4"}, {"N", "4 * M"}), any},
      {"other rows", reshaped({"N", "M"}, {"M", "N"}), any},
      {"other rows of a sum", buildOtherRows, any, /*divides=*/true},
      {"uneven rows", reshaped({"N", "6", "M"}, {"2 * N", "3 * M"}), any},
      {"merged transpose", buildMergedTranspose, any},
      {"concatenation", buildConcat, any},
      {"padding", buildPad, any},
      {"narrow", buildNarrow, any},
      {"narrow from the end", buildFromEnd, any},
      {"part of a constant", buildPartOfConstant, any},
      {"gather", buildGather, positive},
      {"iota", buildIota, any},
      {"sizes as values", buildSizes, any},
  };
}

} // namespace zyxc
