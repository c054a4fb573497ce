#include "compiler/interp/kernel/FoldStates.h"
#include <algorithm>

namespace zyxc::kernelinterp {

FoldStates::FoldStates(const FoldStep &step)
    : step(step),
      slots((step.numStates + step.numValues + step.constants.size() + step.ops.size()) * maxLanes),
      next(step.numStates * maxLanes) {
  unsigned first = step.numStates + step.numValues;
  for (size_t i = 0; i < step.constants.size(); ++i) {
    std::fill_n(slot(first + i), maxLanes, step.constants[i]);
  }
}

void FoldStates::reset(const FoldLanes &inits) {
  std::fill_n(tags, maxLanes, uint16_t(0));
  for (unsigned state = 0; state < step.numStates; ++state) {
    std::copy_n(inits.words[state], inits.count, slot(state));
    for (int i = 0; inits.tags[state] && i < inits.count; ++i) {
      tags[i] = std::max(tags[i], inits.tags[state][i]);
    }
  }
}

void FoldStates::join(const FoldLanes &values, int from, int lane) {
  for (const uint16_t *more : values.tags) {
    tags[lane] = more ? std::max(tags[lane], more[from]) : tags[lane];
  }
}

void FoldStates::run(const int64_t *mask, int count) {
  unsigned result = step.numStates + step.numValues + step.constants.size();
  for (const FoldOpcode &op : step.ops) {
    constexpr size_t maxOperands = 4;
    const Word *in[maxOperands] = {};
    for (size_t i = 0; i < op.operands.size() && i < maxOperands; ++i) {
      in[i] = slot(op.operands[i]);
    }
    op.fn(op.context, slot(result++), in, count);
  }
  for (unsigned state = 0; state < step.numStates; ++state) {
    std::copy_n(slot(step.yielded[state]), count, &next[state * maxLanes]);
  }
  for (unsigned state = 0; state < step.numStates; ++state) {
    for (int i = 0; i < count; ++i) {
      if (!mask || mask[i]) {
        slot(state)[i] = next[state * maxLanes + i];
      }
    }
  }
}

void FoldStates::addLanes(const FoldLanes &values) {
  for (unsigned value = 0; value < step.numValues; ++value) {
    std::copy_n(values.words[value], values.count, slot(step.numStates + value));
  }
  run(values.mask, values.count);
  for (int i = 0; i < values.count; ++i) {
    if (!values.mask || values.mask[i]) {
      join(values, i, i);
    }
  }
}

void FoldStates::addAcross(const FoldLanes &values) {
  for (int i = 0; i < values.count; ++i) {
    if (values.mask && !values.mask[i]) {
      continue;
    }
    for (unsigned value = 0; value < step.numValues; ++value) {
      slot(step.numStates + value)[0] = values.words[value][i];
    }
    run(nullptr, 1);
    join(values, i, 0);
  }
}

} // namespace zyxc::kernelinterp
