// Winograd's convolution F(2x2, 3x3): tiles of 2x2 results from 16 products instead of 36.
//   Y = A^T [ (G w G^T) * (B^T x B) ] A, per tile and summed over channels.
// A. Lavin, S. Gray: Fast algorithms for convolutional neural networks (2016).
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"
#include "passes/kernel/edit/ProgramEdit.h"
#include "passes/kernel/edit/SimplifyAffine.h"
#include "passes/kernel/edit/SpaceChange.h"
#include "llvm/Support/MathExtras.h"

namespace zyxc {

#define GEN_PASS_DEF_WINOGRADPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

static constexpr int64_t tile = 2;   ///< results along an axis
static constexpr int64_t window = 3; ///< taps along an axis
static constexpr int64_t points = tile + window - 1;

using Matrix = ArrayRef<SmallVector<double, 4>>;

static const SmallVector<double, 4> inputMatrix[] = {
    {1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
static const SmallVector<double, 4> filterMatrix[] = {
    {1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
static const SmallVector<double, 4> resultMatrix[] = {{1, 1, 1, 0}, {0, 1, -1, -1}};

namespace {

/// The two axes of the window and what slides along them.
struct Convolution {
  ContractOp contract;
  Value input, filter;
  std::array<unsigned, 2> taps = {};    ///< axes of extent 3, summed
  std::array<unsigned, 2> results = {}; ///< axes of the result at the same coordinates
  std::array<int64_t, 2> sizes = {};    ///< of the results
  AxisSet channels = 0;                 ///< summed, besides the taps
  AxisSet rows = 0;                     ///< axes of the filter only
  AxisSet columns = 0;                  ///< axes of the input only, besides the results
};

class Winograd {
public:
  Winograd(KernelOp kernel, const Convolution &conv) : original(kernel), conv(conv) {}
  ProgramOp run();

private:
  static Value at(KernelOp copy, KernelOp original, Value value);
  Value transform(OpBuilder &builder, KernelOp kernel, Value value, Matrix matrix,
                  std::array<AffineExpr, 2> rows, std::array<unsigned, 2> columns);
  void finish(KernelOp kernel, Value value, ArrayRef<unsigned> axes);
  std::array<unsigned, 2> addPoints(KernelOp kernel);
  void makeFilter();
  void makeInput();
  void makeProduct();
  void makeResult();

  std::string name(StringRef suffix) { return (original.getSymName() + suffix).str(); }

  KernelOp original;
  Convolution conv;
  KernelOp filter, input, product, result;
  PortType filterType, inputType, productType;
  SmallVector<unsigned> filterPorts, inputPorts, resultPorts;
};

} // namespace

/// The value of a copy that stands for a value of the original.
Value Winograd::at(KernelOp copy, KernelOp original, Value value) {
  Operation *op = value.getDefiningOp();
  auto position = std::distance(original.getBlock().begin(), op->getIterator());
  Operation &same = *std::next(copy.getBlock().begin(), position);
  return same.getResult(cast<OpResult>(value).getResultNumber());
}

/// The entry of a matrix at two expressions, as a chain of choices. Zeros are the last choice.
static Value entry(OpBuilder &builder, KernelOp kernel, Matrix matrix, AffineExpr row,
                   unsigned column) {
  Type type = builder.getF32Type();
  Location loc = kernel.getLoc();
  Value value = makeConstant(builder, loc, type, 0);
  for (unsigned r = 0; r < matrix.size(); ++r) {
    for (unsigned c = 0; c < matrix[r].size(); ++c) {
      if (matrix[r][c] != 0) {
        AffineExpr axis = getAffineDimExpr(column, builder.getContext());
        auto set = IntegerSet::get(kernel.getNumAxes(), kernel.getNumDims(), {row - r, axis - c},
                                   {true, true});
        value = WhereOp::create(builder, loc, type, makeConstant(builder, loc, type, matrix[r][c]),
                                value, set);
      }
    }
  }
  return value;
}

/// sum over both columns of matrix[rows[0]][columns[0]] * matrix[rows[1]][columns[1]] * value.
Value Winograd::transform(OpBuilder &builder, KernelOp kernel, Value value, Matrix matrix,
                          std::array<AffineExpr, 2> rows, std::array<unsigned, 2> columns) {
  Location loc = kernel.getLoc();
  for (unsigned i = 0; i < 2; ++i) {
    value = arith::MulFOp::create(builder, loc, value,
                                  entry(builder, kernel, matrix, rows[i], columns[i]));
  }
  SmallVector<int64_t> over(columns.begin(), columns.end());
  llvm::sort(over);
  return ReduceOp::create(builder, loc, value.getType(), ReduceKind::Add, value, over,
                          ReduceOrder::Free, false);
}

std::array<unsigned, 2> Winograd::addPoints(KernelOp kernel) {
  AffineExpr bound = getAffineConstantExpr(points, kernel.getContext());
  unsigned first = addAxis(kernel, "u", bound);
  return {first, addAxis(kernel, "v", bound)};
}

/// Stores a value over these axes as the only result of a kernel.
void Winograd::finish(KernelOp kernel, Value value, ArrayRef<unsigned> axes) {
  for (auto store : llvm::make_early_inc_range(kernel.getBlock().getOps<StoreOp>())) {
    store.erase();
  }
  BlockArgument port = addPort(kernel, value.getType(), PortMode::Out, axes);
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToEnd(&kernel.getBlock());
  StoreOp::create(builder, kernel.getLoc(), value, port, ValueRange(), axesMap(kernel, axes),
                  Combine::None);
  dropUnusedOps(kernel);
}

static AffineExpr axisExpr(KernelOp kernel, unsigned axis) {
  return getAffineDimExpr(axis, kernel.getContext());
}

/// U[u, v, rows, channels] = (G w G^T)[u, v].
void Winograd::makeFilter() {
  filter = copyKernel(original, name("_filter"));
  Value value = at(filter, original, conv.filter);
  std::array<unsigned, 2> uv = addPoints(filter);
  OpBuilder builder(filter.getContext());
  builder.setInsertionPointToEnd(&filter.getBlock());
  value = transform(builder, filter, value, filterMatrix,
                    {axisExpr(filter, uv[0]), axisExpr(filter, uv[1])}, conv.taps);
  SmallVector<unsigned> axes(uv.begin(), uv.end());
  llvm::append_range(axes, axesOf(conv.rows));
  llvm::append_range(axes, axesOf(conv.channels));
  finish(filter, value, axes);
  filterType = filter.getPortType(filter.getNumPorts() - 1);
  filterPorts = dropUnusedPorts(filter);
  dropUnusedAxes(filter);
}

/// V[u, v, channels, columns, tiles] = (B^T x B)[u, v]: results become tiles, taps points.
void Winograd::makeInput() {
  MLIRContext *context = original.getContext();
  input = copyKernel(original, name("_input"));
  Value value = at(input, original, conv.input);
  std::array<unsigned, 2> uv = addPoints(input);
  SpaceChange change = SpaceChange::identity(input);
  SmallVector<AffineExpr> inside;
  for (unsigned i = 0; i < 2; ++i) {
    AffineExpr axis = axisExpr(input, conv.results[i]);
    change.bounds[conv.results[i]] =
        getAffineConstantExpr(llvm::divideCeil(conv.sizes[i], tile), context);
    change.bounds[conv.taps[i]] = getAffineConstantExpr(points, context);
    change.axes[conv.results[i]] = axis * tile;
    inside.push_back(conv.sizes[i] + window - 2 - axis * tile - axisExpr(input, conv.taps[i]));
  }
  changeSpace(input, change);
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&input.getBlock());
  if (conv.sizes[0] % tile != 0 || conv.sizes[1] % tile != 0) {
    // The last tile reaches beyond what the results need.
    auto set = IntegerSet::get(input.getNumAxes(), 0, inside, {false, false});
    Value zero = makeConstant(builder, input.getLoc(), value.getType(), 0);
    value = WhereOp::create(builder, input.getLoc(), value.getType(), value, zero, set);
  }
  value = transform(builder, input, value, inputMatrix,
                    {axisExpr(input, uv[0]), axisExpr(input, uv[1])}, conv.taps);
  SmallVector<unsigned> axes(uv.begin(), uv.end());
  llvm::append_range(axes, axesOf(conv.channels));
  llvm::append_range(axes, axesOf(conv.columns));
  axes.append(conv.results.begin(), conv.results.end());
  finish(input, value, axes);
  inputType = input.getPortType(input.getNumPorts() - 1);
  inputPorts = dropUnusedPorts(input);
  dropUnusedAxes(input);
}

/// M[u, v, rows, columns, tiles] = sum over channels of U * V: one product per point.
void Winograd::makeProduct() {
  MLIRContext *context = original.getContext();
  unsigned numRows = axesOf(conv.rows).size();
  unsigned numChannels = axesOf(conv.channels).size();
  SmallVector<AffineExpr> sizes(filterType.getShape().getResults());
  llvm::append_range(sizes, inputType.getShape().getResults().drop_front(2 + numChannels));
  unsigned numAxes = sizes.size();
  auto axesIn = [&](ArrayRef<std::pair<unsigned, unsigned>> ranges) {
    SmallVector<AffineExpr> results;
    for (auto [from, to] : ranges) {
      for (unsigned axis = from; axis < to; ++axis) {
        results.push_back(getAffineDimExpr(axis, context));
      }
    }
    return AffineMap::get(numAxes, 0, results, context);
  };
  unsigned channelsAt = 2 + numRows;
  unsigned columnsAt = channelsAt + numChannels;
  AffineMap filterMap = axesIn({{0, columnsAt}});
  AffineMap inputMap = axesIn({{0, 2}, {channelsAt, numAxes}});
  AffineMap productMap = axesIn({{0, channelsAt}, {columnsAt, numAxes}});
  SmallVector<AffineExpr> productShape;
  for (AffineExpr axis : productMap.getResults()) {
    productShape.push_back(sizes[cast<AffineDimExpr>(axis).getPosition()]);
  }
  Type type = filterType.getElementType();
  productType = PortType::get(context, type, AffineMap::get(0, 0, productShape, context),
                              PortMode::Out, AffineMap(), 0);
  auto asIn = [&](PortType port) {
    return PortType::get(context, type, port.getShape(), PortMode::In, AffineMap(), 0);
  };
  SmallVector<std::string> names;
  for (unsigned axis = 0; axis < numAxes; ++axis) {
    names.push_back("i" + std::to_string(axis));
  }
  OpBuilder builder(original);
  Location loc = original.getLoc();
  product = KernelOp::createWithPorts(
      builder, loc, name("_product"), {}, SmallVector<StringRef>(names.begin(), names.end()),
      AffineMap::get(numAxes, 0, sizes, context), {asIn(filterType), asIn(inputType), productType});
  builder.setInsertionPointToEnd(&product.getBlock());
  Value u = LoadOp::create(builder, loc, type, product.getPort(0), ValueRange(), filterMap);
  Value v = LoadOp::create(builder, loc, type, product.getPort(1), ValueRange(), inputMap);
  SmallVector<int64_t> over;
  for (unsigned axis = channelsAt; axis < columnsAt; ++axis) {
    over.push_back(axis);
  }
  Value sum = ContractOp::create(builder, loc, type, u, v, over);
  StoreOp::create(builder, loc, sum, product.getPort(2), ValueRange(), productMap, Combine::None);
}

/// The original with its contraction as (A^T M A)[result mod 2] of the tile.
void Winograd::makeResult() {
  MLIRContext *context = original.getContext();
  result = copyKernel(original, name("_result"));
  Value old = at(result, original, conv.contract.getResult());
  std::array<unsigned, 2> uv = addPoints(result);
  OpBuilder builder(old.getDefiningOp());
  auto type = PortType::get(context, productType.getElementType(), productType.getShape(),
                            PortMode::In, AffineMap(), 0);
  BlockArgument port = result.getBlock().addArgument(type, result.getLoc());
  SmallVector<AffineExpr> map = {axisExpr(result, uv[0]), axisExpr(result, uv[1])};
  for (AxisSet set : {conv.rows, conv.columns}) {
    for (unsigned axis : axesOf(set)) {
      map.push_back(axisExpr(result, axis));
    }
  }
  std::array<AffineExpr, 2> within;
  for (unsigned i = 0; i < 2; ++i) {
    AffineExpr axis = axisExpr(result, conv.results[i]);
    map.push_back(axis.floorDiv(tile));
    within[i] = axis % tile;
  }
  Value value = LoadOp::create(builder, result.getLoc(), type.getElementType(), port, ValueRange(),
                               AffineMap::get(result.getNumAxes(), 0, map, context));
  old.replaceAllUsesWith(transform(builder, result, value, resultMatrix, within, uv));
  dropUnusedOps(result);
  resultPorts = dropUnusedPorts(result);
  dropUnusedAxes(result);
}

ProgramOp Winograd::run() {
  makeFilter();
  makeInput();
  makeProduct();
  makeResult();
  for (KernelOp kernel : {filter, input, result}) {
    kernel.removeScheduleAttr();
    simplifyAccesses(kernel);
  }
  filter->moveBefore(original);
  input->moveAfter(filter);
  product->moveAfter(input);
  result->moveAfter(product);
  unsigned numPorts = original.getNumPorts();
  auto scratch = [&](PortType type) {
    return PortType::get(type.getContext(), type.getElementType(), type.getShape(),
                         PortMode::Scratch, AffineMap(), 0);
  };
  ProgramOp program = wrapKernel(original, name("_direct"),
                                 {scratch(filterType), scratch(inputType), scratch(productType)});
  auto direct = cast<LaunchOp>(program.getBlock().front());
  OpBuilder builder(direct);
  auto launch = [&](KernelOp kernel, ArrayRef<Value> ports) {
    LaunchOp::create(builder, direct.getLoc(), kernel.getSymName(), ports,
                     builder.getStrArrayAttr({}), AffineMap::get(builder.getContext()));
  };
  auto portsOf = [&](ArrayRef<unsigned> kept, Value last) {
    SmallVector<Value> ports;
    for (unsigned port : kept) {
      ports.push_back(port < numPorts ? Value(program.getPort(port)) : last);
    }
    return ports;
  };
  Value u = program.getPort(numPorts);
  Value v = program.getPort(numPorts + 1);
  Value m = program.getPort(numPorts + 2);
  launch(filter, portsOf(filterPorts, u));
  launch(input, portsOf(inputPorts, v));
  launch(product, {u, v, m});
  launch(result, portsOf(resultPorts, m));
  direct.erase();
  original.erase();
  return program;
}

//===- Matching ------------------------------------------------------------------------------===//

/// The load behind a guard.
static LoadOp loadOf(Value value) {
  if (auto where = value.getDefiningOp<WhereOp>()) {
    value = where.getValue();
  }
  return value.getDefiningOp<LoadOp>();
}

/// The two axes that are added in an expression axis + axis + constant.
static std::optional<std::pair<unsigned, unsigned>> slidingAxes(AffineExpr expr, unsigned numAxes) {
  AxisSet set = axesIn(expr, numAxes);
  SmallVector<unsigned> axes = axesOf(set);
  if (axes.size() != 2) {
    return std::nullopt;
  }
  AffineExpr sum =
      getAffineDimExpr(axes[0], expr.getContext()) + getAffineDimExpr(axes[1], expr.getContext());
  auto rest = dyn_cast<AffineConstantExpr>(simplifyExpr(expr - sum, numAxes, 0));
  return rest ? std::optional(std::pair(axes[0], axes[1])) : std::nullopt;
}

/// Finds the axes of the window in the input's coordinates.
static bool findWindow(KernelOp kernel, LoadOp load, AxisSet summed, ArrayRef<int64_t> extents,
                       Convolution &conv) {
  unsigned found = 0;
  for (AffineExpr coordinate : load.getMap().getResults()) {
    if (isa<AffineDimExpr>(coordinate)) {
      continue;
    }
    auto axes = slidingAxes(coordinate, kernel.getNumAxes());
    if (!axes || found == 2) {
      return false;
    }
    auto [tap, slide] =
        contains(summed, axes->first) ? *axes : std::pair(axes->second, axes->first);
    if (!contains(summed, tap) || contains(summed, slide) || extents[tap] != window) {
      return false;
    }
    conv.taps[found] = tap;
    conv.results[found] = slide;
    conv.sizes[found] = extents[slide];
    ++found;
  }
  return found == 2;
}

static std::optional<Convolution> match(KernelOp kernel) {
  auto contracts = kernel.getBlock().getOps<ContractOp>();
  std::optional<SmallVector<int64_t>> extents = kernel.getStaticExtents();
  if (!llvm::hasSingleElement(contracts) || !extents || kernel.getNumDims() || kernel.getDomain()) {
    return std::nullopt;
  }
  ContractOp contract = *contracts.begin();
  AxisSets sets(kernel);
  AxisSet summed = axisSetOf(contract.getAxes());
  for (auto [input, filter] :
       {std::pair(contract.getA(), contract.getB()), std::pair(contract.getB(), contract.getA())}) {
    Convolution conv{contract, input, filter};
    LoadOp load = loadOf(input);
    if (!load || !load.getCoords().empty() || !input.getType().isF32() ||
        !filter.getType().isF32() || !findWindow(kernel, load, summed, *extents, conv)) {
      continue;
    }
    AxisSet taps = axisBit(conv.taps[0]) | axisBit(conv.taps[1]);
    AxisSet results = axisBit(conv.results[0]) | axisBit(conv.results[1]);
    conv.channels = summed & ~taps;
    conv.rows = sets[filter] & ~summed;
    conv.columns = sets[input] & ~summed & ~results;
    bool empty = llvm::is_contained(*extents, 0);
    bool apart = !(sets[filter] & sets[input] & ~summed);
    if (apart && !empty && conv.channels && (conv.channels & ~sets[filter]) == 0 &&
        (conv.channels & ~sets[input]) == 0 && (taps & ~sets[filter]) == 0) {
      return conv;
    }
  }
  return std::nullopt;
}

FailureOr<ProgramOp> winograd(KernelOp kernel) {
  std::optional<Convolution> conv = match(kernel);
  if (!conv) {
    return failure();
  }
  return Winograd(kernel, *conv).run();
}

namespace {

struct WinogradPass : impl::WinogradPassBase<WinogradPass> {
  void runOnOperation() override {
    for (auto kernel : llvm::to_vector(getOperation().getOps<KernelOp>())) {
      if (!isLaunched(kernel)) {
        (void)winograd(kernel); // other kernels stay as they are
      }
    }
  }
};

} // namespace

} // namespace zyxc
