// Inputs that a plan writes, and kernels from libraries of the user.
#include "test/unit/exec/ControlPlans.h"

using namespace zyxc;
using namespace zyxc::rt;
using namespace zyxc::test;

/// x, state -> state before; state += x in place.
static Plan counter() {
  Plan plan;
  plan.inputs = {{"x", number}, {"state", number, true}};
  plan.outputs = {{"before", number}};
  plan.kernels = {{"copy", copy}, {"add", add}};
  plan.steps = {{0, {in(1), out(0)}, ""}, {1, {in(0), in(1), in(1)}, ""}};
  return plan;
}

TEST_CASE("a written input is changed in the caller's memory", "[executor]") {
  auto executor = loaded(counter());
  Tensor state = numberOf(10), other = numberOf(100);
  CHECK(ran(*executor, {numberOf(1), state})[0].asInt(0) == 10);
  CHECK(ran(*executor, {numberOf(2), state})[0].asInt(0) == 11);
  CHECK(ran(*executor, {numberOf(3), other})[0].asInt(0) == 100);
  CHECK(state.asInt(0) == 13);
  CHECK(other.asInt(0) == 103);
  int64_t memory = 5;
  ran(*executor, {numberOf(4), Tensor::writableView(number, &memory, nullptr)});
  CHECK(memory == 9);
}

TEST_CASE("memory that is only read, or another input's, is not written", "[executor]") {
  auto executor = loaded(counter());
  static const int64_t fixed = 7;
  auto refusal = [&](const Tensor &x, const Tensor &state) {
    auto outputs = executor->run(std::array{x, state});
    REQUIRE_FALSE(outputs);
    CHECK(outputs.error().code() == ErrorCode::Usage);
    return outputs.error().message();
  };
  Tensor x = numberOf(1);
  CHECK(refusal(x, Tensor::view(number, &fixed, nullptr)) ==
        "input state is written by the program, but its memory is only read: give a copy of it");
  CHECK(refusal(x, x) == "input state is written by the program, but input x is in the same "
                         "memory: give a copy of one");
  alignas(8) std::array<std::byte, 16> bytes{};
  CHECK(refusal(Tensor::view(number, bytes.data() + 4, nullptr),
                Tensor::writableView(number, bytes.data(), nullptr))
            .find("in the same memory") != std::string::npos);
  ran(*executor, {Tensor::view(number, bytes.data() + 8, nullptr),
                  Tensor::writableView(number, bytes.data(), nullptr)});
  ran(*executor, {Tensor::view(number, &fixed, nullptr), x}); // the other one is only read
  CHECK(x.asInt(0) == 8);
}

// RT-A8
TEST_CASE("a run that is refused writes nothing, and a later one runs", "[executor]") {
  auto executor = loaded(counter());
  int64_t memory = 5;
  Tensor state = Tensor::writableView(number, &memory, nullptr);
  auto refused = executor->run(std::array{Tensor::allocate({DType::F32, {3}}), state});
  REQUIRE_FALSE(refused);
  CHECK(memory == 5);
  ran(*executor, {numberOf(4), state});
  CHECK(memory == 9);
}

TEST_CASE("a body writes a capture", "[executor]") {
  Plan body = counter();
  body.inputs = {{"i", number}, {"state", number, true}};
  body.outputs = {{"again", flag}, {"before", number}};
  body.kernels.push_back({"yes", yes});
  body.steps = {{0, {in(1), out(1)}, ""}, {1, {in(0), in(1), in(1)}, ""}, {2, {out(0, 1)}, ""}};
  Plan plan;
  plan.inputs = {{"first", flag}, {"state", number, true}};
  plan.outputs = {{"states", {DType::I64, {5}}}};
  plan.kernels = {loopKernel(0, 5, 0)};
  plan.steps = {{0, {in(0, 1), in(1), out(0, 40)}, "loop"}};
  plan.bodies = {std::move(body)};
  auto executor = loaded(plan);
  Tensor state = numberOf(100);
  CHECK(valuesOf(ran(*executor, {flagOf(true), state})[0]) ==
        std::vector<int64_t>{100, 100, 101, 103, 106});
  CHECK(state.asInt(0) == 110);
  CHECK(valuesOf(ran(*executor, {flagOf(false), state})[0]) == std::vector<int64_t>(5, 0));
  CHECK(state.asInt(0) == 110);
}

/// y = custom(x) of five numbers; the kernel stands in the branch of an if, too.
static Plan customPlan(const std::string &symbol) {
  TensorType list{DType::I64, {5}};
  Plan plan;
  plan.inputs = {{"x", list}};
  plan.outputs = {{"y", list}};
  Kernel custom{"custom0", nullptr, 5};
  custom.symbol = symbol;
  plan.kernels = {custom};
  plan.steps = {{0, {in(0, 40), out(0, 40)}, "custom"}};
  Plan outer;
  outer.inputs = {{"condition", flag}, {"x", list}};
  outer.outputs = {{"y", list}, {"z", list}};
  outer.kernels = {ifKernel(0, 1), custom};
  outer.steps = {{0, {in(0, 1), in(1, 40), out(0, 40)}, ""}, {1, {in(1, 40), out(1, 40)}, ""}};
  outer.bodies = {plan, plan};
  return outer;
}

static Expected<std::unique_ptr<Executor>> loadCustom(const std::string &symbol,
                                                      std::vector<std::string> libraries) {
  ExecutorOptions options{2, 0};
  options.libraries = std::move(libraries);
  return Executor::load(customPlan(symbol), options);
}

TEST_CASE("custom kernels come from libraries", "[executor]") {
  auto executor = loadCustom("zyxc_test_triple", {ZYXC_FAKE_CUDA, ZYXC_CUSTOM_KERNELS});
  INFO((executor ? "" : executor.error().message()));
  REQUIRE(executor);
  auto outputs = ran(**executor, {flagOf(false), numbers({1, 2, 3, 4, 5})});
  CHECK(valuesOf(outputs[0]) == std::vector<int64_t>{3, 6, 9, 12, 15});
  CHECK(valuesOf(outputs[1]) == std::vector<int64_t>{3, 6, 9, 12, 15});
}

TEST_CASE("what no library of the user has is an error that says what to do", "[executor]") {
  auto refusal = [](const std::string &symbol, std::vector<std::string> libraries) {
    auto executor = loadCustom(symbol, std::move(libraries));
    REQUIRE_FALSE(executor);
    return executor.error();
  };
  Status none = refusal("zyxc_test_triple", {});
  CHECK(none.code() == ErrorCode::Usage);
  CHECK(none.message() == "kernel custom0 is the function 'zyxc_test_triple', which no library was "
                          "given for: name a library that has it with --library PATH");
  Status other = refusal("no_such", {ZYXC_CUSTOM_KERNELS});
  CHECK(other.message() == "kernel custom0 is the function 'no_such', which is not in " +
                               std::string(ZYXC_CUSTOM_KERNELS) +
                               ": name a library that has it with --library PATH");
  // The library uses it, but does not define it.
  CHECK(refusal("abort", {ZYXC_CUSTOM_KERNELS}).message().find("is not in") != std::string::npos);
  Status missing = refusal("f", {"no-such-library.so"});
  CHECK(missing.code() == ErrorCode::Input);
  CHECK(missing.message().starts_with("cannot open the library 'no-such-library.so': "));
}
