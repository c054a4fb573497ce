#include "tools/dev/onnx-node/Cases.h"
#include "compiler/import/TensorProtoFile.h"
#include <algorithm>
#include <cmath>

namespace zyxc::onnxnode {

namespace fs = std::filesystem;

/// Name, and the set of data after the first.
static std::string caseName(const fs::path &folder, int set) {
  std::string name = folder.filename();
  return set == 0 ? name : fmt::format("{}#{}", name, set);
}

std::vector<Case> findCases(const fs::path &folder, const std::string &filter) {
  std::vector<Case> cases;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().stem().string();
    if (name.find(filter) == std::string::npos) {
      continue;
    }
    if (entry.path().extension() == ".onnx") {
      cases.push_back({name, entry.path(), {}, folder / (name + "_output_0.pb")});
      continue;
    }
    for (int set = 0; fs::exists(entry.path() / fmt::format("test_data_set_{}", set)); ++set) {
      fs::path data = entry.path() / fmt::format("test_data_set_{}", set);
      cases.push_back({caseName(entry.path(), set), entry.path() / "model.onnx", data, {}});
    }
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case &a, const Case &b) { return a.name < b.name; });
  return cases;
}

/// Relative tolerance of a dtype; integers are exact.
static double tolerance(DType dtype) {
  switch (dtype) {
  case DType::F16: return 5e-3;
  case DType::BF16: return 2e-2;
  case DType::F8E4M3FN: return 0.13;
  case DType::F8E5M2: return 0.26;
  default: return isFloat(dtype) ? 1e-3 : 0;
  }
}

std::string difference(const Tensor &actual, const Tensor &expected) {
  if (actual.type() != expected.type()) {
    return fmt::format("type {}, expected {}", toString(actual.type()), toString(expected.type()));
  }
  double relative = isSubByte(actual.dtype()) ? 0 : tolerance(actual.dtype());
  // Sums that cancel keep an error of the size of their terms, in the recorded values too.
  double largest = 1;
  for (int64_t i = 0; i < expected.numElements(); ++i) {
    double e = std::abs(expected.asDouble(i));
    largest = std::isfinite(e) ? std::max(largest, e) : largest;
  }
  double absolute = relative > 0 ? 1e-7 * largest : 0;
  for (int64_t i = 0; i < actual.numElements(); ++i) {
    double a = actual.asDouble(i);
    double e = expected.asDouble(i);
    bool close = std::isfinite(e) && std::abs(a - e) <= absolute + relative * std::abs(e);
    bool equal = a == e || (std::isnan(a) && std::isnan(e)) || close;
    if (!equal) {
      return fmt::format("element {}: {}, expected {}", i, a, e);
    }
  }
  return "";
}

Expected<std::vector<Tensor>> readInputs(const Case &test, const ModelInfo &info) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    if (!test.data.empty()) {
      ZYXC_ASSIGN(Tensor value, readTensorProto(test.data / fmt::format("input_{}.pb", i)));
      inputs.push_back(std::move(value));
      continue;
    }
    Shape shape;
    for (const OnnxDim &dim : info.inputs[i].dims) {
      shape.push_back(dim.size.value_or(1));
    }
    Tensor value = Tensor::allocate({info.inputs[i].dtype.value_or(DType::F32), shape});
    for (int64_t k = 0, count = value.numElements(); k < count; ++k) {
      value.setDouble(k, static_cast<double>(k) / static_cast<double>(count));
    }
    inputs.push_back(std::move(value));
  }
  return inputs;
}

} // namespace zyxc::onnxnode
