// Small tensor graphs for the tests of candidates and plans, values of their classes by the
// reference interpreter, and a plan runner on top of the program interpreter. Test code only.
#pragma once
#include "compiler/plan/PlanBuilder.h"
#include "runtime/core/Dim.h"
#include <map>
#include <random>

namespace zyxc {

/// Builds a graph op by op; the newest op's class is what each call returns.
class KernelGraph {
public:
  graph::ClassId leaf(const std::string &name, TensorType type);
  graph::ClassId constant(Tensor value);
  /// A constant of random values (not a splat).
  graph::ClassId weights(const TensorType &type);
  graph::ClassId op(OpKind kind, const std::vector<graph::ClassId> &operands,
                    const Attrs &attrs = {});
  graph::ClassId conv(graph::ClassId x, int64_t channels, int64_t kernel, int64_t stride = 1,
                      int64_t groups = 1);
  graph::ClassId batchNorm(graph::ClassId x);
  graph::ClassId relu(graph::ClassId x);
  graph::ClassId concat(const std::vector<graph::ClassId> &operands, int64_t axis);
  graph::ClassId reshape(graph::ClassId x, Shape shape);
  graph::ClassId expand(graph::ClassId x, Shape shape);
  void output(const std::string &name, graph::ClassId cls);
  /// To be called once everything is added.
  void finish();

  const Shape &shape(graph::ClassId cls) const { return graph.type(cls).shape; }

  graph::TensorGraph graph;
  std::mt19937 random{7};

private:
  int64_t numLeaves = 0;
};

Tensor randomTensor(const TensorType &type, std::mt19937 &random);

/// Values of all reachable classes by the reference interpreter, at these values of variables;
/// leaves are random.
std::map<graph::ClassId, Tensor> classValues(const graph::TensorGraph &graph, std::mt19937 &random,
                                             const dim::Bindings &bindings = {});

/// Builds a program from each cut of each class, and those of ordered ops, and compares what they
/// compute with the interpreter's values, at each of the bindings. Returns how many were compared.
int checkAllCuts(KernelGraph &graph, std::span<const dim::Bindings> bindings);
int checkAllCuts(KernelGraph &graph); ///< of a graph without variables

/// A plan for the graph, with its certificate; by parts, between the borders of repeated ones.
/// Requires success.
struct Planned {
  kernelize::CandidateTable table;
  plan::Choice choice;
  plan::BuiltPlan built;
  size_t numKernels() const { return built.plan.steps.size(); }
  std::string why;
};
Planned makePlan(const graph::TensorGraph &graph, bool byParts = false);

/// Runs a plan's launches with the program interpreter, in buffers laid out as the plan says at
/// these values of variables.
std::vector<Tensor> runPlan(const plan::BuiltPlan &built, const std::vector<Tensor> &inputs,
                            const dim::Bindings &bindings = {});

/// Plans the graph, runs the plan at each of the bindings and compares its outputs with the
/// interpreter's.
Planned checkPlan(KernelGraph &graph, std::span<const dim::Bindings> bindings);
Planned checkPlan(KernelGraph &graph); ///< of a graph without variables
Planned checkPlanByParts(KernelGraph &graph);

} // namespace zyxc
