// Why classes of an e-graph are equal: what the union log holds.
#pragma once
#include "compiler/egraph/Ids.h"
#include <string>

namespace zyxc::egraph {

/// Why two classes were united.
struct Reason {
  enum class Kind : uint8_t {
    Client,     ///< the client said so (import, decomposition, constant folding); `id` is its own
    Rule,       ///< rule number `id`
    Congruence, ///< equal ops over equal operands
  };
  Kind kind = Kind::Client;
  uint32_t id = 0;

  static Reason client(uint32_t id = 0) { return {Kind::Client, id}; }
  static Reason rule(uint32_t id) { return {Kind::Rule, id}; }
  static Reason congruence() { return {Kind::Congruence, 0}; }
  bool operator==(const Reason &) const = default;
};

/// One entry of the union log: node `a` and node `b` were found equal.
struct UnionRecord {
  NodeId a;
  NodeId b;
  Reason reason;
};

/// Names a rule in messages.
class RuleNames {
public:
  virtual ~RuleNames() = default;
  virtual std::string ruleName(uint32_t rule) const = 0;
};

} // namespace zyxc::egraph
