#include "dialects/zyx/semantics/Attrs.h"
#include "runtime/core/Dim.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <bit>
#include <cassert>
#include <fmt/core.h>

namespace zyxc {

namespace {
struct HashVisitor {
  uint64_t operator()(int64_t value) const { return hashMix(1, static_cast<uint64_t>(value)); }
  uint64_t operator()(double value) const { return hashMix(2, std::bit_cast<uint64_t>(value)); }
  uint64_t operator()(const std::vector<int64_t> &values) const {
    return hashBytes(values.data(), values.size() * sizeof(int64_t), 3);
  }
  uint64_t operator()(const std::string &value) const { return hashMix(4, hashString(value)); }
  uint64_t operator()(DType value) const { return hashMix(5, static_cast<uint64_t>(value)); }
  uint64_t operator()(const Tensor &value) const { return hashMix(6, value.hash()); }
  uint64_t operator()(const IndexMap &value) const { return hashMix(7, value.hash()); }
};

struct TextVisitor {
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::vector<int64_t> &values) const { return listText(values); }
  std::string operator()(const std::string &value) const { return fmt::format("\"{}\"", value); }
  std::string operator()(DType value) const { return std::string(name(value)); }
  std::string operator()(const Tensor &value) const { return tensorText(value); }
  std::string operator()(const IndexMap &value) const { return value.toString(); }

  /// The type and, where they are few, the elements.
  static std::string tensorText(const Tensor &value) {
    constexpr int64_t shown = 8;
    std::string text = zyxc::toString(value.type()) + " {";
    int64_t count = value.numElements();
    for (int64_t i = 0; i < std::min(count, shown); ++i) {
      text += i ? ", " : "";
      text += isFloat(value.dtype())        ? fmt::format("{}", value.asDouble(i))
              : value.dtype() == DType::U64 ? std::to_string(static_cast<uint64_t>(value.asInt(i)))
                                            : std::to_string(value.asInt(i));
    }
    return text + (count > shown ? ", ...}" : "}");
  }
};
} // namespace

std::string listText(std::span<const int64_t> values) {
  constexpr size_t shown = 32;
  std::string text = "[";
  for (size_t i = 0; i < std::min(values.size(), shown); ++i) {
    text += (i ? ", " : "") + dim::toString(values[i]);
  }
  return text + (values.size() > shown ? ", ...]" : "]");
}

bool identical(const AttrValue &a, const AttrValue &b) {
  if (a.index() != b.index()) {
    return false;
  }
  if (const auto *value = std::get_if<double>(&a)) {
    return std::bit_cast<uint64_t>(*value) == std::bit_cast<uint64_t>(std::get<double>(b));
  }
  if (const auto *value = std::get_if<Tensor>(&a)) {
    return value->identical(std::get<Tensor>(b));
  }
  // Neither alternative compared by == below is a double or a Tensor.
  return std::visit(
      [&](const auto &left) {
        using T = std::decay_t<decltype(left)>;
        if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Tensor>) {
          return false;
        } else {
          return left == std::get<T>(b);
        }
      },
      a);
}

uint64_t hashValue(const AttrValue &value) {
  return std::visit(HashVisitor{}, value);
}

std::string toString(const AttrValue &value) {
  return std::visit(TextVisitor{}, value);
}

Attrs::Attrs(std::initializer_list<std::pair<std::string_view, AttrValue>> entries) {
  list.reserve(entries.size());
  for (const auto &[name, value] : entries) {
    set(name, value);
  }
}

static auto position(auto &list, std::string_view name) {
  return std::lower_bound(
      list.begin(), list.end(), name,
      [](const auto &entry, std::string_view wanted) { return entry.first < wanted; });
}

void Attrs::set(std::string_view name, AttrValue value) {
  auto at = position(list, name);
  if (at != list.end() && at->first == name) {
    at->second = std::move(value);
  } else {
    list.emplace(at, std::string(name), std::move(value));
  }
}

const AttrValue *Attrs::find(std::string_view name) const {
  auto at = position(list, name);
  return at != list.end() && at->first == name ? &at->second : nullptr;
}

bool Attrs::identical(const Attrs &other) const {
  return std::equal(list.begin(), list.end(), other.list.begin(), other.list.end(),
                    [](const auto &a, const auto &b) {
                      return a.first == b.first && zyxc::identical(a.second, b.second);
                    });
}

uint64_t Attrs::hash() const {
  uint64_t hash = list.size();
  for (const auto &[name, value] : list) {
    hash = hashMix(hash, hashMix(hashString(name), hashValue(value)));
  }
  return hash;
}

std::string Attrs::toString() const {
  std::string text;
  for (const auto &[name, value] : list) {
    text += fmt::format("{}{} = {}", text.empty() ? "{" : ", ", name, zyxc::toString(value));
  }
  return text.empty() ? text : text + "}";
}

} // namespace zyxc
