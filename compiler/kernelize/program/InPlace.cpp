#include "compiler/kernelize/program/InPlace.h"
#include <algorithm>

namespace zyxc::kernelize {

/// All stores run over the same axes.
static bool sharesLoops(const Program &program) {
  uint64_t stored = program.storedAxes();
  return std::all_of(program.stores.begin(), program.stores.end(), [&](const Store &store) {
    Program alone;
    alone.extents = program.extents;
    alone.stores = {store};
    return alone.storedAxes() == stored;
  });
}

std::optional<Program> inPlace(const Program &program, uint32_t in, uint32_t out, int64_t shift) {
  bool isLoop = program.family == Family::Map || program.family == Family::Row;
  auto store = std::find_if(program.stores.begin(), program.stores.end(),
                            [&](const Store &other) { return other.port == out; });
  if (!isLoop || store == program.stores.end() ||
      program.ports[in].type.dtype != program.ports[out].type.dtype || program.ports[out].isRead ||
      !sharesLoops(program)) {
    return std::nullopt;
  }
  auto addressOf = [&](const std::vector<IndexExpr> &coords, uint32_t port) {
    return linearize(coords, program.ports[port].type.shape);
  };
  IndexExpr written = addressOf(store->coords, out) + IndexExpr(shift);
  Program result = program;
  result.ports[out].isRead = true;
  result.ports.erase(result.ports.begin() + in);
  auto renumber = [&](uint32_t &port) {
    port = port == in ? out - 1 : port - (port > in);
  };
  for (Value &value : result.values) {
    if (value.op != Value::Op::Load) {
      continue;
    }
    if (value.port == in) {
      if (!value.operands.empty() || addressOf(value.coords, in) != written) {
        return std::nullopt;
      }
      value.coords = store->coords;
    }
    renumber(value.port);
  }
  for (Store &other : result.stores) {
    renumber(other.port);
  }
  return result;
}

} // namespace zyxc::kernelize
