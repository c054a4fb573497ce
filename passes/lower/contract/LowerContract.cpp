#include "passes/lower/contract/LowerContract.h"
#include "dialects/zyxk/IR/PortElements.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "passes/lower/HostFunction.h"
#include "passes/lower/contract/LowerContractEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zyxc {

ContractEmitter::ContractEmitter(OpBuilder &builder, const AccessTable &table,
                                 const ContractRoles &contraction, const ContractPlan &plan,
                                 int64_t rowBlock)
    : builder(builder), loc(zyxk::KernelOp(table.kernel()).getLoc()), table(table),
      roles(contraction), plan(plan), rowBlock(rowBlock), math(builder, loc),
      element(roles.computeType), vectorType(VectorType::get(plan.lanes, element)) {}

static SmallVector<int64_t> extentsOf(const AccessTable &table, ArrayRef<unsigned> axes) {
  SmallVector<int64_t> extents;
  for (unsigned axis : axes) {
    extents.push_back(table.extent(axis));
  }
  return extents;
}

/// The steps of the whole sum.
static int64_t summed(const AccessTable &table, const ContractRoles &roles) {
  return productOf(table, roles.k);
}

int64_t ContractEmitter::packedElements(const ContractOperand &operand) const {
  int64_t panels = isRows(operand) ? plan.tiles * plan.mr
                                   : productOf(table, roles.outer) * plan.panels * plan.nr();
  return productOf(table, operand.batchAxes) * panels * summed(table, roles);
}

Type ContractEmitter::portMemoryType(unsigned port) const {
  for (const ContractOperand *operand : {&roles.a, &roles.b}) {
    if (operand->when == PackWhen::Prepared && operand->preparedPort == port) {
      return MemRefType::get(packedElements(*operand), element);
    }
  }
  zyxk::PortType type = zyxk::KernelOp(table.kernel()).getPortType(port);
  return MemRefType::get(zyxk::portElements(type), type.getElementType());
}

func::FuncOp ContractEmitter::beginFunction(StringRef name, ArrayRef<Type> portTypes,
                                            int64_t scratchBytes, int64_t numTasks,
                                            bool takesPoints) {
  SmallVector<Type> types(portTypes);
  types.push_back(MemRefType::get(scratchBytes, builder.getI8Type()));
  types.append(takesPoints ? 3 : 2, builder.getIndexType());
  auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  function->setAttr(numTasksAttrName, builder.getI64IntegerAttr(numTasks));
  function->setAttr(scratchBytesAttrName, builder.getI64IntegerAttr(scratchBytes));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPointToStart(block);
  return function;
}

/// An odd number of vectors, so that the rows of a tile do not share the sets of the cache.
int64_t ContractEmitter::rowPitch() const {
  if (!roles.rowsAlongSum) {
    return 1;
  }
  int64_t vectors = llvm::divideCeil(plan.maxCount + plan.lanes - 1, plan.lanes);
  return (vectors | 1) * plan.lanes;
}

/// Elements at the next 64-byte boundary of the scratch memory.
Value ContractEmitter::scratchView(Value scratch, int64_t &offset, int64_t elements) {
  auto type = MemRefType::get(elements, element);
  Value view =
      memref::ViewOp::create(builder, loc, type, scratch, math.constant(offset), ValueRange());
  int64_t bytes = elements * (element.getIntOrFloatBitWidth() / 8);
  offset += llvm::alignTo(bytes, 64);
  return view;
}

Value ContractEmitter::numRows() const {
  return rowsInBlock ? rowsInBlock : math.constant(productOf(table, roles.m));
}

bool ContractEmitter::hasWholeTiles() const {
  return rowBlock == 0 && productOf(table, roles.m) % plan.mr == 0;
}

/// A task is a block of tiles and a block of panels of one point of the batch and outer axes.
/// Neighbouring tasks share their rows.
TaskBlock ContractEmitter::decodeTask(Value task) const {
  SmallVector<int64_t> extents = extentsOf(table, roles.batch);
  extents.push_back(plan.rowBlocks);
  extents.append(extentsOf(table, roles.outer));
  extents.push_back(plan.columnBlocks);
  SmallVector<Value> at = math.delinearize(task, extents);
  size_t numBatch = roles.batch.size();
  TaskBlock block;
  block.batch.assign(at.begin(), at.begin() + numBatch);
  block.outer.assign(at.begin() + numBatch + 1, at.end() - 1);
  auto size = [&](Value first, int64_t total, int64_t most) {
    return total % most == 0 ? math.constant(most)
                             : math.min(math.sub(math.constant(total), first), most);
  };
  block.firstTile = math.mul(at[numBatch], plan.tilesPerTask);
  if (rowsInBlock) { // a block with fewer rows has fewer tiles, and tasks without any
    Value tiles = math.div(math.add(rowsInBlock, math.constant(plan.mr - 1)), plan.mr);
    Value left = math.sub(tiles, block.firstTile);
    left = arith::MaxSIOp::create(builder, loc, left, math.constant(0));
    block.numTiles = math.min(left, plan.tilesPerTask);
  } else {
    block.numTiles = size(block.firstTile, plan.tiles, plan.tilesPerTask);
  }
  block.firstPanel = math.mul(at.back(), plan.panelsPerTask);
  block.numPanels = size(block.firstPanel, plan.panels, plan.panelsPerTask);
  return block;
}

SumBlock ContractEmitter::decodeSumBlock(Value block) const {
  SumBlock sum;
  if (roles.k.empty()) {
    sum.first = math.constant(0);
    sum.count = math.constant(1);
    return sum;
  }
  int64_t extent = table.extent(roles.k[plan.splitAxis]);
  SmallVector<int64_t> outer =
      extentsOf(table, ArrayRef<unsigned>(roles.k).take_front(plan.splitAxis));
  Value outerIndex = math.div(block, plan.chunks);
  sum.outer = math.delinearize(outerIndex, outer);
  sum.splitLo = math.mul(math.rem(block, plan.chunks), plan.chunk);
  sum.splitHi = math.min(math.add(sum.splitLo, math.constant(plan.chunk)), extent);
  sum.first = math.mul(math.add(math.mul(outerIndex, extent), sum.splitLo), plan.innerSteps);
  sum.count = math.mul(math.sub(sum.splitHi, sum.splitLo), plan.innerSteps);
  return sum;
}

/// Where the panels of a prepared operand begin for a task's batch and outer coordinates.
Value ContractEmitter::packedStart(const ContractOperand &operand, const TaskBlock &task) const {
  SmallVector<Value> at;
  SmallVector<int64_t> extents;
  for (auto [axis, coordinate] : llvm::zip_equal(roles.batch, task.batch)) {
    if (llvm::is_contained(operand.batchAxes, axis)) {
      at.push_back(coordinate);
      extents.push_back(table.extent(axis));
    }
  }
  int64_t panels = plan.tiles * plan.mr;
  if (!isRows(operand)) {
    at.append(task.outer);
    extents.append(extentsOf(table, roles.outer));
    panels = plan.panels * plan.nr();
  }
  return math.mul(math.linearize(at, extents), panels * summed(table, roles));
}

void ContractEmitter::emitKernel() {
  zyxk::KernelOp kernel = table.kernel();
  SmallVector<Type> types;
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    types.push_back(portMemoryType(port));
  }
  int64_t tile = plan.mr * plan.nr();
  int64_t tileElements = plan.mr * (roles.rowsAlongSum ? rowPitch() : plan.maxCount);
  int64_t rowElements = plan.tilesPerTask * tileElements;
  int64_t columnElements = plan.nr() * plan.maxCount;
  int64_t sumElements = plan.blocks == 1 ? tile : tile * plan.tilesPerTask * plan.panelsPerTask;
  bool packRows = roles.a.when == PackWhen::Loop;
  bool packColumns = roles.b.when == PackWhen::Loop;
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  auto bytes = [&](int64_t elements) {
    return llvm::alignTo(elements * elementBytes, 64);
  };
  int64_t scratchBytes = bytes(sumElements) + (packRows ? bytes(rowElements) : 0) +
                         (packColumns ? bytes(columnElements) : 0);

  OpBuilder::InsertionGuard guard(builder);
  func::FuncOp function =
      beginFunction(kernel.getSymName(), types, scratchBytes, plan.tasks, rowBlock != 0);
  kernelFunction = function;
  unsigned numPorts = kernel.getNumPorts();
  ports.assign(function.getArguments().begin(), function.getArguments().begin() + numPorts);
  Value scratch = function.getArgument(numPorts);
  if (rowBlock != 0) {
    rowsInBlock = math.mul(function.getArguments().back(), productOf(table, roles.m) / rowBlock);
  }
  int64_t offset = 0;
  sums = scratchView(scratch, offset, sumElements);
  packedRows = packRows ? scratchView(scratch, offset, rowElements) : Value();
  packedColumns = packColumns ? scratchView(scratch, offset, columnElements) : Value();
  if (plan.tasks == 0) {
    return;
  }
  emitLoop(builder, loc, function.getArgument(numPorts + 1), function.getArgument(numPorts + 2), 1,
           [&](Value task) { emitTask(decodeTask(task)); });
}

void ContractEmitter::emitTask(const TaskBlock &task) {
  emitLoop(builder, loc, math.constant(0), math.constant(plan.blocks), 1,
           [&](Value blockIndex) { emitSumBlock(task, blockIndex); });
}

void ContractEmitter::emitSumBlock(const TaskBlock &task, Value blockIndex) {
  SumBlock sum = decodeSumBlock(blockIndex);
  int64_t tileElements = plan.mr * (roles.rowsAlongSum ? rowPitch() : plan.maxCount);
  PackedBlock rows{packedRows, math.constant(0), tileElements};
  if (roles.a.when == PackWhen::Prepared) {
    int64_t stride = plan.mr * summed(table, roles);
    Value first = math.add(math.mul(task.firstTile, stride), math.mul(sum.first, plan.mr));
    rows = {ports[roles.a.preparedPort], math.add(packedStart(roles.a, task), first), stride};
  } else {
    emitLoop(builder, loc, math.constant(0), task.numTiles, 1, [&](Value t) {
      emitPackRows(task, sum, math.add(task.firstTile, t), rows.memory,
                   math.mul(t, rows.panelStride));
    });
  }
  PackedBlock columns{packedColumns, math.constant(0), 0};
  if (roles.b.when == PackWhen::Prepared) {
    int64_t stride = plan.nr() * summed(table, roles);
    Value first = math.add(math.mul(task.firstPanel, stride), math.mul(sum.first, plan.nr()));
    columns = {ports[roles.b.preparedPort], math.add(packedStart(roles.b, task), first), stride};
  }
  emitLoop(builder, loc, math.constant(0), task.numPanels, 1, [&](Value panel) {
    if (roles.b.when == PackWhen::Loop) {
      emitPackColumns(task, sum, math.add(task.firstPanel, panel), columns.memory, columns.offset);
    }
    emitTiles(task, sum, blockIndex, panel, rows, columns);
  });
}

void ContractEmitter::emitTiles(const TaskBlock &task, const SumBlock &sum, Value blockIndex,
                                Value panel, const PackedBlock &rows, const PackedBlock &columns) {
  Value columnsAt = math.add(columns.offset, math.mul(panel, columns.panelStride));
  int64_t tileElements = plan.mr * plan.nr();
  emitLoop(builder, loc, math.constant(0), task.numTiles, 1, [&](Value t) {
    Value tileOffset = math.constant(0);
    if (plan.blocks > 1) {
      tileOffset = math.mul(math.add(math.mul(panel, plan.tilesPerTask), t), tileElements);
    }
    Value rowsAt = math.add(rows.offset, math.mul(t, rows.panelStride));
    Value tile = math.add(task.firstTile, t);
    emitTile(tile, rows.memory, rowsAt, columns.memory, columnsAt, sum.count, blockIndex,
             tileOffset);
    auto epilogue = [&] {
      emitEpilogue(task, math.add(task.firstPanel, panel), tile, tileOffset);
    };
    if (plan.blocks == 1) {
      epilogue();
      return;
    }
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, blockIndex,
                                         math.constant(plan.blocks - 1));
    auto finish = scf::IfOp::create(builder, loc, isLast);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(finish.thenBlock());
    epilogue();
  });
}

void ContractEmitter::emitPackFunction(const ContractOperand &operand) {
  zyxk::KernelOp kernel = table.kernel();
  bool rows = isRows(operand);
  SmallVector<int64_t> extents = extentsOf(table, operand.batchAxes);
  if (!rows) {
    extents.append(extentsOf(table, roles.outer));
  }
  extents.push_back(rows ? plan.tiles : plan.panels);
  int64_t elements = packedElements(operand);
  zyxk::PortType source = kernel.getPortType(operand.preparedPort);
  auto sourceType = MemRefType::get(zyxk::portElements(source), source.getElementType());
  auto packedType = MemRefType::get(elements, element);

  OpBuilder::InsertionGuard guard(builder);
  std::string name = (kernel.getSymName() + "_pack_" + Twine(operand.preparedPort)).str();
  int64_t numTasks = elements == 0 ? 0 : mlir::computeProduct(extents);
  func::FuncOp function = beginFunction(name, {sourceType, packedType}, 0, numTasks);
  function->setAttr(packsPortAttrName, builder.getI64IntegerAttr(operand.preparedPort));
  int64_t bytes = elements * (element.getIntOrFloatBitWidth() / 8);
  function->setAttr(packedBytesAttrName, builder.getI64IntegerAttr(bytes));
  ports.assign(kernel.getNumPorts(), Value());
  ports[operand.preparedPort] = function.getArgument(0);
  Value packed = function.getArgument(1);
  if (numTasks == 0) {
    return;
  }
  int64_t width = rows ? plan.mr : plan.nr();
  emitLoop(builder, loc, function.getArgument(3), function.getArgument(4), 1, [&](Value task) {
    SmallVector<Value> at = math.delinearize(task, extents);
    TaskBlock block;
    for (unsigned axis : roles.batch) {
      auto found = llvm::find(operand.batchAxes, axis);
      block.batch.push_back(
          found == operand.batchAxes.end() ? Value() : at[found - operand.batchAxes.begin()]);
    }
    block.outer.assign(at.begin() + operand.batchAxes.size(), at.end() - 1);
    Value start = math.mul(task, width * summed(table, roles));
    emitLoop(builder, loc, math.constant(0), math.constant(plan.blocks), 1, [&](Value blockIndex) {
      SumBlock sum = decodeSumBlock(blockIndex);
      Value offset = math.add(start, math.mul(sum.first, width));
      if (rows) {
        emitPackRows(block, sum, at.back(), packed, offset);
      } else {
        emitPackColumns(block, sum, at.back(), packed, offset);
      }
    });
  });
}

void ContractEmitter::emitPackFunctions() {
  for (const ContractOperand *operand : {&roles.a, &roles.b}) {
    if (operand->when == PackWhen::Prepared) {
      emitPackFunction(*operand);
    }
  }
}

bool isLowerableContract(zyxk::KernelOp kernel) {
  if (!kernel.getStaticExtents() || kernel.getDomain()) {
    return false;
  }
  FailureOr<AccessTable> table = AccessTable::build(kernel);
  return succeeded(table) && ContractRoles::find(*table).op;
}

bool hasRowsAlongFirstAxis(zyxk::KernelOp kernel, int64_t extent) {
  FailureOr<AccessTable> table = AccessTable::build(kernel);
  if (failed(table)) {
    return false;
  }
  table->mergeAxes();
  ContractRoles roles = ContractRoles::find(*table);
  return roles.op && !roles.m.empty() && roles.m.front() == 0 && table->extent(0) % extent == 0;
}

LogicalResult lowerContract(zyxk::KernelOp kernel, unsigned vectorBits, int64_t rowBlock) {
  FailureOr<AccessTable> table = AccessTable::build(kernel);
  if (failed(table)) {
    return failure();
  }
  table->mergeAxes();
  ContractRoles roles = ContractRoles::find(*table);
  if (!roles.op) {
    return kernel.emitOpError("is no contraction with plain stores over all of its axes");
  }
  ContractPlan plan = ContractPlan::make(roles.sizes(*table, vectorBits));
  OpBuilder builder(kernel);
  ContractEmitter emitter(builder, *table, roles, plan, rowBlock);
  emitter.emitKernel();
  emitter.emitPackFunctions();
  kernel.erase();
  return success();
}

} // namespace zyxc
