// A bound on the total cost by prices: each class that uses a class pays a share of its cost. Any
// prices give a bound (Lagrangian relaxation of "what is used is produced"); a subgradient method
// raises it. For models in which each option has one output.
#pragma once
#include "compiler/extract/Model.h"

namespace zyxc::extract {

/// Prices for a model, which must outlive this. All arithmetic that a bound rests on is in
/// integers.
class PriceBound {
public:
  /// `upper`: only choices that cost less are of interest.
  PriceBound(const Model &model, int64_t upper);

  /// At most so many rounds of the subgradient method; fewer if the bound reaches `upper`.
  void raise(uint32_t rounds);

  /// No choice costs less.
  int64_t lowerBound() const { return toCost(bestTotal); }
  /// A choice with option k costs at least this.
  int64_t boundWith(uint32_t k) const;
  /// A choice that does not produce a class, which is not required, costs at least this.
  int64_t boundWithout(uint32_t cls) const;
  /// The option of each class that is best under the prices, ~0u for none. It may run in circles.
  const std::vector<uint32_t> &suggestion() const { return bestOption; }
  /// How often a class was produced in the relaxed choices of the last rounds, from 0 to 1.
  double frequency(uint32_t cls) const { return average[cls]; }
  /// Numbers that a round touches.
  size_t size() const {
    return links.size() + 4 * cuts.size() + model.options.size() + model.numClasses();
  }

private:
  /// What one class pays another for its use, whichever option of it is the user.
  struct Link {
    uint32_t provider;
    uint32_t user;
    int64_t price = 0;
  };

  /// What keeps a choice from running in a circle: if `user` is produced, so is some class of a
  /// circle with it by an option that reads none of the circle.
  struct Cut {
    std::vector<uint32_t> entries; ///< options
    uint32_t user;
    int64_t price = 0;
  };

  void makeLinks();
  void addImplied(uint32_t user, std::vector<uint32_t> &linkTo);
  void cutCircles();
  void cutCircle(const std::vector<uint32_t> &circle);
  void addCutPrices();
  void sharePrices();
  int64_t evaluate();
  void keepBest();
  void restoreBest();
  double findDirection();
  int64_t toCost(int64_t scaled) const;
  int64_t scaleCost(int64_t cost) const { return cost / divisor * factor; }

  const Model &model;
  int64_t upper;
  int64_t factor = 1; ///< costs are cost / divisor * factor here
  int64_t divisor = 1;
  std::vector<Link> links;
  std::vector<Cut> cuts;
  std::vector<std::vector<uint32_t>> linksOf; ///< per option, of its inputs
  std::vector<bool> isRequired;
  std::vector<int64_t> credit;   ///< per class: what its users pay
  std::vector<int64_t> reduced;  ///< per option
  std::vector<uint32_t> option;  ///< per class: the least reduced cost
  std::vector<bool> active;      ///< per class: in the relaxed choice
  std::vector<double> direction; ///< per link, then per cut
  std::vector<double> average;   ///< per class
  int64_t bestTotal = -infinity;
  std::vector<int64_t> bestPrice; ///< per link, then per cut
  std::vector<uint64_t> mark;     ///< scratch of cutCircles, per class
  uint64_t stamp = 0;
  std::vector<int64_t> bestReduced;
  std::vector<uint32_t> bestOption;
};

} // namespace zyxc::extract
