// The memory that runModule needs, from types alone.
#include "compiler/interp/module/Functions.h"
#include "compiler/interp/module/Liveness.h"
#include "compiler/interp/module/ModuleInterp.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"

namespace zyxc::interp {

/// Sums stop here: a value has at most 2^61 bytes, so a sum of two fits.
static constexpr int64_t ceiling = int64_t(1) << 61;

static int64_t sum(int64_t a, int64_t b) {
  return std::min(a + b, ceiling);
}

static Expected<int64_t> bytesOf(mlir::TypeRange types) {
  int64_t bytes = 0;
  for (mlir::Type type : types) {
    ZYXC_ASSIGN(TensorType tensor, zyx::toTensorType(type));
    bytes = sum(bytes, static_cast<int64_t>(tensor.byteSize()));
  }
  return bytes;
}

namespace {

/// The peak of one function; those of decompositions have their own.
class Peak {
public:
  Peak(mlir::func::FuncOp function, int depth)
      : function(function), liveness(function.getBody()), depth(depth) {}

  Expected<int64_t> of() { return ofBlock(function.getBody().front(), false); }

private:
  Expected<int64_t> ofBlock(mlir::Block &block, bool ownsArguments);
  Expected<int64_t> ofOp(mlir::Operation &op);
  Expected<int64_t> heldBytes(mlir::Value result);

  mlir::func::FuncOp function;
  Liveness liveness;
  int depth;
};

} // namespace

/// Bytes that live as long as a result of an op. Constants are shared with the module; a write
/// keeps the version that it made.
Expected<int64_t> Peak::heldBytes(mlir::Value result) {
  if (zyx::kindOf(result.getDefiningOp()) == OpKind::Constant) {
    return 0;
  }
  if (auto assign = result.getDefiningOp<zyx::AssignOp>()) {
    return bytesOf(zyx::bufferOf(assign.getTarget()).getType());
  }
  return bytesOf(result.getType());
}

/// Bytes that an op needs at one time, its results among them.
Expected<int64_t> Peak::ofOp(mlir::Operation &op) {
  int64_t results = 0;
  for (mlir::Value result : op.getResults()) {
    ZYXC_ASSIGN(int64_t bytes, heldBytes(result));
    results = sum(results, bytes);
  }
  int64_t inside = 0; // what a region yields becomes a result: both do not add up
  if (auto branch = llvm::dyn_cast<zyx::IfOp>(op)) {
    ZYXC_ASSIGN(int64_t taken, ofBlock(branch.getThenRegion().front(), false));
    ZYXC_ASSIGN(int64_t other, ofBlock(branch.getElseRegion().front(), false));
    inside = std::max(taken, other);
  } else if (auto loop = llvm::dyn_cast<zyx::LoopOp>(op)) {
    ZYXC_ASSIGN(int64_t rows, bytesOf(loop.collected().getTypes()));
    ZYXC_ASSIGN(int64_t iteration, ofBlock(loop.getBody().front(), true));
    inside = sum(rows, iteration);
  } else if (auto custom = llvm::dyn_cast<zyx::CustomOp>(op)) {
    ZYXC_ASSIGN(mlir::func::FuncOp decomposition, decompositionOf(custom, depth));
    ZYXC_ASSIGN(inside, Peak(decomposition, depth + 1).of());
  }
  return std::max(results, inside);
}

Expected<int64_t> Peak::ofBlock(mlir::Block &block, bool ownsArguments) {
  llvm::DenseMap<mlir::Value, int64_t> held;
  int64_t live = 0;
  auto keep = [&](mlir::Value value, int64_t bytes) {
    if (!Liveness::isDead(value) && sum(live, bytes) < ceiling) {
      held[value] = bytes;
      live += bytes;
    }
  };
  if (ownsArguments) {
    for (mlir::Value argument : block.getArguments()) {
      ZYXC_ASSIGN(int64_t bytes, bytesOf(argument.getType()));
      keep(argument, bytes);
    }
  }
  int64_t peak = live;
  for (mlir::Operation &op : block.without_terminator()) {
    Expected<int64_t> bytes = ofOp(op);
    if (!bytes) {
      return std::move(bytes).error().withContext(zyx::locationName(op.getLoc()));
    }
    peak = std::max(peak, sum(live, *bytes));
    for (mlir::Value value : liveness.endingWith(op)) {
      live -= held.lookup(value);
    }
    for (mlir::Value result : op.getResults()) {
      ZYXC_ASSIGN(int64_t bytes, heldBytes(result));
      keep(result, bytes);
    }
  }
  return peak;
}

Expected<int64_t> peakBytes(mlir::func::FuncOp function) {
  ZYXC_RETURN_IF_ERROR(checkBody(function));
  ZYXC_ASSIGN(int64_t peak, Peak(function, 0).of());
  // The contents of written inputs at the end.
  llvm::DenseSet<mlir::Value> written;
  function.walk([&](zyx::AssignOp assign) { written.insert(zyx::bufferOf(assign.getTarget())); });
  for (mlir::Value input : written) {
    ZYXC_ASSIGN(int64_t bytes, bytesOf(input.getType()));
    peak = sum(peak, bytes);
  }
  return peak;
}

} // namespace zyxc::interp
