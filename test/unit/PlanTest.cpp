#include "runtime/plan/PackArena.h"
#include "test/unit/KernelGraph.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::plan;
using graph::ClassId;

namespace {

size_t countFamily(const Planned &planned, kernelize::Family family) {
  size_t count = 0;
  for (const rt::Launch &launch : planned.built.plan.steps) {
    count += planned.built.programs[launch.kernel].family == family;
  }
  return count;
}

size_t countChosen(const Planned &planned, kernelize::Candidate::Kind kind) {
  size_t count = 0;
  for (uint32_t k : planned.choice.candidates) {
    count += planned.table.candidates[k].kind == kind;
  }
  return count;
}

} // namespace

TEST_CASE("convolution, norm, residual and relu are one kernel", "[plan]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {1, 4, 6, 6}});
  ClassId inner = g.relu(g.batchNorm(g.conv(x, 4, 3)));
  ClassId outer = g.batchNorm(g.conv(inner, 4, 3));
  g.output("y", g.relu(g.op(OpKind::Add, {outer, x})));
  g.finish();
  Planned planned = checkPlan(g);
  CHECK(planned.numKernels() == 2);
  CHECK(countFamily(planned, kernelize::Family::Contract) == 2);
  CHECK(planned.built.plan.prepare.empty());
  // Both weights may be packed at load.
  for (const rt::Launch &launch : planned.built.plan.steps) {
    CHECK_FALSE(planned.built.constantPorts[launch.kernel].empty());
  }
  CHECK(planned.why.find("instead:") != std::string::npos);
}

TEST_CASE("a dense block concatenates in place and norms in prologues", "[plan]") {
  KernelGraph g;
  ClassId features = g.leaf("x", {DType::F32, {1, 16, 12, 12}});
  features = g.relu(g.batchNorm(g.conv(features, 16, 3)));
  for (int layer = 0; layer < 3; ++layer) {
    ClassId bottleneck = g.conv(g.relu(g.batchNorm(features)), 16, 1);
    ClassId growth = g.conv(g.relu(g.batchNorm(bottleneck)), 8, 3);
    features = g.concat({features, growth}, 1);
  }
  g.output("y", g.conv(g.relu(g.batchNorm(features)), 8, 1));
  g.finish();
  Planned planned = checkPlan(g);
  CHECK(planned.numKernels() == 8);
  CHECK(countFamily(planned, kernelize::Family::Contract) == 8);
  CHECK(countChosen(planned, kernelize::Candidate::Kind::ConcatInPlace) == 3);
}

TEST_CASE("an inception block concatenates in place, unless the batch is larger", "[plan]") {
  for (int64_t batch : {1, 2}) {
    KernelGraph g;
    ClassId x = g.leaf("x", {DType::F32, {batch, 8, 6, 6}});
    ClassId a = g.relu(g.conv(x, 4, 1));
    ClassId b = g.relu(g.conv(g.relu(g.conv(x, 4, 1)), 6, 3));
    ClassId c = g.relu(g.conv(x, 2, 1));
    g.output("y", g.concat({a, b, c}, 1));
    g.finish();
    Planned planned = checkPlan(g);
    CHECK(planned.numKernels() == (batch == 1 ? 4u : 5u));
    CHECK(countChosen(planned, kernelize::Candidate::Kind::ConcatInPlace) ==
          (batch == 1 ? 1u : 0u));
  }
}

TEST_CASE("an operand of two concatenations lives in one of them", "[plan]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {1, 4, 5}});
  ClassId y = g.leaf("y", {DType::F32, {1, 4, 5}});
  ClassId a = g.op(OpKind::Exp, {x});
  ClassId b = g.op(OpKind::Exp, {y});
  ClassId c = g.op(OpKind::Sqrt, {g.op(OpKind::Exp, {b})});
  g.output("ab", g.concat({a, b}, 1));
  g.output("bc", g.concat({b, c}, 1));
  g.finish();
  checkPlan(g);
}

TEST_CASE("written ports are aligned unless a part of a concatenation starts elsewhere", "[plan]") {
  for (int64_t size : {4, 5}) {
    KernelGraph g;
    ClassId x = g.leaf("x", {DType::F32, {1, 3, size, size}});
    g.output("y", g.concat({g.conv(x, 4, 3), g.conv(x, 8, 3)}, 1));
    g.finish();
    Planned planned = checkPlan(g);
    size_t written = 0;
    size_t stated = 0;
    bool anyElsewhere = false;
    for (const rt::Launch &launch : planned.built.plan.steps) {
      const std::vector<uint32_t> &aligned = planned.built.alignedPorts[launch.kernel];
      for (uint32_t port = 0; port < launch.ports.size(); ++port) {
        bool isStated = std::find(aligned.begin(), aligned.end(), port) != aligned.end();
        bool isOutput = port >= planned.built.programs[launch.kernel].numInputs();
        bool isElsewhere = launch.ports[port].offset % rt::outputAlignment != 0;
        CHECK(isStated == (isOutput && !isElsewhere));
        written += isOutput;
        stated += isStated;
        anyElsewhere |= isOutput && isElsewhere;
      }
    }
    CHECK(stated == written - anyElsewhere);
    CHECK(stated > 0);
    CHECK(anyElsewhere == (size == 5)); // 256 and 400 bytes
  }
}

TEST_CASE("contiguous reshapes cost no kernel", "[plan]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {4, 6}});
  ClassId y = g.op(OpKind::Exp, {g.reshape(x, {2, 12})});
  ClassId z = g.op(OpKind::Permute, {g.reshape(y, {3, 8})}, {{"perm", Shape{1, 0}}});
  g.output("y", g.reshape(y, {24}));
  g.output("z", g.reshape(z, {2, 12}));
  g.finish();
  CHECK(checkPlan(g).numKernels() == 2);
}

TEST_CASE("a flattened image is read as what it is in memory", "[plan]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {1, 8, 6, 6}});
  ClassId flat = g.reshape(g.op(OpKind::Exp, {x}), {1, 288});
  g.output("y", g.op(OpKind::Matmul, {flat, g.weights({DType::F32, {288, 50}})}));
  g.finish();
  Planned planned = checkPlan(g);
  // One kernel that reads the image by its offset: no division is left of the reshape.
  CHECK(planned.numKernels() == 1);
  for (const kernelize::Program &program : planned.built.programs) {
    CHECK(program.toText().find("floordiv") == std::string::npos);
  }
}

TEST_CASE("outputs that are inputs, constants or twice the same are copied", "[plan]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {3}});
  ClassId y = g.op(OpKind::Exp, {x});
  g.output("same", x);
  g.output("constant", g.weights({DType::F32, {5}}));
  g.output("once", y);
  g.output("twice", y);
  g.output("splat", g.expand(g.reshape(g.constant(Tensor::scalar(DType::F32, 2)), {1}), {200000}));
  g.finish();
  Planned planned = checkPlan(g);
  CHECK(planned.numKernels() == 5);
}

TEST_CASE("scalars and tensors without elements", "[plan]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {}});
  ClassId none = g.leaf("none", {DType::F32, {0, 3}});
  g.output("square", g.op(OpKind::Mul, {x, x}));
  g.output("none", g.op(OpKind::Exp, {none}));
  g.output("sums", g.op(OpKind::ReduceSum, {none}, {{"axes", Shape{0}}}));
  g.output("joined", g.concat({none, g.leaf("y", {DType::F32, {2, 3}})}, 0));
  g.finish();
  checkPlan(g);
}

TEST_CASE("a concatenation of more tensors than a kernel should have ports", "[plan]") {
  KernelGraph g;
  std::vector<ClassId> parts;
  parts.reserve(20);
  for (int i = 0; i < 20; ++i) {
    parts.push_back(g.leaf(fmt::format("x{}", i), {DType::F32, {2, 1 + i % 3}}));
  }
  g.output("y", g.op(OpKind::Exp, {g.concat(parts, 1)}));
  g.finish();
  checkPlan(g);
}

TEST_CASE("what depends on constants only is computed at load", "[plan]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {300, 300}});
  ClassId w = g.op(OpKind::Exp, {g.weights({DType::F32, {300, 300}})});
  g.output("y", g.op(OpKind::Add, {x, w}));
  g.finish();
  Planned planned = checkPlan(g);
  CHECK(planned.built.plan.prepare.size() == 1);
  CHECK(planned.numKernels() == 1);
}

TEST_CASE("a constant of two kernels is one constant, packed once for each form", "[plan]") {
  KernelGraph g;
  ClassId w = g.weights({DType::F32, {8, 8}});
  ClassId x = g.leaf("x", {DType::F32, {40, 8}});
  ClassId y = g.op(OpKind::Matmul, {x, w});
  ClassId z = g.op(OpKind::Matmul, {g.op(OpKind::Exp, {y}), w});
  g.output("y", y);
  g.output("z", z);
  g.finish();
  Planned planned = checkPlan(g);
  CHECK(planned.built.plan.constants.size() == 1);
  rt::Plan plan = planned.built.plan;
  std::vector<PackedPort> packed;
  rt::Kernel pack;
  pack.name = "pack_8x16";
  for (uint32_t kernel = 0; kernel < planned.built.programs.size(); ++kernel) {
    for (uint32_t port : planned.built.constantPorts[kernel]) {
      packed.push_back({kernel, port, 512, pack});
    }
  }
  REQUIRE_FALSE(packed.empty());
  REQUIRE(usePackedPorts(plan, packed).isOk());
  CHECK(plan.prepare.size() == 1);
  CHECK(plan.preparedBytes == 512);
  for (const rt::Launch &launch : plan.steps) {
    for (const rt::BufferRef &buffer : launch.ports) {
      CHECK(buffer.space != rt::Space::Constant);
    }
  }
}

TEST_CASE("the same input gives the same text", "[plan]") {
  auto text = [] {
    KernelGraph g;
    ClassId x = g.leaf("x", {DType::F32, {1, 4, 6, 6}});
    ClassId a = g.relu(g.batchNorm(g.conv(x, 4, 3)));
    g.output("y", g.op(OpKind::Softmax, {g.reshape(a, {1, 144})}, {{"axes", Shape{1}}}));
    g.finish();
    Planned planned = makePlan(g.graph);
    std::string all = planned.built.plan.toText() + planned.why;
    for (const kernelize::Program &program : planned.built.programs) {
      all += program.toText();
    }
    return all;
  };
  CHECK(text() == text());
}

TEST_CASE("buffers that live at one time do not overlap", "[plan]") {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<rt::Lifetime> lifetimes;
    for (int i = 0; i < 40; ++i) {
      size_t first = random() % 30;
      lifetimes.push_back({1 + random() % 5000, first, first + random() % 6});
    }
    uint64_t total = 0;
    std::vector<uint64_t> offsets = rt::packLifetimes(lifetimes, total);
    uint64_t most = 0;
    for (size_t time = 0; time < 36; ++time) {
      uint64_t now = 0;
      for (const rt::Lifetime &own : lifetimes) {
        now += own.first <= time && time <= own.last ? rt::alignUp(own.bytes) : 0;
      }
      most = std::max(most, now);
    }
    CHECK(rt::liveBytes(lifetimes) == most);
    CHECK(most <= total);
    for (size_t a = 0; a < lifetimes.size(); ++a) {
      CHECK(offsets[a] % rt::bufferAlignment == 0);
      CHECK(offsets[a] + lifetimes[a].bytes <= total);
      for (size_t b = 0; b < a; ++b) {
        bool meet =
            lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
        bool overlap = offsets[a] < offsets[b] + lifetimes[b].bytes &&
                       offsets[b] < offsets[a] + lifetimes[a].bytes;
        CHECK_FALSE((meet && overlap));
      }
    }
  }
}
