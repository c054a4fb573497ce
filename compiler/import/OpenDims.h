// The sizes of a model's input dims: numbers where the model or the caller gives one, else
// expressions over variables.
#pragma once
#include "compiler/import/Onnx.h"

namespace zyxc::importer {

class OpenDims {
public:
  /// `given`: sizes by variable, from the caller; `equalities`: what ops need, with sizes that hold
  /// variables.
  OpenDims(const std::vector<OnnxValue> &inputs, const dim::Bindings &given,
           const dim::Bindings &equalities);

  /// Names of the variables of all inputs.
  const std::set<std::string> &names() const { return variables; }
  /// A usage error for a name that no dim has, or a negative size.
  Status checkNames(const dim::Bindings &given) const;

  /// Learns that a dim has a size; the size that it is known to have (`size`, unless they differ).
  int64_t bind(const OnnxValue &input, size_t axis, int64_t size);
  /// The size of a dim.
  int64_t size(const OnnxValue &input, size_t axis) const;

private:
  std::map<std::string, int64_t> bySymbol; ///< declared sizes of dims with a name
  std::map<std::pair<std::string, size_t>, int64_t> nameless; ///< by input and axis
  std::set<std::string> variables;
  dim::Bindings known; ///< variables that have a size, which may hold others that have none
  std::map<std::string, int64_t> bound; ///< sizes of given shapes by the dim's name
};

} // namespace zyxc::importer
