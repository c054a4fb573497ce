#include "compiler/graph/module/FindLayers.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/IR/OperationSupport.h"
#include <algorithm>
#include <map>

namespace zyxc::graph {

using Equivalence = mlir::OperationEquivalence;

std::optional<FunctionLayers::Place> FunctionLayers::placeOf(mlir::Operation *op) const {
  auto found = numberOf.find(op);
  if (found == numberOf.end() || found->second < first || found->second >= first + period * count) {
    return std::nullopt;
  }
  size_t number = found->second - first;
  return Place{number / period, number % period};
}

mlir::Value FunctionLayers::standIn(mlir::Value value) const {
  mlir::Operation *op = value.getDefiningOp();
  std::optional<Place> place = op ? placeOf(op) : std::nullopt;
  if (!place || isKept(place->layer)) {
    return value;
  }
  return ops[numberOf.at(op) - (count - kept) * period]->getResult(0);
}

std::vector<std::vector<LiveResult>> FunctionLayers::live() const {
  std::vector<std::vector<LiveResult>> result(period);
  for (size_t op = 0; op < period; ++op) {
    size_t span = 0; // from the op of the first layer to its last user in the layers
    for (mlir::Operation *user : ops[first + op]->getUsers()) {
      if (placeOf(user)) {
        span = std::max(span, numberOf.at(user) - first - op);
      }
    }
    for (size_t border = 0; border < period; ++border) {
      // The op stands `distance` ops in front of the border.
      size_t layersBefore = op < border ? 0 : 1;
      size_t distance = border + layersBefore * period - op;
      for (; distance <= span; distance += period, ++layersBefore) {
        result[border].push_back({op, layersBefore});
      }
    }
  }
  return result;
}

bool FunctionLayers::isOnlyParameter(mlir::Operation *constant) const {
  return llvm::all_of(constant->getUses(), [&](mlir::OpOperand &use) {
    std::optional<Place> place = placeOf(use.getOwner());
    return place && parameterAt.contains({place->op, use.getOperandNumber()});
  });
}

namespace {

bool isConstant(mlir::Value value) {
  return value.getDefiningOp<zyx::ConstantOp>() != nullptr;
}

bool isPlain(mlir::Operation *op) {
  return zyx::kindOf(op) && op->getNumRegions() == 0 && op->getNumResults() == 1;
}

class Finder {
public:
  explicit Finder(FunctionLayers &found) : found(found), ops(found.ops) {}

  /// False if an op is none that can be left out.
  bool addOps(mlir::Block &block) {
    for (mlir::Operation &op : block.without_terminator()) {
      if (llvm::isa<zyx::ConstantOp>(op)) {
        continue;
      }
      if (!isPlain(&op)) {
        return false;
      }
      found.numberOf[&op] = ops.size();
      ops.push_back(&op);
      hashes.push_back(Equivalence::computeHash(&op, Equivalence::ignoreHashValue,
                                                Equivalence::ignoreHashValue,
                                                Equivalence::IgnoreLocations));
    }
    return true;
  }

  /// The period whose layers hold the most ops that can be left out; the shortest of them.
  bool choose() {
    size_t best = 0;
    for (size_t period : periods()) {
      auto [first, count] = longestRun(period);
      size_t saved = count >= found.kept + 2 ? (count - found.kept) * period : 0;
      if (saved > best) {
        best = saved;
        found.first = first;
        found.period = period;
        found.count = count;
      }
    }
    return best != 0;
  }

  /// Operands that come from before the layers, or from one layer for all.
  bool readsAreEven() const {
    for (size_t i = found.first + found.period; i < end(); ++i) {
      for (auto [a, b] :
           llvm::zip_equal(ops[i - found.period]->getOperands(), ops[i]->getOperands())) {
        mlir::Operation *op = b.getDefiningOp();
        if (a == b && op && !isConstant(b) && found.numberOf.at(op) >= found.first) {
          return false;
        }
      }
    }
    return true;
  }

  /// Nothing but layers reads results of those that are left out.
  bool leavesNothingOpen(mlir::Operation *terminator) const {
    auto isThere = [&](mlir::Value value) {
      mlir::Operation *op = value.getDefiningOp();
      auto place = op ? found.placeOf(op) : std::nullopt;
      return !place || found.isKept(place->layer);
    };
    return llvm::all_of(terminator->getOperands(), isThere) &&
           std::all_of(
               ops.begin() + static_cast<std::ptrdiff_t>(end()), ops.end(),
               [&](mlir::Operation *op) { return llvm::all_of(op->getOperands(), isThere); });
  }

  /// Constants that are not the same in all layers.
  void findParameters() {
    std::map<std::vector<void *>, size_t> numbers;
    for (size_t place = 0; place < found.period; ++place) {
      for (unsigned operand = 0; operand < ops[found.first + place]->getNumOperands(); ++operand) {
        std::vector<mlir::Value> values;
        values.reserve(found.count);
        for (size_t layer = 0; layer < found.count; ++layer) {
          values.push_back(ops[found.first + layer * found.period + place]->getOperand(operand));
        }
        if (!isConstant(values[0]) || areEqual(values)) {
          continue;
        }
        std::vector<void *> key;
        key.reserve(values.size());
        for (mlir::Value value : values) {
          key.push_back(value.getAsOpaquePointer());
        }
        auto [entry, isNew] = numbers.try_emplace(std::move(key), found.parameters.size());
        if (isNew) {
          found.parameters.push_back(std::move(values));
        }
        found.parameterAt[{place, operand}] = entry->second;
      }
    }
  }

private:
  size_t end() const { return found.first + found.period * found.count; }

  /// Distances between ops that are alike, the most frequent first.
  std::vector<size_t> periods() const {
    std::map<size_t, size_t> counts;
    llvm::DenseMap<size_t, size_t> last;
    for (size_t i = 0; i < ops.size(); ++i) {
      auto [entry, isNew] = last.try_emplace(static_cast<size_t>(hashes[i]), i);
      if (!isNew) {
        ++counts[i - entry->second];
        entry->second = i;
      }
    }
    std::vector<std::pair<size_t, size_t>> ranked; // ops that a distance can cover
    ranked.reserve(counts.size());
    for (auto [distance, count] : counts) {
      ranked.emplace_back(distance * count, distance);
    }
    std::sort(ranked.begin(), ranked.end(), [](auto &a, auto &b) {
      return std::pair(b.first, a.second) < std::pair(a.first, b.second);
    });
    constexpr size_t mostTried = 8;
    std::vector<size_t> result;
    for (auto [covered, distance] : ranked) {
      if (result.size() < mostTried) {
        result.push_back(distance);
      }
    }
    return result;
  }

  /// First op and number of layers of the longest run with this period.
  std::pair<size_t, size_t> longestRun(size_t period) const {
    std::pair<size_t, size_t> best = {0, 0};
    size_t begin = period;
    for (size_t i = period; i <= ops.size(); ++i) {
      if (i < ops.size() && agree(i - period, i)) {
        continue;
      }
      size_t count = i > begin ? (i - begin) / period + 1 : 0;
      if (count > best.second) {
        best = {begin - period, count};
      }
      begin = i + 1;
    }
    return best;
  }

  bool agree(size_t a, size_t b) const {
    if (hashes[a] != hashes[b]) {
      return false;
    }
    auto operandsAgree = [&](mlir::Value x, mlir::Value y) {
      if (x == y) {
        return mlir::success();
      }
      if (isConstant(x) && isConstant(y)) {
        return mlir::success(x.getType() == y.getType());
      }
      auto in = found.numberOf.find(x.getDefiningOp());
      auto out = found.numberOf.find(y.getDefiningOp());
      return mlir::success(in != found.numberOf.end() && out != found.numberOf.end() &&
                           out->second - in->second == b - a);
    };
    return Equivalence::isEquivalentTo(ops[a], ops[b], operandsAgree, nullptr,
                                       Equivalence::IgnoreLocations);
  }

  static bool areEqual(const std::vector<mlir::Value> &constants) {
    auto valueOf = [](mlir::Value value) {
      return value.getDefiningOp<zyx::ConstantOp>().getValue();
    };
    auto equal = [&](mlir::Value a, mlir::Value b) {
      if (valueOf(a) == valueOf(b)) {
        return true;
      }
      Expected<Tensor> x = zyx::toTensor(valueOf(a));
      Expected<Tensor> y = zyx::toTensor(valueOf(b));
      return x && y && x->identical(*y);
    };
    return std::all_of(constants.begin(), constants.end(),
                       [&](mlir::Value value) { return equal(constants[0], value); });
  }

  FunctionLayers &found;
  std::vector<mlir::Operation *> &ops;
  std::vector<llvm::hash_code> hashes;
};

} // namespace

std::optional<FunctionLayers> findLayers(mlir::func::FuncOp function, size_t kept) {
  if (!function.getBody().hasOneBlock()) {
    return std::nullopt;
  }
  mlir::Block &block = function.getBody().front();
  FunctionLayers found;
  found.kept = kept;
  Finder finder(found);
  if (!finder.addOps(block) || !finder.choose() || !finder.readsAreEven() ||
      !finder.leavesNothingOpen(block.getTerminator())) {
    return std::nullopt;
  }
  finder.findParameters();
  return found;
}

} // namespace zyxc::graph
