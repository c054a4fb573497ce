// No field of a schedule is ignored in silence: for every field of every family, on every kind of
// machine, a value is refused with an error, or some value changes the code. A field of which one
// value only is taken, without a change, says what the lowering does anyway.
#include "dialects/zyxk/IR/text/ScheduleText.h"
#include "dialects/zyxk/target/Target.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/lower/LowerHost.h"
#include "passes/lower/gpu/LowerGpu.h"
#include <catch2/catch.hpp>
#include <set>

using namespace mlir;
using namespace zyxc;
using namespace zyxc::zyxk;

namespace {

constexpr const char *mapKernel = R"(
  zyxk.kernel @k ports(%x: in f32[256, 512] align 64, %y: out f32[256, 512] align 64)
      axes(i < 256, j < 512) {
    %a = load %x[i, j] : f32
    %b = arith.mulf %a, %a : f32
    store %b, %y[i, j] : f32
  })";
constexpr const char *rowKernel = R"(
  zyxk.kernel @k ports(%x: in f32[4096, 1024] align 64, %y: out f32[4096, 1024] align 64)
      axes(i < 4096, j < 1024) {
    %a = load %x[i, j] : f32
    %m = reduce max %a over [j] : f32
    %d = arith.subf %a, %m : f32
    %s = reduce add %d over [j] : f32
    %q = arith.divf %d, %s : f32
    store %q, %y[i, j] : f32
  })";
/// Rows with several loads for each thread, which can be in flight.
constexpr const char *longRowKernel = R"(
  zyxk.kernel @k ports(%x: in f32[4096, 65536] align 64, %y: out f32[4096, 65536] align 64)
      axes(i < 4096, j < 65536) {
    %a = load %x[i, j] : f32
    %m = reduce max %a over [j] : f32
    %d = arith.subf %a, %m : f32
    %s = reduce add %d over [j] : f32
    %q = arith.divf %d, %s : f32
    store %q, %y[i, j] : f32
  })";
constexpr const char *colKernel = R"(
  zyxk.kernel @k ports(%x: in f32[4096, 1024] align 64, %y: out f32[1024] align 64)
      axes(i < 4096, j < 1024) {
    %a = load %x[i, j] : f32
    %s = reduce add %a over [i] : f32
    store %s, %y[j] : f32
  })";
constexpr const char *moveKernel = R"(
  zyxk.kernel @k ports(%x: in f32[1024, 2048] align 64, %y: out f32[2048, 1024] align 64)
      axes(i < 2048, j < 1024) {
    %a = load %x[j, i] : f32
    store %a, %y[i, j] : f32
  })";
constexpr const char *scanKernel = R"(
  zyxk.kernel @k ports(%x: in f32[64, 8192] align 64, %y: out f32[64, 8192] align 64)
      axes(i < 64, j < 8192) {
    %a = load %x[i, j] : f32
    %s = scan add %a along j : f32
    store %s, %y[i, j] : f32
  })";
constexpr const char *productKernel = R"(
  zyxk.kernel @k ports(%a: in f32[512, 512] align 64, %b: in f32[512, 512] align 64,
      %c: out f32[512, 512] align 64) axes(i < 512, j < 512, k < 512) {
    %x = load %a[i, k] : f32
    %w = load %b[k, j] : f32
    %s = contract %x, %w over [k] : f32, f32 -> f32
    store %s, %c[i, j] : f32
  })";
constexpr const char *halfProductKernel = R"(
  zyxk.kernel @k ports(%a: in f16[4096, 4096] align 64, %b: in f16[4096, 4096] align 64,
      %c: out f16[4096, 4096] align 64) axes(i < 4096, j < 4096, k < 4096) {
    %x = load %a[i, k] : f16
    %w = load %b[k, j] : f16
    %s = contract %x, %w over [k] : f16, f16 -> f32
    %t = arith.truncf %s : f32 to f16
    store %t, %c[i, j] : f16
  })";
constexpr const char *attentionKernel = R"(
  zyxk.kernel @k ports(%q, %k, %v: in f16[8, 1024, 64] align 64, %o: out f16[8, 1024, 64] align 64)
      axes(h < 8, i < 1024, j < 1024, d < 64, e < 64) {
    %q0 = load %q[h, i, d] : f16
    %k0 = load %k[h, j, d] : f16
    %v0 = load %v[h, j, e] : f16
    %s = contract %q0, %k0 over [d] : f16, f16 -> f32
    %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f16) : f32
    %r = arith.divf %u, %l : f32
    %t = arith.truncf %r : f32 to f16
    store %t, %o[h, i, e] : f16
  })";

/// Values that are tried for a field, as text.
std::vector<std::string> candidates(int64_t) {
  return {"1", "2", "3", "4", "8", "16", "32", "64", "128", "256", "512", "4096"};
}
std::vector<std::string> candidates(const std::array<int64_t, 2> &) {
  return {"[1, 1]", "[2, 1]",   "[1, 2]",   "[2, 2]",   "[2, 4]",    "[4, 2]",   "[4, 4]",
          "[8, 8]", "[16, 16]", "[32, 32]", "[64, 64]", "[40, 208]", "[24, 160]"};
}
std::vector<std::string> candidates(const std::array<int64_t, 3> &) {
  return {"[16, 16, 16]",  "[32, 64, 16]", "[64, 64, 64]", "[128, 128, 64]",
          "[64, 128, 64]", "[128, 0, 0]",  "[0, 128, 0]",  "[0, 0, 32]"};
}
std::vector<std::string> candidates(StringAttr) {
  return {"\"mnk\"", "\"nmk\"", "\"kmn\"", "\"m\"", "\"n\"", "\"batch\""};
}
template <class Enum>
  requires std::is_enum_v<Enum>
std::vector<std::string> candidates(Enum) {
  std::vector<std::string> texts;
  for (uint32_t value = 0; value < 8; ++value) {
    if (auto symbol = zyxc::zyxk::symbolizeEnum<Enum>(stringifyEnum(static_cast<Enum>(value)))) {
      texts.push_back(stringifyEnum(*symbol).str());
    }
  }
  return texts;
}

struct Case {
  const char *kernel;
  const char *target;
  const char *base; ///< fields that every schedule of the case has
  bool isLowered = true;
  const char *other = nullptr; ///< a kernel of the family that some fields show in
};

class FieldCheck {
public:
  FieldCheck() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, math::MathDialect, ZyxkDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  template <class Fields> void run(const std::string &family, std::initializer_list<Case> cases) {
    for (const Case &each : cases) {
      std::string base = each.base;
      std::string plain = lowered(each.kernel, each.target, "#zyxk." + family + "<" + base + ">");
      INFO(family << "<" << base << "> on " << each.target);
      CHECK(plain.empty() != each.isLowered);
      Fields fields;
      fields.visit([&](StringRef field, const auto &value) {
        if (base.find(field.str() + " =") == std::string::npos) {
          check(each, family, field.str(), candidates(value));
        }
      });
    }
  }

private:
  void check(const Case &each, const std::string &family, const std::string &field,
             const std::vector<std::string> &values) {
    std::string accepted;
    bool changes = false;
    int count = 0;
    std::string start = "#zyxk." + family + "<" + each.base;
    for (const char *kernel : {each.kernel, each.other}) {
      std::set<std::string> codes = {kernel ? lowered(kernel, each.target, start + ">") : ""};
      for (const std::string &value : kernel ? values : std::vector<std::string>()) {
        std::string schedule = start + (*each.base ? ", " : "") + field + " = " + value + ">";
        std::string code = lowered(kernel, each.target, schedule);
        if (!code.empty()) {
          codes.insert(code);
          accepted += " " + value;
          count += kernel == each.kernel ? 1 : 0;
        }
      }
      changes |= codes.size() > 1;
    }
    INFO(field << " is taken with" << accepted);
    // An enum's default is one of its values, and means "as the lowering likes".
    bool isEnum = !values.empty() && llvm::isAlpha(values.front().front());
    CHECK((changes || count <= (isEnum ? 2 : 1)));
  }

  /// The code of a kernel with a schedule; empty if it is refused.
  std::string lowered(const char *text, const char *machine, const std::string &schedule) {
    ScopedDiagnosticHandler silent(&context, [](Diagnostic &) { return success(); });
    auto module = parseSourceString<ModuleOp>(text, &context);
    Attribute attribute = parseAttribute(schedule, &context);
    if (!module || !attribute) {
      return "";
    }
    auto kernel = *module->getOps<KernelOp>().begin();
    kernel.setScheduleAttr(attribute);
    std::optional<Target> target = findTarget(machine);
    PassManager passes(&context, ModuleOp::getOperationName());
    passes.addPass(target->kind == TargetKind::Host ? createLowerHostPass(512)
                                                    : createLowerGpuPass(machine));
    if (failed(passes.run(*module))) {
      return "";
    }
    std::string code;
    llvm::raw_string_ostream stream(code);
    module->print(stream);
    return code;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

} // namespace

TEST_CASE("fields of schedules on plain loops and threads", "[schedule-fields]") {
  FieldCheck check;
  check.run<MapFields>(
      "map", {{mapKernel, "host", ""}, {mapKernel, "sm_90a", ""}, {mapKernel, "vulkan", ""}});
  check.run<RowFields>("row", {{rowKernel, "host", ""},
                               {rowKernel, "sm_90a", "", true, longRowKernel},
                               {rowKernel, "sm_90a", "scope = block", true, longRowKernel},
                               {rowKernel, "sm_90a", "scope = subgroup", true, longRowKernel},
                               {rowKernel, "vulkan", "", true, longRowKernel}});
  check.run<ColFields>(
      "col", {{colKernel, "host", ""}, {colKernel, "sm_90a", ""}, {colKernel, "vulkan", ""}});
  check.run<MoveFields>(
      "move", {{moveKernel, "host", ""}, {moveKernel, "sm_90a", ""}, {moveKernel, "vulkan", ""}});
  check.run<ScanFields>(
      "scan", {{scanKernel, "host", ""}, {scanKernel, "sm_90a", ""}, {scanKernel, "vulkan", ""}});
  check.run<BlockFields>(
      "block",
      {{rowKernel, "host", "", false}, {rowKernel, "sm_90a", ""}, {rowKernel, "vulkan", ""}});
}

TEST_CASE("fields of schedules of products", "[schedule-fields]") {
  FieldCheck check;
  check.run<ContractFields>("contract",
                            {{productKernel, "host", ""}, {productKernel, "sm_90a", "", false}});
  check.run<MmaFields>("mma", {{productKernel, "host", "", false},
                               {productKernel, "sm_90a", "unit = fma"},
                               {productKernel, "vulkan", ""},
                               {halfProductKernel, "sm_80", "unit = mma"},
                               {halfProductKernel, "sm_90a", "unit = mma"},
                               {halfProductKernel, "sm_90a", "unit = wgmma"},
                               {halfProductKernel, "sm_80", "unit = wgmma", false},
                               {halfProductKernel, "sm_90a", "unit = coop", false},
                               {halfProductKernel, "vulkan", "unit = coop", false}});
}

TEST_CASE("fields of schedules of attention", "[schedule-fields]") {
  FieldCheck check;
  check.run<AttnFields>("attn", {{attentionKernel, "host", ""},
                                 {attentionKernel, "vulkan", ""},
                                 {attentionKernel, "sm_90a", "unit = fma"},
                                 {attentionKernel, "sm_80", "unit = mma"},
                                 {attentionKernel, "sm_90a", "unit = wgmma"},
                                 {attentionKernel, "sm_80", "unit = wgmma", false}});
}

TEST_CASE("a schedule of another family than the body is refused", "[schedule-fields]") {
  FieldCheck check;
  const Case wrong[] = {{scanKernel, "host", "", false}, {scanKernel, "sm_90a", "", false}};
  check.run<MapFields>("map", {wrong[0], wrong[1]});
  check.run<AttnFields>("attn",
                        {{productKernel, "host", "", false}, {productKernel, "sm_90a", "", false}});
  check.run<ColFields>("col", {{mapKernel, "host", "", false}});
  check.run<MoveFields>("move", {{mapKernel, "host", "", false}, {mapKernel, "vulkan", "", false}});
  check.run<ScanFields>("scan", {{mapKernel, "host", "", false}, {mapKernel, "vulkan", "", false}});
  check.run<ContractFields>("contract", {{attentionKernel, "host", "", false}});
}
