// Convolutions as host contractions, against plain loops.
#include "test/unit/mlir/ContractSpec.h"
#include <catch2/catch.hpp>
#include <random>

using namespace zyxc;
using namespace zyxc::test;

static void check(HostCompiler &compiler, const ContractSpec &spec) {
  INFO(spec.text());
  std::vector<Buffer> inputs = spec.makeInputs(5);
  Buffer expected = spec.reference(inputs).front();
  auto one = runSpec(compiler, spec, inputs, 1);
  REQUIRE(one == runSpec(compiler, spec, inputs, 2));
  Buffer actual = Buffer::fromBytes(spec.sumType, one.front());
  for (size_t at = 0; at < actual.values.size(); ++at) {
    double want = expected.values[at];
    if (!(std::abs(actual.values[at] - want) <= 1e-5 * std::max(1.0, std::abs(want)))) {
      INFO("element " << at);
      REQUIRE(actual.values[at] == Approx(want));
    }
  }
}

/// Adds bias per filter and relu.
static ContractSpec layer(const ConvSpec &conv, std::string schedule) {
  ContractSpec spec = conv.contract();
  spec.relu = true;
  spec.schedule = std::move(schedule);
  if (conv.groups == 1) {
    spec.biasAxis = 2;
  }
  return spec;
}

TEST_CASE("convolutions of the usual shapes", "[contract]") {
  auto compiler = *HostCompiler::create(HostTarget::detect());
  auto run = [&](ConvSpec conv) {
    check(*compiler, layer(conv, "#zyxk.contract<>"));
    check(*compiler, layer(conv, "#zyxk.contract<pack_a = prepared>"));
  };
  run({.images = 1,
       .channels = 3,
       .height = 23,
       .width = 23,
       .filters = 10,
       .kernel = 7,
       .stride = 2,
       .pad = 3});
  run({.images = 2, .channels = 5, .height = 14, .width = 14, .filters = 9, .kernel = 3, .pad = 1});
  run({.images = 1, .channels = 40, .height = 7, .width = 7, .filters = 20, .kernel = 1});
  run({.images = 3,
       .channels = 6,
       .height = 9,
       .width = 11,
       .filters = 4,
       .kernel = 1,
       .stride = 2});
  run({.images = 1,
       .channels = 200,
       .height = 6,
       .width = 6,
       .filters = 24,
       .kernel = 3,
       .pad = 1});
  run({.images = 4, .channels = 3, .height = 2, .width = 2, .filters = 7, .kernel = 2});
}

TEST_CASE("random convolutions: stride, padding, dilation, groups", "[contract]") {
  auto compiler = *HostCompiler::create(HostTarget::detect());
  std::mt19937_64 random(3);
  auto pick = [&](int64_t n) {
    return static_cast<int64_t>(random() % n);
  };
  for (int round = 0; round < 30; ++round) {
    ConvSpec conv;
    conv.groups = pick(3) == 0 ? pick(3) + 1 : 1;
    conv.images = pick(3) + 1;
    conv.channels = conv.groups * (pick(5) + 1);
    conv.filters = conv.groups * (pick(12) + 1);
    conv.kernel = pick(3) + 1;
    conv.stride = pick(3) + 1;
    conv.dilation = pick(2) + 1;
    conv.pad = pick(conv.kernel + 1);
    conv.height = pick(14) + conv.dilation * conv.kernel;
    conv.width = pick(20) + conv.dilation * conv.kernel;
    check(*compiler,
          layer(conv, pick(2) ? "#zyxk.contract<pack_a = prepared>" : "#zyxk.contract<>"));
  }
}

TEST_CASE("code does not depend on the number of compile threads or on earlier kernels",
          "[codegen-cpu]") {
  std::vector<std::string> texts;
  for (int64_t size = 5; size < 11; ++size) {
    ConvSpec conv{
        .channels = 3, .height = size, .width = size, .filters = 4, .kernel = 3, .pad = 1};
    texts.push_back(layer(conv, "#zyxk.contract<pack_a = prepared>").text());
  }
  auto first = *HostCompiler::create(HostTarget::detect());
  auto second = *HostCompiler::create(HostTarget::detect());
  auto one = *first->compile(texts, 1);
  auto three = *second->compile(texts, 3);
  auto again = *first->compile(std::span(texts).last(2), 2);
  REQUIRE(one.size() == texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    REQUIRE(*one[i].object == *three[i].object);
  }
  REQUIRE(*again[1].object == *one.back().object);
}

TEST_CASE("bad kernels give errors that name them", "[codegen-cpu]") {
  auto compiler = *HostCompiler::create(HostTarget::detect());
  for (const char *text :
       {"zyxk.kernel @broken ports(%x: in f32[4]", "not a kernel at all", "",
        "zyxk.kernel @undefined ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {\n"
        "  store %a, %y[i] : f32\n}"}) {
    std::string kernel = text;
    auto result = compiler->compile(std::span(&kernel, 1), 1);
    REQUIRE(!result);
    REQUIRE(result.error().code() == ErrorCode::Internal);
    std::string name = kernel.substr(kernel.find('@') + 1, 5);
    if (kernel.find('@') != std::string::npos) {
      REQUIRE(result.error().message().find(name) != std::string::npos);
    }
  }
}

TEST_CASE("the portable baseline target", "[codegen-cpu]") {
  auto compiler = *HostCompiler::create(HostTarget::baseline());
  ContractSpec spec = matmul(30, 50, 70);
  spec.biasAxis = 1;
  check(*compiler, spec);
  ConvSpec conv{.channels = 8, .height = 12, .width = 12, .filters = 16, .kernel = 3, .pad = 1};
  check(*compiler, layer(conv, "#zyxk.contract<pack_a = prepared>"));
}
