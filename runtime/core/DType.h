// Element types of tensors: one table, used by every layer.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zyxc {

enum class DType : uint8_t {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  F8E4M3FN,
  F8E5M2,
};
inline constexpr int numDTypes = 15;

enum class DTypeKind : uint8_t { Bool, Signed, Unsigned, Float };

/// What is known of an element type. Bool is stored as one byte, 0 or 1.
struct DTypeInfo {
  DType dtype;
  std::string_view name; ///< as printed: "f32", "i64", "bool", "f8E4M3FN"
  size_t bytes;
  DTypeKind kind;
  int mantissaBits; ///< stored significand bits of a float; value bits of an integer
};

inline constexpr std::array<DTypeInfo, numDTypes> dtypeTable = {{
    {DType::Bool, "bool", 1, DTypeKind::Bool, 1},
    {DType::I8, "i8", 1, DTypeKind::Signed, 7},
    {DType::I16, "i16", 2, DTypeKind::Signed, 15},
    {DType::I32, "i32", 4, DTypeKind::Signed, 31},
    {DType::I64, "i64", 8, DTypeKind::Signed, 63},
    {DType::U8, "u8", 1, DTypeKind::Unsigned, 8},
    {DType::U16, "u16", 2, DTypeKind::Unsigned, 16},
    {DType::U32, "u32", 4, DTypeKind::Unsigned, 32},
    {DType::U64, "u64", 8, DTypeKind::Unsigned, 64},
    {DType::F16, "f16", 2, DTypeKind::Float, 10},
    {DType::BF16, "bf16", 2, DTypeKind::Float, 7},
    {DType::F32, "f32", 4, DTypeKind::Float, 23},
    {DType::F64, "f64", 8, DTypeKind::Float, 52},
    {DType::F8E4M3FN, "f8E4M3FN", 1, DTypeKind::Float, 3},
    {DType::F8E5M2, "f8E5M2", 1, DTypeKind::Float, 2},
}};

inline constexpr const DTypeInfo &info(DType dtype) {
  return dtypeTable[static_cast<size_t>(dtype)];
}
inline constexpr std::string_view name(DType dtype) {
  return info(dtype).name;
}
inline constexpr size_t byteSize(DType dtype) {
  return info(dtype).bytes;
}
inline constexpr bool isFloat(DType dtype) {
  return info(dtype).kind == DTypeKind::Float;
}
inline constexpr bool isSigned(DType dtype) {
  return info(dtype).kind == DTypeKind::Signed;
}
inline constexpr bool isUnsigned(DType dtype) {
  return info(dtype).kind == DTypeKind::Unsigned;
}
/// Signed or unsigned integer; not bool.
inline constexpr bool isInteger(DType dtype) {
  return isSigned(dtype) || isUnsigned(dtype);
}
inline constexpr int bitWidth(DType dtype) {
  return dtype == DType::Bool ? 1 : static_cast<int>(8 * byteSize(dtype));
}

/// The dtype with this name, if there is one.
std::optional<DType> parseDType(std::string_view name);

} // namespace zyxc
