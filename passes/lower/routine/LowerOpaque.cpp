#include "passes/lower/routine/LowerOpaque.h"
#include "dialects/zyxk/IR/affine/SizeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineMap.h"
#include "passes/lower/HostKernel.h"
#include "passes/lower/emit/sizes/RuntimeSizes.h"
#include "runtime/routines/Routine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Elements that one task of a routine should handle.
static constexpr int64_t elementsPerTask = 4096;

OpaqueOp opaqueOf(KernelOp kernel) {
  auto routines = kernel.getBlock().getOps<OpaqueOp>();
  return routines.empty() ? OpaqueOp() : *routines.begin();
}

DType elementDType(Type type) {
  if (type.isF16()) {
    return DType::F16;
  }
  if (type.isBF16()) {
    return DType::BF16;
  }
  switch (type.getIntOrFloatBitWidth()) {
  case 8: return DType::I8;
  case 16: return DType::I16;
  case 32: return type.isF32() ? DType::F32 : DType::I32;
  default: return type.isF64() ? DType::F64 : DType::I64;
  }
}

/// The ports as the routine's check takes them; fails where it does not take them.
static FailureOr<SmallVector<rt::RoutineArgument>> argumentsOf(OpaqueOp opaque) {
  SmallVector<rt::RoutineArgument> arguments;
  for (auto [i, port] : llvm::enumerate(opaque.getPorts())) {
    auto type = cast<PortType>(port.getType());
    if (type.getMode() != PortMode::In && type.getMode() != PortMode::Out) {
      return opaque.emitOpError() << "cannot be lowered: routines take in and out ports, port " << i
                                  << " is '" << stringifyPortMode(type.getMode()) << "'";
    }
    // Sizes that are known at run time only are equal where they are the same expression.
    Shape shape;
    for (AffineExpr size : type.getShape().getResults()) {
      shape.push_back(zyxk::sizeOf(size));
    }
    arguments.push_back(
        {elementDType(type.getElementType()), std::move(shape), type.getMode() == PortMode::Out});
  }
  const rt::Routine *routine = rt::findRoutine(opaque.getRoutine());
  if (!routine) {
    return opaque.emitOpError() << "cannot be lowered: there is no routine '" << opaque.getRoutine()
                                << "'; known are " << rt::routineNames();
  }
  std::string error = routine->check(arguments, opaque.getParams());
  if (!error.empty()) {
    return opaque.emitOpError() << "cannot be lowered: " << error;
  }
  return arguments;
}

LogicalResult checkRoutine(OpaqueOp opaque) {
  return success(succeeded(argumentsOf(opaque)));
}

namespace {

/// Writes 64-bit words to memory of the stack.
class Words {
public:
  Words(OpBuilder &builder, Location loc, int64_t count)
      : builder(builder), loc(loc),
        memory(memref::AllocaOp::create(builder, loc,
                                        MemRefType::get({count}, builder.getI64Type()))) {}

  void store(int64_t at, Value word) {
    memref::StoreOp::create(builder, loc, word, memory,
                            ValueRange(arith::ConstantIndexOp::create(builder, loc, at)));
  }
  void store(int64_t at, int64_t word) { store(at, constant(word)); }
  Value constant(int64_t word) {
    return arith::ConstantIntOp::create(builder, loc, builder.getI64Type(), word);
  }
  /// A size as a word, at least 0.
  Value wordOf(RuntimeSizes &sizes, int64_t size) {
    return dim::isSymbolic(size) ? arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                                              sizes.atLeast(0, size))
                                       .getResult()
                                 : constant(size);
  }
  /// The address of a memref as a word.
  Value addressOf(Value of) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, of);
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  }
  Value address(int64_t at) {
    return arith::AddIOp::create(builder, loc, addressOf(memory),
                                 constant(at * static_cast<int64_t>(sizeof(int64_t))));
  }

private:
  OpBuilder &builder;
  Location loc;
  Value memory;
};

} // namespace

/// The declaration of a routine: the addresses of ports and params, then the rows.
static func::FuncOp declare(OpBuilder &builder, OpaqueOp opaque, StringRef symbol) {
  auto kernel = cast<KernelOp>(opaque->getParentOp());
  auto module = kernel->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<func::FuncOp>(symbol)) {
    return known;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(kernel);
  SmallVector<Type> inputs(4, builder.getI64Type());
  auto function =
      func::FuncOp::create(builder, opaque.getLoc(), symbol, builder.getFunctionType(inputs, {}));
  function.setPrivate();
  return function;
}

/// Words of a rt::RoutinePort.
static constexpr int64_t wordsPerPort = 4;

/// `rowsPerTask`, `rows`: sizes.
static void emitCall(HostKernel &host, OpaqueOp opaque, ArrayRef<rt::RoutineArgument> arguments,
                     int64_t rowsPerTask, int64_t rows) {
  Location loc = opaque.getLoc();
  RuntimeSizes sizes(host.function.getBody().front(), loc, host.dims);
  OpBuilder builder = OpBuilder::atBlockBegin(&host.function.getBody().front());
  int64_t sizesAt = wordsPerPort * static_cast<int64_t>(arguments.size());
  int64_t paramsAt = sizesAt;
  for (const rt::RoutineArgument &argument : arguments) {
    paramsAt += static_cast<int64_t>(argument.shape.size());
  }
  auto numParams = static_cast<int64_t>(opaque.getParams().size());
  Words words(builder, loc, paramsAt + numParams + 2);
  int64_t at = sizesAt;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    unsigned port = cast<BlockArgument>(opaque.getPorts()[i]).getArgNumber();
    int64_t first = wordsPerPort * static_cast<int64_t>(i);
    words.store(first, words.addressOf(host.ports[port]));
    words.store(first + 1, words.address(at));
    words.store(first + 2, static_cast<int64_t>(argument.shape.size()));
    words.store(first + 3, static_cast<int64_t>(argument.dtype));
    for (int64_t size : argument.shape) {
      words.store(at++, words.wordOf(sizes, size));
    }
  }
  for (int64_t param : opaque.getParams()) {
    words.store(at++, param);
  }
  words.store(at, int64_t(0));
  words.store(at + 1, int64_t(0));
  auto rowAt = [&](Value task) -> Value {
    Value word = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), task);
    Value row = arith::MulIOp::create(builder, loc, word, words.wordOf(sizes, rowsPerTask));
    return arith::MinSIOp::create(builder, loc, row, words.wordOf(sizes, rows));
  };
  std::string symbol = (StringRef(rt::routinePrefix) + opaque.getRoutine()).str();
  func::FuncOp routine = declare(builder, opaque, symbol);
  func::CallOp::create(builder, loc, routine,
                       ValueRange{words.address(0), words.address(paramsAt), rowAt(host.firstTask),
                                  rowAt(host.endTask)});
  func::ReturnOp::create(builder, loc);
}

LogicalResult lowerOpaque(KernelOp kernel) {
  OpaqueOp opaque = opaqueOf(kernel);
  FailureOr<SmallVector<rt::RoutineArgument>> arguments = argumentsOf(opaque);
  if (failed(arguments)) {
    return failure();
  }
  const Shape &shape = arguments->front().shape;
  int64_t maxTasks = rt::findRoutine(opaque.getRoutine())->maxTasks;
  int64_t rows = dim::product(ArrayRef(shape).drop_back(shape.empty() ? 0 : 1));
  int64_t rowsPerTask = dim::ceilDiv(rows, maxTasks);
  int64_t tasks = maxTasks; // some without rows, where there are fewer
  if (!dim::isSymbolic(rows)) {
    int64_t length = std::max<int64_t>(shape.empty() ? 1 : shape.back(), 1);
    rowsPerTask = std::max({int64_t(1), elementsPerTask / length, rowsPerTask});
    tasks = llvm::divideCeil(rows, rowsPerTask);
  }
  OpBuilder builder(kernel);
  HostKernel host = HostKernel::create(builder, kernel, tasks, /*scratchBytes=*/0);
  emitCall(host, opaque, *arguments, rowsPerTask, rows);
  kernel.erase();
  return success();
}

} // namespace zyxc
