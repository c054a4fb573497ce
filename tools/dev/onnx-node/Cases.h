// Cases of ONNX's backend test data: models with inputs and recorded outputs.
#pragma once
#include "compiler/import/Onnx.h"
#include "runtime/core/Tensor.h"
#include <filesystem>
#include <string>
#include <vector>

namespace zyxc::onnxnode {

/// One model with inputs and expected outputs.
struct Case {
  std::string name;
  std::filesystem::path model;
  std::filesystem::path data;     ///< folder of the .pb files; empty for a network
  std::filesystem::path expected; ///< of a network
};

/// Cases of a folder whose name has `filter` in it, by name: one for each set of data.
std::vector<Case> findCases(const std::filesystem::path &folder, const std::string &filter);

/// Values of the model's inputs, in its order.
Expected<std::vector<Tensor>> readInputs(const Case &test, const ModelInfo &info);

/// What differs by more than the dtype's tolerance, or "".
std::string difference(const Tensor &actual, const Tensor &expected);

} // namespace zyxc::onnxnode
