#include "runtime/exec/BlasLibrary.h"
#include "runtime/exec/OpenLibrary.h"
#include "runtime/library/Blas.h"
#include <algorithm>
#include <dlfcn.h>
#include <fmt/ranges.h>
#include <set>

namespace zyxc::rt {

static bool isOfLibrary(const Kernel &kernel) {
  return !kernel.library.empty();
}

/// Symbols that the plan calls, each once, in order of the alphabet.
static std::string symbolsOf(const Plan &plan) {
  std::set<std::string> symbols;
  for (const Plan *part : wholePlan(plan)) {
    for (const Kernel &kernel : part->kernels) {
      if (isOfLibrary(kernel)) {
        symbols.insert(kernel.symbol);
      }
    }
  }
  return fmt::format("{}", fmt::join(symbols, ", "));
}

/// Library kernels of a part are products of functions that are known, with their ports.
static Status checkProducts(const Plan &plan) {
  auto malformed = [](const Kernel &kernel, std::string_view what) {
    return makeError(ErrorCode::Input,
                     "malformed ({} of library kernel {}): make the plan again "
                     "with zyxc compile",
                     what, kernel.name);
  };
  for (const Kernel &kernel : plan.kernels) {
    if (!isOfLibrary(kernel)) {
      continue;
    }
    if (kernel.library != blasLibrary || !findBlasFunction(kernel.symbol)) {
      return makeError(ErrorCode::Input,
                       "kernel {} is the function '{}' of a library '{}', which this zyxc cannot "
                       "call: compile the model with the zyxc that runs it",
                       kernel.name, kernel.symbol, kernel.library);
    }
    if (!isProduct(kernel.dims)) {
      return malformed(kernel, "dims");
    }
  }
  for (const std::vector<Launch> *launches : {&plan.prepare, &plan.steps}) {
    for (const Launch &launch : *launches) {
      const Kernel &kernel = plan.kernels[launch.kernel];
      if (isOfLibrary(kernel) && launch.ports.size() != numProductPorts) {
        return malformed(kernel, "ports");
      }
    }
  }
  return Status::ok();
}

static Expected<std::shared_ptr<void>> openBlas(const Plan &plan, const std::string &name) {
  if (name.empty()) {
    return makeError(ErrorCode::Usage,
                     "the plan calls {} of a BLAS library: name one with --blas PATH, or use the "
                     "system's with --blas auto",
                     symbolsOf(plan));
  }
  if (name != anyBlas) {
    return openLibrary(name);
  }
  std::string tried;
  for (std::string_view file : blasFiles()) {
    if (void *handle = ::dlopen(std::string(file).c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return sharedLibrary(handle);
    }
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", file);
  }
  return makeError(ErrorCode::Input,
                   "--blas=auto: the system has no BLAS library for {} (tried {}): install one, "
                   "such as Debian's libopenblas0-pthread, or name one with --blas PATH",
                   symbolsOf(plan), tried);
}

Expected<std::shared_ptr<void>> resolveBlas(Plan &plan, const std::string &name) {
  std::vector<Plan *> parts = wholePlan(plan);
  bool isNeeded = false;
  for (const Plan *part : parts) {
    ZYXC_RETURN_IF_ERROR(checkProducts(*part));
    isNeeded |= std::any_of(part->kernels.begin(), part->kernels.end(), isOfLibrary);
  }
  if (!isNeeded) {
    return std::shared_ptr<void>();
  }
  ZYXC_ASSIGN(std::shared_ptr<void> library, openBlas(plan, name));
  for (std::string_view setter : blasThreadSetters()) {
    if (void *function = ::dlsym(library.get(), std::string(setter).c_str())) {
      reinterpret_cast<void (*)(int)>(function)(1);
    }
  }
  for (Plan *part : parts) {
    for (Kernel &kernel : part->kernels) {
      if (!isOfLibrary(kernel)) {
        continue;
      }
      kernel.entry = findBlasFunction(kernel.symbol)->entry;
      kernel.function = ::dlsym(library.get(), kernel.symbol.c_str());
      if (!kernel.function) {
        return makeError(ErrorCode::Usage,
                         "--blas={}: the library has no function '{}', which kernel {} calls: name "
                         "one with the C interface of BLAS",
                         name, kernel.symbol, kernel.name);
      }
    }
  }
  return library;
}

} // namespace zyxc::rt
