// Routines: functions with a C ABI that a kernel runs on whole ports (zyxk.opaque), found by name
// in one table. The interpreter has a plain implementation of each of its own. A routine is added
// as an implementation here, a line in Routines.cpp, and a line in the interpreter's table
// (compiler/interp/kernel/ReferenceRoutines.cpp).
#pragma once
#include "runtime/core/DType.h"
#include "runtime/core/Shape.h"
#include <span>
#include <string>
#include <string_view>

namespace zyxc::rt {

extern "C" {

/// A port as a routine sees it: dense, row-major. Four 64-bit words.
struct RoutinePort {
  void *data;
  const int64_t *sizes; ///< `rank` of them
  int64_t rank;
  int64_t dtype; ///< a DType; integers are signed
};

/// Works on rows [lo, hi): points of all axes of port 0 but the last one. Calls with different rows
/// may run at the same time. Two zeros follow the params.
using RoutineFn = void (*)(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi);

} // extern "C"

/// What a kernel gives a routine as a port.
struct RoutineArgument {
  DType dtype;
  Shape shape;
  bool isOutput = false; ///< an out port; else an in port, and no other modes are taken
};

struct Routine {
  std::string_view name;
  std::string_view help; ///< what it computes and takes, one line
  /// Empty if the routine takes these ports and params, else what it needs instead.
  std::string (*check)(std::span<const RoutineArgument> ports, std::span<const int64_t> params);
  RoutineFn call;
  int64_t maxTasks = 256; ///< parts of the rows that are worth a call each
};

/// All routines, by name.
std::span<const Routine> routines();
/// The routine of this name, or null.
const Routine *findRoutine(std::string_view name);
/// "sort, topk".
std::string routineNames();
/// Rows of a routine's work: see RoutineFn.
int64_t routineRows(std::span<const int64_t> sizes);

/// Prefix of a routine's symbol in compiled code.
inline constexpr std::string_view routinePrefix = "zyxc_routine_";

} // namespace zyxc::rt
