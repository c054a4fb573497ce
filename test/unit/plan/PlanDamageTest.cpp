// Saved plans that are damaged, or made to do harm: an Input error that names the file.
#include "runtime/plan/BindPlan.h"
#include "runtime/plan/PlanFile.h"
#include "test/unit/fixtures/SavedPlan.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace zyxc;
using namespace zyxc::rt;
using zyxc::test::SavedPlan;

/// Whether the bytes are refused as they should be; else what happened.
static std::string answerTo(const TemporaryFolder &folder, std::string_view bytes) {
  std::string path = folder.file("damaged.zyxp");
  test::replaceContent(path, bytes);
  auto file = PlanFile::open(path);
  if (file) {
    return "accepted";
  }
  const Status &error = file.error();
  bool clear = error.message().starts_with(path + ": ") &&
               error.message().find("zyxc compile") != std::string::npos &&
               error.message().find('\n') == std::string::npos;
  return error.code() == ErrorCode::Input && clear ? "refused" : error.message();
}

/// What plans of each version of the format are made of a static one.
static const std::initializer_list<void (*)(SavedPlan &)> changes = {
    [](SavedPlan &) {}, [](SavedPlan &saved) { saved.makeSymbolic(); },
    [](SavedPlan &saved) { saved.makeControl(); }, [](SavedPlan &saved) { saved.makeCustom(4); }};

TEST_CASE("every changed byte is found, wherever it is", "[plan file]") {
  SavedPlan saved;
  auto change = GENERATE(values(changes));
  change(saved);
  std::string bytes = test::contentOf(saved.write());
  REQUIRE(answerTo(saved.folder, bytes) == "accepted");
  std::mt19937 random(1);
  for (size_t i = 0; i < bytes.size(); ++i) {
    auto flip = static_cast<char>(i % 2 != 0 ? 1u << random() % 8 : 1 + random() % 255);
    bytes[i] = static_cast<char>(bytes[i] ^ flip);
    INFO("byte " << i);
    REQUIRE(answerTo(saved.folder, bytes) == "refused");
    bytes[i] = static_cast<char>(bytes[i] ^ flip);
  }
}

TEST_CASE("a file of another length is refused", "[plan file]") {
  SavedPlan saved;
  std::string bytes = test::contentOf(saved.write());
  for (size_t length = 0; length < bytes.size(); length += length < 300 ? 1 : 41) {
    INFO("length " << length);
    REQUIRE(answerTo(saved.folder, std::string_view(bytes).substr(0, length)) == "refused");
  }
  REQUIRE(answerTo(saved.folder, bytes + '\0') == "refused");
  REQUIRE(answerTo(saved.folder, bytes + bytes) == "refused");
}

/// Makes the checksums of header and prefix right again.
static void repair(std::string &bytes) {
  auto all = std::as_bytes(std::span(bytes));
  PlanPrefix prefix;
  std::memcpy(&prefix.major, bytes.data() + 8, 4);
  std::memcpy(&prefix.minor, bytes.data() + 12, 4);
  std::memcpy(&prefix.headerBytes, bytes.data() + 16, 8);
  prefix.fileBytes = bytes.size();
  prefix.headerChecksum = planChecksum(
      all.subspan(planPrefixBytes, std::min(prefix.headerBytes, bytes.size() - planPrefixBytes)));
  auto encoded = encodePrefix(prefix);
  std::memcpy(bytes.data(), encoded.data(), encoded.size());
}

TEST_CASE("files of other versions", "[plan file]") {
  SavedPlan saved;
  std::string bytes = test::contentOf(saved.write());
  bytes[12] = 9; // the minor version
  repair(bytes);
  CHECK(answerTo(saved.folder, bytes) == "accepted");
  for (char version : {0, 5}) {
    bytes[8] = version;
    repair(bytes);
    CHECK(answerTo(saved.folder, bytes)
              .ends_with(fmt::format("a saved plan of format {}, this zyxc reads formats 1 to 4: "
                                     "compile the model with the zyxc that runs it",
                                     static_cast<int>(version))));
  }
}

/// Whether what a run would allocate, and where its buffers lie, is within what there may be.
static bool isWithinLimits(const Plan &plan) {
  if (!plan.isSymbolic()) {
    return plan.plannedBytes(1024) < uint64_t(1) << 62;
  }
  for (int64_t size : {int64_t(0), int64_t(3), int64_t(1) << 40}) {
    dim::Bindings sizes;
    for (const std::string &name : sizeVariables(plan)) {
      sizes.emplace(name, size);
    }
    auto bound = rt::bind(plan, sizes);
    if (bound && (bound->isSymbolic() || bound->plannedBytes(1024) >= uint64_t(1) << 62)) {
      return false;
    }
  }
  return true;
}

TEST_CASE("a header that is changed along with its checksums does no harm", "[plan file]") {
  SavedPlan saved;
  auto change = GENERATE(values(changes));
  change(saved);
  saved.program.code.resize(planPageBytes + 8);
  saved.program.layout.slots = {{"memcpy", planPageBytes}};
  std::string good = test::contentOf(saved.write());
  uint64_t headerBytes = 0;
  std::memcpy(&headerBytes, good.data() + 16, sizeof(headerBytes));
  int refused = 0;
  std::mt19937 random(7);
  for (int round = std::getenv("ZYXC_LONG_TESTS") ? 200000 : 5000; round-- > 0;) {
    std::string bytes = good;
    for (unsigned edits = 1 + random() % 3; edits-- > 0;) {
      char &byte = bytes[planPrefixBytes + random() % headerBytes];
      static constexpr unsigned extremes[] = {0, 1, 0x7f, 0x80, 0xff};
      byte = static_cast<char>(random() % 2 ? extremes[random() % 5] : random());
    }
    repair(bytes);
    std::string path = saved.folder.file("damaged.zyxp");
    test::replaceContent(path, bytes);
    auto file = PlanFile::open(path);
    if (!file) {
      ++refused;
      REQUIRE(file.error().code() == ErrorCode::Input);
      continue;
    }
    // What is accepted is in bounds: loading it touches no other memory.
    for (size_t target = 0; target < file->numTargets(); ++target) {
      auto loaded = file->load(target);
      REQUIRE((loaded || loaded.error().code() == ErrorCode::Device));
      REQUIRE((!loaded || isWithinLimits(loaded->plan)));
      for (const Plan *part :
           loaded ? wholePlan(std::as_const(loaded->plan)) : std::vector<const Plan *>()) {
        for (const Tensor &constant : part->constants) {
          constant.hash();
        }
      }
    }
  }
  CHECK(refused > 1000);
}

/// What a plan must not say, and what the reader says of it.
struct BadPlan {
  const char *what;
  void (*change)(SavedPlan &saved);
};

TEST_CASE("numbers that do not fit what they refer to are found", "[plan file]") {
  static constexpr BadPlan table[] = {
      {"kernel 0", [](SavedPlan &s) { s.program.layout.kernels[0].entry = 10000; }},
      {"kernel 0", [](SavedPlan &s) { s.program.layout.kernels[0].entry = uint64_t(-1); }},
      {"kernel 0", [](SavedPlan &s) { s.plan.kernels[0].numTasks = -1; }},
      {"kernel 0", [](SavedPlan &s) { s.plan.kernels[0].picoseconds = -1; }},
      {"kernel 0", [](SavedPlan &s) { s.plan.kernels[0].scratchBytes = uint64_t(1) << 60; }},
      {"kernel 0", [](SavedPlan &s) { s.plan.kernels[0].join.sharedBytes = uint64_t(-1); }},
      {"kernel 0",
       [](SavedPlan &s) {
         s.plan.kernels[0].join = {[](const uint64_t *, int64_t, int64_t) {}, 1, 0};
         s.program.layout.kernels[0].join = planPageBytes;
       }},
      {"a launch of kernel 1 of 1", [](SavedPlan &s) { s.plan.steps[1].kernel = 1; }},
      {"buffer 1+0:4", [](SavedPlan &s) { s.plan.steps[0].ports[0].index = 1; }},
      {"buffer 9+0:4", [](SavedPlan &s) { s.plan.steps[0].ports[1].index = 9; }},
      {"buffer 0+4:4", [](SavedPlan &s) { s.plan.steps[1].ports[2].offset = 4; }},
      {"buffer 0+0:5", [](SavedPlan &s) { s.plan.steps[0].ports[0].bytes = 5; }},
      {"buffer 0+129:4", [](SavedPlan &s) { s.plan.steps[0].ports[2].offset = 129; }},
      {"of space 3, which has 0", [](SavedPlan &s) { s.plan.arenaBytes = 0; }},
      {"of space 4, which has 67", [](SavedPlan &s) { s.plan.preparedBytes = 67; }},
      {"buffer 0+18446744073709551613:4",
       [](SavedPlan &s) { s.plan.steps[0].ports[2].offset = uint64_t(-3); }},
      {"memory space 7", [](SavedPlan &s) { s.plan.steps[0].ports[2].space = Space(7); }},
      {"used before a run",
       [](SavedPlan &s) { s.plan.prepare[0].ports[0] = {Space::Input, 0, 0, 4}; }},
      {"memory of", [](SavedPlan &s) { s.plan.arenaBytes = uint64_t(1) << 63; }},
      {"shape", [](SavedPlan &s) { s.plan.inputs[0].type.shape = {-1}; }},
      {"shape", [](SavedPlan &s) { s.plan.outputs[0].type.shape = {1 << 30, 1 << 30, 1 << 30}; }},
      {"inputs or outputs of more than",
       [](SavedPlan &s) { s.plan.inputs.resize(5, {"x", {DType::I8, {int64_t(1) << 46}}}); }},
      {"element type 99", [](SavedPlan &s) { s.plan.inputs[0].type.dtype = DType(99); }},
      {"slot of memcpy", [](SavedPlan &s) { s.program.layout.slots = {{"memcpy", 0}}; }},
      {"slot of memcpy",
       [](SavedPlan &s) { s.program.layout.slots = {{"memcpy", planPageBytes}}; }},
      {"code of 99999 bytes", [](SavedPlan &s) { s.program.layout.textBytes = 99999; }},
      {"slots at 100", [](SavedPlan &s) { s.program.layout.slotsOffset = 100; }},
  };
  for (const BadPlan &bad : table) {
    SavedPlan saved;
    bad.change(saved);
    INFO(bad.what);
    auto file = PlanFile::open(saved.write());
    REQUIRE_FALSE(file);
    INFO(file.error().message());
    CHECK(file.error().code() == ErrorCode::Input);
    CHECK(file.error().message().find(std::string("malformed (")) != std::string::npos);
    CHECK(file.error().message().find(bad.what) != std::string::npos);
  }
}

TEST_CASE("symbolic sizes that do not fit what they refer to are found", "[plan file]") {
  static constexpr auto bytesOf = [](std::string_view text) {
    return static_cast<uint64_t>(*dim::parse(text));
  };
  static constexpr BadPlan table[] = {
      {"size 8 of", [](SavedPlan &s) { s.plan.inputs[0].type.shape = {-9}; }},
      {"size 8 of", [](SavedPlan &s) { s.plan.outputs[0].type.shape = {-9}; }},
      {"size 8 of", [](SavedPlan &s) { s.plan.kernels[1].numTasks = -9; }},
      {"size 8 of", [](SavedPlan &s) { s.plan.kernels[1].dims[1] = -9; }},
      {"size 8 of", [](SavedPlan &s) { s.plan.steps[0].ports[0].bytes = uint64_t(-9); }},
      {"size 8 of", [](SavedPlan &s) { s.plan.lifetimes.push_back({uint64_t(-9), 0, 1}); }},
      {"size 8 of", [](SavedPlan &s) { s.plan.guards[0].size = -9; }},
      {"kernel 1", [](SavedPlan &s) { s.plan.kernels[1].dims[0] = int64_t(1) << 60; }},
      {"guard 0", [](SavedPlan &s) { s.plan.guards[0].size = int64_t(1) << 60; }},
      {"buffer 0 of the arena", [](SavedPlan &s) { s.plan.lifetimes[0].bytes = 1ull << 60; }},
      {"buffer 0 of the arena", [](SavedPlan &s) { s.plan.lifetimes[0].first = 2; }},
      {"buffer 0 of the arena", [](SavedPlan &s) { s.plan.arenaBytes = 64; }},
      {"buffer 0 of the arena at step 1", [](SavedPlan &s) { s.plan.lifetimes[0].last = 0; }},
      {"buffer 1+0:4", [](SavedPlan &s) { s.plan.steps[0].ports[2] = {Space::Arena, 1, 0, 4}; }},
      {"buffer 0+60:8",
       [](SavedPlan &s) {
         s.plan.lifetimes[0].bytes = 64;
         s.plan.steps[0].ports[2] = {Space::Arena, 0, 60, 8};
         s.plan.steps[1].ports[0] = {Space::Arena, 0, 0, 8};
       }},
      {"a size is used before it is known",
       [](SavedPlan &s) { s.plan.prepare[0].ports[0].offset = bytesOf("N"); }},
      {"a size is used before it is known",
       [](SavedPlan &s) { s.plan.prepare[0].ports[0] = {Space::Arena, 0, 0, 4}; }},
      {"a size of kernel 1 is used", [](SavedPlan &s) { s.plan.prepare[0].kernel = 1; }},
  };
  for (const BadPlan &bad : table) {
    SavedPlan saved;
    saved.makeSymbolic();
    bad.change(saved);
    INFO(bad.what);
    auto file = PlanFile::open(saved.write());
    REQUIRE_FALSE(file);
    INFO(file.error().message());
    CHECK(file.error().code() == ErrorCode::Input);
    CHECK(file.error().message().find(std::string("malformed (")) != std::string::npos);
    CHECK(file.error().message().find(bad.what) != std::string::npos);
  }
}

TEST_CASE("expressions that zyxc does not write are refused", "[plan file]") {
  SavedPlan saved;
  saved.makeSymbolic();
  std::string good = test::contentOf(saved.write());
  for (std::string_view text : {"N * 4", "4 * +", "4 / N", "00000", "4 * 4", "4 *4N"}) {
    std::string bytes = good;
    bytes.replace(bytes.find("4 * N"), text.size(), text);
    repair(bytes);
    INFO(text);
    CHECK(answerTo(saved.folder, bytes) == "refused");
  }
  std::string other = good; // of another variable, which has no value
  other.replace(other.find("4 * N"), 5, "4 * M");
  repair(other);
  CHECK(answerTo(saved.folder, other) == "accepted");
}
