#include "compiler/interp/kernel/KernelInterpreter.h"
#include "compiler/interp/kernel/ReferenceRoutines.h"
#include "compiler/interp/kernel/RootLoops.h"
#include "dialects/zyxk/scalar/ScalarFunction.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstring>

namespace zyxc {

using namespace kernelinterp;

/// Elements that the results of one root may have: 1 GiB of values.
static constexpr double maxResultElements = 1 << 27;

struct KernelInterpreter::Impl {
  BodyGraph graph;
};

KernelInterpreter::KernelInterpreter(std::unique_ptr<Impl> made) : impl(std::move(made)) {
  for (const GraphPort &port : impl->graph.ports) {
    kernelPorts.push_back({port.type, port.mode});
  }
}
KernelInterpreter::~KernelInterpreter() = default;
KernelInterpreter::KernelInterpreter(KernelInterpreter &&) noexcept = default;
KernelInterpreter &KernelInterpreter::operator=(KernelInterpreter &&) noexcept = default;

/// A copy of the kernel whose scalar calls are arith and math ops.
static mlir::OwningOpRef<zyxk::KernelOp> inlineCalls(zyxk::KernelOp kernel) {
  mlir::OwningOpRef<zyxk::KernelOp> copy(kernel.clone());
  for (auto call : llvm::make_early_inc_range(copy->getBlock().getOps<zyxk::ScalarOp>())) {
    mlir::OpBuilder builder(call);
    call.getResult().replaceAllUsesWith(
        emitScalarFunction(builder, call.getLoc(), call.getFunction(), call.getArgs()));
    call.erase();
  }
  return copy;
}

Expected<KernelInterpreter> KernelInterpreter::create(zyxk::KernelOp kernel,
                                                      std::span<const int64_t> dims) {
  auto impl = std::make_unique<Impl>();
  mlir::OwningOpRef<zyxk::KernelOp> copy;
  if (!kernel.getBlock().getOps<zyxk::ScalarOp>().empty()) {
    copy = inlineCalls(kernel);
    kernel = *copy;
  }
  ZYXC_ASSIGN(impl->graph, buildBodyGraph(kernel, dims));
  return KernelInterpreter(std::move(impl));
}

/// Marks the nodes that a root computes.
static size_t nodesOf(const BodyGraph &graph, const Root &root) {
  std::vector<bool> needed(graph.nodes.size());
  for (NodeId node : valuesOf(root)) {
    needed[node] = true;
  }
  size_t count = root.step ? root.step->ops.size() : 0;
  for (size_t id = graph.nodes.size(); id-- > 0;) {
    if (needed[id]) {
      ++count;
      for (NodeId operand : graph.nodes[id].operands) {
        needed[operand] = true;
      }
    }
  }
  return count;
}

/// Of a routine: what it states, at least some ops per element.
static double routineWork(const BodyGraph &graph) {
  constexpr double perElement = 20;
  double elements = 0;
  for (const GraphPort &port : graph.ports) {
    elements += static_cast<double>(port.type.numElements());
  }
  return std::max(graph.routine->cost, perElement * elements);
}

double KernelInterpreter::work() const {
  double total = impl->graph.routine ? routineWork(impl->graph) : 0;
  for (const Root &root : impl->graph.roots) {
    total += pointsOf(impl->graph, root) * static_cast<double>(nodesOf(impl->graph, root));
  }
  return total;
}

Status KernelInterpreter::run(std::span<const Tensor> tensors) const {
  const BodyGraph &graph = impl->graph;
  assert(tensors.size() == graph.ports.size() && "one tensor per port");
  if (graph.routine) {
    std::vector<Tensor> taken;
    for (unsigned port : graph.routine->ports) {
      taken.push_back(tensors[port]);
    }
    findReference(graph.routine->name)(taken, graph.routine->params);
    return Status::ok();
  }
  std::vector<PortMemory> memory;
  std::vector<Tensor> before; // what ports that are loaded and stored held at the start
  for (size_t i = 0; i < graph.ports.size(); ++i) {
    assert(tensors[i].type() == graph.ports[i].type && "tensors have the types of their ports");
    memory.push_back({tensors[i].data(), tensors[i].mutableData()});
    if (graph.ports[i].loaded && graph.ports[i].stored) {
      before.push_back(Tensor::allocate(tensors[i].type()));
      std::copy_n(tensors[i].data(), tensors[i].byteSize(), before.back().mutableData());
      memory.back().source = before.back().data();
    }
  }
  std::vector<ResultArray> results(graph.roots.size());
  for (unsigned i = 0; i < graph.roots.size(); ++i) {
    const Root &root = graph.roots[i];
    double elements = 1;
    for (unsigned axis = 0; axis < graph.extents.size(); ++axis) {
      elements *= zyxk::contains(root.axes, axis) ? static_cast<double>(graph.extents[axis]) : 1;
    }
    if (root.kind != RootKind::Store && elements > maxResultElements) {
      return makeError(ErrorCode::OutOfMemory,
                       "{} has {:.3g} results; the kernel interpreter keeps at most {:.3g}",
                       graph.sources[root.source], elements, maxResultElements);
    }
    ZYXC_RETURN_IF_ERROR(runRoot(graph, i, memory, results));
  }
  return Status::ok();
}

} // namespace zyxc
