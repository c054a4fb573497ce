// Checks that the readers of a plan's header share.
#pragma once
#include "runtime/plan/PlanFile_generated.h"
#include "runtime/support/Status.h"

namespace zyxc::rt {

/// The file's own numbers disagree, although its checksums are right.
template <class... Args> Status malformed(fmt::format_string<Args...> format, Args &&...args) {
  return makeError(ErrorCode::Input, "malformed ({}): make it again with zyxc compile",
                   fmt::format(format, std::forward<Args>(args)...));
}

/// True if [offset, offset + length) lies in [0, size).
inline bool isWithin(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

/// The verifier of FlatBuffers does not look at the alignment of a list's elements. An empty list
/// need not be aligned.
template <class T> Status checkAligned(const flatbuffers::Vector<T> &list) {
  constexpr uintptr_t alignment = alignof(uint64_t);
  return list.size() == 0 || reinterpret_cast<uintptr_t>(list.Data()) % alignment == 0
             ? Status::ok()
             : malformed("a list is not aligned");
}

/// What a reader may still make of a header: tables that share parts, which no writer makes, would
/// let a small file ask for any amount of memory.
class HeaderBudget {
public:
  explicit HeaderBudget(uint64_t bytes) : left(bytes) {}

  Status spend(uint64_t bytes) {
    if (bytes > left) {
      return malformed("parts of the header are used twice");
    }
    left -= bytes;
    return Status::ok();
  }
  Expected<std::string> text(const flatbuffers::String &string) {
    ZYXC_RETURN_IF_ERROR(spend(string.size()));
    return string.str();
  }

private:
  uint64_t left;
};

} // namespace zyxc::rt
