// A model in memory: a zyx module read from an ONNX file or from text, without MLIR in its header.
#pragma once
#include "runtime/core/Dim.h"
#include "runtime/plan/Plan.h"
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace mlir {
class MLIRContext;
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace zyxc {

/// What a model file leaves open.
struct ModelOptions {
  /// Inputs that become compile-time constants, by name.
  std::map<std::string, Tensor> bindings;
  /// Shapes of inputs whose dims are symbolic in the file, by name.
  std::map<std::string, Shape> inputShapes;
  /// Sizes of dims that are symbolic in the file, by the names of their variables.
  dim::Bindings dims;
  /// Dims that have no size then stay open, as variables of the types; else they are an error.
  bool openDims = false;
};

/// Called with the name of a source node and the value of an op that it became.
using NodeObserver = std::function<void(const std::string &node, const Tensor &value)>;

/// True if Model::load reads the file as ONNX; only names that end with ".mlir" are modules.
inline bool isOnnxPath(std::string_view path) {
  return !path.ends_with(".mlir");
}

/// Owns the module and its context. Movable; const members may not run at the same time.
class Model {
public:
  /// Reads MODEL.onnx, or MODEL.mlir with one public func of zyx ops, and the private funcs and
  /// zyxk kernels that it names.
  static Expected<Model> load(const std::string &path, const ModelOptions &options);
  /// Reads a module in text form; `name` stands for the file in errors.
  static Expected<Model> parse(std::string_view text, std::string_view name);
  ~Model();
  Model(Model &&) noexcept;
  Model &operator=(Model &&) noexcept;

  /// Wall-clock time that load() or parse() took.
  double importSeconds() const;

  /// Names of the variables of the model's sizes; none if every size is a number.
  std::set<std::string> variables() const;
  /// The model with some variables replaced by numbers. Usage errors: a name is no variable, a size
  /// is negative. Others name the op that is not valid at these sizes.
  Expected<Model> withSizes(const dim::Bindings &sizes) const;

  /// The model for a target that neither branches nor loops (passes/graph/Unroll.h).
  Model unrolled() const;

  std::vector<rt::NamedType> inputs() const;
  std::vector<rt::NamedType> outputs() const;

  /// Runs the reference interpreter; the observer, if any, sees every op's value. Variables of
  /// sizes are bound by the inputs. The inputs are not changed; `contents`, if given, gets what
  /// each of them holds at the end. Refuses, before it allocates, to hold more than `memoryLimit`
  /// bytes (0: what the machine has).
  Expected<std::vector<Tensor>> interpret(std::span<const Tensor> inputs, uint64_t memoryLimit,
                                          const NodeObserver &observer = {},
                                          std::vector<Tensor> *contents = nullptr) const;

  /// The same model with the last value of each source node as one more output, named after the
  /// node; for comparing targets node by node.
  Expected<Model> withNodeOutputs() const;

  /// The module as text, constants of more than a few elements left out.
  std::string text() const;
  /// The module as text that load() reads again, constants included.
  std::string completeText() const;

  mlir::ModuleOp module() const;
  /// The public function of the module: the model.
  mlir::func::FuncOp function() const;

private:
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// A module as text, constants of more than a few elements left out.
std::string toText(mlir::ModuleOp module);

} // namespace zyxc
