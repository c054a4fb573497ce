// zyxc-fuzz-plans: damaged copies of saved plans through the runtime that opens them. Each must be
// refused with an Input error of one line that names the file; a crash, a hang, another error or a
// plan that is accepted does harm.
//
// usage: zyxc-fuzz-plans PLAN... [--count N] [--seed S]
// N copies of each file: bytes changed, the end cut off, spans inserted or left out. The file
// itself must run. Exit status: 0 if no copy did harm.
#include "runtime/exec/Executor.h"
#include "runtime/plan/BindPlan.h"
#include "runtime/plan/PlanFile.h"
#include "tools/dev/isolate/Isolated.h"
#include <charconv>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <unistd.h>

using namespace zyxc;
namespace fs = std::filesystem;

namespace {
struct Arguments {
  std::vector<fs::path> files;
  uint64_t count = 200;
  uint64_t seed = 1;
};
} // namespace

static bool parse(std::span<char *const> list, Arguments &arguments) {
  auto number = [](std::string_view text, uint64_t &value) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  for (size_t i = 0; i < list.size(); ++i) {
    std::string_view flag = list[i];
    if (!flag.starts_with("--")) {
      arguments.files.emplace_back(flag);
    } else if (++i == list.size() || !((flag == "--count" && number(list[i], arguments.count)) ||
                                       (flag == "--seed" && number(list[i], arguments.seed)))) {
      return false;
    }
  }
  return !arguments.files.empty();
}

/// Opens a plan and runs it on zeros, with the same value for all symbolic sizes.
static Status runFile(const std::string &path) {
  constexpr uint64_t memoryLimit = 256 << 20;
  ZYXC_ASSIGN(rt::PlanFile file, rt::PlanFile::open(path));
  ZYXC_ASSIGN(size_t target, file.choose(CpuFeatures::detect()));
  ZYXC_ASSIGN(rt::LoadedPlan loaded, file.load(target));
  constexpr int64_t size = 3;
  dim::Bindings sizes;
  for (const std::string &name : rt::sizeVariables(loaded.plan)) {
    sizes.emplace(name, size);
  }
  ZYXC_ASSIGN(std::vector<rt::NamedType> types, rt::bindTypes(loaded.plan.inputs, sizes));
  std::vector<Tensor> inputs;
  for (const rt::NamedType &input : types) {
    ZYXC_RETURN_IF_ERROR(rt::checkMemory(input.type.byteSize(), memoryLimit, "an input"));
    inputs.push_back(Tensor::zeros(input.type));
  }
  ZYXC_ASSIGN(auto executor, rt::Executor::load(std::move(loaded.plan), {1, memoryLimit, sizes}));
  ZYXC_ASSIGN(std::vector<Tensor> outputs, executor->run(inputs));
  return Status::ok();
}

/// A copy that differs from `bytes`.
static std::string damaged(const std::string &bytes, std::mt19937_64 &random) {
  std::string copy = bytes;
  size_t place = random() % bytes.size();
  size_t length = 1 + random() % 64;
  switch (random() % 8) {
  case 0: copy.resize(place); break;
  case 1: copy.append(length, static_cast<char>(random())); break;
  case 2: copy.insert(place, length, bytes[random() % bytes.size()]); break;
  case 3: copy.erase(place, length); break;
  case 4: // several bytes, in the first part of the file, where the header is
    for (; length > 0; --length) {
      copy[random() % std::min<size_t>(bytes.size(), 4096)] = static_cast<char>(random());
    }
    break;
  default: copy[place] = static_cast<char>(copy[place] ^ (1 + random() % 255));
  }
  return copy;
}

/// "" if the copy is refused as it should be.
static std::string harmOf(const std::string &path) {
  constexpr int seconds = 20;
  Isolated child = runIsolated(
      [&] {
        Status status = runFile(path);
        return fmt::format("{} {}", static_cast<int>(status.code()), status.message());
      },
      seconds);
  std::string expected = fmt::format("{} {}: ", static_cast<int>(ErrorCode::Input), path);
  bool refused = child.end == Isolated::End::Returned && child.text.starts_with(expected) &&
                 child.text.find('\n') == std::string::npos;
  return refused ? "" : child.text;
}

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse({argv + 1, argv + argc}, arguments)) {
    fmt::print(stderr, "usage: zyxc-fuzz-plans PLAN... [--count N] [--seed S]\n");
    return static_cast<int>(ErrorCode::Usage);
  }
  std::string copy = fs::temp_directory_path() / fmt::format("zyxc-fuzz-{}.zyxp", getpid());
  uint64_t passed = 0;
  uint64_t failed = 0;
  for (const fs::path &file : arguments.files) {
    if (Status status = runFile(file); !status.isOk()) {
      fmt::print("{}: {}\n", file.string(), status.message());
      ++failed;
      continue;
    }
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    for (uint64_t i = 0; i < arguments.count; ++i) {
      std::mt19937_64 random(arguments.seed + i);
      std::string bytes = damaged(content.str(), random);
      if (bytes == content.str()) {
        continue;
      }
      std::ofstream(copy, std::ios::binary) << bytes;
      std::string harm = harmOf(copy);
      ++(harm.empty() ? passed : failed);
      if (!harm.empty()) {
        fmt::print("{}, seed {}: {}\n", file.string(), arguments.seed + i, harm);
      }
    }
  }
  std::error_code ignored;
  fs::remove(copy, ignored);
  fmt::print("{} passed, {} failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
