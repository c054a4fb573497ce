#include "compiler/extract/PriceBound.h"
#include <algorithm>
#include <cmath>

namespace zyxc::extract {

PriceBound::PriceBound(const Model &model, int64_t upper, const Prices &start)
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
  if (start.links.empty()) {
    sharePrices();
  } else {
    takePrices(start);
  }
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

void PriceBound::takePrices(const Prices &start) {
  std::vector<uint32_t> classOf; // by name
  for (uint32_t cls : model.byRank) {
    uint32_t name = model.nameOf(cls);
    classOf.resize(std::max<size_t>(classOf.size(), name + 1), ~0u);
    classOf[name] = cls;
  }
  auto classNamed = [&](uint32_t name) {
    return name < classOf.size() ? classOf[name] : ~0u;
  };
  auto scaled = [&](double price) {
    return static_cast<int64_t>(
        std::clamp(price * unit(), 0.0, static_cast<double>(scaleCost(upper))));
  };
  auto before = [](const Prices::Link &a, const Prices::Link &b) {
    return std::pair(a.user, a.provider) < std::pair(b.user, b.provider);
  };
  for (Link &link : links) {
    Prices::Link key{model.nameOf(link.user), model.nameOf(link.provider), 0};
    auto known = std::lower_bound(start.links.begin(), start.links.end(), key, before);
    if (known != start.links.end() && !before(key, *known) && !isRequired[link.provider]) {
      link.price = scaled(known->price);
    }
  }
  for (const Prices::Cut &cut : start.cuts) {
    std::vector<uint32_t> circle(cut.circle.size());
    std::transform(cut.circle.begin(), cut.circle.end(), circle.begin(), classNamed);
    // A circle that lost a class cannot close, and what its cut says is not known without it.
    if (std::find(circle.begin(), circle.end(), ~0u) == circle.end()) {
      std::sort(circle.begin(), circle.end());
      addCut(classNamed(cut.user), std::move(circle), scaled(cut.price));
    }
  }
  reach = std::clamp(4 * start.reach, 0.001, 0.5);
}

Prices PriceBound::prices() const {
  Prices result;
  result.reach = reach;
  for (size_t i = 0; i < links.size(); ++i) {
    if (bestPrice[i] != 0) {
      result.links.push_back({model.nameOf(links[i].user), model.nameOf(links[i].provider),
                              static_cast<double>(bestPrice[i]) / unit()});
    }
  }
  std::sort(result.links.begin(), result.links.end(), [](const auto &a, const auto &b) {
    return std::pair(a.user, a.provider) < std::pair(b.user, b.provider);
  });
  for (size_t i = 0; i < cuts.size(); ++i) {
    if (bestPrice[links.size() + i] != 0) {
      Prices::Cut cut{model.nameOf(cuts[i].user),
                      {},
                      static_cast<double>(bestPrice[links.size() + i]) / unit()};
      for (uint32_t cls : cuts[i].circle) {
        cut.circle.push_back(model.nameOf(cls));
      }
      result.cuts.push_back(std::move(cut));
    }
  }
  return result;
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
  constexpr size_t mostNumbers = 1 << 20;        // in all cuts
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
      if (mark[input] == 2 * stamp && cuts.size() < mostCuts && cutNumbers < mostNumbers) {
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
  constexpr size_t mostUsers = 8;
  for (size_t i = 0; i < std::min(circle.size(), mostUsers); ++i) {
    addCut(circle[i], sorted, 0);
  }
}

void PriceBound::addCut(uint32_t user, std::vector<uint32_t> circle, int64_t price) {
  Cut cut{std::move(circle), {}, user, price};
  for (uint32_t cls : cut.circle) {
    for (uint32_t k : model.producers[cls]) {
      const std::vector<uint32_t> &inputs = model.options[k].inputs;
      if (std::none_of(inputs.begin(), inputs.end(), [&](uint32_t input) {
            return std::binary_search(cut.circle.begin(), cut.circle.end(), input);
          })) {
        cut.entries.push_back(k);
      }
    }
  }
  cutNumbers += cut.circle.size() + cut.entries.size();
  cuts.push_back(std::move(cut));
  direction.push_back(0);
  bestPrice.push_back(0);
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

/// What the last relaxed choice asks of the prices: where a link is used but not produced its price
/// must rise, where it is produced for nobody it must fall. Into `slope`.
void PriceBound::findSlope() {
  slope.assign(direction.size(), 0);
  for (uint32_t i = 0; i < links.size(); ++i) {
    slope[i] -= active[links[i].provider] ? 1 : 0;
  }
  for (uint32_t cls = 0; cls < model.numClasses(); ++cls) {
    if (active[cls]) {
      for (uint32_t link : linksOf[option[cls]]) {
        slope[link] += 1;
      }
    }
  }
  for (uint32_t i = 0; i < links.size(); ++i) {
    if (isRequired[links[i].provider]) { // it is there anyway
      slope[i] = 0;
    }
  }
  for (size_t i = 0; i < cuts.size(); ++i) {
    double &value = slope[links.size() + i];
    value += active[cuts[i].user] ? 1 : 0;
    for (uint32_t k : cuts[i].entries) {
      uint32_t cls = model.options[k].outputs[0];
      value -= active[cls] && option[cls] == k ? 1 : 0;
    }
  }
}

/// Moves the prices from the best ones along the direction. False if there is nowhere to go.
bool PriceBound::step(double length) {
  double squares = 0;
  for (size_t i = 0; i < direction.size(); ++i) {
    bool isBlocked = bestPrice[i] == 0 && direction[i] < 0;
    squares += isBlocked ? 0 : direction[i] * direction[i];
  }
  if (squares == 0) {
    return false;
  }
  const auto most = static_cast<double>(scaleCost(upper));
  for (size_t i = 0; i < direction.size(); ++i) {
    double price = static_cast<double>(bestPrice[i]) + length / squares * direction[i];
    int64_t &to = i < links.size() ? links[i].price : cuts[i - links.size()].price;
    to = static_cast<int64_t>(std::clamp(price, 0.0, most));
  }
  return true;
}

/// Turns the direction towards the slope and returns whether they agreed.
bool PriceBound::turn(double share) {
  double along = 0;
  for (size_t i = 0; i < direction.size(); ++i) {
    along += direction[i] * slope[i];
    direction[i] = share * slope[i] + (1 - share) * direction[i];
  }
  for (uint32_t cls = 0; cls < model.numClasses(); ++cls) {
    average[cls] = (1 - share) * average[cls] + (active[cls] ? share : 0);
  }
  return along > 0;
}

void PriceBound::raise(uint32_t rounds, Effort &effort) {
  const auto goal = static_cast<double>(scaleCost(upper));
  constexpr int patience = 10;       // rounds without a better bound, before steps get shorter
  constexpr uint32_t period = 100;   // rounds after which progress is looked at
  constexpr double leastGain = 5e-4; // of the bound, in a period
  bestTotal = evaluate();
  keepBest();
  findSlope();
  direction.assign(direction.size(), 0);
  turn(1);
  double share = 0.1; // of a slope in the direction
  auto target = static_cast<double>(-infinity);
  int64_t before = bestTotal;
  int sinceBest = 0;
  for (uint32_t round = 1; round < rounds && toCost(bestTotal) < upper; ++round) {
    auto best = static_cast<double>(bestTotal);
    if (best >= target - 0.0125 * goal) {
      target = std::min(best + 0.05 * std::max(best, goal), 1.02 * goal);
    }
    if (effort.isOver() || !step(reach * (target - best))) {
      return;
    }
    effort.spend(size());
    int64_t total = evaluate();
    findSlope();
    bool agrees = turn(share);
    if (total > bestTotal) {
      bestTotal = total;
      keepBest();
      sinceBest = 0;
      reach = agrees ? std::min(1.2 * reach, 2.0) : reach;
    } else if (++sinceBest == patience) {
      sinceBest = 0;
      reach *= 0.66;
    }
    if (round % 4 == 3) {
      cutCircles();
    }
    if (round % period == 0) {
      double gain = static_cast<double>(bestTotal - before);
      if (gain < 0.01 * std::abs(best)) {
        share = std::max(share / 2, 0.001);
      }
      if (reach < 1e-4 || (round > 3 * period && gain < leastGain * std::abs(best))) {
        return;
      }
      before = bestTotal;
    }
  }
}

/// What the best relaxed choice has paid for a class.
int64_t PriceBound::paid(uint32_t cls) const {
  int64_t least = bestReduced[bestOption[cls]];
  return isRequired[cls] ? least : std::min<int64_t>(least, 0);
}

std::vector<int64_t> PriceBound::residual() const {
  std::vector<int64_t> rest = bestReduced;
  for (uint32_t cls = 0; cls < model.numClasses(); ++cls) {
    for (uint32_t k : model.producers[cls]) {
      rest[k] -= paid(cls);
    }
  }
  return rest;
}

int64_t PriceBound::boundWithout(uint32_t cls, int64_t residual) const {
  return bestOption[cls] == ~0u ? 0 : toCost(bestTotal - paid(cls) + residual);
}

} // namespace zyxc::extract
