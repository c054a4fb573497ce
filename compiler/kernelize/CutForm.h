// What a cut computes, without the identity of what it reads: cuts of equal layers, whose weights
// differ, have one form. A program follows from the form alone, so it is built once for each.
#pragma once
#include "compiler/graph/Payloads.h"
#include "compiler/kernelize/Cuts.h"
#include <unordered_map>

namespace zyxc::kernelize {

/// The nodes of a cut with their ops, attributes and types, classes numbered in the order in which
/// a walk from the root meets them. Of what the cut reads only the type counts, and of values that
/// become literals the bits.
struct CutForm {
  std::vector<uint64_t> words;
  std::vector<ClassId> classes; ///< by number; no part of the form
  bool operator==(const CutForm &other) const { return words == other.words; }
};

/// Makes the forms of one graph, which must outlive this and stay as it is.
class CutForms {
public:
  explicit CutForms(const graph::TensorGraph &graph) : graph(graph) {}

  /// The form of a cut that computes `cls`. It is valid until the next one is made.
  const CutForm &formOf(ClassId cls, const Cut &cut);

private:
  uint64_t typeOf(ClassId cls);
  void addInterior(const Interior &entry);
  void addRead(ClassId cls);
  uint64_t number(ClassId cls);

  const graph::TensorGraph &graph;
  CutForm form; ///< the last one
  graph::Types types;
  std::vector<uint32_t> typeIds; ///< by class id, one more than the id in `types`; 0: not known
  std::vector<uint32_t> numbers; ///< by class id: its number in the form that is being made
  std::vector<uint32_t> stamps;  ///< by class id: the form that `numbers` is about
  uint32_t stamp = 0;
};

/// Numbers of equal forms.
class CutFormTable {
public:
  /// The number of the form, and whether it is new. Numbers count from 0.
  std::pair<uint32_t, bool> intern(const CutForm &form);
  size_t size() const { return known.size(); }

private:
  struct Hash {
    size_t operator()(const std::vector<uint64_t> &words) const;
  };
  std::unordered_map<std::vector<uint64_t>, uint32_t, Hash> known;
};

} // namespace zyxc::kernelize
