// A bound on the total cost by prices: each class that uses a class pays a share of its cost. Any
// prices give a bound (Lagrangian relaxation of "what is used is produced"); the volume algorithm
// raises it (Barahona and Anbil, 2000: the direction is an average of subgradients, and steps start
// from the best prices). For models in which each option has one output.
#pragma once
#include "compiler/extract/Model.h"

namespace zyxc::extract {

/// Prices by the names of what they are for, to begin with in a model that was made from this one.
struct Prices {
  struct Link {
    uint32_t user;
    uint32_t provider;
    double price; ///< in the unit of costs
  };
  struct Cut {
    uint32_t user;
    std::vector<uint32_t> circle; ///< classes, sorted
    double price;
  };
  std::vector<Link> links; ///< sorted by user and provider
  std::vector<Cut> cuts;
  double reach = 0; ///< how far the last steps went, in parts of the way to their target
};

/// Prices for a model, which must outlive this. All arithmetic that a bound rests on is in
/// integers.
class PriceBound {
public:
  /// `upper`: only choices that cost less are of interest.
  /// `start`: what is known of the prices.
  PriceBound(const Model &model, int64_t upper, const Prices &start);

  /// At most so many rounds; fewer if the bound reaches `upper`, rises no more, or the effort is
  /// over.
  void raise(uint32_t rounds, Effort &effort);

  /// No choice costs less.
  int64_t lowerBound() const { return toCost(bestTotal); }
  /// What is left of the costs, on a scale of its own: what a choice costs beyond the bound is at
  /// least the sum of this over its options. No option has less than 0.
  std::vector<int64_t> residual() const;
  /// The bound if a choice has this much of what is left.
  int64_t boundWith(int64_t residual) const { return toCost(bestTotal + residual); }
  /// A choice that does not produce a class, which is not required, costs at least this, with so
  /// much of what is left.
  int64_t boundWithout(uint32_t cls, int64_t residual) const;
  /// The option of each class that is best under the prices, ~0u for none. It may run in circles.
  const std::vector<uint32_t> &suggestion() const { return bestOption; }
  /// How often a class was produced in the relaxed choices of the last rounds, from 0 to 1.
  double frequency(uint32_t cls) const { return average[cls]; }
  /// The best prices.
  Prices prices() const;

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
    std::vector<uint32_t> circle;  ///< classes, sorted
    std::vector<uint32_t> entries; ///< options
    uint32_t user;
    int64_t price = 0;
  };

  void makeLinks();
  void addImplied(uint32_t user, std::vector<uint32_t> &linkTo);
  void cutCircles();
  void cutCircle(const std::vector<uint32_t> &circle);
  void addCut(uint32_t user, std::vector<uint32_t> circle, int64_t price);
  void addCutPrices();
  void sharePrices();
  void takePrices(const Prices &start);
  int64_t evaluate();
  void keepBest();
  void findSlope();
  bool step(double length);
  bool turn(double share);
  int64_t paid(uint32_t cls) const;
  int64_t toCost(int64_t scaled) const;
  int64_t scaleCost(int64_t cost) const { return cost / divisor * factor; }
  double unit() const { return static_cast<double>(factor) / static_cast<double>(divisor); }
  /// Numbers that a round touches.
  size_t size() const {
    return links.size() + 4 * cuts.size() + model.options.size() + model.numClasses();
  }

  const Model &model;
  int64_t upper;
  int64_t factor = 1; ///< costs are cost / divisor * factor here
  int64_t divisor = 1;
  std::vector<Link> links;
  std::vector<Cut> cuts;
  size_t cutNumbers = 0;                      ///< that all cuts have
  std::vector<std::vector<uint32_t>> linksOf; ///< per option, of its inputs
  std::vector<bool> isRequired;
  std::vector<int64_t> credit;   ///< per class: what its users pay
  std::vector<int64_t> reduced;  ///< per option
  std::vector<uint32_t> option;  ///< per class: the least reduced cost
  std::vector<bool> active;      ///< per class: in the relaxed choice
  std::vector<double> direction; ///< per link, then per cut: an average of slopes
  std::vector<double> slope;     ///< likewise, of the last relaxed choice
  std::vector<double> average;   ///< per class
  double reach = 0.5;
  int64_t bestTotal = -infinity;
  std::vector<int64_t> bestPrice; ///< per link, then per cut
  std::vector<uint64_t> mark;     ///< scratch of cutCircles, per class
  uint64_t stamp = 0;
  std::vector<int64_t> bestReduced;
  std::vector<uint32_t> bestOption;
};

} // namespace zyxc::extract
