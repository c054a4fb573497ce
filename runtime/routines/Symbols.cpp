#include "runtime/routines/Symbols.h"
#include "runtime/routines/Routine.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace zyxc::rt {

namespace {

struct LibraryFunction {
  std::string_view symbol;
  void *address;
};

} // namespace

template <class T> using Unary = T (*)(T);
template <class T> using Binary = T (*)(T, T);

template <class Function> static void *addressOf(Function function) {
  return reinterpret_cast<void *>(function);
}

// The functions of f64 and of f32 of a name.
#define ZYXC_UNARY(name)                                                                           \
  {#name, addressOf(static_cast<Unary<double>>(::name))}, {                                        \
    #name "f", addressOf(static_cast<Unary<float>>(::name##f))                                     \
  }
#define ZYXC_BINARY(name)                                                                          \
  {#name, addressOf(static_cast<Binary<double>>(::name))}, {                                       \
    #name "f", addressOf(static_cast<Binary<float>>(::name##f))                                    \
  }

/// What LLVM and MLIR call for ops of the math dialect and for copies of memory.
static std::span<const LibraryFunction> libraryFunctions() {
  static const LibraryFunction table[] = {
      ZYXC_UNARY(acos),
      ZYXC_UNARY(acosh),
      ZYXC_UNARY(asin),
      ZYXC_UNARY(asinh),
      ZYXC_UNARY(atan),
      ZYXC_UNARY(atanh),
      ZYXC_UNARY(cbrt),
      ZYXC_UNARY(ceil),
      ZYXC_UNARY(cos),
      ZYXC_UNARY(cosh),
      ZYXC_UNARY(erf),
      ZYXC_UNARY(erfc),
      ZYXC_UNARY(exp),
      ZYXC_UNARY(exp2),
      ZYXC_UNARY(expm1),
      ZYXC_UNARY(floor),
      ZYXC_UNARY(log),
      ZYXC_UNARY(log10),
      ZYXC_UNARY(log1p),
      ZYXC_UNARY(log2),
      ZYXC_UNARY(nearbyint),
      ZYXC_UNARY(rint),
      ZYXC_UNARY(round),
      ZYXC_UNARY(sin),
      ZYXC_UNARY(sinh),
      ZYXC_UNARY(sqrt),
      ZYXC_UNARY(tan),
      ZYXC_UNARY(tanh),
      ZYXC_UNARY(trunc),
      ZYXC_BINARY(atan2),
      ZYXC_BINARY(fmax),
      ZYXC_BINARY(fmin),
      ZYXC_BINARY(fmod),
      ZYXC_BINARY(pow),
      {"sincos", addressOf(static_cast<void (*)(double, double *, double *)>(::sincos))},
      {"sincosf", addressOf(static_cast<void (*)(float, float *, float *)>(::sincosf))},
      {"memcpy", addressOf(static_cast<void *(*)(void *, const void *, size_t)>(::memcpy))},
      {"memmove", addressOf(static_cast<void *(*)(void *, const void *, size_t)>(::memmove))},
      {"memset", addressOf(static_cast<void *(*)(void *, int, size_t)>(::memset))},
  };
  return table;
}

#undef ZYXC_UNARY
#undef ZYXC_BINARY

void *findSymbol(std::string_view symbol) {
  if (symbol.starts_with(routinePrefix)) {
    const Routine *routine = findRoutine(symbol.substr(routinePrefix.size()));
    return routine ? addressOf(routine->call) : nullptr;
  }
  std::span<const LibraryFunction> table = libraryFunctions();
  const auto *found =
      std::find_if(table.data(), table.data() + table.size(),
                   [&](const LibraryFunction &function) { return function.symbol == symbol; });
  return found == table.data() + table.size() ? nullptr : found->address;
}

} // namespace zyxc::rt
