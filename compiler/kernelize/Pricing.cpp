#include "compiler/kernelize/Pricing.h"
#include "compiler/kernelize/program/AttentionForm.h"
#include "compiler/kernelize/program/ProgramSizes.h"
#include "runtime/library/Blas.h"
#include <algorithm>

namespace zyxc::kernelize {

namespace {

bool hasDivision(const std::vector<IndexExpr> &exprs) {
  return std::any_of(exprs.begin(), exprs.end(),
                     [](const IndexExpr &expr) { return !expr.isLinear(); });
}

/// Per value: the axes of all loops around it. Coordinates are formed again in each of them.
std::vector<uint64_t> loopsAround(const Program &program, const std::vector<uint64_t> &sets) {
  std::vector<uint64_t> loops(program.values.size(), 0);
  for (const Store &store : program.stores) {
    loops[store.value] |= program.storedAxes();
  }
  for (size_t id = program.values.size(); id-- > 0;) {
    const Value &value = program.values[id];
    loops[id] |= sets[id];
    for (ValueId operand : value.operands) {
      loops[operand] |= loops[id] | value.reducedAxes();
    }
  }
  return loops;
}

double contractWork(const Program &program, const Value &value, const std::vector<uint64_t> &sets,
                    const cost::CostTable &table) {
  uint64_t inner = value.reducedAxes();
  uint64_t a = sets[value.operands[0]] & ~inner;
  uint64_t b = sets[value.operands[1]] & ~inner;
  return cost::contractFlops(table, program.volume(a & b), program.volume(a & ~b),
                             program.volume(b & ~a), program.volume(inner));
}

double attentionWork(const Program &program, const AttentionForm &form,
                     const cost::CostTable &table) {
  return cost::attentionFlops(table, program.volume(form.batch), program.volume(form.query),
                              program.volume(form.key), program.volume(form.depth),
                              program.volume(form.width));
}

} // namespace

/// Bytes and work of a program whose sizes are numbers.
static cost::KernelWork count(const Program &program, const cost::CostTable &table) {
  std::vector<uint64_t> sets = program.axisSets();
  std::vector<uint64_t> loops = loopsAround(program, sets);
  cost::KernelWork work;
  std::optional<AttentionForm> attention;
  if (program.family == Family::Attention) {
    attention = findAttention(program);
  }
  std::vector<bool> overTile; ///< by value: depends on the contraction
  std::vector<int64_t> loaded(program.ports.size(), 0);
  for (size_t id = 0; id < program.values.size(); ++id) {
    const Value &value = program.values[id];
    uint64_t domain = sets[id] | value.reducedAxes();
    auto volume = static_cast<double>(program.volume(domain));
    double weight = 0;
    switch (value.op) {
    case Value::Op::Literal: break;
    case Value::Op::Index: weight = hasDivision(value.coords) ? table.divisionWeight : 1; break;
    case Value::Op::Load: {
      int64_t elements =
          std::min(program.volume(domain), program.ports[value.port].type.numElements());
      loaded[value.port] = std::max(loaded[value.port], elements);
      if (hasDivision(value.coords)) {
        weight = table.divisionWeight;
        // Attention forms addresses of its factors once for all queries and columns.
        volume = attention ? volume : static_cast<double>(program.volume(loops[id]));
      }
      break;
    }
    case Value::Op::Scalar: weight = cost::opWeight(value.kind); break;
    case Value::Op::Where: weight = table.guardWeight; break;
    case Value::Op::Reduce:
    case Value::Op::Scan: weight = 1; break;
    case Value::Op::Contract:
      work.contractFlops += attention ? attentionWork(program, *attention, table)
                                      : contractWork(program, value, sets, table);
      break;
    case Value::Op::SoftmaxSum:
      weight = cost::opWeight(OpKind::Softmax);
      volume = static_cast<double>(program.volume(sets[value.operands[0]]));
      break;
    }
    bool isGathered = attention && value.op == Value::Op::Load &&
                      (sets[id] & attention->query) != 0 && (sets[id] & attention->key) != 0;
    weight += isGathered ? table.gatherWeight : 0;
    bool isOverTile = value.op != Value::Op::SoftmaxSum &&
                      std::any_of(value.operands.begin(), value.operands.end(),
                                  [&](ValueId operand) { return overTile[operand]; });
    overTile.push_back(isOverTile || value.op == Value::Op::Contract ||
                       value.op == Value::Op::SoftmaxSum);
    (isOverTile ? work.tileOps : work.scalarOps) += weight * volume;
  }
  for (size_t port = 0; port < program.ports.size(); ++port) {
    const TensorType &type = program.ports[port].type;
    bool isWhole = program.ports[port].output || isOnWholePorts(program.family);
    int64_t elements = isWhole ? type.numElements() : loaded[port];
    work.bytes += elements * static_cast<int64_t>(byteSize(type.dtype));
  }
  work.scalarOps += static_cast<double>(program.routineOps);
  constexpr int64_t fewPoints = 8;
  bool isLoop = program.family == Family::Map || program.family == Family::Row;
  work.isSerial = isLoop && program.volume(program.storedAxes()) < fewPoints;
  return work;
}

/// A declared number where its sizes are typical. Whatever is declared, sums of costs must not
/// overflow: no kernel takes longer than a quarter of an hour, or has a number that is none.
static int64_t declaredNumber(int64_t size) {
  constexpr int64_t most = 900'000'000'000'000;
  int64_t number = dim::estimate(size);
  return number < 0 ? most : std::min(number, most);
}

/// What the author of a custom kernel says of it takes the place of what was counted. Its flops
/// are priced as those of a contraction: that is what it is written for.
static int64_t declaredCost(const CustomCost &declared, cost::KernelWork &work,
                            const cost::CostTable &table) {
  if (declared.bytes >= 0) {
    work.bytes = declaredNumber(declared.bytes);
  }
  if (declared.flops >= 0) {
    work.contractFlops = static_cast<double>(declaredNumber(declared.flops));
  }
  return declared.picoseconds >= 0 ? declaredNumber(declared.picoseconds)
                                   : cost::estimate(table, work);
}

/// Time of calls of a BLAS library whose sizes are numbers; adds bytes and flops.
static int64_t libraryCost(const Program &program, const cost::CostTable &table,
                           PricedProgram &priced) {
  rt::Product product = rt::fromDims(program.params.data());
  cost::BlasWork work;
  for (const rt::Product::Loop &loop : product.allLoops()) {
    work.batch *= loop.extent;
  }
  work.calls = product.numTasks();
  work.rows = product.rows;
  work.columns = product.columns;
  work.inner = product.inner;
  work.isVector =
      rt::findBlasFunction(program.routine)->form == rt::BlasFunction::Form::MatrixVector;
  work.isTransposed = product.a.transposed;
  if (!work.isVector) {
    // Parts of rows all pack b, parts of columns all pack a.
    auto numParts = [](int64_t extent, int64_t perTask) {
      return perTask == 0 ? 1 : (extent + perTask - 1) / perTask;
    };
    work.packedA = work.batch * product.inner * product.rows *
                   numParts(product.columns, product.columnsPerTask);
    work.packedB =
        work.batch * product.inner * product.columns * numParts(product.rows, product.rowsPerTask);
  }
  for (const Port &port : program.ports) {
    work.bytes += port.type.numElements() * static_cast<int64_t>(byteSize(port.type.dtype));
  }
  double flops = 2.0 * static_cast<double>(work.batch) * static_cast<double>(product.rows) *
                 static_cast<double>(product.columns) * static_cast<double>(product.inner);
  priced.bytes = work.bytes;
  priced.flops = static_cast<int64_t>(std::min(flops, 9e18));
  return cost::estimate(table, work);
}

PricedProgram price(Program program, const cost::CostTable &table) {
  PricedProgram priced;
  if (program.family == Family::Library) {
    priced.cost = libraryCost(hasOpenSizes(program) ? estimated(program) : program, table, priced);
    priced.program = std::move(program);
    return priced;
  }
  cost::KernelWork work = count(hasOpenSizes(program) ? estimated(program) : program, table);
  priced.cost = program.custom && program.custom->cost
                    ? declaredCost(*program.custom->cost, work, table)
                    : cost::estimate(table, work);
  priced.bytes = work.bytes;
  priced.flops =
      static_cast<int64_t>(std::min(work.contractFlops + work.tileOps + work.scalarOps, 9e18));
  priced.program = std::move(program);
  return priced;
}

} // namespace zyxc::kernelize
