// Which graph inputs must be known when a model is compiled: their values decide shapes, or which
// branch of the model is taken.
#include "compiler/import/OnnxGraphImporter.h"
#include <algorithm>

namespace zyxc {

using importer::OnnxGraph;
using importer::OnnxModel;

namespace {

/// Walks against the order of the nodes: what decides a shape, and what that is computed from. The
/// values of Shape and Size follow from shapes alone. Names of subgraphs are taken as unique.
class DecidingNames {
public:
  explicit DecidingNames(const OnnxModel &model) : model(model) {
    // What a loop carries goes around until nothing is added.
    for (size_t before = ~size_t(0); before != shapes.size() + conditions.size();) {
      before = shapes.size() + conditions.size();
      visit(model.main);
    }
  }

  std::unordered_set<std::string> shapes;     ///< names whose values decide shapes
  std::unordered_set<std::string> conditions; ///< names whose values decide what is imported

private:
  void visit(const OnnxGraph &graph) {
    for (size_t i = graph.order.size(); i-- > 0;) {
      const onnx::NodeProto &node = graph.proto->node(graph.order[i]);
      visitNode(node);
      // Against the data flow: a node inside is visited before the producers around it.
      importer::forEachSubgraph(
          node, [&](const onnx::GraphProto &subgraph) { visitSubgraph(node, subgraph); });
    }
  }

  /// The count of a Loop decides shapes only where results of its iterations are collected.
  static bool decidesShapes(const onnx::NodeProto &node) {
    return node.op_type() != "Loop" || node.output_size() > node.input_size() - 2;
  }

  void visitNode(const onnx::NodeProto &node) {
    std::string domain = importer::domainOf(node);
    auto opset = model.opsets.find(domain);
    importer::OnnxOpMatch match =
        importer::findOnnxOp(node, domain, opset == model.opsets.end() ? 0 : opset->second);
    for (int i = 0; match.row && i < node.input_size() && i < 32; ++i) {
      if (match.row->valueInputs >> i & 1 && decidesShapes(node)) {
        shapes.insert(node.input(i));
      }
      if (match.row->conditionInputs >> i & 1) {
        conditions.insert(node.input(i));
      }
    }
    bool fromShape = node.op_type() == "Shape" || node.op_type() == "Size";
    for (std::unordered_set<std::string> *names : {&shapes, &conditions}) {
      if (!fromShape && std::any_of(node.output().begin(), node.output().end(),
                                    [&](const auto &name) { return names->contains(name); })) {
        names->insert(node.input().begin(), node.input().end());
      }
    }
  }

  /// Outputs of the node come from those of its subgraph, inputs of the subgraph from the last
  /// inputs of the node (a Scan) or from all (a Loop).
  void visitSubgraph(const onnx::NodeProto &node, const onnx::GraphProto &subgraph) {
    for (std::unordered_set<std::string> *names : {&shapes, &conditions}) {
      int skipped = subgraph.output_size() - node.output_size(); // a Loop's condition comes first
      for (int i = 0; i < node.output_size() && skipped >= 0; ++i) {
        if (names->contains(node.output(i))) {
          names->insert(subgraph.output(i + skipped).name());
        }
      }
    }
    visit(model.subgraphs.at(&subgraph));
    for (std::unordered_set<std::string> *names : {&shapes, &conditions}) {
      int skipped = node.input_size() - subgraph.input_size();
      for (int i = 0; i < subgraph.input_size() && i + skipped < node.input_size(); ++i) {
        if (i + skipped >= 0 && names->contains(subgraph.input(i).name())) {
          names->insert(node.input(i + skipped));
        }
      }
    }
  }

  const OnnxModel &model;
};

} // namespace

/// A flag or a count: a condition is bound only through such an input, never through data.
static bool isOneInteger(const OnnxValue &input) {
  bool one = input.hasShape && std::all_of(input.dims.begin(), input.dims.end(),
                                           [](const OnnxDim &dim) { return dim.size == 1; });
  return one && input.dtype && !isFloat(*input.dtype);
}

Expected<std::vector<std::string>> shapeDecidingInputs(const std::string &path) {
  ZYXC_ASSIGN(OnnxModel model, importer::loadOnnxModel(path));
  DecidingNames deciding(model);
  std::vector<std::string> names;
  for (const OnnxValue &input : importer::callerInputs(model)) {
    if (deciding.shapes.contains(input.name) ||
        (deciding.conditions.contains(input.name) && isOneInteger(input))) {
      names.push_back(input.name);
    }
  }
  return names;
}

} // namespace zyxc
