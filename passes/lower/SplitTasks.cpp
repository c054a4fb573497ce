#include "passes/lower/SplitTasks.h"
#include "dialects/zyxk/IR/PortElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/kernel/Transforms.h"
#include "passes/lower/HostFunction.h"
#include "passes/lower/LoopNest.h"
#include "passes/lower/LowerCol.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Fewer tasks leave threads of a usual machine without work.
static constexpr int64_t fewTasks = 8;
/// Tasks that a split aims at.
static constexpr int64_t wantedTasks = 64;
/// Points of a reduction in one part: large against waking threads and joining.
static constexpr int64_t minPartPoints = 64 * 1024;

int64_t partsForTasks(const AccessTable &table, unsigned vectorBits) {
  ReduceOp only;
  for (Operation &op : table.kernel()->getRegion(0).front()) {
    auto store = dyn_cast<StoreOp>(op);
    if (isa<ScanOp, FoldOp, ContractOp>(op) ||
        (store && (store.getCombine() != Combine::None || table.guardOf(store)))) {
      return 0;
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (only) {
        return 0; // the other one would stay in the join, whole
      }
      only = reduce;
    }
  }
  if (!only) {
    return 0;
  }
  int64_t points = table.points(table.axesOf(only.getValue()));
  int64_t tasks = isColumns(table, vectorBits) ? columnTasks(table, vectorBits)
                                               : table.points(sharedAxes(table));
  if (tasks >= fewTasks || points / std::max<int64_t>(tasks, 1) < 2 * minPartPoints) {
    return 0;
  }
  int64_t parts =
      std::min<int64_t>(llvm::divideCeil(wantedTasks, tasks), points / tasks / minPartPoints);
  return parts < 2 ? 0 : parts;
}

namespace {

/// A port of one of the two kernels: a port of the original one, or a place in shared memory.
struct PortSource {
  unsigned port = 0;
  std::optional<int64_t> offset; ///< bytes
};

/// What both functions take.
struct Arguments {
  SmallVector<Type> ports; ///< of the original kernel
  int64_t sharedBytes = 0;
};

} // namespace

static Type memoryOf(PortType port) {
  return MemRefType::get({zyxk::portElements(port)}, port.getElementType());
}

/// Gives a function of one of the kernels the arguments of the original one.
static void setArguments(func::FuncOp function, const Arguments &arguments,
                         ArrayRef<PortSource> sources) {
  Block &entry = function.getBody().front();
  Location loc = function.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  unsigned numOld = entry.getNumArguments();
  unsigned numOwn = numOld - 3; // then scratch memory and the range of tasks
  SmallVector<Value> ports;
  for (Type type : arguments.ports) {
    ports.push_back(entry.addArgument(type, loc));
  }
  Type bytes = MemRefType::get({arguments.sharedBytes}, builder.getI8Type());
  Value shared = entry.addArgument(bytes, loc);
  for (auto [source, old] : llvm::zip_equal(sources, entry.getArguments().take_front(numOwn))) {
    Value memory = source.offset ? Value() : ports[source.port];
    if (source.offset) {
      Value offset = arith::ConstantIndexOp::create(builder, loc, *source.offset);
      memory = memref::ViewOp::create(builder, loc, cast<MemRefType>(old.getType()), shared, offset,
                                      ValueRange());
    }
    old.replaceAllUsesWith(memory);
  }
  for (unsigned i = numOwn; i < numOld; ++i) {
    Value moved = entry.addArgument(entry.getArgument(i).getType(), loc);
    entry.getArgument(i).replaceAllUsesWith(moved);
  }
  entry.eraseArguments(0, numOld);
  function.setType(builder.getFunctionType(entry.getArgumentTypes(), {}));
}

LogicalResult lowerInParts(KernelOp kernel, int64_t parts, LowerOne lower, bool &isSplit) {
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name = kernel.getSymName().str();
  Arguments arguments;
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    arguments.ports.push_back(memoryOf(kernel.getPortType(port)));
  }
  FailureOr<ProgramOp> program = splitReduction(kernel, parts);
  if (failed(program)) {
    return success();
  }
  isSplit = true;
  auto numPorts = static_cast<unsigned>(arguments.ports.size());
  SmallVector<PortSource> places; // of the program's ports
  for (BlockArgument argument : program->getBlock().getArguments()) {
    PortSource source{argument.getArgNumber(), std::nullopt};
    if (source.port >= numPorts) {
      auto type = cast<PortType>(argument.getType());
      source.offset = arguments.sharedBytes;
      int64_t bytes = llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
      arguments.sharedBytes += llvm::alignTo(zyxk::portElements(type) * bytes, 64);
    }
    places.push_back(source);
  }
  SmallVector<std::pair<std::string, SmallVector<PortSource>>> launches;
  for (auto launch : program->getBlock().getOps<LaunchOp>()) {
    SmallVector<PortSource> sources;
    for (Value port : launch.getPorts()) {
      sources.push_back(places[cast<BlockArgument>(port).getArgNumber()]);
    }
    launches.emplace_back(launch.getKernel().str(), sources);
  }
  program->erase();
  SmallVector<func::FuncOp> functions;
  for (auto &[symbol, sources] : launches) {
    if (failed(lower(module.lookupSymbol<KernelOp>(symbol)))) {
      return failure();
    }
    functions.push_back(module.lookupSymbol<func::FuncOp>(symbol));
    setArguments(functions.back(), arguments, sources);
  }
  Builder builder(module.getContext());
  functions.front().setSymName(name);
  functions.front()->setAttr(partsBytesAttrName, builder.getI64IntegerAttr(arguments.sharedBytes));
  functions.back().setSymName(name + "_join");
  functions.back()->setAttr(joinsAttrName, builder.getUnitAttr());
  return success();
}

} // namespace zyxc
