#include "compiler/rules/check/Soundness.h"
#include "compiler/rules/check/FieldEvaluator.h"
#include "compiler/rules/check/Instance.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <fmt/format.h>

namespace zyxc::rules {

namespace {

using Choices = std::vector<uint64_t>;

/// Makes the choices of a failing instance fewer and smaller, as long as it fails.
class Shrinker {
public:
  Shrinker(const Rule &rule, Arithmetic arithmetic, int maxTries)
      : rule(rule), arithmetic(arithmetic), triesLeft(maxTries) {}

  Counterexample run(Choices failing, Counterexample first);

private:
  /// Keeps the choices if they are simpler and the rule fails on their instance, too.
  bool keepsFailing(const Choices &candidate);
  bool dropRuns();
  bool lowerValues();
  /// A smaller count (a rank, a length) together with the choices that it asked for.
  bool lowerCounts();

  const Rule &rule;
  Arithmetic arithmetic;
  int triesLeft;
  Choices best;
  Counterexample example;
};

bool isSimpler(const Choices &a, const Choices &b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

bool Shrinker::keepsFailing(const Choices &candidate) {
  if (triesLeft <= 0) {
    return false;
  }
  --triesLeft;
  SampleNumbers numbers(candidate, arithmetic);
  Expected<InstanceResult> result = testInstance(rule, numbers);
  if (!result || !(*result).counterexample || !isSimpler(numbers.choices(), best)) {
    return false;
  }
  best = numbers.choices();
  example = *std::move((*result).counterexample);
  return true;
}

bool Shrinker::dropRuns() {
  bool changed = false;
  for (size_t length : {16u, 8u, 4u, 2u, 1u}) {
    for (size_t at = 0; at + length <= best.size();) {
      Choices shorter = best;
      auto from = shorter.begin() + static_cast<std::ptrdiff_t>(at);
      shorter.erase(from, from + static_cast<std::ptrdiff_t>(length));
      bool dropped = keepsFailing(shorter);
      changed = changed || dropped;
      at += dropped ? 0 : 1;
    }
  }
  return changed;
}

bool Shrinker::lowerValues() {
  bool changed = false;
  for (size_t at = 0; at < best.size(); ++at) {
    uint64_t low = 0; // nothing below it fails, as far as is known
    while (at < best.size() && low < best[at]) {
      Choices lower = best;
      lower[at] = low;
      if (keepsFailing(lower)) {
        changed = true;
      } else {
        low = low < 16 ? low + 1 : low + (best[at] - low + 1) / 2;
      }
    }
  }
  return changed;
}

bool Shrinker::lowerCounts() {
  constexpr size_t longest = 8;
  bool changed = false;
  for (size_t at = 0; at < best.size(); ++at) {
    for (size_t length = 1; length <= longest && at + length < best.size(); ++length) {
      if (best[at] == 0) {
        break;
      }
      Choices fewer = best;
      --fewer[at];
      auto from = fewer.begin() + static_cast<std::ptrdiff_t>(at) + 1;
      fewer.erase(from, from + static_cast<std::ptrdiff_t>(length));
      changed = keepsFailing(fewer) || changed;
    }
  }
  return changed;
}

Counterexample Shrinker::run(Choices failing, Counterexample first) {
  best = std::move(failing);
  example = std::move(first);
  for (bool changed = true; changed;) {
    changed = dropRuns();
    changed = lowerCounts() || changed;
    changed = lowerValues() || changed;
  }
  return example;
}

class Checker {
public:
  Checker(const Rule &rule, const CheckOptions &options) : rule(rule), options(options) {}
  Expected<CheckResult> run();

private:
  /// Tests instances of one arithmetic. Returns how many.
  Expected<int> runOver(Arithmetic arithmetic, int maxAttempts);
  /// A failing instance that is as small as can be found. `failing` are choices of one.
  Counterexample simplest(Arithmetic arithmetic, Choices failing, Counterexample example);

  const Rule &rule;
  const CheckOptions &options;
  CheckResult result;
};

Expected<CheckResult> Checker::run() {
  // The finite field first: what fails there has the clearest counterexample.
  if (FieldEvaluator::knows(rule)) {
    ZYXC_ASSIGN(result.field, runOver(Arithmetic::Field, options.maxAttempts / 4));
  }
  if (result.holds()) {
    ZYXC_ASSIGN(result.instances, runOver(Arithmetic::Machine, options.maxAttempts));
  }
  if (result.holds() && options.prove) {
    result.proof = proveRule(rule);
    if (result.proof.outcome == ProofResult::Outcome::Refuted) {
      result.counterexample = Counterexample();
      result.counterexample->type = result.proof.dtypes;
      result.counterexample->difference = "Z3 found " + result.proof.counterexample;
    }
  }
  return std::move(result);
}

Expected<int> Checker::runOver(Arithmetic arithmetic, int maxAttempts) {
  int instances = 0;
  for (int attempt = 0; attempt < maxAttempts && instances < options.instances; ++attempt) {
    result.attempts += arithmetic == Arithmetic::Machine;
    SampleNumbers numbers(hashMix(options.seed, static_cast<uint64_t>(attempt)), arithmetic);
    ZYXC_ASSIGN(InstanceResult instance, testInstance(rule, numbers));
    if (instance.counterexample) {
      result.counterexample =
          simplest(arithmetic, numbers.choices(), *std::move(instance.counterexample));
      return instances;
    }
    instances += instance.applied;
    if (instance.applied && arithmetic == Arithmetic::Machine) {
      ++(instance.isFloat ? result.floats : result.integers);
    }
  }
  return instances;
}

Counterexample Checker::simplest(Arithmetic arithmetic, Choices failing, Counterexample example) {
  // Small random instances come before cutting down a large one, whose tensors depend on each
  // other.
  constexpr SampleSize sizes[] = {{0, 1}, {1, 1}, {1, 2}, {2, 2}};
  constexpr uint64_t triesOfSize = 300;
  for (SampleSize size : sizes) {
    for (uint64_t attempt = 0; attempt < triesOfSize; ++attempt) {
      SampleNumbers numbers(hashMix(options.seed, attempt), arithmetic, size);
      Expected<InstanceResult> instance = testInstance(rule, numbers);
      if (instance && (*instance).counterexample) {
        return Shrinker(rule, arithmetic, options.maxShrinks)
            .run(numbers.choices(), *std::move((*instance).counterexample));
      }
    }
  }
  return Shrinker(rule, arithmetic, options.maxShrinks).run(std::move(failing), std::move(example));
}

} // namespace

std::string CheckResult::toText(Numerics level) const {
  const char *agreement = level == Numerics::Exact    ? "bit for bit"
                          : level == Numerics::Approx ? "within 4 ulp"
                                                      : "within rounding";
  std::vector<std::string> parts;
  if (floats > 0) {
    parts.push_back(fmt::format("{} of floats {}", floats, agreement));
  }
  if (integers > 0) {
    parts.push_back(fmt::format("{} of integers or bool", integers));
  }
  if (field > 0) {
    parts.push_back(fmt::format("{} modulo {}", field, FieldEvaluator::prime));
  }
  if (parts.empty()) {
    return "no instance";
  }
  bool isProved = proof.outcome == ProofResult::Outcome::Proved;
  return fmt::format("{}{}", fmt::join(parts, ", "),
                     isProved ? "; proved for " + proof.dtypes : "");
}

std::string Counterexample::toText() const {
  std::string text;
  if (!left.empty()) {
    text += fmt::format("  left:   {}\n  right:  {}\n", left, right);
  }
  if (!type.empty()) {
    text += fmt::format("  type:   {}{}{}\n", type, arithmetic.empty() ? "" : ", ", arithmetic);
  }
  for (const std::string &input : inputs) {
    text += fmt::format("  where   {}\n", input);
  }
  if (!left.empty()) {
    text += fmt::format("  left is   {}\n  right is  {}\n", leftValue, rightValue);
  }
  return text + fmt::format("  {}\n", difference);
}

Expected<CheckResult> checkRule(const Rule &rule, const CheckOptions &options) {
  return Checker(rule, options).run();
}

} // namespace zyxc::rules
