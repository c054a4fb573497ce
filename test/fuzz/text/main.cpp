// zyxc-fuzz-text: damaged copies of files through the readers of zyxc. Whatever a file holds, the
// answer is an error or a result, never a crash, and it comes soon.
//
// usage: zyxc-fuzz-text FILE... [--count N] [--seed S] [--save FOLDER]
// N copies of each file. By its ending a file is read as rules (.rules), a module (.mlir, which is
// also compiled if it is still one), an array (.npy) or a model (.onnx). --save keeps each copy
// that did harm. Exit status: 0 if none did.
#include "compiler/driver/Compile.h"
#include "compiler/rules/Rule.h"
#include "runtime/core/Npy.h"
#include "runtime/exec/Executor.h"
#include "test/fuzz/text/Mutate.h"
#include "tools/dev/isolate/Isolated.h"
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace zyxc;
namespace fs = std::filesystem;

namespace {
struct Arguments {
  std::vector<fs::path> files;
  uint64_t count = 200;
  uint64_t seed = 1;
  fs::path save;
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
      continue;
    }
    if (++i == list.size()) {
      return false;
    }
    bool known = (flag == "--count" && number(list[i], arguments.count)) ||
                 (flag == "--seed" && number(list[i], arguments.seed));
    if (flag == "--save") {
      arguments.save = list[i];
    } else if (!known) {
      return false;
    }
  }
  return !arguments.files.empty();
}

/// Reads a module, and compiles and runs it on zeros if it is one.
static std::string useModel(Expected<Model> model) {
  constexpr uint64_t memoryLimit = 64 << 20;
  if (!model) {
    return model.error().message();
  }
  std::vector<Tensor> inputs;
  for (const rt::NamedType &input : model->inputs()) {
    if (Status status = rt::checkMemory(input.type.byteSize(), memoryLimit, "an input");
        !status.isOk()) {
      return status.message();
    }
    inputs.push_back(Tensor::zeros(input.type));
  }
  CompileOptions options;
  options.memoryLimit = memoryLimit;
  Expected<Compiled> compiled = compile(*model, options);
  if (!compiled) {
    return compiled.error().message();
  }
  auto executor = rt::Executor::load(compiled->plan, {1, memoryLimit});
  if (!executor) {
    return executor.error().message();
  }
  auto outputs = (*executor)->run(inputs);
  return outputs ? "" : outputs.error().message();
}

/// What the reader of this kind of file says of a text.
static std::string readText(const std::string &extension, const std::string &text) {
  if (extension == ".mlir") {
    return useModel(Model::parse(text, "module"));
  }
  if (extension == ".rules") {
    auto rules = rules::compileRules(text, "rules");
    return rules ? "" : rules.error().message();
  }
  fs::path file = fs::temp_directory_path() / fmt::format("zyxc-fuzz-{}{}", getpid(), extension);
  std::ofstream(file, std::ios::binary) << text;
  std::string answer;
  if (extension == ".onnx") {
    answer = useModel(Model::load(file, {}));
  } else {
    auto tensor = readNpy(file);
    answer = tensor ? "" : tensor.error().message();
  }
  std::error_code ignored;
  fs::remove(file, ignored);
  return answer;
}

/// An answer must be one line; "" if a copy did no harm.
static std::string harmOf(const std::string &extension, const std::string &text) {
  constexpr int seconds = 20;
  Isolated child = runIsolated([&] { return readText(extension, text); }, seconds);
  if (child.end != Isolated::End::Returned) {
    return child.text;
  }
  return child.text.find('\n') == std::string::npos ? ""
                                                    : "an error of several lines: " + child.text;
}

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse({argv + 1, argv + argc}, arguments)) {
    fmt::print(stderr, "usage: zyxc-fuzz-text FILE... [--count N] [--seed S] [--save FOLDER]\n");
    return static_cast<int>(ErrorCode::Usage);
  }
  uint64_t passed = 0;
  uint64_t failed = 0;
  for (const fs::path &file : arguments.files) {
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    for (uint64_t i = 0; i < arguments.count; ++i) {
      std::mt19937_64 random(arguments.seed + i);
      std::string text = fuzz::mutated(content.str(), random);
      std::string harm = harmOf(file.extension(), text);
      if (harm.empty()) {
        ++passed;
        continue;
      }
      ++failed;
      fmt::print("{}, seed {}: {}\n", file.string(), arguments.seed + i, harm);
      if (!arguments.save.empty()) {
        std::string name = fmt::format("{}-{}{}", file.stem().string(), arguments.seed + i,
                                       file.extension().string());
        std::ofstream(arguments.save / name, std::ios::binary) << text;
      }
    }
  }
  fmt::print("{} passed, {} failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
