// Hand-made plans with loops and branches over i64, with native kernels. Test code only.
#pragma once
#include "runtime/exec/Executor.h"
#include <catch2/catch.hpp>

namespace zyxc::test {

inline const TensorType number{DType::I64, {}}, flag{DType::Bool, {}};

template <class T> T &at(const uint64_t *args, int port) {
  return *reinterpret_cast<T *>(args[port]);
}
/// (a, b, sum) of numbers.
inline void add(const uint64_t *args, int64_t, int64_t) {
  at<int64_t>(args, 2) = at<int64_t>(args, 0) + at<int64_t>(args, 1);
}
/// (a, b, sum) of the tasks' elements.
inline void addAll(const uint64_t *args, int64_t lo, int64_t hi) {
  for (int64_t i = lo; i < hi; ++i) {
    (&at<int64_t>(args, 2))[i] = (&at<int64_t>(args, 0))[i] + (&at<int64_t>(args, 1))[i];
  }
}
/// (a, copy) of numbers.
inline void copy(const uint64_t *args, int64_t, int64_t) {
  at<int64_t>(args, 1) = at<int64_t>(args, 0);
}
/// (a, twice).
inline void twice(const uint64_t *args, int64_t, int64_t) {
  at<int64_t>(args, 1) = 2 * at<int64_t>(args, 0);
}
/// (a, b, a < b).
inline void less(const uint64_t *args, int64_t, int64_t) {
  at<uint8_t>(args, 2) = at<int64_t>(args, 0) < at<int64_t>(args, 1);
}
/// (a, whether it is odd).
inline void odd(const uint64_t *args, int64_t, int64_t) {
  at<uint8_t>(args, 1) = at<int64_t>(args, 0) % 2 != 0;
}
/// (flag): true.
inline void yes(const uint64_t *args, int64_t, int64_t) {
  at<uint8_t>(args, 0) = 1;
}
/// (list, i, element i).
inline void pick(const uint64_t *args, int64_t, int64_t) {
  at<int64_t>(args, 2) = (&at<int64_t>(args, 0))[at<int64_t>(args, 1)];
}

inline rt::BufferRef in(uint32_t index, uint64_t bytes = 8) {
  return {rt::Space::Input, index, 0, bytes};
}
inline rt::BufferRef out(uint32_t index, uint64_t bytes = 8) {
  return {rt::Space::Output, index, 0, bytes};
}
inline rt::BufferRef constant(uint32_t index, uint64_t bytes = 8) {
  return {rt::Space::Constant, index, 0, bytes};
}
inline rt::BufferRef arena(uint64_t offset, uint64_t bytes = 8) {
  return {rt::Space::Arena, 0, offset, bytes};
}
inline rt::BufferRef prepared(uint64_t offset, uint64_t bytes = 8) {
  return {rt::Space::Prepared, 0, offset, bytes};
}

inline rt::Kernel ifKernel(uint32_t then, uint32_t otherwise) {
  rt::Kernel kernel;
  kernel.name = "branch";
  kernel.control = {rt::Control::Kind::If, {then, otherwise}, 0, 0};
  return kernel;
}
inline rt::Kernel loopKernel(uint32_t body, int64_t limit, uint32_t numCarried) {
  rt::Kernel kernel;
  kernel.name = "loop";
  kernel.control = {rt::Control::Kind::Loop, {body}, limit, numCarried};
  return kernel;
}

inline Tensor numbers(std::initializer_list<int64_t> values) {
  return Tensor::fromInts(std::vector<int64_t>(values));
}
inline Tensor numberOf(int64_t value) {
  return Tensor::scalarInt(DType::I64, value);
}
inline Tensor flagOf(bool value) {
  return Tensor::scalarInt(DType::Bool, value);
}

inline std::unique_ptr<rt::Executor> loaded(rt::Plan plan, int threads = 1) {
  auto executor = rt::Executor::load(std::move(plan), {threads, 0});
  INFO((executor ? "" : executor.error().message()));
  REQUIRE(executor);
  return *std::move(executor);
}

inline std::vector<Tensor> ran(rt::Executor &executor, std::vector<Tensor> inputs) {
  auto outputs = executor.run(inputs);
  INFO((outputs ? "" : outputs.error().message()));
  REQUIRE(outputs);
  return *std::move(outputs);
}

inline std::vector<int64_t> valuesOf(const Tensor &tensor) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    values.push_back(tensor.asInt(i));
  }
  return values;
}

/// first, a, b, bound -> a, b, rows: the pair (a, b) becomes (b, a + b) up to `limit` times while
/// a + b < bound; rows has the a of each iteration.
inline rt::Plan fibonacci(int64_t limit) {
  rt::Plan body;
  body.inputs = {{"i", number}, {"a", number}, {"b", number}, {"bound", number}};
  body.outputs = {{"again", flag}, {"a", number}, {"b", number}, {"row", number}};
  body.kernels = {{"add", add}, {"copy", copy}, {"less", less}};
  body.steps = {{1, {in(2), out(1)}, ""},
                {0, {in(1), in(2), out(2)}, ""},
                {1, {in(1), out(3)}, ""},
                {2, {out(2), in(3), out(0, 1)}, ""}};
  rt::Plan plan;
  plan.inputs = {{"first", flag}, {"a", number}, {"b", number}, {"bound", number}};
  plan.outputs = {{"a", number}, {"b", number}, {"rows", {DType::I64, {limit}}}};
  plan.kernels = {loopKernel(0, limit, 2)};
  uint64_t rows = static_cast<uint64_t>(limit) * 8;
  plan.steps = {{0, {in(0, 1), in(1), in(2), in(3), out(0), out(1), out(2, rows)}, "fibonacci"}};
  plan.bodies = {std::move(body)};
  return plan;
}

/// condition, x -> x + 100 or 2 * x.
inline rt::Plan addOrDouble() {
  rt::Plan then, otherwise;
  then.inputs = otherwise.inputs = {{"x", number}};
  then.outputs = otherwise.outputs = {{"y", number}};
  then.constants = {numberOf(100)};
  then.kernels = {{"add", add}};
  then.steps = {{0, {in(0), constant(0), out(0)}, ""}};
  otherwise.kernels = {{"twice", twice}};
  otherwise.steps = {{0, {in(0), out(0)}, ""}};
  rt::Plan plan;
  plan.inputs = {{"condition", flag}, {"x", number}};
  plan.outputs = {{"y", number}};
  plan.kernels = {ifKernel(0, 1)};
  plan.steps = {{0, {in(0, 1), in(1), out(0)}, "if"}};
  plan.bodies = {std::move(then), std::move(otherwise)};
  return plan;
}

} // namespace zyxc::test
