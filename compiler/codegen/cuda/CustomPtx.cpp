#include "compiler/codegen/cuda/CustomPtx.h"
#include "compiler/codegen/cuda/Assembler.h"
#include "compiler/codegen/cuda/Nvrtc.h"
#include <fmt/format.h>

namespace zyxc {

static bool isOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.';
}

/// The text without comments, which could hold anything.
static std::string withoutComments(std::string_view ptx) {
  std::string text;
  for (size_t i = 0; i < ptx.size(); ++i) {
    bool isLine = ptx.substr(i, 2) == "//";
    if (!isLine && ptx.substr(i, 2) != "/*") {
      text += ptx[i];
      continue;
    }
    size_t end = isLine ? ptx.find('\n', i) : ptx.find("*/", i + 2);
    i = end == ptx.npos ? ptx.size() : end + (isLine ? 0 : 1);
    text += ' ';
  }
  return text;
}

/// How many parameters an entry has; nothing if there is no such entry.
static std::optional<size_t> parametersOf(const std::string &text, const std::string &entry) {
  for (size_t at = text.find(".entry"); at != text.npos; at = text.find(".entry", at + 1)) {
    size_t name = text.find_first_not_of(" \t\r\n", at + std::string_view(".entry").size());
    if (name == text.npos || text.compare(name, entry.size(), entry) != 0 ||
        (name + entry.size() < text.size() && isOfWord(text[name + entry.size()]))) {
      continue;
    }
    size_t open = text.find_first_not_of(" \t\r\n", name + entry.size());
    if (open == text.npos || text[open] != '(') {
      return 0;
    }
    size_t close = text.find(')', open);
    size_t count = 0;
    for (size_t parameter = text.find(".param", open); parameter < close;
         parameter = text.find(".param", parameter + 1)) {
      ++count;
    }
    return count;
  }
  return std::nullopt;
}

/// Of what ptxas prints, the line that says what is wrong, from its number on: before it stands the
/// name of a temporary file.
static std::string firstError(const std::string &message) {
  size_t at = message.find("error");
  size_t line = at == message.npos ? message.npos : message.rfind('\n', at);
  size_t begin = line == message.npos ? 0 : line + 1;
  std::string text = message.substr(begin, message.find('\n', begin) - begin);
  size_t number = text.find("line ");
  return number == text.npos ? text : text.substr(number);
}

static Status refused(const CustomSource &source, const std::string &why) {
  return makeError(ErrorCode::Input, "kernel @{}, {} entry '{}': {}", source.kernel,
                   name(source.form), source.entry, why);
}

static Status checkEntry(const CustomSource &source, const std::string &ptx, size_t numPorts) {
  std::optional<size_t> parameters = parametersOf(withoutComments(ptx), source.entry);
  if (!parameters) {
    return refused(source, source.form == CustomSource::Form::CudaCpp
                               ? "its code has no kernel of this name: declare it extern \"C\" "
                                 "__global__"
                               : "its code has no .entry of this name");
  }
  size_t wanted = numPorts + source.dims.size();
  return *parameters == wanted
             ? Status::ok()
             : refused(source, fmt::format("it has {} parameters, but is given {}: {} addresses "
                                           "and {} sizes, 64 bits each",
                                           *parameters, wanted, numPorts, source.dims.size()));
}

static rt::GpuKernel kernelOf(const CustomSource &source, std::string image) {
  rt::GpuLaunch launch;
  launch.entry = source.entry;
  for (size_t axis = 0; axis < source.grid.size(); ++axis) {
    launch.grid[axis] = static_cast<uint32_t>(source.grid[axis]);
  }
  launch.block = static_cast<uint32_t>(source.block);
  launch.sharedBytes = static_cast<uint32_t>(source.sharedBytes);
  rt::GpuKernel kernel;
  kernel.name = source.kernel;
  kernel.image = std::move(image);
  kernel.launches = {std::move(launch)};
  return kernel;
}

static Status checkLaunch(const CustomSource &source) {
  constexpr std::array<int64_t, 3> most = {(int64_t(1) << 31) - 1, 65535, 65535};
  constexpr int64_t mostThreads = 1024;
  for (size_t axis = 0; axis < most.size(); ++axis) {
    if (source.grid[axis] < 0 || source.grid[axis] > most[axis]) {
      return refused(source, fmt::format("{} blocks in {}, a GPU has at most {}", source.grid[axis],
                                         "xyz"[axis], most[axis]));
    }
  }
  return source.block >= 1 && source.block <= mostThreads
             ? Status::ok()
             : refused(source, fmt::format("a block of {} threads, a GPU has 1 to {}", source.block,
                                           mostThreads));
}

Expected<std::vector<rt::GpuCode>> compileCustomPtx(const CudaToolkit &toolkit,
                                                    const CustomSource &source, size_t numPorts,
                                                    const std::string &architecture) {
  ZYXC_RETURN_IF_ERROR(checkLaunch(source));
  std::string ptx = source.code;
  if (source.form == CustomSource::Form::CudaCpp) {
    auto compiled = compileCudaCpp(source.code, source.entry, architecture);
    if (!compiled && compiled.error().code() == ErrorCode::Input) {
      return refused(source, compiled.error().message());
    }
    if (!compiled) {
      return std::move(compiled).error().withContext(
          fmt::format("kernel @{}, cuda entry '{}'", source.kernel, source.entry));
    }
    ptx = *std::move(compiled);
  }
  std::vector<rt::GpuCode> codes;
  if (!toolkit.ptxas.empty()) {
    ZYXC_ASSIGN(auto assembler, Assembler::start(toolkit, architecture));
    auto cubin = assembler->assemble(ptx);
    if (!cubin) {
      return refused(source, "ptxas refuses it: " + firstError(cubin.error().message()));
    }
    codes.push_back({rt::GpuCodeForm::Cubin, architecture, 0, 0, kernelOf(source, cubin->image)});
  }
  ZYXC_RETURN_IF_ERROR(checkEntry(source, ptx, numPorts));
  codes.push_back({rt::GpuCodeForm::Ptx, "", 0, 0, kernelOf(source, std::move(ptx))});
  return codes;
}

} // namespace zyxc
