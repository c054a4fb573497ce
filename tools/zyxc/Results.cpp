#include "tools/zyxc/Results.h"
#include <algorithm>

namespace zyxc::tool {

std::vector<std::string> resultNames(const Model &model, std::string_view word) {
  std::vector<std::string> names;
  for (const rt::NamedType &output : model.outputs()) {
    names.push_back(fmt::format("{} {}", word, output.name));
  }
  for (const rt::NamedType &input : model.inputs()) {
    if (input.written) {
      names.push_back(fmt::format("input {} after the run", input.name));
    }
  }
  return names;
}

Expected<std::vector<Tensor>> interpretedResults(const Model &model, std::span<const Tensor> inputs,
                                                 uint64_t memoryLimit) {
  std::vector<Tensor> contents;
  ZYXC_ASSIGN(std::vector<Tensor> results, model.interpret(inputs, memoryLimit, {}, &contents));
  std::vector<rt::NamedType> types = model.inputs();
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].written) {
      results.push_back(contents[i]);
    }
  }
  return results;
}

Expected<std::vector<Tensor>> executedResults(rt::Runner &runner, std::span<const Tensor> inputs) {
  std::vector<Tensor> own(inputs.begin(), inputs.end());
  const std::vector<rt::NamedType> &types = runner.plan().inputs;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].written) {
      own[i] = Tensor::allocate(inputs[i].type());
      std::copy_n(inputs[i].data(), inputs[i].byteSize(), own[i].mutableData());
    }
  }
  ZYXC_ASSIGN(std::vector<Tensor> results, runner.run(own));
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].written) {
      results.push_back(own[i]);
    }
  }
  return results;
}

Tolerance toleranceOf(const CommandLine &line) {
  bool isGivenOne = isGiven(line, "rtol") || isGiven(line, "atol");
  bool isExact = line.compile.numerics == Numerics::Exact;
  return {line.rtol, line.atol, isExact && !isGivenOne};
}

std::string describe(const Tolerance &tolerance) {
  return tolerance.tight ? "tolerance of level exact"
                         : fmt::format("rtol {:g}", tolerance.relative);
}

} // namespace zyxc::tool
