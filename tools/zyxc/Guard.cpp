// Compiling behind a crash guard: a fault inside the compiler becomes one error line and a file
// that reproduces it.
#include "tools/zyxc/Commands.h"
#include "tools/zyxc/run/Progress.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fmt/core.h>
#include <new>
#include <optional>
#include <system_error>

namespace zyxc::tool {

/// Writes the module and the command beside each other; returns the file's name, or "" when nothing
/// could be written.
static std::string writeReproducer(const Model &model, const CommandLine &line) {
  llvm::SmallString<128> path;
  int descriptor = -1;
  if (llvm::sys::fs::createUniqueFile("zyxc-reproducer-%%%%%%.mlir", descriptor, path)) {
    return "";
  }
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << "// zyxc run " << path << " --target=" << line.target
         << " --numerics=" << rules::toString(line.compile.numerics)
         << " --threads=" << line.compile.threads;
  for (const std::string &step : line.compile.disable) {
    stream << " --disable=" << step;
  }
  stream << "\n// " << version() << "\n" << model.completeText();
  return std::string(path);
}

/// LLVM's own report of memory that the system refuses. It may not return; the guard takes over.
static void onBadAlloc(void *refused, const char *, bool) {
  static_cast<std::atomic<bool> *>(refused)->store(true);
  std::abort();
}

Expected<Compiled> compileGuarded(const Model &model, const CommandLine &line) {
  Progress progress("compiling");
  CompileOptions options = line.compile;
  std::string step = "start";
  options.onStep = [&](std::string_view name) {
    step = name;
    progress.step("compiling: " + step);
  };
  if (!options.dump) {
    options.dump = [](std::string_view name, const std::string &text) {
      std::fputs(fmt::format("// after {}\n{}\n", name, text).c_str(), stderr);
    };
  }
  std::optional<Expected<Compiled>> result;
  std::atomic<bool> refused = false;
  llvm::install_bad_alloc_error_handler(onBadAlloc, &refused);
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext guard;
  auto work = [&] {
    try {
      result.emplace(compile(model, options));
    } catch (const std::system_error &error) { // of starting compile workers
      result.emplace(makeError(
          ErrorCode::Device, "the system refused {} threads ({}): give --threads a smaller number",
          options.threads, error.code().message()));
    } catch (const std::bad_alloc &) {
      refused = true;
    }
  };
  bool survived = guard.RunSafelyOnThread(work, /*RequestedStackSize=*/64 << 20);
  llvm::CrashRecoveryContext::Disable();
  llvm::remove_bad_alloc_error_handler();
  if (refused) {
    return makeError(ErrorCode::OutOfMemory, "{}: the system refused memory in step '{}'",
                     line.model, step);
  }
  if (survived && (*result || result->error().code() != ErrorCode::Internal)) {
    return std::move(*result);
  }
  std::string reason = survived ? result->error().message() : "the compiler crashed";
  std::string file = writeReproducer(model, line);
  return makeError(ErrorCode::Internal, "{}: internal error in step '{}': {}{}", line.model, step,
                   reason, file.empty() ? "" : "; please report it with " + file);
}

} // namespace zyxc::tool
