// Ops that are no function of one result: their regions become graphs, their results calls.
#include "compiler/graph/module/GivenKernel.h"
#include "compiler/graph/module/Importer.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/custom/CustomKernel.h"
#include "mlir/Transforms/RegionUtils.h"
#include "runtime/core/Dim.h"
#include "llvm/Support/raw_ostream.h"

namespace zyxc::graph {

//===- Values
//-------------------------------------------------------------------------------------//

Expected<ClassId> Importer::classOf(mlir::Value value) {
  auto known = classes.find(value);
  if (known != classes.end()) {
    return known->second;
  }
  if (!outer || !outer->isReadAgain(value)) {
    return makeError(ErrorCode::Internal, "a value is used that is not known here");
  }
  ZYXC_ASSIGN(ClassId outside, outer->classOf(value));
  if (const Tensor *constant = outer->graph.constant(outside)) {
    classes[value] = graph.add(OpKind::Constant, {}, {{"value", *constant}});
  } else if (const Tensor *splat = outer->graph.splat(outside)) {
    classes[value] = graph.addSplat(*splat, outer->graph.type(outside).shape);
  } else {
    ZYXC_RETURN_IF_ERROR(addOp(value.getDefiningOp()));
  }
  return classes.at(value);
}

Expected<std::vector<ClassId>> Importer::classesOf(mlir::ValueRange values) {
  std::vector<ClassId> list;
  for (mlir::Value value : values) {
    ZYXC_ASSIGN(ClassId cls, classOf(value));
    list.push_back(cls);
  }
  return list;
}

bool Importer::isReadAgain(mlir::Value value) {
  if (auto known = readAgain.find(value); known != readAgain.end()) {
    return known->second;
  }
  Expected<ClassId> cls = classOf(value);
  mlir::Operation *op = value.getDefiningOp();
  bool again = cls && graph.isConstant(*cls);
  if (cls && !again && op && zyx::kindOf(op)) {
    again = llvm::isa<zyx::VariableOp>(op) ||
            (graph.isParameter(*cls) && llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
               return isReadAgain(operand);
             }));
  }
  return readAgain[value] = again;
}

llvm::SmallVector<mlir::Value> Importer::capturesOf(mlir::Operation *op) {
  llvm::SetVector<mlir::Value> used;
  mlir::getUsedValuesDefinedAbove(op->getRegions(), used);
  llvm::SmallVector<mlir::Value> captures = used.takeVector();
  llvm::erase_if(captures, [&](mlir::Value value) { return isReadAgain(value); });
  return captures;
}

//===- Regions
//------------------------------------------------------------------------------------//

Expected<std::shared_ptr<TensorGraph>> Importer::run(mlir::Region &region,
                                                     llvm::ArrayRef<mlir::Value> captures) {
  for (mlir::BlockArgument argument : region.getArguments()) {
    unsigned number = argument.getArgNumber();
    ZYXC_RETURN_IF_ERROR(
        addLeaf(argument, number == 0 ? "iteration" : fmt::format("carried{}", number - 1)));
  }
  for (auto [number, value] : llvm::enumerate(captures)) {
    ZYXC_RETURN_IF_ERROR(addLeaf(value, fmt::format("capture{}", number)));
  }
  ZYXC_ASSIGN(std::vector<ClassId> results, readInPlace(region.front()));
  for (size_t i = 0; i < results.size(); ++i) {
    graph.outputs.push_back({fmt::format("out{}", i), results[i]});
  }
  graph.setOrigin("");
  ZYXC_RETURN_IF_ERROR(graph.rebuild());
  return std::make_shared<TensorGraph>(std::move(graph));
}

Expected<std::shared_ptr<TensorGraph>>
Importer::readRegion(mlir::Region &region, llvm::ArrayRef<mlir::Value> captures, int64_t times) {
  constexpr int deepest = 16; // rt::mostPlanDepth
  int depth = 1;
  for (const Importer *importer = outer; importer; importer = importer->outer) {
    ++depth;
  }
  if (depth > deepest) {
    return makeError(ErrorCode::Unsupported,
                     "branches and loops are nested more than {} deep: join conditions (And), or "
                     "nest fewer",
                     deepest);
  }
  ZYXC_ASSIGN(std::shared_ptr<TensorGraph> body, Importer(options, this).run(region, captures));
  // Sizes must suit a region whether or not it runs, unless it is known that it never does.
  for (SizeGuard &guard : body->guards) {
    guard.size = dim::max(guard.size, dim::sub(0, times));
    addGuard(std::move(guard));
  }
  body->guards.clear();
  return body;
}

Expected<std::vector<ClassId>> Importer::readInPlace(mlir::Block &block) {
  ZYXC_RETURN_IF_ERROR(addOps(block));
  mlir::ValueRange results = block.getTerminator()->getOperands();
  Expected<std::vector<ClassId>> list = classesOf(results);
  alsoRead.assign(results.begin(), results.end());
  return list;
}

void Importer::setResults(mlir::Operation *op, llvm::ArrayRef<ClassId> results) {
  for (auto [value, cls] : llvm::zip_equal(op->getResults(), results)) {
    classes[value] = cls;
  }
}

Status Importer::addCall(mlir::Operation *op, llvm::ArrayRef<ClassId> operands, Callee callee) {
  auto number = static_cast<int64_t>(graph.callees.size());
  graph.setOrigin(zyx::locationName(op->getLoc()));
  for (mlir::OpResult result : op->getResults()) {
    ZYXC_ASSIGN(TensorType type, zyx::toTensorType(result.getType()));
    callee.results.push_back(graph.add(OpKind::Call, operands,
                                       {{"callee", number},
                                        {"result", int64_t(result.getResultNumber())},
                                        {"dtype", type.dtype},
                                        {"shape", type.shape}}));
  }
  setResults(op, callee.results);
  graph.callees.push_back(std::move(callee));
  return Status::ok();
}

/// The value of a condition that is known.
static std::optional<bool> knownCondition(const TensorGraph &graph, ClassId condition) {
  const Tensor *value = graph.constant(condition);
  return value ? std::optional(value->asInt(0) != 0) : std::nullopt;
}

Status Importer::addIf(zyx::IfOp op) {
  ZYXC_ASSIGN(ClassId condition, classOf(op.getCondition()));
  if (std::optional<bool> taken = knownCondition(graph, condition)) {
    mlir::Region &region = *taken ? op.getThenRegion() : op.getElseRegion();
    ZYXC_ASSIGN(std::vector<ClassId> results, readInPlace(region.front()));
    setResults(op, results);
    return Status::ok();
  }
  llvm::SmallVector<mlir::Value> captures = capturesOf(op);
  Callee callee{.kind = Callee::Kind::If};
  for (mlir::Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    ZYXC_ASSIGN(std::shared_ptr<TensorGraph> body, readRegion(*region, captures, 1));
    callee.bodies.push_back(std::move(body));
  }
  ZYXC_ASSIGN(std::vector<ClassId> operands, classesOf(captures));
  operands.insert(operands.begin(), condition);
  alsoRead = captures;
  return addCall(op, operands, std::move(callee));
}

Status Importer::addLoop(zyx::LoopOp op) {
  ZYXC_ASSIGN(ClassId first, classOf(op.getFirst()));
  ZYXC_ASSIGN(std::vector<ClassId> operands, classesOf(op.getInits()));
  auto limit = static_cast<int64_t>(op.getLimit());
  if (limit == 0 || knownCondition(graph, first) == false) {
    for (mlir::Value row : op.collected()) {
      ZYXC_ASSIGN(TensorType type, zyx::toTensorType(row.getType()));
      operands.push_back(graph.addSplat(Tensor::zeros({type.dtype, {}}), type.shape));
    }
    setResults(op, operands);
    return Status::ok();
  }
  llvm::SmallVector<mlir::Value> captures = capturesOf(op);
  Callee callee{.kind = Callee::Kind::Loop,
                .limit = limit,
                .numCarried = static_cast<uint32_t>(op.getInits().size())};
  if (!dim::provablyAtMost(0, limit)) {
    addGuard({limit, zyx::locationName(op.getLoc()), "the limit of a loop"});
  }
  ZYXC_ASSIGN(std::shared_ptr<TensorGraph> body, readRegion(op.getBody(), captures, limit));
  callee.bodies.push_back(std::move(body));
  ZYXC_ASSIGN(std::vector<ClassId> captured, classesOf(captures));
  operands.insert(operands.begin(), first);
  operands.insert(operands.end(), captured.begin(), captured.end());
  alsoRead = captures;
  return addCall(op, operands, std::move(callee));
}

//===- Kernels and functions of the user ------------------------------------------------------===//

Status Importer::addKernel(zyx::KernelOp op) {
  ZYXC_ASSIGN(std::string text, givenKernelText(op));
  ZYXC_ASSIGN(std::vector<ClassId> operands, classesOf(op.getOperands()));
  return addCall(op, operands, {.kind = Callee::Kind::Kernel, .text = std::move(text)});
}

/// The text of a declaration with nothing in it that names other ops of the module.
static std::string declarationText(zyx::CustomKernelOp kernel) {
  if (!kernel) {
    return "";
  }
  zyx::CustomKernelOp copy = kernel.clone();
  copy.removeDecompositionAttr();
  copy.removeGradientAttr();
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy.print(stream);
  copy.erase();
  return text;
}

/// Why a use of a kernel cannot be compiled for a target.
static Status noSource(zyx::CustomOp op, const std::string &target) {
  zyx::CustomKernelOp kernel = zyx::declarationOf(op);
  return makeError(
      ErrorCode::Unsupported,
      "{} has no source for --target={}, and no decomposition: it has {}: take another "
      "target, or name a func that computes the same (like @FUNCTION)",
      op.getKernelName(), target,
      kernel ? zyx::describeSources(kernel) : "a function of a library");
}

static bool hasOpenSizes(zyx::CustomOp op) {
  auto isOpen = [](mlir::Type type) {
    Expected<TensorType> tensor = zyx::toTensorType(type);
    return tensor && dim::anySymbolic(tensor->shape);
  };
  return llvm::any_of(op->getOperandTypes(), isOpen) || llvm::any_of(op->getResultTypes(), isOpen);
}

Status Importer::addCustom(zyx::CustomOp op) {
  bool hasDecomposition = op.getDecompositionAttr() != nullptr;
  ZYXC_ASSIGN(std::optional<CustomSource> source, zyx::sourceFor(op, options.customTarget));
  // A library is the user's to name: where none is, the decomposition serves.
  bool isCalled = source && (source->form != CustomSource::Form::Host || options.useLibraries ||
                             !hasDecomposition);
  if (!isCalled && !hasDecomposition) {
    return noSource(op, options.targetName);
  }
  if (isCalled && !zyx::declarationOf(op) && hasOpenSizes(op)) {
    return makeError(ErrorCode::Unsupported,
                     "{} is not told the sizes of its tensors: give them, --dim NAME=SIZE, or "
                     "declare it (zyx.custom_kernel) with dims that it is given",
                     op.getKernelName());
  }
  ZYXC_ASSIGN(std::vector<ClassId> operands, classesOf(op.getOperands()));
  std::vector<ClassId> decomposed;
  if (!isCalled || (source->cost && hasDecomposition)) {
    ZYXC_ASSIGN(decomposed, readDecomposition(op, operands));
  }
  if (!isCalled) {
    setResults(op, decomposed);
    return Status::ok();
  }
  Callee callee{.kind = Callee::Kind::Custom, .text = declarationText(zyx::declarationOf(op))};
  callee.source = std::make_shared<const CustomSource>(*std::move(source));
  ZYXC_RETURN_IF_ERROR(addCall(op, operands, std::move(callee)));
  for (size_t i = 0; i < decomposed.size(); ++i) {
    graph.unite(graph.callees.back().results[i], decomposed[i],
                egraph::Reason::client(static_cast<uint32_t>(ClientReason::Decomposition)));
  }
  return Status::ok();
}

Expected<std::vector<ClassId>> Importer::readDecomposition(zyx::CustomOp op,
                                                           llvm::ArrayRef<ClassId> operands) {
  auto function =
      mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(op, op.getDecompositionAttr());
  if (!function || !function.getBody().hasOneBlock()) {
    return makeError(ErrorCode::Unsupported, "{} must be a func with one block",
                     op.getDecomposition()->str());
  }
  for (const Importer *importer = this; importer; importer = importer->outer) {
    if (llvm::is_contained(importer->reading, function)) {
      return makeError(ErrorCode::Unsupported, "@{} stands below itself",
                       op.getDecomposition()->str());
    }
  }
  mlir::Block &block = function.getBody().front();
  readAgain.clear(); // its values were others in an earlier use
  // Each use reads the function again: what an earlier one left is not looked at.
  for (auto [argument, cls] : llvm::zip_equal(block.getArguments(), operands)) {
    classes[argument] = cls;
  }
  for (auto [argument, operand] : llvm::zip_equal(block.getArguments(), op.getOperands())) {
    if (auto known = sourceOf.find(operand); known != sourceOf.end()) {
      sourceOf[argument] = int32_t(known->second); // a copy: the map may grow
    } else {
      sourceOf.erase(argument);
    }
  }
  reading.push_back(function);
  ZYXC_ASSIGN(std::vector<ClassId> results, readInPlace(block));
  reading.pop_back();
  return results;
}

} // namespace zyxc::graph
