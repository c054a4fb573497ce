#include "compiler/driver/Model.h"
#include "compiler/import/Onnx.h"
#include "compiler/interp/module/ModuleInterp.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/graph/BindSizes.h"
#include "passes/graph/InstantiateCustom.h"
#include "passes/graph/Passes.h"
#include "passes/graph/Unroll.h"
#include "runtime/exec/Executor.h"
#include "runtime/plan/BindPlan.h"
#include "runtime/support/File.h"
#include "runtime/support/TextNesting.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>

namespace zyxc {

struct Model::Impl {
  std::shared_ptr<mlir::MLIRContext> context; // outlives the module
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::chrono::duration<double> imported = {}; ///< since start, once the module is there

  void finishImport() { imported = std::chrono::steady_clock::now() - start; }
  /// The model; private functions are decompositions.
  mlir::func::FuncOp function() const {
    auto functions = module.get().getOps<mlir::func::FuncOp>();
    return *llvm::find_if(functions, [](mlir::func::FuncOp op) { return op.isPublic(); });
  }
};

Model::Model(std::unique_ptr<Impl> i) : impl(std::move(i)) {}
Model::~Model() = default;
Model::Model(Model &&) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;

static std::shared_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registry.insert<zyxk::ZyxkDialect>(); // loaded where a module holds kernels
  auto context =
      std::make_shared<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<zyx::ZyxDialect, mlir::func::FuncDialect>();
  return context;
}

/// A module from its text; the first diagnostic becomes the error.
static Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModule(mlir::MLIRContext &context, std::string_view name, std::string_view text) {
  ZYXC_RETURN_IF_ERROR(checkTextNesting(text, name));
  std::string first;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (first.empty()) {
      llvm::raw_string_ostream stream(first);
      if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation())) {
        stream << place.getLine() << ":" << place.getColumn() << ": " << diagnostic;
      } else {
        stream << diagnostic.getLocation() << ": " << diagnostic;
      }
    }
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, name);
  if (!module || mlir::failed(findModelFunction(*module))) {
    return makeError(ErrorCode::Input, "{}: {}", name,
                     first.empty() ? "cannot be read as a module" : first);
  }
  ZYXC_RETURN_IF_ERROR(instantiateCustomKernels(*module).withContext(name));
  return module;
}

/// Reads the files that sources of custom kernels name, beside the file of the module.
static Status readSources(mlir::ModuleOp module, const std::string &path) {
  std::string folder = path.substr(0, path.rfind('/') + 1); // npos + 1 is 0
  Status status = Status::ok();
  auto read = [&](auto source) -> Status {
    if (!source.getFile()) {
      return Status::ok();
    }
    ZYXC_ASSIGN(InputFile file, InputFile::open(folder + source.getFile()->str()));
    ZYXC_ASSIGN(std::string text, file.readAll());
    source.setTextAttr(mlir::StringAttr::get(source.getContext(), text));
    source.removeFileAttr();
    return Status::ok();
  };
  module.walk([&](mlir::Operation *op) {
    Status one = llvm::TypeSwitch<mlir::Operation *, Status>(op)
                     .Case<zyx::PtxSourceOp, zyx::CudaSourceOp, zyx::SpirvSourceOp>(read)
                     .Default([](mlir::Operation *) { return Status::ok(); });
    if (status.isOk() && !one.isOk()) {
      std::string kernel = llvm::cast<zyx::CustomKernelOp>(op->getParentOp()).getSymName().str();
      status = std::move(one).withContext("kernel @" + kernel);
    }
  });
  return status;
}

Expected<Model> Model::load(const std::string &path, const ModelOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->context = makeContext();
  if (path.ends_with(".mlir")) {
    ZYXC_ASSIGN(InputFile file, InputFile::open(path));
    ZYXC_ASSIGN(std::string text, file.readAll());
    ZYXC_ASSIGN(impl->module, readModule(*impl->context, path, text));
    ZYXC_RETURN_IF_ERROR(readSources(*impl->module, path).withContext(path));
    if (!options.dims.empty()) {
      ZYXC_RETURN_IF_ERROR(bindSizes(impl->function(), options.dims).withContext(path));
    }
    impl->finishImport();
    return Model(std::move(impl));
  }
  ImportOptions import{options.bindings, options.inputShapes, options.dims, options.openDims};
  ZYXC_ASSIGN(impl->module, importOnnx(*impl->context, path, import));
  impl->finishImport();
  return Model(std::move(impl));
}

Expected<Model> Model::parse(std::string_view text, std::string_view name) {
  auto impl = std::make_unique<Impl>();
  impl->context = makeContext();
  ZYXC_ASSIGN(impl->module, readModule(*impl->context, name, text));
  impl->finishImport();
  return Model(std::move(impl));
}

double Model::importSeconds() const {
  return impl->imported.count();
}

static std::string nameOf(mlir::DictionaryAttr attributes, std::string_view fallback, size_t i) {
  if (attributes) {
    if (auto text = attributes.getAs<mlir::StringAttr>(valueNameAttrName)) {
      return text.str();
    }
  }
  return fmt::format("{}{}", fallback, i);
}

std::set<std::string> Model::variables() const {
  return sizeVariables(impl->function());
}

Expected<Model> Model::withSizes(const dim::Bindings &sizes) const {
  auto copy = std::make_unique<Impl>();
  copy->context = impl->context;
  copy->module = mlir::OwningOpRef<mlir::ModuleOp>(impl->module->clone());
  copy->imported = impl->imported;
  ZYXC_RETURN_IF_ERROR(bindSizes(copy->function(), sizes));
  return Model(std::move(copy));
}

Model Model::unrolled() const {
  auto copy = std::make_unique<Impl>();
  copy->context = impl->context;
  copy->module = mlir::OwningOpRef<mlir::ModuleOp>(impl->module->clone());
  copy->imported = impl->imported;
  for (auto function : copy->module->getOps<mlir::func::FuncOp>()) {
    unrollRegions(function);
  }
  return Model(std::move(copy));
}

std::vector<rt::NamedType> Model::inputs() const {
  std::vector<rt::NamedType> list;
  mlir::func::FuncOp function = impl->function();
  for (auto [i, type] : llvm::enumerate(function.getFunctionType().getInputs())) {
    list.push_back({nameOf(function.getArgAttrDict(i), "arg", i), *zyx::toTensorType(type)});
  }
  function.walk([&](zyx::AssignOp write) {
    list[zyx::bufferOf(write.getTarget()).getArgNumber()].written = true;
  });
  return list;
}

std::vector<rt::NamedType> Model::outputs() const {
  std::vector<rt::NamedType> list;
  mlir::func::FuncOp function = impl->function();
  for (auto [i, type] : llvm::enumerate(function.getFunctionType().getResults())) {
    list.push_back({nameOf(function.getResultAttrDict(i), "out", i), *zyx::toTensorType(type)});
  }
  return list;
}

Expected<std::vector<Tensor>> Model::interpret(std::span<const Tensor> inputs, uint64_t memoryLimit,
                                               const NodeObserver &observer,
                                               std::vector<Tensor> *contents) const {
  if (!variables().empty()) {
    rt::Plan signature;
    signature.inputs = this->inputs();
    std::vector<std::optional<Shape>> shapes;
    for (const Tensor &input : inputs) {
      shapes.emplace_back(input.shape());
    }
    ZYXC_ASSIGN(dim::Bindings sizes, rt::solveSizes(signature, shapes));
    ZYXC_ASSIGN(Model bound, withSizes(sizes));
    ZYXC_RETURN_IF_ERROR(rt::missingSizes(bound.variables()));
    return bound.interpret(inputs, memoryLimit, observer, contents);
  }
  ZYXC_ASSIGN(int64_t peak, interp::peakBytes(impl->function()));
  ZYXC_RETURN_IF_ERROR(rt::checkMemory(peak, memoryLimit, "interpreting the model"));
  auto observe = [&](mlir::Operation *op, const Tensor &value) {
    observer(zyx::locationName(op->getLoc()), value);
  };
  return interp::runModule(impl->function(), inputs,
                           observer ? interp::Observer(observe) : interp::Observer(), contents);
}

Expected<Model> Model::withNodeOutputs() const {
  auto copy = std::make_unique<Impl>();
  copy->context = impl->context;
  copy->module = mlir::OwningOpRef<mlir::ModuleOp>(impl->module->clone());
  mlir::func::FuncOp function = copy->function();
  mlir::Operation *terminator = function.getBody().front().getTerminator();
  // The last op of a source node makes its result; constants are the same on every target. Values
  // in regions are none of the function.
  llvm::MapVector<mlir::StringAttr, mlir::Value> last;
  for (mlir::Operation &op : function.getBody().front().without_terminator()) {
    auto location = mlir::dyn_cast<mlir::NameLoc>(op.getLoc());
    if (location && op.getNumResults() > 0 && zyx::kindOf(&op) != OpKind::Constant) {
      last[location.getName()] = op.getResult(0);
    }
  }
  llvm::SmallVector<mlir::Value> results(terminator->getOperands());
  llvm::SmallVector<mlir::Attribute> attributes;
  mlir::Builder builder(copy->context.get());
  for (size_t i = 0; i < results.size(); ++i) {
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        valueNameAttrName,
        builder.getStringAttr(nameOf(function.getResultAttrDict(i), "out", i)))));
  }
  for (auto &[name, value] : last) {
    results.push_back(value);
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(valueNameAttrName, name)));
  }
  terminator->setOperands(results);
  function.setFunctionType(builder.getFunctionType(function.getFunctionType().getInputs(),
                                                   mlir::ValueRange(results).getTypes()));
  function.setResAttrsAttr(builder.getArrayAttr(attributes));
  return Model(std::move(copy));
}

static std::string printModule(mlir::ModuleOp module, bool complete) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  if (!complete) {
    flags.elideLargeElementsAttrs(8).elideLargeResourceString(64);
  }
  module.print(stream, flags.enableDebugInfo(complete));
  return text;
}

std::string toText(mlir::ModuleOp module) {
  return printModule(module, false);
}
std::string Model::text() const {
  return toText(*impl->module);
}
std::string Model::completeText() const {
  return printModule(*impl->module, true);
}

mlir::ModuleOp Model::module() const {
  return *impl->module;
}
mlir::func::FuncOp Model::function() const {
  return impl->function();
}

} // namespace zyxc
