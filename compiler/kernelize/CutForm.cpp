#include "compiler/kernelize/CutForm.h"
#include "runtime/support/Hash.h"
#include <algorithm>

namespace zyxc::kernelize {

namespace {

/// What begins the words of a class.
enum Tag : uint64_t { Load, Literal, Node, ExpandedNode };

} // namespace

uint64_t CutForms::typeOf(ClassId cls) {
  if (typeIds.size() <= cls) {
    typeIds.resize(static_cast<size_t>(cls) + 1, 0);
  }
  if (typeIds[cls] == 0) {
    typeIds[cls] = types.intern(graph.type(cls)) + 1;
  }
  return typeIds[cls];
}

uint64_t CutForms::number(ClassId cls) {
  if (stamps.size() <= cls) {
    stamps.resize(static_cast<size_t>(cls) + 1, 0);
    numbers.resize(stamps.size(), 0);
  }
  if (stamps[cls] != stamp) {
    stamps[cls] = stamp;
    numbers[cls] = static_cast<uint32_t>(form.classes.size());
    form.classes.push_back(cls);
  }
  return numbers[cls];
}

void CutForms::addInterior(const Interior &entry) {
  const egraph::EGraph &engine = graph.engine();
  std::vector<uint64_t> &words = form.words;
  words.push_back(entry.expanded ? ExpandedNode : Node);
  words.push_back(typeOf(entry.cls));
  words.push_back(uint64_t(engine.op(entry.node)) << 32 | engine.payload(entry.node));
  words.push_back(engine.children(entry.node).size());
  for (ClassId child : engine.children(entry.node)) {
    words.push_back(number(graph.find(child)));
  }
}

void CutForms::addRead(ClassId cls) {
  const Tensor *splat = graph.splat(cls);
  form.words.push_back(splat ? Literal : Load);
  form.words.push_back(typeOf(cls));
  for (size_t at = 0; splat && at < splat->byteSize(); at += sizeof(uint64_t)) {
    uint64_t bits = 0;
    std::copy_n(splat->data() + at, std::min(sizeof bits, splat->byteSize() - at),
                reinterpret_cast<std::byte *>(&bits));
    form.words.push_back(bits);
  }
}

const CutForm &CutForms::formOf(ClassId cls, const Cut &cut) {
  form.words.clear();
  form.classes.clear();
  ++stamp;
  number(graph.find(cls));
  for (ClassId stored : cut.stores) {
    number(graph.find(stored));
  }
  for (size_t i = 0; i < form.classes.size(); ++i) { // each class adds its operands behind it
    ClassId current = form.classes[i];
    const Interior *entry = cut.find(current);
    if (entry) {
      addInterior(*entry);
    } else {
      addRead(current);
    }
  }
  form.words.push_back(cut.hasAnchor() ? number(cut.anchor) + 1 : 0);
  if (cut.attention) {
    for (ClassId part : {cut.attention->scores, cut.attention->logits, cut.attention->softmax}) {
      form.words.push_back(number(part));
    }
    form.words.push_back(cut.attention->isGuarded);
  }
  form.words.push_back(cut.stores.size());
  // A kernel of one op may do what others may not, and one that is alone has no limits.
  form.words.push_back(cut.single ? 1 + uint64_t(cut.interior.size() == 1) : 0);
  return form;
}

size_t CutFormTable::Hash::operator()(const std::vector<uint64_t> &words) const {
  return hashBytes(words.data(), words.size() * sizeof(uint64_t));
}

std::pair<uint32_t, bool> CutFormTable::intern(const CutForm &form) {
  auto [entry, isNew] = known.try_emplace(form.words, static_cast<uint32_t>(known.size()));
  return {entry->second, isNew};
}

} // namespace zyxc::kernelize
