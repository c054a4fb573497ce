// Builds small ONNX models in a temporary folder for tests, imports and runs them.
#pragma once
#include "compiler/import/Onnx.h"
#include "compiler/import/proto/OnnxTensor.h"
#include "compiler/interp/module/ModuleInterp.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "test/unit/fixtures/TemporaryFolder.h"
#include <onnx/onnx.pb.h>

namespace zyxc {

inline Tensor floats(Shape shape, const std::vector<double> &values, DType dtype = DType::F32) {
  Tensor tensor = Tensor::zeros({dtype, std::move(shape)});
  for (size_t i = 0; i < values.size(); ++i) {
    tensor.setDouble(static_cast<int64_t>(i), values[i]);
  }
  return tensor;
}
inline Tensor ints(std::vector<int64_t> values) {
  return Tensor::fromInts(values);
}

class OnnxBuilder {
public:
  explicit OnnxBuilder(int64_t opset = 17) {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
  }

  onnx::GraphProto &graph() { return *model.mutable_graph(); }

  OnnxBuilder &input(const std::string &name, const TensorType &type) {
    return declare(*graph().add_input(), name, type);
  }
  /// An input whose dims are numbers, names, or "" for neither.
  OnnxBuilder &openInput(const std::string &name, DType dtype,
                         const std::vector<std::string> &dims) {
    onnx::ValueInfoProto &value = *graph().add_input();
    declare(value, name, {dtype, {}});
    for (const std::string &text : dims) {
      auto &dim = *value.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim();
      if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
        dim.set_dim_value(std::stoll(text));
      } else if (!text.empty()) {
        dim.set_dim_param(text);
      }
    }
    return *this;
  }
  OnnxBuilder &output(const std::string &name, std::optional<TensorType> type = std::nullopt) {
    graph().add_output()->set_name(name);
    if (type) {
      declare(*graph().mutable_output(graph().output_size() - 1), name, *type);
    }
    return *this;
  }
  OnnxBuilder &initializer(const std::string &name, const Tensor &tensor) {
    fill(*graph().add_initializer(), name, tensor);
    return *this;
  }
  OnnxBuilder &node(const std::string &op, const std::vector<std::string> &inputs,
                    const std::vector<std::string> &outputs, const std::string &name = "") {
    onnx::NodeProto &node = *graph().add_node();
    node.set_op_type(op);
    node.set_name(name);
    for (const std::string &input : inputs) {
      node.add_input(input);
    }
    for (const std::string &output : outputs) {
      node.add_output(output);
    }
    return *this;
  }
  // Attributes of the last node.
  OnnxBuilder &attr(const std::string &name, int64_t value) {
    add(name, onnx::AttributeProto::INT).set_i(value);
    return *this;
  }
  OnnxBuilder &attr(const std::string &name, float value) {
    add(name, onnx::AttributeProto::FLOAT).set_f(value);
    return *this;
  }
  OnnxBuilder &attr(const std::string &name, const std::string &value) {
    add(name, onnx::AttributeProto::STRING).set_s(value);
    return *this;
  }
  OnnxBuilder &attr(const std::string &name, const std::vector<int64_t> &values) {
    onnx::AttributeProto &attribute = add(name, onnx::AttributeProto::INTS);
    for (int64_t value : values) {
      attribute.add_ints(value);
    }
    return *this;
  }
  OnnxBuilder &attr(const std::string &name, const Tensor &value) {
    fill(*add(name, onnx::AttributeProto::TENSOR).mutable_t(), "", value);
    return *this;
  }

  std::string bytes() const { return model.SerializeAsString(); }
  /// Writes the model and returns its path.
  std::string save(const TemporaryFolder &folder, const std::string &name = "model.onnx") const {
    std::string path = folder.file(name);
    std::string content = bytes();
    Status status = writeFile(path, content);
    assert(status.isOk());
    return path;
  }

  onnx::ModelProto model;

private:
  OnnxBuilder &declare(onnx::ValueInfoProto &value, const std::string &name,
                       const TensorType &type) {
    value.set_name(name);
    auto &tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(importer::onnxOfDType(type.dtype));
    tensor.mutable_shape();
    for (int64_t dim : type.shape) {
      tensor.mutable_shape()->add_dim()->set_dim_value(dim);
    }
    return *this;
  }
  static void fill(onnx::TensorProto &proto, const std::string &name, const Tensor &tensor) {
    proto.set_name(name);
    proto.set_data_type(importer::onnxOfDType(tensor.dtype()));
    for (int64_t dim : tensor.shape()) {
      proto.add_dims(dim);
    }
    proto.set_raw_data(tensor.data(), tensor.byteSize());
  }
  onnx::AttributeProto &add(const std::string &name, onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto &attribute =
        *graph().mutable_node(graph().node_size() - 1)->add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  }
};

/// An imported model with its context.
struct ImportedModel {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  mlir::func::FuncOp main() { return module->lookupSymbol<mlir::func::FuncOp>("main"); }
};

inline Expected<ImportedModel> importFile(const std::string &path,
                                          const ImportOptions &options = {}) {
  ImportedModel result;
  result.context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  ZYXC_ASSIGN(result.module, importOnnx(*result.context, path, options));
  if (mlir::failed(mlir::verify(*result.module))) {
    return makeError(ErrorCode::Internal, "the imported module does not verify");
  }
  return result;
}

/// Imports a model and runs it on inputs in the interpreter.
inline Expected<std::vector<Tensor>> importAndRun(const OnnxBuilder &builder,
                                                  const std::vector<Tensor> &inputs,
                                                  const ImportOptions &options = {}) {
  TemporaryFolder folder;
  ZYXC_ASSIGN(ImportedModel model, importFile(builder.save(folder), options));
  return interp::runModule(model.main(), inputs);
}

} // namespace zyxc
