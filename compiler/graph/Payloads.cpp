#include "compiler/graph/Payloads.h"
#include "runtime/support/Hash.h"

namespace zyxc::graph {

uint32_t Payloads::intern(const Attrs &attrs) {
  uint64_t hash = attrs.hash();
  auto [begin, end] = byHash.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (lists[at->second].identical(attrs)) {
      return at->second;
    }
  }
  uint32_t id = static_cast<uint32_t>(lists.size());
  lists.push_back(attrs);
  byHash.emplace(hash, id);
  return id;
}

uint32_t Types::intern(const TensorType &type) {
  uint64_t hash = hashBytes(type.shape.data(), type.shape.size() * sizeof(int64_t),
                            static_cast<uint64_t>(type.dtype));
  auto [begin, end] = byHash.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (types[at->second] == type) {
      return at->second;
    }
  }
  uint32_t id = static_cast<uint32_t>(types.size());
  types.push_back(type);
  byHash.emplace(hash, id);
  return id;
}

} // namespace zyxc::graph
