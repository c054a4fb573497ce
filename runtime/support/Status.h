// Errors as values. A Status is "ok" or a kind (which fixes the exit code of a tool) with one line
// of text that names what failed and what to do. Expected<T> is a value or such an error.
// Programmer errors are asserts; user input never is.
#pragma once
#include <cassert>
#include <fmt/core.h>
#include <string>
#include <utility>
#include <variant>

namespace zyxc {

/// Kind of an error. The numeric value is the documented exit code of the tools (docs/cli.md).
enum class ErrorCode : int {
  Ok = 0,
  Usage = 2,        ///< bad command line
  Input = 3,        ///< a file is missing, unreadable or malformed
  Unsupported = 4,  ///< an operator, dtype or shape that is not handled
  Verification = 5, ///< `zyxc verify` found a difference
  Mismatch = 6,     ///< an output differs from what --expect names
  Device = 7,       ///< a device is missing or failed
  OutOfMemory = 8,  ///< planned memory exceeds the limit, or an allocation failed
  Internal = 9,     ///< a bug in zyxc
  NotRun = 10,      ///< compiled, but there is no device to run on
};

/// Success, or an error kind with one line of text.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(ErrorCode code, std::string message) : errorCode(code), text(std::move(message)) {}

  static Status ok() { return {}; }
  bool isOk() const { return errorCode == ErrorCode::Ok; }
  ErrorCode code() const { return errorCode; }
  const std::string &message() const { return text; }

  /// The same error with `where: ` put before its text (file, then node, outermost first).
  Status withContext(std::string_view where) && {
    text = fmt::format("{}: {}", where, text);
    return std::move(*this);
  }

private:
  ErrorCode errorCode = ErrorCode::Ok;
  std::string text;
};

/// Makes an error; the text is formatted as by fmt.
template <class... Args>
Status makeError(ErrorCode code, fmt::format_string<Args...> format, Args &&...args) {
  return Status(code, fmt::format(format, std::forward<Args>(args)...));
}

/// A value of type T or an error.
template <class T> class [[nodiscard]] Expected {
public:
  Expected(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Expected(Status error) : content(std::in_place_index<1>, std::move(error)) {
    assert(!std::get<1>(content).isOk() && "an Expected made from a Status holds an error");
  }

  explicit operator bool() const { return content.index() == 0; }
  T &operator*() & { return std::get<0>(content); }
  const T &operator*() const & { return std::get<0>(content); }
  T &&operator*() && { return std::move(std::get<0>(content)); }
  T *operator->() { return &std::get<0>(content); }
  const T *operator->() const { return &std::get<0>(content); }

  /// The error; only when there is no value.
  const Status &error() const & { return std::get<1>(content); }
  Status &&error() && { return std::move(std::get<1>(content)); }

private:
  std::variant<T, Status> content;
};

/// Returns the error of a Status-valued expression to the caller, if it is one.
#define ZYXC_RETURN_IF_ERROR(...)                                                                  \
  do {                                                                                             \
    if (::zyxc::Status zyxcStatus = (__VA_ARGS__); !zyxcStatus.isOk()) {                           \
      return zyxcStatus;                                                                           \
    }                                                                                              \
  } while (false)

#define ZYXC_CONCAT_INNER(a, b) a##b
#define ZYXC_CONCAT(a, b) ZYXC_CONCAT_INNER(a, b)

/// `ZYXC_ASSIGN(auto x, f());` declares x from an Expected, or returns its error to the caller.
#define ZYXC_ASSIGN(decl, ...)                                                                     \
  ZYXC_ASSIGN_INNER(ZYXC_CONCAT(zyxcExpected, __LINE__), decl, __VA_ARGS__)
#define ZYXC_ASSIGN_INNER(tmp, decl, ...)                                                          \
  auto tmp = (__VA_ARGS__);                                                                        \
  if (!tmp) {                                                                                      \
    return std::move(tmp).error();                                                                 \
  }                                                                                                \
  decl = *std::move(tmp)

} // namespace zyxc
