// Host contraction kernels against plain loops: matrix products, einsums, convolutions, with
// remainders in every role, prologues, epilogues, element types; the same bits for any thread
// count.
#include "test/unit/mlir/ContractSpec.h"
#include <catch2/catch.hpp>
#include <random>

using namespace zyxc;
using namespace zyxc::test;

static HostCompiler &compiler() {
  static std::unique_ptr<HostCompiler> instance = *HostCompiler::create(HostTarget::detect());
  return *instance;
}

/// Runs a spec with 1 and 2 threads and compares with plain loops.
static void check(const ContractSpec &spec, uint64_t seed = 1) {
  INFO(spec.text());
  std::vector<Buffer> inputs = spec.makeInputs(seed);
  std::vector<Buffer> expected = spec.reference(inputs);
  auto one = runSpec(compiler(), spec, inputs, 1);
  auto two = runSpec(compiler(), spec, inputs, 2);
  REQUIRE(one == two);
  for (size_t i = 0; i < expected.size(); ++i) {
    Buffer actual = Buffer::fromBytes(spec.sumType, one[i]);
    double tolerance = spec.sumType == DType::F16    ? 2e-3
                       : spec.sumType == DType::BF16 ? 1e-2
                       : spec.sumType == DType::F32  ? 1e-5
                                                     : 1e-12;
    for (size_t at = 0; at < actual.values.size(); ++at) {
      double want = expected[i].values[at];
      double difference = std::abs(actual.values[at] - want);
      if (!(difference <= tolerance * std::max(1.0, std::abs(want)))) {
        INFO("output " << i << " element " << at);
        REQUIRE(actual.values[at] == Approx(want));
      }
    }
  }
}

TEST_CASE("matrix products with every kind of remainder", "[contract]") {
  for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                                            {8, 32, 16},
                                                            {7, 33, 5},
                                                            {13, 1, 9},
                                                            {1, 70, 40},
                                                            {5, 5, 1},
                                                            {64, 48, 700},
                                                            {129, 100, 1000},
                                                            {33, 300, 17},
                                                            {3, 2, 3000}}) {
    check(matmul(m, n, k));
  }
}

TEST_CASE("operands may be transposed, and so may the result", "[contract]") {
  for (int bits = 0; bits < 8; ++bits) {
    int64_t m = 37;
    int64_t n = 50;
    int64_t k = 29;
    ContractSpec spec = matmul(m, n, k);
    if (bits & 1) {
      spec.a = {{k, m}, {axis(2), axis(0)}};
    }
    if (bits & 2) {
      spec.b = {{n, k}, {axis(1), axis(2)}};
    }
    if (bits & 4) {
      spec.out = {{n, m}, {axis(1), axis(0)}};
    }
    check(spec);
  }
}

TEST_CASE("empty results and empty sums", "[contract]") {
  check(matmul(0, 5, 3));
  check(matmul(5, 0, 3));
  ContractSpec spec = matmul(5, 40, 0);
  spec.biasAxis = 1;
  check(spec);
}

TEST_CASE("prologues, epilogues and several stores", "[contract]") {
  ContractSpec spec = matmul(21, 45, 33);
  spec.squareA = spec.reluB = true;
  spec.biasAxis = 1;
  spec.residual = spec.relu = spec.twoStores = true;
  check(spec);
  spec.biasAxis = 0;
  check(spec);
  spec.extents[2] = spec.a.shape[1] = spec.b.shape[0] = 2500; // several blocks of the sum
  check(spec);
}

TEST_CASE("prepared operands", "[contract]") {
  for (const char *schedule :
       {"#zyxk.contract<pack_a = prepared>", "#zyxk.contract<pack_b = prepared>",
        "#zyxk.contract<pack_a = prepared, pack_b = prepared>"}) {
    for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{
             {1, 100, 70}, {50, 1, 31}, {30, 70, 2000}, {17, 65, 12}}) {
      ContractSpec spec = matmul(m, n, k);
      spec.biasAxis = 1;
      spec.schedule = schedule;
      check(spec);
    }
  }
}

TEST_CASE("element types", "[contract]") {
  struct Types {
    DType operand, sum;
  };
  for (Types types : {Types{DType::F64, DType::F64},
                      {DType::F16, DType::F32},
                      {DType::BF16, DType::F32},
                      {DType::F16, DType::F16},
                      {DType::BF16, DType::BF16},
                      {DType::I32, DType::I32},
                      {DType::I64, DType::I64},
                      {DType::I8, DType::I32},
                      {DType::I16, DType::I16}}) {
    ContractSpec spec = matmul(19, 41, 65);
    spec.operandType = types.operand;
    spec.sumType = types.sum;
    spec.biasAxis = 1;
    spec.relu = true;
    check(spec);
    spec.schedule = "#zyxk.contract<pack_a = prepared>";
    check(spec);
  }
}

TEST_CASE("schedules name the blocks", "[contract]") {
  ContractSpec spec = matmul(50, 90, 70);
  for (const char *schedule :
       {"#zyxk.contract<mr = 4, nr = 16>", "#zyxk.contract<mr = 3, nr = 64>",
        "#zyxk.contract<kc = 16>", "#zyxk.contract<mc = 8, nc = 32, kc = 33>"}) {
    spec.schedule = schedule;
    check(spec);
  }
}

TEST_CASE("batched products and other einsums", "[contract]") {
  // out[b, m, n] = sum a[b, m, k] b[b, k, n]
  ContractSpec batched;
  batched.extents = {3, 17, 20, 9};
  batched.reduced = {3};
  batched.a = {{3, 17, 9}, {axis(0), axis(1), axis(3)}};
  batched.b = {{3, 9, 20}, {axis(0), axis(3), axis(2)}};
  batched.out = {{3, 17, 20}, {axis(0), axis(1), axis(2)}};
  check(batched);
  batched.schedule = "#zyxk.contract<pack_b = prepared>";
  check(batched);

  // Attention scores: out[b, h, q, k] = sum q[b, q, h, d] k[b, k, h, d]
  ContractSpec scores;
  scores.extents = {2, 3, 10, 18, 16};
  scores.reduced = {4};
  scores.a = {{2, 10, 3, 16}, {axis(0), axis(2), axis(1), axis(4)}};
  scores.b = {{2, 18, 3, 16}, {axis(0), axis(3), axis(1), axis(4)}};
  scores.out = {{2, 3, 10, 18}, {axis(0), axis(1), axis(2), axis(3)}};
  check(scores);

  // An outer product: the sum has one term.
  ContractSpec outer;
  outer.extents = {12, 35, 1};
  outer.reduced = {2};
  outer.a = {{12, 1}, {axis(0), axis(2)}};
  outer.b = {{35}, {axis(1)}};
  outer.out = {{12, 35}, {axis(0), axis(1)}};
  check(outer);

  // A dot product, and a sum over an axis of one operand only.
  ContractSpec dot;
  dot.extents = {1000};
  dot.reduced = {0};
  dot.a = {{1000}, {axis(0)}};
  dot.b = {{1000}, {axis(0)}};
  dot.out = {{1}, {{0, {}}}};
  check(dot);
  ContractSpec half;
  half.extents = {6, 40, 5};
  half.reduced = {2};
  half.a = {{6, 5}, {axis(0), axis(2)}};
  half.b = {{40}, {axis(1)}};
  half.out = {{6, 40}, {axis(0), axis(1)}};
  check(half);
}

TEST_CASE("random einsums", "[contract]") {
  std::mt19937_64 random(11);
  auto pick = [&](int64_t n) {
    return static_cast<int64_t>(random() % n);
  };
  for (int round = 0; round < 40; ++round) {
    ContractSpec spec;
    std::vector<int> ofA;
    std::vector<int> ofB;
    std::vector<int> ofOut;
    for (int number = 0; number < 5; ++number) {
      spec.extents.push_back(pick(4) == 0 ? 1 : pick(9) + 1);
      switch (number == 4 ? 3 : pick(4)) { // at least one axis is summed
      case 0: ofA.push_back(number), ofOut.push_back(number); break;
      case 1: ofB.push_back(number), ofOut.push_back(number); break;
      case 2: ofA.push_back(number), ofB.push_back(number), ofOut.push_back(number); break;
      default: ofA.push_back(number), ofB.push_back(number), spec.reduced.push_back(number);
      }
    }
    auto access = [&](std::vector<int> axes) {
      std::shuffle(axes.begin(), axes.end(), random);
      Access result;
      for (int number : axes) {
        result.shape.push_back(spec.extents[number]);
        result.at.push_back(axis(number));
      }
      if (axes.empty()) {
        result = {{1}, {{0, {}}}};
      }
      return result;
    };
    spec.a = access(ofA);
    spec.b = access(ofB);
    spec.out = access(ofOut);
    spec.relu = pick(2) == 0;
    spec.residual = pick(2) == 0;
    spec.squareA = pick(2) == 0;
    const char *schedules[] = {"#zyxk.contract<>", "#zyxk.contract<pack_a = prepared>",
                               "#zyxk.contract<pack_b = prepared, kc = 4>"};
    spec.schedule = schedules[pick(3)];
    check(spec, round);
  }
}
