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
  I4,
  U4,
  I2,
  U2,
  F4E2M1FN,
};
inline constexpr int numDTypes = 20;

enum class DTypeKind : uint8_t { Bool, Signed, Unsigned, Float };

/// What is known of an element type. Bool is stored as one byte, 0 or 1; an element of less than a
/// byte takes a byte in memory, integers sign- or zero-extended (files pack them).
struct DTypeInfo {
  DType dtype;
  std::string_view name; ///< as printed: "f32", "i64", "bool", "f8E4M3FN"
  size_t bytes;          ///< of an element in memory
  DTypeKind kind;
  int mantissaBits; ///< stored significand bits of a float; value bits of an integer
  int bits;         ///< of an element
};

inline constexpr std::array<DTypeInfo, numDTypes> dtypeTable = {{
    {DType::Bool, "bool", 1, DTypeKind::Bool, 1, 1},
    {DType::I8, "i8", 1, DTypeKind::Signed, 7, 8},
    {DType::I16, "i16", 2, DTypeKind::Signed, 15, 16},
    {DType::I32, "i32", 4, DTypeKind::Signed, 31, 32},
    {DType::I64, "i64", 8, DTypeKind::Signed, 63, 64},
    {DType::U8, "u8", 1, DTypeKind::Unsigned, 8, 8},
    {DType::U16, "u16", 2, DTypeKind::Unsigned, 16, 16},
    {DType::U32, "u32", 4, DTypeKind::Unsigned, 32, 32},
    {DType::U64, "u64", 8, DTypeKind::Unsigned, 64, 64},
    {DType::F16, "f16", 2, DTypeKind::Float, 10, 16},
    {DType::BF16, "bf16", 2, DTypeKind::Float, 7, 16},
    {DType::F32, "f32", 4, DTypeKind::Float, 23, 32},
    {DType::F64, "f64", 8, DTypeKind::Float, 52, 64},
    {DType::F8E4M3FN, "f8E4M3FN", 1, DTypeKind::Float, 3, 8},
    {DType::F8E5M2, "f8E5M2", 1, DTypeKind::Float, 2, 8},
    {DType::I4, "i4", 1, DTypeKind::Signed, 3, 4},
    {DType::U4, "u4", 1, DTypeKind::Unsigned, 4, 4},
    {DType::I2, "i2", 1, DTypeKind::Signed, 1, 2},
    {DType::U2, "u2", 1, DTypeKind::Unsigned, 2, 2},
    {DType::F4E2M1FN, "f4E2M1FN", 1, DTypeKind::Float, 1, 4},
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
  return info(dtype).bits;
}
/// A number of less than a byte: a type to store in. Nothing is computed in it but casts.
inline constexpr bool isSubByte(DType dtype) {
  return bitWidth(dtype) < 8 && dtype != DType::Bool;
}

/// The dtype with this name, if there is one.
std::optional<DType> parseDType(std::string_view name);

} // namespace zyxc
