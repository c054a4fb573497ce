#include "compiler/extract/PriceBound.h"
#include <algorithm>
#include <cmath>

namespace zyxc::extract {

PriceBound::PriceBound(const Model &model, int64_t upper)
    : model(model), upper(upper), linksOf(model.options.size()),
      isRequired(model.numClasses(), false), credit(model.numClasses(), 0),
      reduced(model.options.size(), 0), option(model.numClasses(), ~0u),
      active(model.numClasses(), false), average(model.numClasses(), 0),
      mark(model.numClasses(), 0) {
  // Prices have up to 40 bits, so that sums over all links do not overflow.
  constexpr int64_t range = int64_t(1) << 40;
  if (upper < range) {
    factor = range / std::max<int64_t>(upper, 1);
  } else {
    divisor = upper / range + 1;
  }
  for (uint32_t cls : model.required) {
    isRequired[cls] = true;
  }
  makeLinks();
  sharePrices();
}

void PriceBound::makeLinks() {
  std::vector<uint32_t> linkTo(model.numClasses(), ~0u);
  for (uint32_t user = 0; user < model.numClasses(); ++user) {
    size_t first = links.size();
    for (uint32_t k : model.producers[user]) {
      for (uint32_t provider : model.options[k].inputs) {
        if (linkTo[provider] == ~0u) {
          linkTo[provider] = static_cast<uint32_t>(links.size());
          links.push_back({provider, user});
        }
        linksOf[k].push_back(linkTo[provider]);
      }
    }
    if (!model.implied.empty()) {
      addImplied(user, linkTo);
    }
    for (size_t i = first; i < links.size(); ++i) {
      linkTo[links[i].provider] = ~0u;
    }
  }
  direction.assign(links.size(), 0);
  bestPrice.assign(links.size(), 0);
}

/// Every option of the class pays for what each of them needs in the end: the prices of inputs
/// alone do not see that two options meet further down.
void PriceBound::addImplied(uint32_t user, std::vector<uint32_t> &linkTo) {
  for (uint32_t provider : model.implied[user]) {
    if (linkTo[provider] == ~0u) {
      linkTo[provider] = static_cast<uint32_t>(links.size());
      links.push_back({provider, user});
    }
    for (uint32_t k : model.producers[user]) {
      if (std::find(linksOf[k].begin(), linksOf[k].end(), linkTo[provider]) == linksOf[k].end()) {
        linksOf[k].push_back(linkTo[provider]);
      }
    }
  }
}

/// To begin with, the cost of a class is split evenly among its users, inputs first.
void PriceBound::sharePrices() {
  std::vector<std::vector<uint32_t>> uses(model.numClasses());
  for (uint32_t i = 0; i < links.size(); ++i) {
    uses[links[i].provider].push_back(i);
  }
  for (uint32_t cls : model.byRank) {
    int64_t least = infinity;
    for (uint32_t k : model.producers[cls]) {
      int64_t cost = scaleCost(model.options[k].cost);
      for (uint32_t link : linksOf[k]) {
        cost += links[link].price;
      }
      least = std::min(least, cost);
    }
    for (uint32_t link : uses[cls]) {
      bool isPaid = isRequired[cls]; // it is there anyway
      links[link].price = isPaid ? 0 : least / static_cast<int64_t>(uses[cls].size());
    }
  }
}

int64_t PriceBound::toCost(int64_t scaled) const {
  if (scaled <= 0) {
    return 0;
  }
  return divisor > 1 ? scaled * divisor : (scaled + factor - 1) / factor;
}

/// The best relaxed choice under the prices, and its total: a bound.
int64_t PriceBound::evaluate() {
  std::fill(credit.begin(), credit.end(), 0);
  for (const Link &link : links) {
    credit[link.provider] += link.price;
  }
  for (uint32_t k = 0; k < model.options.size(); ++k) {
    reduced[k] = scaleCost(model.options[k].cost) - credit[model.options[k].outputs[0]];
    for (uint32_t link : linksOf[k]) {
      reduced[k] += links[link].price;
    }
  }
  addCutPrices();
  int64_t total = 0;
  for (uint32_t cls = 0; cls < model.numClasses(); ++cls) {
    option[cls] = ~0u;
    for (uint32_t k : model.producers[cls]) {
      if (option[cls] == ~0u || reduced[k] < reduced[option[cls]]) {
        option[cls] = k;
      }
    }
    active[cls] = option[cls] != ~0u && (isRequired[cls] || reduced[option[cls]] < 0);
    if (active[cls]) {
      total += reduced[option[cls]];
    }
  }
  return total;
}

void PriceBound::addCutPrices() {
  for (const Cut &cut : cuts) {
    if (cut.price != 0) {
      for (uint32_t k : model.producers[cut.user]) {
        reduced[k] += cut.price;
      }
      for (uint32_t k : cut.entries) {
        reduced[k] -= cut.price;
      }
    }
  }
}

/// Finds circles in the relaxed choice; each of its classes has one option, so a walk along inputs
/// of the same component either ends or closes one.
void PriceBound::cutCircles() {
  constexpr size_t mostCuts = 4000;
  std::vector<std::pair<uint32_t, size_t>> path; // class, next input
  ++stamp;
  for (uint32_t start : model.byRank) {
    if (!model.cyclic[model.component[start]] || !active[start] || mark[start] >= 2 * stamp) {
      continue;
    }
    path.assign(1, {start, 0});
    mark[start] = 2 * stamp; // on the path
    while (!path.empty()) {
      auto &[cls, next] = path.back();
      const std::vector<uint32_t> &inputs = model.options[option[cls]].inputs;
      if (next == inputs.size()) {
        mark[cls] = 2 * stamp + 1;
        path.pop_back();
        continue;
      }
      uint32_t input = inputs[next++];
      if (model.component[input] != model.component[cls] || !active[input]) {
        continue;
      }
      if (mark[input] == 2 * stamp && cuts.size() < mostCuts) {
        std::vector<uint32_t> circle;
        for (size_t i = path.size(); i-- > 0;) {
          circle.push_back(path[i].first);
          if (path[i].first == input) {
            break;
          }
        }
        cutCircle(circle);
      } else if (mark[input] < 2 * stamp) {
        mark[input] = 2 * stamp;
        path.emplace_back(input, 0);
      }
    }
  }
}

void PriceBound::cutCircle(const std::vector<uint32_t> &circle) {
  std::vector<uint32_t> sorted = circle;
  std::sort(sorted.begin(), sorted.end());
  Cut cut{{}, 0, 0};
  for (uint32_t cls : circle) {
    for (uint32_t k : model.producers[cls]) {
      const std::vector<uint32_t> &inputs = model.options[k].inputs;
      if (std::none_of(inputs.begin(), inputs.end(), [&](uint32_t input) {
            return std::binary_search(sorted.begin(), sorted.end(), input);
          })) {
        cut.entries.push_back(k);
      }
    }
  }
  constexpr size_t mostUsers = 8;
  for (size_t i = 0; i < std::min(circle.size(), mostUsers); ++i) {
    cut.user = circle[i];
    cuts.push_back(cut);
    direction.push_back(0);
    bestPrice.push_back(0);
  }
}

void PriceBound::keepBest() {
  bestReduced = reduced;
  bestOption = option;
  for (size_t i = 0; i < links.size(); ++i) {
    bestPrice[i] = links[i].price;
  }
  for (size_t i = 0; i < cuts.size(); ++i) {
    bestPrice[links.size() + i] = cuts[i].price;
  }
}

void PriceBound::restoreBest() {
  for (size_t i = 0; i < links.size(); ++i) {
    links[i].price = bestPrice[i];
  }
  for (size_t i = 0; i < cuts.size(); ++i) {
    cuts[i].price = bestPrice[links.size() + i];
  }
}

/// Where a link is used but not produced its price must rise, where it is produced for nobody it
/// must fall. Part of the last direction is kept, which stops zigzags. The squared length.
double PriceBound::findDirection() {
  constexpr double kept = 0.5;
  for (double &value : direction) {
    value *= kept;
  }
  for (uint32_t i = 0; i < links.size(); ++i) {
    direction[i] -= active[links[i].provider] ? 1 : 0;
  }
  for (uint32_t cls = 0; cls < model.numClasses(); ++cls) {
    if (active[cls]) {
      for (uint32_t link : linksOf[option[cls]]) {
        direction[link] += 1;
      }
    }
  }
  for (size_t i = 0; i < cuts.size(); ++i) {
    double &value = direction[links.size() + i];
    value += active[cuts[i].user] ? 1 : 0;
    for (uint32_t k : cuts[i].entries) {
      uint32_t cls = model.options[k].outputs[0];
      value -= active[cls] && option[cls] == k ? 1 : 0;
    }
    if (cuts[i].price == 0 && value < 0) {
      value = 0;
    }
  }
  double squares = 0;
  for (uint32_t i = 0; i < links.size(); ++i) {
    if (isRequired[links[i].provider] || (links[i].price == 0 && direction[i] < 0)) {
      direction[i] = 0;
    }
  }
  for (double value : direction) {
    squares += value * value;
  }
  return squares;
}

void PriceBound::raise(uint32_t rounds) {
  const auto goal = static_cast<double>(scaleCost(upper));
  constexpr uint32_t patience = 20;
  double reach = 1;
  uint32_t sinceBest = 0;
  for (uint32_t round = 0; round < rounds; ++round) {
    int64_t total = evaluate();
    for (uint32_t cls = 0; cls < model.numClasses(); ++cls) {
      average[cls] = 0.95 * average[cls] + (active[cls] ? 0.05 : 0);
    }
    if (total > bestTotal) {
      bestTotal = total;
      keepBest();
      sinceBest = 0;
      if (toCost(total) >= upper) {
        return;
      }
    } else if (++sinceBest == patience) {
      reach *= 0.6;
      sinceBest = 0;
      if (reach < 1e-3) {
        return;
      }
      restoreBest();
      std::fill(direction.begin(), direction.end(), 0);
      evaluate();
      total = bestTotal;
    }
    if (round % 4 == 3) {
      cutCircles();
    }
    double squares = findDirection();
    if (squares == 0) {
      return;
    }
    double step = reach * (goal * 1.02 - static_cast<double>(total)) / squares;
    auto move = [&](int64_t &price, double along) {
      price =
          static_cast<int64_t>(std::clamp(static_cast<double>(price) + step * along, 0.0, goal));
    };
    for (size_t i = 0; i < links.size(); ++i) {
      move(links[i].price, direction[i]);
    }
    for (size_t i = 0; i < cuts.size(); ++i) {
      move(cuts[i].price, direction[links.size() + i]);
    }
  }
}

int64_t PriceBound::boundWith(uint32_t k) const {
  uint32_t cls = model.options[k].outputs[0];
  int64_t least = bestReduced[bestOption[cls]];
  int64_t paid = isRequired[cls] ? least : std::min<int64_t>(least, 0);
  return toCost(bestTotal - paid + bestReduced[k]);
}

int64_t PriceBound::boundWithout(uint32_t cls) const {
  return bestOption[cls] == ~0u
             ? 0
             : toCost(bestTotal - std::min<int64_t>(bestReduced[bestOption[cls]], 0));
}

} // namespace zyxc::extract
