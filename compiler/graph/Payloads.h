// Interned attributes: equal attribute lists have one id, which is what the e-graph compares.
#pragma once
#include "dialects/zyx/semantics/Attrs.h"
#include <deque>
#include <unordered_map>

namespace zyxc::graph {

/// A table that only grows.
class Payloads {
public:
  Payloads() { intern({}); }

  /// Id of this list; equality is that of Attrs (floats and tensors by bits). The empty list is 0.
  uint32_t intern(const Attrs &attrs);
  /// Valid as long as the table.
  const Attrs &operator[](uint32_t id) const { return lists[id]; }

private:
  std::deque<Attrs> lists;
  std::unordered_multimap<uint64_t, uint32_t> byHash;
};

/// Interned result types, so that a class fact is one number.
class Types {
public:
  uint32_t intern(const TensorType &type);
  const TensorType &operator[](uint32_t id) const { return types[id]; }

private:
  std::deque<TensorType> types;
  std::unordered_multimap<uint64_t, uint32_t> byHash;
};

} // namespace zyxc::graph
