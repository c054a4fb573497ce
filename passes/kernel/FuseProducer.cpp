#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"
#include "passes/kernel/edit/InlineBody.h"
#include "passes/kernel/edit/ProgramEdit.h"
#include "passes/kernel/edit/SimplifyAffine.h"

namespace zyxc {

#define GEN_PASS_DEF_FUSEPRODUCERPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

namespace {

/// A launch that fills a scratch port and the one launch that reads it.
struct ProducerPair {
  LaunchOp producer, consumer;
  Value scratch;
};

} // namespace

/// The one store of a kernel, if it fills its whole port: a permutation of axes.
static StoreOp wholeStore(KernelOp kernel) {
  auto stores = kernel.getBlock().getOps<StoreOp>();
  if (!llvm::hasSingleElement(stores)) {
    return {};
  }
  StoreOp store = *stores.begin();
  auto type = cast<PortType>(store.getPort().getType());
  AxisSet seen = 0;
  for (auto [expr, size] : llvm::zip(store.getMap().getResults(), type.getShape().getResults())) {
    auto axis = dyn_cast<AffineDimExpr>(expr);
    if (!axis || axis.getPosition() >= kernel.getNumAxes() || contains(seen, axis.getPosition()) ||
        kernel.getAxisBounds().getResult(axis.getPosition()) != size) {
      return {};
    }
    seen |= axisBit(axis.getPosition());
  }
  bool plain = store.getCombine() == Combine::None && type.getMode() == PortMode::Out;
  return plain && !type.getLayout() ? store : StoreOp();
}

/// May the producer's value be computed where the consumer needs it?
static bool isProducer(KernelOp kernel) {
  StoreOp store = wholeStore(kernel);
  if (!store || kernel.getDomain()) {
    return false;
  }
  AxisSet stored = axesIn(store.getMap(), kernel.getNumAxes());
  for (AffineExpr bound : kernel.getAxisBounds().getResults()) {
    if (axesIn(bound, kernel.getNumAxes())) {
      return false;
    }
  }
  // What runs along a stored axis needs all of it at each point.
  return llvm::none_of(kernel.getBlock(), [&](Operation &op) {
    return isa<ScanOp>(op) || (combinedAxes(op) & stored);
  });
}

static bool isConsumer(KernelOp kernel, Value port) {
  return llvm::all_of(port.getUsers(), [](Operation *user) {
    auto load = dyn_cast<LoadOp>(user);
    return load && load.getOob() == Oob::Prove && load.getCoords().empty();
  });
}

/// The port of a launch's kernel that stands for a port of the program; none if several do.
static std::optional<unsigned> portFor(LaunchOp launch, Value port) {
  std::optional<unsigned> found;
  for (auto [i, value] : llvm::enumerate(launch.getPorts())) {
    if (value == port) {
      if (found) {
        return std::nullopt;
      }
      found = i;
    }
  }
  return found;
}

/// No launch between may write what the producer reads, or read or write what it fills.
static bool canMove(ProducerPair pair) {
  for (Operation *op = pair.producer->getNextNode(); op != pair.consumer; op = op->getNextNode()) {
    auto between = cast<LaunchOp>(op);
    for (Value port : pair.producer.getPorts()) {
      if (writes(between, port)) {
        return false;
      }
    }
  }
  return true;
}

static std::optional<ProducerPair> findPair(ProgramOp program) {
  for (BlockArgument port : program.getBlock().getArguments()) {
    SmallVector<LaunchOp> users;
    for (auto launch : program.getBlock().getOps<LaunchOp>()) {
      if (llvm::is_contained(launch.getPorts(), port)) {
        users.push_back(launch);
      }
    }
    if (cast<PortType>(port.getType()).getMode() != PortMode::Scratch || users.size() != 2 ||
        reads(users[0], port) || writes(users[1], port)) {
      continue;
    }
    ProducerPair pair{users[0], users[1], port};
    std::optional<unsigned> inner = portFor(pair.consumer, port);
    KernelOp consumer = pair.consumer.lookUpKernel();
    // The producer's inputs must not be what the consumer writes.
    bool apart = llvm::none_of(pair.producer.getPorts(),
                               [&](Value input) { return writes(pair.consumer, input); });
    if (inner && portFor(pair.producer, port) && apart &&
        isProducer(pair.producer.lookUpKernel()) &&
        isConsumer(consumer, consumer.getPort(*inner)) && canMove(pair)) {
      return pair;
    }
  }
  return std::nullopt;
}

/// Computes the producer's value at the coordinates of a load.
static void fuseLoad(KernelOp kernel, LoadOp load, KernelOp producer, ArrayRef<Value> ports) {
  MLIRContext *context = kernel.getContext();
  StoreOp store = wholeStore(producer);
  BodyPlace place;
  place.axes.resize(producer.getNumAxes());
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    place.dims.push_back(getAffineSymbolExpr(dim, context));
  }
  AxisSet stored = axesIn(store.getMap(), producer.getNumAxes());
  for (unsigned axis = 0; axis < producer.getNumAxes(); ++axis) {
    if (!contains(stored, axis)) {
      unsigned added =
          addAxis(kernel, producer.getAxisName(axis), producer.getAxisBounds().getResult(axis));
      place.axes[axis] = getAffineDimExpr(added, context);
    }
  }
  for (auto [expr, coordinate] :
       llvm::zip(store.getMap().getResults(), load.getMap().getResults())) {
    place.axes[cast<AffineDimExpr>(expr).getPosition()] = coordinate;
  }
  place.ports.assign(ports.begin(), ports.end());
  OpBuilder builder(load);
  IRMapping values = inlineBody(builder, producer, kernel, place);
  load.getResult().replaceAllUsesWith(values.lookup(store.getValue()));
  load.erase();
}

static void fuse(ProducerPair pair) {
  auto program = pair.consumer->getParentOfType<ProgramOp>();
  KernelOp oldProducer = pair.producer.lookUpKernel();
  KernelOp oldConsumer = pair.consumer.lookUpKernel();
  KernelOp producer = kernelOverProgramDims(pair.producer, "producer");
  KernelOp fused = kernelOverProgramDims(
      pair.consumer, (oldProducer.getSymName() + "_" + oldConsumer.getSymName()).str());
  SmallVector<Value> launchPorts(pair.consumer.getPorts());
  SmallVector<Value> ports;
  for (auto [i, value] : llvm::enumerate(pair.producer.getPorts())) {
    PortType type = producer.getPortType(i);
    if (value == pair.scratch) {
      ports.push_back(Value());
      continue;
    }
    // The consumer may take the same port already.
    std::optional<unsigned> same = portFor(pair.consumer, value);
    if (same && fused.getPortType(*same) == type) {
      ports.push_back(fused.getPort(*same));
    } else {
      ports.push_back(fused.getBlock().addArgument(type, fused.getLoc()));
      launchPorts.push_back(value);
    }
  }
  BlockArgument filled = fused.getPort(*portFor(pair.consumer, pair.scratch));
  SmallVector<Operation *> loads(filled.getUsers());
  for (Operation *load : llvm::reverse(loads)) {
    fuseLoad(fused, cast<LoadOp>(load), producer, ports);
  }
  producer.erase();
  simplifyAccesses(fused);
  dropUnusedOps(fused);
  SmallVector<Value> kept;
  for (unsigned port : dropUnusedPorts(fused)) {
    kept.push_back(launchPorts[port]);
  }
  dropUnusedAxes(fused);
  replaceLaunches({pair.producer, pair.consumer}, fused, kept);
  dropUnused(program, {oldProducer, oldConsumer});
}

bool fuseProducer(ProgramOp program) {
  std::optional<ProducerPair> pair = findPair(program);
  if (pair) {
    fuse(*pair);
  }
  return pair.has_value();
}

namespace {

struct FuseProducerPass : impl::FuseProducerPassBase<FuseProducerPass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<ProgramOp>()) {
      while (fuseProducer(program)) {
      }
    }
  }
};

} // namespace

} // namespace zyxc
