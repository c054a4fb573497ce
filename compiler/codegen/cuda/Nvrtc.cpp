#include "compiler/codegen/cuda/Nvrtc.h"
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>
#include <vector>

namespace zyxc {

namespace {

using Program = struct NvrtcProgram *;

/// The functions of NVRTC that are used, as nvrtc.h declares them.
struct Nvrtc {
  int (*create)(Program *, const char *, const char *, int, const char *const *,
                const char *const *) = nullptr;
  int (*compile)(Program, int, const char *const *) = nullptr;
  int (*ptxSize)(Program, size_t *) = nullptr;
  int (*ptx)(Program, char *) = nullptr;
  int (*logSize)(Program, size_t *) = nullptr;
  int (*log)(Program, char *) = nullptr;
  int (*destroy)(Program *) = nullptr;
  const char *(*errorString)(int) = nullptr;
};

} // namespace

/// Opened once; it stays open, as its threads may outlive a compilation.
static void *openLibrary() {
  std::vector<std::string> names;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char *home = std::getenv(variable)) {
      names.push_back(std::string(home) + "/lib64/libnvrtc.so");
      names.push_back(std::string(home) + "/lib/libnvrtc.so");
    }
  }
  for (const char *name :
       {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}) {
    names.emplace_back(name);
  }
  for (const std::string &name : names) {
    if (void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return handle;
    }
  }
  return nullptr;
}

static void *library() {
  static void *const opened = openLibrary();
  return opened;
}

bool hasNvrtc() {
  return library() != nullptr;
}

static Expected<Nvrtc> load() {
  if (!hasNvrtc()) {
    return makeError(ErrorCode::Unsupported,
                     "CUDA C++ needs NVRTC, which is not on this machine: install the CUDA toolkit "
                     "(libnvrtc.so), name it with CUDA_HOME, or give the kernel a source in PTX");
  }
  Nvrtc api;
  bool complete = true;
  auto find = [&]<class F>(F &function, const char *name) {
    function = reinterpret_cast<F>(dlsym(library(), name));
    complete &= function != nullptr;
  };
  find(api.create, "nvrtcCreateProgram");
  find(api.compile, "nvrtcCompileProgram");
  find(api.ptxSize, "nvrtcGetPTXSize");
  find(api.ptx, "nvrtcGetPTX");
  find(api.logSize, "nvrtcGetProgramLogSize");
  find(api.log, "nvrtcGetProgramLog");
  find(api.destroy, "nvrtcDestroyProgram");
  find(api.errorString, "nvrtcGetErrorString");
  return complete ? Expected<Nvrtc>(api)
                  : makeError(ErrorCode::Unsupported,
                              "the libnvrtc.so of this machine lacks functions: install the CUDA "
                              "toolkit 11 or later");
}

/// A text that two functions give: its size with the end, then its bytes.
template <class Size, class Text>
static std::string textOf(Program program, Size sizeOf, Text copy) {
  size_t size = 0;
  if (sizeOf(program, &size) != 0 || size == 0) {
    return "";
  }
  std::string text(size, '\0');
  if (copy(program, text.data()) != 0) {
    return "";
  }
  text.resize(size - 1);
  return text;
}

/// The first line of a log with an error in it.
static std::string firstError(const std::string &log) {
  size_t at = log.find("error");
  size_t line = at == log.npos ? log.npos : log.rfind('\n', at);
  size_t begin = line == log.npos ? 0 : line + 1;
  return log.substr(begin, log.find('\n', begin) - begin);
}

Expected<std::string> compileCudaCpp(const std::string &code, const std::string &name,
                                     const std::string &architecture) {
  ZYXC_ASSIGN(Nvrtc api, load());
  Program program = nullptr;
  std::string file = name + ".cu";
  if (int error = api.create(&program, code.c_str(), file.c_str(), 0, nullptr, nullptr)) {
    return makeError(ErrorCode::Internal, "nvrtcCreateProgram: {}", api.errorString(error));
  }
  auto end = [&](Program made) {
    api.destroy(&made);
  };
  std::unique_ptr<NvrtcProgram, decltype(end)> owner(program, end);
  constexpr size_t prefix = 3; // "sm_90" is "compute_90"
  std::string target = "--gpu-architecture=compute_" + architecture.substr(prefix);
  const char *options[] = {target.c_str(), "--std=c++17"};
  int error = api.compile(program, std::size(options), options);
  if (error != 0) {
    std::string log = textOf(program, api.logSize, api.log);
    return makeError(ErrorCode::Input, "NVRTC refuses it: {}",
                     log.empty() ? api.errorString(error) : firstError(log));
  }
  std::string ptx = textOf(program, api.ptxSize, api.ptx);
  return ptx.empty() ? Expected<std::string>(makeError(ErrorCode::Internal, "NVRTC gave no PTX"))
                     : Expected<std::string>(std::move(ptx));
}

} // namespace zyxc
