// A parsed and checked ONNX model: names resolve, nodes are in an order in which each value is
// defined before its use.
#pragma once
#include "compiler/import/Onnx.h"
#include <map>
#include <onnx/onnx.pb.h>
#include <unordered_map>
#include <unordered_set>

namespace zyxc::importer {

/// A graph with its names resolved: the main graph or a subgraph of a node.
struct OnnxGraph {
  const onnx::GraphProto *proto = nullptr;
  std::vector<int> order;                            ///< node numbers, operands before users
  std::unordered_map<std::string, int> initializers; ///< number by name
  std::unordered_set<std::string> used; ///< names read in it or in subgraphs, or given as an output
};

/// Shares the parsed file with the tensors that view it.
struct OnnxModel {
  std::string path;
  std::shared_ptr<const onnx::ModelProto> proto;
  std::map<std::string, int64_t> opsets; ///< by domain; ONNX's own is ""
  OnnxGraph main;
  std::unordered_map<const onnx::GraphProto *, OnnxGraph> subgraphs;

  const onnx::GraphProto &graph() const { return proto->graph(); }
  /// The model's folder, where external data lies.
  std::string folder() const;
};

/// Calls f with each subgraph of a node (not with those nested deeper).
template <class F> void forEachSubgraph(const onnx::NodeProto &node, F f) {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g()) {
      f(attribute.g());
    }
    for (const onnx::GraphProto &graph : attribute.graphs()) {
      f(graph);
    }
  }
}

/// Reads, parses and checks a model. Each error is one line that starts with the path.
Expected<OnnxModel> loadOnnxModel(const std::string &path);

/// The error without control characters, which names in a file may hold.
Status oneLine(const Status &error);
/// Domain with ONNX's own written as "".
std::string domainOf(const onnx::NodeProto &node);
/// The node's name; operator and position ("Conv_12") where it has none.
std::string nodeName(const onnx::NodeProto &node, int number);
/// Declared type of a graph input or output.
OnnxValue describe(const onnx::ValueInfoProto &value);

} // namespace zyxc::importer
