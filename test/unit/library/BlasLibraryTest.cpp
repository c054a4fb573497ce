// Library kernels of plans: the library is opened when a plan needs it, and what is missing is said
// in one line.
#include "runtime/exec/BlasLibrary.h"
#include "runtime/library/Blas.h"
#include "runtime/plan/PlanFile.h"
#include "test/unit/exec/ControlPlans.h"
#include "test/unit/fixtures/SavedPlan.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace zyxc;
using namespace zyxc::rt;
using namespace zyxc::test;

namespace {

/// c[4, 3] = 2 * a[4, 2] * b[2, 3] in tasks of two rows.
Kernel productKernel() {
  Product product;
  product.rows = 4;
  product.columns = 3;
  product.inner = 2;
  product.a = {0, 2, false};
  product.b = {0, 3, false};
  product.c = {0, 3, false};
  product.rowsPerTask = 2;
  product.scale = 2;
  Kernel kernel{"cblas_sgemm0"};
  kernel.numTasks = product.numTasks();
  kernel.dims = toDims(product);
  kernel.symbol = "cblas_sgemm";
  kernel.library = "cblas";
  return kernel;
}

Plan productPlan() {
  Plan plan;
  plan.inputs = {{"a", {DType::F32, {4, 2}}}, {"b", {DType::F32, {2, 3}}}};
  plan.outputs = {{"c", {DType::F32, {4, 3}}}};
  plan.kernels = {productKernel()};
  plan.steps = {{0, {in(0, 32), in(1, 24), out(0, 48)}, "product"}};
  return plan;
}

Expected<std::unique_ptr<Executor>> load(Plan plan, const std::string &blas) {
  return Executor::load(std::move(plan), {3, 0, {}, {}, blas});
}

std::vector<Tensor> inputs() {
  Tensor a = Tensor::zeros({DType::F32, {4, 2}});
  Tensor b = Tensor::zeros({DType::F32, {2, 3}});
  for (int64_t i = 0; i < 8; ++i) {
    a.setDouble(i, static_cast<double>(i));
  }
  for (int64_t i = 0; i < 6; ++i) {
    b.setDouble(i, static_cast<double>(i));
  }
  return {a, b};
}

void checkRun(Executor &executor) {
  auto outputs = executor.run(inputs());
  REQUIRE(outputs);
  const std::array<double, 12> expected = {6, 8, 10, 18, 28, 38, 30, 48, 66, 42, 68, 94};
  for (int64_t i = 0; i < 12; ++i) {
    CHECK((*outputs)[0].asDouble(i) == expected[static_cast<size_t>(i)]);
  }
}

/// The error of loading a plan.
Status refusal(Plan plan, const std::string &blas) {
  auto executor = load(std::move(plan), blas);
  REQUIRE_FALSE(executor);
  return executor.error();
}

} // namespace

TEST_CASE("a library kernel calls the library that is named", "[library]") {
  auto executor = load(productPlan(), ZYXC_REFERENCE_BLAS);
  INFO((executor ? "" : executor.error().message()));
  REQUIRE(executor);
  checkRun(**executor);
  CHECK(productPlan().toText().find("library cblas cblas_sgemm") != std::string::npos);
}

TEST_CASE("a library that no kernel needs is not opened", "[library]") {
  Plan plan = productPlan();
  plan.kernels.clear();
  plan.steps.clear();
  auto executor = load(std::move(plan), "no-such-library.so");
  CHECK(executor);
}

TEST_CASE("without a library a plan says what it needs and what to do", "[library]") {
  Status none = refusal(productPlan(), "");
  CHECK(none.code() == ErrorCode::Usage);
  CHECK(none.message() ==
        "the plan calls cblas_sgemm of a BLAS library: name one with --blas PATH, "
        "or use the system's with --blas auto");
  Status missing = refusal(productPlan(), "no-such-library.so");
  CHECK(missing.code() == ErrorCode::Input);
  CHECK(missing.message().starts_with("cannot open the library 'no-such-library.so': "));
  Status other = refusal(productPlan(), ZYXC_CUSTOM_KERNELS);
  CHECK(other.code() == ErrorCode::Usage);
  CHECK(
      other.message() ==
      fmt::format("--blas={}: the library has no function 'cblas_sgemm', which kernel cblas_sgemm0 "
                  "calls: name one with the C interface of BLAS",
                  ZYXC_CUSTOM_KERNELS));
}

TEST_CASE("what the runtime cannot call is refused", "[library]") {
  auto refused = [](auto change) {
    Plan plan = productPlan();
    change(plan);
    Status status = refusal(std::move(plan), ZYXC_REFERENCE_BLAS);
    CHECK(status.code() == ErrorCode::Input);
    return status.message();
  };
  CHECK(refused([](Plan &plan) { plan.kernels[0].symbol = "abort"; }) ==
        "kernel cblas_sgemm0 is the function 'abort' of a library 'cblas', which this zyxc cannot "
        "call: compile the model with the zyxc that runs it");
  CHECK(refused([](Plan &plan) { plan.kernels[0].library = "fft"; }).find("library 'fft'") !=
        std::string::npos);
  CHECK(
      refused([](Plan &plan) { plan.kernels[0].dims.pop_back(); }).starts_with("malformed (dims"));
  CHECK(refused([](Plan &plan) { plan.kernels[0].dims.clear(); }).starts_with("malformed (dims"));
  CHECK(refused([](Plan &plan) {
          plan.kernels[0].dims.back() = 1; // a loop whose numbers are not there
        }).starts_with("malformed (dims"));
  CHECK(
      refused([](Plan &plan) { plan.steps[0].ports.pop_back(); }).starts_with("malformed (ports"));
}

TEST_CASE("a saved plan names the library and its functions, and no path", "[library]") {
  SavedPlan saved;
  CHECK(contentOf(saved.write())[8] == 1);
  saved.plan = productPlan();
  saved.program.layout.kernels = {{}};
  std::string bytes = contentOf(saved.write());
  CHECK(bytes[8] == 4);
  CHECK(bytes.find(ZYXC_REFERENCE_BLAS) == std::string::npos);
  auto file = PlanFile::open(saved.write());
  INFO((file ? "" : file.error().message()));
  REQUIRE(file);
  auto loaded = file->load(0);
  REQUIRE(loaded);
  CHECK(loaded->plan.toText() == saved.plan.toText());
  auto executor = load(loaded->plan, ZYXC_REFERENCE_BLAS);
  REQUIRE(executor);
  checkRun(**executor);
}

TEST_CASE("products of nothing are zero, however they are called", "[library]") {
  for (const BlasFunction &function : blasFunctions()) {
    Product product;
    product.rows = 3;
    product.inner = 0;
    product.c.lead = 2;
    product.columns = function.form == BlasFunction::Form::MatrixVector ? 1 : 2;
    std::array<double, 6> c;
    c.fill(7); // of f32: some bits of a number, too
    std::array<uint64_t, 3> matrices = {0, 0, reinterpret_cast<uint64_t>(c.data())};
    function.run(nullptr, product, matrices.data(), 0, product.numTasks(), mostBlasInt);
    Tensor seen = Tensor::zeros({function.dtype, {6}});
    std::memcpy(seen.mutableData(), c.data(), seen.byteSize());
    for (int64_t i = 0; i < 5; i += product.columns == 1 ? 2 : 1) {
      CHECK(seen.asDouble(i) == 0);
    }
  }
}
