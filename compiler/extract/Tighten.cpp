#include "compiler/extract/Tighten.h"
#include <algorithm>
#include <numeric>

namespace zyxc::extract {

namespace {

/// For each class the classes that any way to produce it needs, itself included, as rows of bits:
/// the greatest solution of needs(c) = {c} + the intersection over its options of the union of
/// needs(input). Every finite way to produce c ends somewhere, so that solution is sound on cycles.
class Needs {
public:
  explicit Needs(const Model &model)
      : model(model), words((model.numClasses() + 63) / 64),
        bits(words * model.numClasses(), ~uint64_t(0)), row(words), common(words) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (uint32_t cls : model.byRank) {
        changed |= update(cls);
      }
    }
  }

  uint64_t wordsTouched() const { return touched; }
  bool has(uint32_t cls, uint32_t other) const {
    return bits[cls * words + other / 64] >> (other % 64) & 1;
  }
  /// Is every class that option b reads there once the inputs of option a are?
  bool coversInputs(const Model::Option &a, const Model::Option &b) const {
    return std::all_of(b.inputs.begin(), b.inputs.end(), [&](uint32_t input) {
      return std::any_of(a.inputs.begin(), a.inputs.end(),
                         [&](uint32_t other) { return has(other, input); });
    });
  }
  std::vector<uint32_t> of(uint32_t cls) const { return listOf(bits.data() + cls * words); }
  /// What a class needs, without itself and what other classes in the list need.
  std::vector<uint32_t> nearest(uint32_t cls) {
    std::copy_n(bits.begin() + cls * words, words, row.begin());
    for (uint32_t other : of(cls)) {
      for (size_t i = 0; other != cls && i < words; ++i) {
        uint64_t self = i == other / 64 ? uint64_t(1) << (other % 64) : 0;
        row[i] &= ~(bits[other * words + i] & ~self);
      }
    }
    row[cls / 64] &= ~(uint64_t(1) << (cls % 64));
    return listOf(row.data());
  }

private:
  std::vector<uint32_t> listOf(const uint64_t *set) const {
    std::vector<uint32_t> list;
    for (size_t word = 0; word < words; ++word) {
      for (uint64_t rest = set[word]; rest != 0; rest &= rest - 1) {
        list.push_back(static_cast<uint32_t>(word * 64) +
                       static_cast<uint32_t>(__builtin_ctzll(rest)));
      }
    }
    return list;
  }

  bool update(uint32_t cls) {
    std::fill(common.begin(), common.end(), ~uint64_t(0));
    for (uint32_t k : model.producers[cls]) {
      std::fill(row.begin(), row.end(), 0);
      for (uint32_t output : model.options[k].outputs) {
        if (model.rank[output] != ~0u) { // else nobody asks for it
          row[output / 64] |= uint64_t(1) << (output % 64);
        }
      }
      touched += words * (2 + model.options[k].inputs.size());
      for (uint32_t input : model.options[k].inputs) {
        for (size_t i = 0; i < words; ++i) {
          row[i] |= bits[input * words + i];
        }
      }
      for (size_t i = 0; i < words; ++i) {
        common[i] &= row[i];
      }
    }
    bool changed = !std::equal(common.begin(), common.end(), bits.begin() + cls * words);
    std::copy(common.begin(), common.end(), bits.begin() + cls * words);
    return changed;
  }

  const Model &model;
  size_t words;
  uint64_t touched = 0;
  std::vector<uint64_t> bits;
  std::vector<uint64_t> row;
  std::vector<uint64_t> common;
};

void requireNeeded(Model &model, const Needs &needs) {
  std::vector<uint32_t> all;
  for (uint32_t cls : model.required) {
    std::vector<uint32_t> more = needs.of(cls);
    all.insert(all.end(), more.begin(), more.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  model.required = std::move(all);
}

/// Of what a class needs and what is not required anyway the nearest: nothing else that it needs
/// has them in between.
void fillImplied(Model &model, Needs &needs) {
  std::vector<bool> isRequired(model.numClasses(), false);
  for (uint32_t cls : model.required) {
    isRequired[cls] = true;
  }
  model.implied.assign(model.numClasses(), {});
  for (uint32_t cls : model.byRank) {
    if (model.producers[cls].size() > 1) {
      std::vector<uint32_t> nearest = needs.nearest(cls);
      std::erase_if(nearest, [&](uint32_t other) { return isRequired[other]; });
      model.implied[cls] = std::move(nearest);
    }
  }
}

/// Options that another one of the class replaces wherever they stand: it costs no more, yields as
/// much, and its inputs are there by then. Of two that replace each other one stays.
std::vector<bool> findReplaced(const Model &model, const Needs &needs, Effort &effort) {
  std::vector<bool> replaced(model.options.size(), false);
  for (const std::vector<uint32_t> &list : model.producers) {
    effort.spend(list.size() * list.size());
    for (uint32_t a : list) {
      for (uint32_t b : list) {
        const Model::Option &from = model.options[a];
        const Model::Option &to = model.options[b];
        if (a != b && !replaced[a] && !replaced[b] && to.cost <= from.cost &&
            std::includes(to.outputs.begin(), to.outputs.end(), from.outputs.begin(),
                          from.outputs.end()) &&
            needs.coversInputs(from, to)) {
          replaced[a] = true;
        }
      }
    }
  }
  return replaced;
}

/// What is required is there in the end. An option need not read it, unless both lie on a cycle:
/// then the order is part of the question. True if an input was dropped.
bool readForFree(Model &model) {
  std::vector<bool> isRequired(model.numClasses(), false);
  for (uint32_t cls : model.required) {
    isRequired[cls] = true;
  }
  size_t dropped = 0;
  for (Model::Option &option : model.options) {
    dropped += std::erase_if(option.inputs, [&](uint32_t input) {
      return isRequired[input] &&
             std::none_of(option.outputs.begin(), option.outputs.end(), [&](uint32_t output) {
               return model.component[output] == model.component[input];
             });
    });
  }
  return dropped > 0;
}

} // namespace

bool tighten(Model &model, Effort &effort) {
  constexpr uint32_t mostClasses = 20000; // rows of bits: 50 MB
  constexpr uint64_t wordsPerNumber = 16; // they lie in rows
  bool changed = model.numClasses() <= mostClasses;
  while (changed) {
    Needs needs(model);
    effort.spend(needs.wordsTouched() / wordsPerNumber);
    size_t before = model.required.size();
    requireNeeded(model, needs);
    changed = model.required.size() > before;
    std::vector<bool> replaced = findReplaced(model, needs, effort);
    changed |= std::count(replaced.begin(), replaced.end(), true) > 0;
    dropOptions(model, replaced);
    changed |= readForFree(model);
    if (!settle(model)) {
      return false;
    }
    if (!changed) {
      fillImplied(model, needs);
    }
  }
  return true;
}

std::vector<Model> splitParts(const Model &model) {
  std::vector<uint32_t> parent(model.numClasses());
  std::iota(parent.begin(), parent.end(), 0);
  auto find = [&](uint32_t cls) {
    while (parent[cls] != cls) {
      cls = parent[cls] = parent[parent[cls]];
    }
    return cls;
  };
  for (const Model::Option &option : model.options) {
    for (const std::vector<uint32_t> *list : {&option.inputs, &option.outputs}) {
      for (uint32_t cls : *list) {
        uint32_t a = find(cls);
        uint32_t b = find(option.outputs[0]);
        parent[std::max(a, b)] = std::min(a, b);
      }
    }
  }
  std::vector<uint32_t> partOf(model.numClasses(), ~0u);
  std::vector<uint32_t> number(model.numClasses(), ~0u);
  std::vector<Model> parts;
  for (uint32_t cls : model.byRank) {
    uint32_t root = find(cls);
    if (partOf[root] == ~0u) {
      partOf[root] = static_cast<uint32_t>(parts.size());
      parts.emplace_back();
    }
    Model &part = parts[partOf[root]];
    number[cls] = part.numClasses();
    part.producers.emplace_back();
    part.names.push_back(model.nameOf(cls));
  }
  // Classes that no option asks for, outputs on the side, have no number and play no part.
  auto renumber = [&](std::vector<uint32_t> list) {
    std::erase_if(list, [&](uint32_t cls) { return number[cls] == ~0u; });
    for (uint32_t &cls : list) {
      cls = number[cls];
    }
    std::sort(list.begin(), list.end());
    return list;
  };
  for (const Model::Option &option : model.options) {
    Model &part = parts[partOf[find(option.outputs[0])]];
    part.options.push_back(
        {renumber(option.inputs), renumber(option.outputs), option.cost, option.original});
  }
  for (uint32_t cls : model.required) {
    parts[partOf[find(cls)]].required.push_back(number[cls]);
  }
  for (Model &part : parts) {
    std::sort(part.required.begin(), part.required.end());
    dropOptions(part, std::vector<bool>(part.options.size(), false));
    settle(part);
  }
  return parts;
}

} // namespace zyxc::extract
