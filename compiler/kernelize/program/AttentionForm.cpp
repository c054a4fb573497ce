#include "compiler/kernelize/program/AttentionForm.h"
#include <algorithm>
#include <bit>

namespace zyxc::kernelize {

static bool isOneAxis(uint64_t axes) {
  return std::has_single_bit(axes);
}

/// Of axes with the largest extent the last.
static uint64_t longestAxis(const Program &program, uint64_t axes) {
  uint64_t longest = 0;
  for (size_t axis = 0; axis < program.extents.size(); ++axis) {
    uint64_t bit = 1ull << axis;
    if ((axes & bit) != 0 && (longest == 0 || program.extents[axis] >= program.volume(longest))) {
      longest = bit;
    }
  }
  return longest;
}

/// The two ops; nothing if there is another one that combines values along axes.
static std::optional<AttentionForm> findOps(const Program &program) {
  AttentionForm form;
  int contracts = 0;
  int sums = 0;
  for (ValueId id = 0; id < program.values.size(); ++id) {
    switch (program.values[id].op) {
    case Value::Op::Contract:
      ++contracts;
      form.scores = id;
      break;
    case Value::Op::SoftmaxSum:
      ++sums;
      form.sum = id;
      break;
    case Value::Op::Reduce:
    case Value::Op::Scan: return std::nullopt;
    case Value::Op::Literal:
    case Value::Op::Index:
    case Value::Op::Load:
    case Value::Op::Scalar:
    case Value::Op::Where: break;
    }
  }
  return contracts == 1 && sums == 1 ? std::optional(form) : std::nullopt;
}

std::optional<AttentionForm> findAttention(const Program &program) {
  std::optional<AttentionForm> form = findOps(program);
  if (!form || !program.dims.empty()) {
    return std::nullopt;
  }
  const Value &scores = program.values[form->scores];
  const Value &sum = program.values[form->sum];
  DType logits = program.values[sum.operands[0]].dtype;
  bool isComputedIn = logits == DType::F32 || logits == DType::F64;
  if (!isComputedIn || scores.dtype != logits || sum.dtype != logits) {
    return std::nullopt;
  }
  std::vector<uint64_t> sets = program.axisSets();
  uint64_t inLogits = sets[sum.operands[0]];
  uint64_t a = sets[scores.operands[0]];
  uint64_t b = sets[scores.operands[1]];
  uint64_t values = sets[sum.operands[1]];
  form->key = sum.reducedAxes();
  form->depth = scores.reducedAxes();
  form->width = values & ~inLogits;
  if (!isOneAxis(form->key) || !isOneAxis(form->depth) || !isOneAxis(form->width)) {
    return std::nullopt;
  }
  if ((a & form->key) != 0) {
    std::swap(a, b);
  }
  bool hasKeys = (a & form->key) == 0 && (b & values & inLogits & form->key) != 0;
  form->query = longestAxis(program, a & ~b & inLogits);
  form->batch = inLogits & ~form->key & ~form->query;
  // Each operand depends on its own axes only, and no axis has two roles that meet.
  auto within = [&](uint64_t axes, uint64_t own) {
    return (axes & ~(form->batch | own)) == 0;
  };
  bool isTiled = within(a, form->query | form->depth) && within(b, form->key | form->depth) &&
                 within(values, form->key | form->width) &&
                 (inLogits & (form->depth | form->width)) == 0 && form->depth != form->width;
  // Each point of the result is stored once.
  uint64_t rows = form->batch | form->query;
  uint64_t stored = program.storedAxes();
  bool storesResult = (rows & ~stored) == 0 && (stored & ~(rows | form->width)) == 0;
  return hasKeys && isTiled && storesResult ? form : std::nullopt;
}

} // namespace zyxc::kernelize
