#include "compiler/plan/explain/ModelNodes.h"
#include <algorithm>
#include <map>
#include <set>

namespace zyxc::explain {

using graph::ClassId;
using graph::SourceOp;

namespace {

class Mapper {
public:
  Mapper(const PartSteps &steps, Part &part)
      : graph(steps.graph), part(part), sources(steps.graph.sources), kernelsOfOp(sources.size()),
        nodeOfOp(sources.size(), -1) {
    for (size_t i = 0; i < part.kernels.size(); ++i) {
      const kernelize::Candidate &candidate = steps.table.candidates[steps.choice.candidates[i]];
      std::set<ClassId> classes(candidate.outputs.begin(), candidate.outputs.end());
      for (graph::NodeId node : candidate.nodes) {
        classes.insert(graph.find(node));
      }
      for (ClassId cls : classes) {
        computedBy[cls].push_back(static_cast<int>(i));
      }
    }
  }

  void run() {
    addNodes();
    findKernels();
    for (size_t i = 0; i < sources.size(); ++i) {
      if (nodeOfOp[i] >= 0) {
        addKernels(part.nodes[static_cast<size_t>(nodeOfOp[i])], kernelsOfOp[i]);
      }
    }
    serveReaders();
    for (ModelNode &node : part.nodes) {
      std::sort(node.kernels.begin(), node.kernels.end(),
                [](const Membership &a, const Membership &b) { return a.id < b.id; });
      for (const Membership &kernel : node.kernels) {
        part.kernels[static_cast<size_t>(kernel.id)].nodes.push_back({node.id, kernel.role});
      }
      setState(node);
    }
    nameOutputs();
  }

private:
  /// Ops of one name are one node; constants of the model are none.
  void addNodes() {
    std::map<std::string, int> byName;
    for (size_t i = 0; i < sources.size(); ++i) {
      const SourceOp &op = sources[i];
      if (op.kind == "constant") {
        continue;
      }
      auto [entry, isNew] = byName.emplace(op.origin, static_cast<int>(part.nodes.size()));
      if (isNew) {
        ModelNode &node = part.nodes.emplace_back();
        node.id = entry->second;
        node.name = op.origin;
      }
      nodeOfOp[i] = entry->second;
      opsOf.resize(part.nodes.size());
      opsOf[static_cast<size_t>(entry->second)].push_back(i);
      addOp(part.nodes[static_cast<size_t>(entry->second)], op);
    }
    nameOps();
    std::vector<bool> isRead(sources.size(), false); // by an op of another node
    for (size_t i = 0; i < sources.size(); ++i) {
      for (int32_t operand : sources[i].operands) {
        if (operand >= 0 && nodeOfOp[i] != nodeOfOp[static_cast<size_t>(operand)]) {
          isRead[static_cast<size_t>(operand)] = true;
        }
      }
    }
    for (size_t i = 0; i < sources.size(); ++i) {
      if (nodeOfOp[i] >= 0 && (isRead[i] || isRoot(sources[i]))) {
        for (ClassId result : sources[i].results) {
          part.nodes[static_cast<size_t>(nodeOfOp[i])].types.push_back(
              toString(graph.type(result)));
        }
      }
    }
  }

  static void addOnce(auto &list, const auto &item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) {
      list.push_back(item);
    }
  }

  bool isConstant(const SourceOp &op) const {
    return std::all_of(op.results.begin(), op.results.end(),
                       [&](ClassId result) { return graph.isConstant(graph.find(result)); });
  }

  /// Of a node with a value that is not known, ops that repeat or convert constants say nothing.
  void nameOps() {
    for (ModelNode &node : part.nodes) {
      for (bool all : {false, true}) {
        if (all && !node.ops.empty()) {
          break;
        }
        for (size_t i : opsOf[static_cast<size_t>(node.id)]) {
          if (all || !isConstant(sources[i])) {
            addOnce(node.ops, sources[i].kind);
          }
        }
      }
    }
  }

  void addOp(ModelNode &node, const SourceOp &op) const {
    for (int32_t operand : op.operands) {
      if (operand < 0) {
        addOnce(node.inputs, graph.inputs[~static_cast<uint32_t>(operand)].name);
      } else if (int from = nodeOfOp[static_cast<size_t>(operand)]; from >= 0 && from != node.id) {
        addOnce(node.operands, from);
      }
    }
  }

  bool isRoot(const SourceOp &op) const {
    return std::any_of(op.results.begin(), op.results.end(), [&](ClassId result) {
      return std::any_of(graph.outputs.begin(), graph.outputs.end(), [&](const auto &output) {
        return graph.find(output.cls) == graph.find(result);
      });
    });
  }

  /// What no kernel computes goes where its users go.
  void findKernels() {
    for (size_t i = sources.size(); i-- > 0;) {
      const SourceOp &op = sources[i];
      std::vector<Membership> &kernels = kernelsOfOp[i]; // of its users, so far
      std::vector<Membership> computed;
      bool isKnown = true;
      for (ClassId result : op.results) {
        ClassId cls = graph.find(result);
        isKnown = isKnown && (graph.isConstant(cls) || graph.isLeaf(cls));
        if (auto found = computedBy.find(cls); found != computedBy.end()) {
          for (int kernel : found->second) {
            addKernel(computed, {kernel, Role::Computed});
          }
        }
      }
      if (!computed.empty() || isKnown) {
        kernels = std::move(computed);
      }
      for (int32_t operand : op.operands) {
        if (operand >= 0) {
          for (const Membership &kernel : kernels) {
            addKernel(kernelsOfOp[static_cast<size_t>(operand)], {kernel.id, Role::Rewritten});
          }
        }
      }
    }
  }

  static void addKernel(std::vector<Membership> &list, Membership kernel) {
    auto found = std::find_if(list.begin(), list.end(),
                              [&](const Membership &other) { return other.id == kernel.id; });
    if (found == list.end()) {
      list.push_back(kernel);
    } else {
      found->role = std::min(found->role, kernel.role);
    }
  }

  static void addKernels(ModelNode &node, const std::vector<Membership> &kernels) {
    for (const Membership &kernel : kernels) {
      addKernel(node.kernels, kernel);
    }
  }

  /// A kernel that computes nothing of the model serves those that read it.
  void serveReaders() {
    std::vector<std::vector<int>> nodesOf(part.kernels.size());
    for (const ModelNode &node : part.nodes) {
      for (const Membership &kernel : node.kernels) {
        nodesOf[static_cast<size_t>(kernel.id)].push_back(node.id);
      }
    }
    std::vector<bool> isServing(part.kernels.size());
    for (size_t i = 0; i < nodesOf.size(); ++i) {
      isServing[i] = nodesOf[i].empty();
    }
    for (size_t i = part.kernels.size(); i-- > 0;) {
      for (const Stored &read : part.kernels[i].reads) {
        if (read.madeBy < 0 || !isServing[static_cast<size_t>(read.madeBy)]) {
          continue;
        }
        for (int node : nodesOf[i]) {
          addKernel(part.nodes[static_cast<size_t>(node)].kernels, {read.madeBy, Role::Served});
          nodesOf[static_cast<size_t>(read.madeBy)].push_back(node);
        }
      }
    }
  }

  void setState(ModelNode &node) const {
    if (!node.kernels.empty()) {
      return;
    }
    bool isConstant = true;
    bool isKnown = true;
    for (size_t i : opsOf[static_cast<size_t>(node.id)]) {
      for (ClassId result : sources[i].results) {
        ClassId cls = graph.find(result);
        isConstant = isConstant && graph.isConstant(cls);
        isKnown = isKnown && (graph.isConstant(cls) || graph.isLeaf(cls));
      }
    }
    node.state = isConstant ? ModelNode::State::Constant
                 : isKnown  ? ModelNode::State::Input
                            : ModelNode::State::Unused;
  }

  /// The last op whose value an output is.
  void nameOutputs() {
    for (size_t i = 0; i < sources.size(); ++i) {
      for (ClassId result : sources[i].results) {
        for (size_t k = 0; k < part.outputs.size(); ++k) {
          if (nodeOfOp[i] >= 0 && graph.outputs[k].cls == result) {
            part.outputs[k].node = nodeOfOp[i];
          }
        }
      }
    }
  }

  const graph::TensorGraph &graph;
  Part &part;
  const std::vector<SourceOp> &sources;
  std::map<ClassId, std::vector<int>> computedBy;
  std::vector<std::vector<Membership>> kernelsOfOp;
  std::vector<int> nodeOfOp;              ///< -1: a constant
  std::vector<std::vector<size_t>> opsOf; ///< by node
};

} // namespace

void addModelNodes(const PartSteps &steps, Part &part) {
  Mapper(steps, part).run();
}

} // namespace zyxc::explain
