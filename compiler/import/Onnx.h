// The ONNX importer: a saved model becomes a module of zyx ops. What a model holds, and which of
// its nodes are not supported, can be asked first without building anything.
#pragma once
#include "runtime/core/Dim.h"
#include "runtime/core/Tensor.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
class ModuleOp;
template <typename OpTy> class OwningOpRef;
} // namespace mlir

namespace zyxc {

/// One dim of a declared shape: a size, or a symbolic name ("" when the model gives neither).
struct OnnxDim {
  std::optional<int64_t> size;
  std::string symbol;
};

/// A declared graph input or output.
struct OnnxValue {
  std::string name;
  std::string typeName;       ///< "f32", or what is not supported: "string", "sequence", ...
  std::optional<DType> dtype; ///< nothing for a type that is not supported
  bool hasShape = false;      ///< an output may be declared without a shape
  std::vector<OnnxDim> dims;
};

/// A node that cannot be imported, and why.
struct UnsupportedNode {
  std::string node; ///< its name, or operator and position where it has none
  std::string op;
  std::string domain; ///< "" for ONNX's own
  std::string reason;
};

/// What a model declares. Inputs are those that a caller gives: no initializers.
struct ModelInfo {
  std::string producer;
  int64_t irVersion = 0;
  int64_t opset = 0; ///< of ONNX's own domain
  int64_t numNodes = 0;
  std::set<std::string> operators; ///< of its nodes, with the domain where it is not ONNX's own
  std::vector<OnnxValue> inputs;
  std::vector<OnnxValue> outputs;
  std::vector<UnsupportedNode> unsupported;
};

/// Reads a model file and lists its interface and every node that cannot be imported.
/// Fails only where the file cannot be read as a model.
Expected<ModelInfo> inspectOnnx(const std::string &path);

/// Names of the graph inputs whose values (not only shapes) decide shapes, in the model's order:
/// the new shape of a Reshape, axes, pads, k and the like, directly or through shape arithmetic.
/// So are single integers and bools that decide the condition of an If or the length of a Loop.
/// A caller binds them (ImportOptions::bindings).
Expected<std::vector<std::string>> shapeDecidingInputs(const std::string &path);

/// What the model file leaves open, by input name.
struct ImportOptions {
  /// Inputs bound to a value: they become compile-time constants.
  std::map<std::string, Tensor> bindings;
  /// Shapes of inputs; they give open dims their sizes.
  std::map<std::string, Shape> inputShapes;
  /// Sizes of open dims by the names of their variables (openDimNames).
  dim::Bindings dims = {};
  /// Dims that are still open become variables of the types; else they are an error.
  bool openDims = false;
};

/// Names of the variables that stand for the dims without a size of a model's inputs: of their own
/// name "N", or "INPUT.AXIS" for one without. Characters that no variable may have become '_'.
Expected<std::set<std::string>> openDimNames(const std::string &path);

/// Imports a model as `func.func @main`, one argument per unbound input and one result per output,
/// each with an attribute zyx.name; every op has a location that names its ONNX node. Unused
/// ops are left out. Open dims that an op needs to be equal, or of a certain size, are so in the
/// types of the arguments. The weights share the memory of the file's content or of its external
/// data. One clear line on failure: a malformed model (Input), or unsupported nodes (Unsupported).
Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnx(mlir::MLIRContext &context, const std::string &path, const ImportOptions &options = {});

} // namespace zyxc
