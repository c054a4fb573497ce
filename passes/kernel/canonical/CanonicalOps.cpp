#include "passes/kernel/canonical/CanonicalOps.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

bool isCommutative(Operation *op) {
  return op->hasTrait<OpTrait::IsCommutative>() || isa<ContractOp>(op);
}

/// Builders write out attributes that the text leaves out.
static bool isDefault(Operation *op, NamedAttribute attribute) {
  if (auto order = dyn_cast<ReduceOrderAttr>(attribute.getValue())) {
    return order.getValue() == (isa<FoldOp>(op) ? ReduceOrder::Serial : ReduceOrder::Free);
  }
  if (auto oob = dyn_cast<OobAttr>(attribute.getValue())) {
    return oob.getValue() == Oob::Prove;
  }
  if (auto combine = dyn_cast<CombineAttr>(attribute.getValue())) {
    return combine.getValue() == Combine::None;
  }
  auto params = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  return params && params.empty();
}

std::string nameOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName().getStringRef();
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    // Maps, sets, axes and costs are written by number; a default is the same as nothing.
    if (!llvm::is_contained({"map", "set", "axes", "axis", "cost", "operandSegmentSizes"},
                            attribute.getName().getValue()) &&
        !isDefault(op, attribute)) {
      os << ' ' << attribute.getName().getValue() << '=' << attribute.getValue();
    }
  }
  os << " :";
  for (Type type : op->getResultTypes()) {
    os << ' ' << type;
  }
  return text;
}

//===- Code of folds -------------------------------------------------------------------------===//

/// Ops of a region that its yield needs, operands first.
static SmallVector<Operation *> neededOps(Block &block) {
  DenseSet<Operation *> needed = {block.getTerminator()};
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(block)) {
    if (needed.contains(&op)) {
      ops.push_back(&op);
      for (Value operand : op.getOperands()) {
        if (Operation *from = operand.getDefiningOp()) {
          needed.insert(from);
        }
      }
    }
  }
  std::reverse(ops.begin(), ops.end());
  return ops;
}

void writeLevels(SmallVector<Operation *> left, StringRef prefix, ValueNames &names,
                 llvm::function_ref<std::string(Operation *)> textOf, std::string &bytes) {
  unsigned number = 0;
  while (!left.empty()) {
    SmallVector<std::pair<std::string, Operation *>> level;
    SmallVector<Operation *> later;
    for (Operation *op : left) {
      bool ready =
          llvm::all_of(op->getOperands(), [&](Value operand) { return names.contains(operand); });
      if (ready) {
        level.push_back({textOf(op), op});
      } else {
        later.push_back(op);
      }
    }
    llvm::sort(level, llvm::less_first());
    std::string previous;
    for (auto &[text, op] : level) {
      if (text != previous || isa<StoreOp, OpaqueOp>(op)) {
        bytes += text + "\n";
        ++number;
      }
      previous = text;
      for (OpResult result : op->getResults()) {
        names[result] = (prefix + Twine(number) + "." + Twine(result.getResultNumber())).str();
      }
    }
    left = later;
  }
}

std::string plainText(Operation *op, const ValueNames &names) {
  SmallVector<std::string> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(names.lookup(operand));
  }
  if (isCommutative(op)) {
    llvm::sort(operands);
  }
  return nameOf(op) + "(" + llvm::join(operands, ",") + ")";
}

/// A region of a fold: equal for equal code, whatever the order of its ops.
static std::string codeOf(Region &region) {
  if (region.empty()) {
    return "{}";
  }
  std::string text = "{";
  ValueNames names;
  for (BlockArgument argument : region.getArguments()) {
    llvm::raw_string_ostream(text) << argument.getType() << ' ';
    names[argument] = "a" + std::to_string(argument.getArgNumber());
  }
  SmallVector<Operation *> ops = neededOps(region.front());
  Operation *yield = ops.pop_back_val();
  auto textOf = [&](Operation *op) {
    return plainText(op, names);
  };
  writeLevels(ops, "c", names, textOf, text);
  return text + plainText(yield, names) + "}";
}

std::string codeOf(FoldOp fold) {
  return codeOf(fold.getStep()) + codeOf(fold.getMerge());
}

} // namespace zyxc
