#include "compiler/kernelize/emit/EmitZyxk.h"
#include "compiler/graph/Callee.h"
#include "compiler/kernelize/emit/BodyBuilder.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/IR/affine/BatchAxis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace zyxc::kernelize {

struct ZyxkEmitter::Impl {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  bool schedules = true;
};

ZyxkEmitter::ZyxkEmitter(bool schedules) : impl(std::make_unique<Impl>()) {
  impl->schedules = schedules;
  impl->context
      .loadDialect<zyxk::ZyxkDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
}
ZyxkEmitter::~ZyxkEmitter() = default;

/// The port whose elements an operand of the contraction is, unchanged, if nothing else reads them;
/// -1 if there is none.
static int64_t plainPort(const Program &program, ValueId operand) {
  const Value &value = program.values[operand];
  int64_t readers = 0;
  int64_t uses = 0;
  for (const Value &other : program.values) {
    readers += other.op == Value::Op::Load && other.port == value.port;
    uses += std::count(other.operands.begin(), other.operands.end(), operand);
  }
  bool plain = value.op == Value::Op::Load && value.operands.empty() && readers == 1 && uses == 1;
  return plain ? value.port : -1;
}

/// Operands that are plain constants are packed once, when the plan is loaded.
static mlir::Attribute contractSchedule(mlir::MLIRContext *context, const Program &program,
                                        std::span<const uint32_t> constantPorts) {
  auto pack = [&](ValueId operand) {
    int64_t port = plainPort(program, operand);
    bool constant = port >= 0 && std::find(constantPorts.begin(), constantPorts.end(), port) !=
                                     constantPorts.end();
    return constant ? zyxk::Pack::Prepared : zyxk::Pack::Loop;
  };
  for (const Value &value : program.values) {
    if (value.op == Value::Op::Contract) {
      return zyxk::ContractScheduleAttr::get(
          context,
          zyxk::ContractFields{.packA = pack(value.operands[0]), .packB = pack(value.operands[1])});
    }
  }
  return {};
}

/// None for reductions over axes that are not stored, and for a single store: the lowering weighs
/// which lanes are cheaper, and sees transposes.
static mlir::Attribute scheduleOf(mlir::MLIRContext *context, const Program &program,
                                  std::span<const uint32_t> constantPorts) {
  if (program.family == Family::Contract) {
    return contractSchedule(context, program, constantPorts);
  }
  bool isPicked = program.family == Family::Scan || program.family == Family::Routine ||
                  program.family == Family::Attention;
  if (isPicked) {
    return {};
  }
  if (program.reducesStoredAxes()) {
    return zyxk::RowScheduleAttr::get(context, zyxk::RowFields{});
  }
  bool reduces = std::any_of(program.values.begin(), program.values.end(),
                             [](const Value &value) { return value.op == Value::Op::Reduce; });
  return reduces || program.stores.size() == 1
             ? mlir::Attribute()
             : zyxk::MapScheduleAttr::get(context, zyxk::MapFields{});
}

static zyxk::PortMode modeOf(const Port &port) {
  if (port.isRead) {
    return zyxk::PortMode::InOut;
  }
  return port.output ? zyxk::PortMode::Out : zyxk::PortMode::In;
}

static zyxk::KernelOp createKernel(mlir::OpBuilder &builder, const Program &program,
                                   std::string_view name, const PortFacts &facts) {
  mlir::MLIRContext *context = builder.getContext();
  AffineSizes sizes(context, program);
  std::vector<std::string> dimNames;
  dimNames.reserve(program.dims.size());
  for (size_t i = 0; i < program.dims.size(); ++i) {
    dimNames.push_back(fmt::format("d{}", i));
  }
  std::vector<std::string> names;
  llvm::SmallVector<mlir::AffineExpr> bounds;
  for (size_t i = 0; i < program.extents.size(); ++i) {
    names.push_back(fmt::format("i{}", i));
    bounds.push_back(sizes(program.extents[i]));
  }
  llvm::SmallVector<zyxk::PortType> ports;
  for (uint32_t number = 0; number < program.ports.size(); ++number) {
    const Port &port = program.ports[number];
    llvm::SmallVector<mlir::AffineExpr> shape;
    for (int64_t dim : port.type.shape) {
      shape.push_back(sizes(dim));
    }
    ports.push_back(
        zyxk::PortType::get(context, storageType(context, port.type.dtype),
                            mlir::AffineMap::get(0, sizes.numDims(), shape, context), modeOf(port),
                            {}, llvm::is_contained(facts.aligned, number) ? facts.alignment : 0));
  }
  llvm::SmallVector<llvm::StringRef> axes(names.begin(), names.end());
  llvm::SmallVector<llvm::StringRef> dims(dimNames.begin(), dimNames.end());
  auto bound =
      mlir::AffineMap::get(static_cast<unsigned>(axes.size()), sizes.numDims(), bounds, context);
  return zyxk::KernelOp::createWithPorts(builder, builder.getUnknownLoc(), llvm::StringRef(name),
                                         dims, axes, bound, ports);
}

/// The text of a user's kernel under another name.
static std::string renamed(std::string text, std::string_view name) {
  size_t at = text.find(graph::givenKernelName);
  return text.replace(at, graph::givenKernelName.size(), name);
}

Expected<std::string> ZyxkEmitter::emit(const Program &program, std::string_view name,
                                        const PortFacts &facts) {
  assert(hasCode(program.family));
  if (program.family == Family::Given) {
    return renamed(program.routine, name);
  }
  mlir::MLIRContext *context = &impl->context;
  mlir::OpBuilder builder(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  zyxk::KernelOp kernel = createKernel(builder, program, name, facts);
  BodyBuilder(builder, kernel, program).build();
  mlir::Attribute schedule = scheduleOf(context, program, facts.constant);
  // Tiles need sizes: over open ones a contraction is a sum of products, but for slices of a batch.
  bool needsSizes = program.family == Family::Contract && !program.dims.empty();
  if (impl->schedules && schedule && (!needsSizes || zyxk::findBatchAxes(kernel))) {
    kernel.setScheduleAttr(schedule);
  }

  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream(diagnostics) << diagnostic << "; ";
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*module))) {
    return makeError(ErrorCode::Internal, "kernel {} does not verify: {}", name, diagnostics);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel.print(stream);
  return text + "\n";
}

} // namespace zyxc::kernelize
