// A parsed and checked ONNX model: names resolve, nodes are in an order in which each value is
// defined before its use.
#pragma once
#include "compiler/import/Onnx.h"
#include <map>
#include <onnx/onnx.pb.h>
#include <unordered_map>
#include <unordered_set>

namespace zyxc::importer {

/// Shares the parsed file with the tensors that view it.
struct OnnxModel {
  std::string path;
  std::shared_ptr<const onnx::ModelProto> proto;
  std::map<std::string, int64_t> opsets;             ///< by domain; ONNX's own is ""
  std::vector<int> order;                            ///< node numbers, operands before users
  std::unordered_map<std::string, int> initializers; ///< number by name
  std::unordered_set<std::string> used;              ///< names read by a node or given as an output

  const onnx::GraphProto &graph() const { return proto->graph(); }
  /// The model's folder, where external data lies.
  std::string folder() const;
};

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
