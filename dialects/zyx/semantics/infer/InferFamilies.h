// Result types by op family: what Infer.cpp dispatches to. Each function may rely on the checks
// that inferType makes for all ops: the operand count and each attribute's presence and type are as
// declared, operand shapes have a valid element count, and every integer of an attribute list is
// a valid size: within +-attributeLimit (so that sums of a few of them cannot overflow) or
// symbolic.
#pragma once
#include "dialects/zyx/semantics/Infer.h"
#include "runtime/core/Dim.h"

namespace zyxc::infer {

inline constexpr int64_t attributeLimit = dim::limit;

/// An op as it was asked for.
struct Request {
  OpKind kind;
  const Attrs &attrs;
  std::span<const TensorType> operands;
  std::vector<int64_t> *guards = nullptr; ///< receives sizes that must be at least 0

  const TensorType &x() const { return operands[0]; }
  const std::vector<int64_t> &ints(std::string_view name) const { return attrs.getInts(name); }

  /// False if a <= b fails at all values of the variables. If it is not proved, it is noted.
  bool assumeAtMost(int64_t a, int64_t b) const;
  /// The same where `count` is not 0.
  bool assumeAtMostUnlessEmpty(int64_t a, int64_t b, int64_t count) const;

  /// Operands and attributes that do not fit together: Input. The text begins with the op's name.
  template <class... Args> Status refuse(fmt::format_string<Args...> format, Args &&...args) const {
    return refuseAs(ErrorCode::Input, fmt::format(format, std::forward<Args>(args)...));
  }
  /// What could have a meaning, but has none here: Unsupported.
  template <class... Args>
  Status unsupported(fmt::format_string<Args...> format, Args &&...args) const {
    return refuseAs(ErrorCode::Unsupported, fmt::format(format, std::forward<Args>(args)...));
  }
  Status refuseAs(ErrorCode code, const std::string &text) const {
    return Status(code, fmt::format("{}: {}", name(kind), text));
  }
};

Expected<TensorType> elementwise(const Request &request);
Expected<TensorType> reduce(const Request &request);
Expected<TensorType> movement(const Request &request);
Expected<TensorType> structural(const Request &request);
Expected<TensorType> composite(const Request &request);
/// Scans, sorts and scatter.
Expected<TensorType> ordered(const Request &request);

/// Error unless `axes` are distinct and within [0, rank).
Status checkAxes(const Request &request, std::span<const int64_t> axes, int64_t rank);
/// Error unless the attribute list `name` has `length` entries, each at least `least`.
Status checkList(const Request &request, std::string_view name, int64_t length, int64_t least);
/// Number of positions of a window of `size` elements, `dilation` apart, moved by `stride` over
/// `extent` elements; size, stride and dilation are at least 1.
Expected<int64_t> windowPositions(const Request &request, int64_t extent, int64_t size,
                                  int64_t stride, int64_t dilation);

} // namespace zyxc::infer
