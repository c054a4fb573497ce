// Arithmetic, comparisons and conversions of one thread.
#include "runtime/core/Float.h"
#include "runtime/devices/ptxsim/Machine.h"
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

namespace zyxc::rt::ptxsim {

namespace {

/// A type suffix: "s32", "f16x2", "pred".
struct Type {
  char kind = 'b'; ///< s, u, b or f (B: bf16)
  unsigned bits = 32;
  bool isPair = false;

  bool isFloat() const { return kind == 'f' || kind == 'B'; }
  bool isSigned() const { return kind == 's'; }
};

} // namespace

static std::optional<Type> typeNamed(const std::string &name) {
  if (name == "pred") {
    return Type{'b', 1, false};
  }
  Type type;
  size_t digits = name.find_first_of("0123456789");
  if (digits == name.npos || digits == 0) {
    return std::nullopt;
  }
  std::string kind = name.substr(0, digits);
  if (kind != "s" && kind != "u" && kind != "b" && kind != "f" && kind != "bf") {
    return std::nullopt;
  }
  type.kind = kind == "bf" ? 'B' : kind[0];
  type.bits = static_cast<unsigned>(std::atoi(name.c_str() + digits));
  type.isPair = name.ends_with("x2");
  return type;
}

/// The type that an opcode ends with; a fault if it has none.
static Type typeOf(const Statement &statement) {
  std::optional<Type> type = typeNamed(statement.opcode.back());
  if (!type) {
    throw Fault{"type"};
  }
  return *type;
}

static uint64_t mask(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

/// An integer of the type as 64 bits, extended by its sign if it has one.
static int64_t extended(uint64_t value, const Type &type) {
  value = mask(value, type.bits);
  if (type.isSigned() && type.bits < 64 && (value >> (type.bits - 1)) != 0) {
    value |= ~uint64_t(0) << type.bits;
  }
  return static_cast<int64_t>(value);
}

static double toDouble(uint64_t bits, const Type &type) {
  switch (type.bits) {
  case 64: return std::bit_cast<double>(bits);
  case 32: return std::bit_cast<float>(static_cast<uint32_t>(bits));
  default: return floatFromBits(type.kind == 'B' ? DType::BF16 : DType::F16, bits & 0xffff);
  }
}

/// Rounded to the type. f64 holds every operation on narrower types well enough for one rounding.
static uint64_t fromDouble(double value, const Type &type) {
  switch (type.bits) {
  case 64: return std::bit_cast<uint64_t>(value);
  case 32: return std::bit_cast<uint32_t>(static_cast<float>(value));
  default: return floatToBits(type.kind == 'B' ? DType::BF16 : DType::F16, value);
  }
}

static bool has(const Statement &statement, std::string_view part) {
  for (const std::string &each : statement.opcode) {
    if (each == part) {
      return true;
    }
  }
  return false;
}

static double flushed(double value) {
  return std::abs(value) < 0x1p-126 ? std::copysign(0.0, value) : value;
}

using FloatFunction = double (*)(double, double, double, const Type &);

static double larger(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : a > b || (a == b && !std::signbit(a)) ? a : b;
}
static double smaller(double a, double b) {
  return -larger(-a, -b);
}

/// Float functions by name. The type is that of the operands.
static FloatFunction floatFunction(const Statement &statement) {
  static const std::map<std::string, FloatFunction> functions = {
      {"add", [](double a, double b, double, const Type &) { return a + b; }},
      {"sub", [](double a, double b, double, const Type &) { return a - b; }},
      {"mul", [](double a, double b, double, const Type &) { return a * b; }},
      {"div", [](double a, double b, double, const Type &) { return a / b; }},
      {"fma",
       [](double a, double b, double c, const Type &type) {
         // f64 rounds a * b + c of f32 once more; the float function does not.
         return type.bits == 32
                    ? static_cast<double>(std::fmaf(static_cast<float>(a), static_cast<float>(b),
                                                    static_cast<float>(c)))
                    : std::fma(a, b, c);
       }},
      {"neg", [](double a, double, double, const Type &) { return -a; }},
      {"abs", [](double a, double, double, const Type &) { return std::abs(a); }},
      {"max", [](double a, double b, double, const Type &) { return larger(a, b); }},
      {"min", [](double a, double b, double, const Type &) { return smaller(a, b); }},
      {"sqrt", [](double a, double, double, const Type &) { return std::sqrt(a); }},
      {"rsqrt", [](double a, double, double, const Type &) { return 1 / std::sqrt(a); }},
      {"rcp", [](double a, double, double, const Type &) { return 1 / a; }},
      {"ex2", [](double a, double, double, const Type &) { return std::exp2(a); }},
      {"lg2", [](double a, double, double, const Type &) { return std::log2(a); }},
      {"tanh", [](double a, double, double, const Type &) { return std::tanh(a); }},
      {"copysign", [](double a, double b, double, const Type &) { return std::copysign(b, a); }},
  };
  auto found = functions.find(statement.opcode[0]);
  return found == functions.end() ? nullptr : found->second;
}

static bool decodeFloat(const Statement &s, const Symbols &symbols, const Type &type,
                        Instruction &out) {
  FloatFunction function = floatFunction(s);
  if (!function) {
    return false;
  }
  bool ftz = has(s, "ftz"), propagates = has(s, "NaN"), saturates = has(s, "sat");
  Source a = sourceOf(s.operands[1], symbols);
  Source b = s.operands.size() > 2 ? sourceOf(s.operands[2], symbols) : a;
  Source c = s.operands.size() > 3 ? sourceOf(s.operands[3], symbols) : a;
  auto one = [=](uint64_t x, uint64_t y, uint64_t z) {
    double u = toDouble(x, type), v = toDouble(y, type), w = toDouble(z, type);
    if (ftz) {
      u = flushed(u), v = flushed(v), w = flushed(w);
    }
    double result = propagates && (std::isnan(u) || std::isnan(v))
                        ? std::numeric_limits<double>::quiet_NaN()
                        : function(u, v, w, type);
    result = saturates ? std::isnan(result) ? 0.0 : std::min(std::max(result, 0.0), 1.0) : result;
    return fromDouble(ftz ? flushed(result) : result, type);
  };
  out.run = [=, d = resultOf(s.operands[0])](Thread &t) {
    uint64_t x = a(t), y = b(t), z = c(t);
    uint64_t result = one(x, y, z);
    if (type.isPair) {
      result |= one(x >> 16, y >> 16, z >> 16) << 16;
    }
    t.registers[d] = result;
  };
  return true;
}

using IntegerFunction = uint64_t (*)(int64_t, int64_t, int64_t, const Type &);

/// Bytes of the pair (b, a), picked by the digits of c; a digit of 8 and up gives the byte's sign.
static uint64_t permuted(int64_t a, int64_t b, int64_t c, const Type &) {
  uint64_t pair = uint64_t(uint32_t(a)) | uint64_t(uint32_t(b)) << 32, result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint64_t digit = uint64_t(c) >> (4 * i) & 15;
    uint64_t byte = pair >> (8 * (digit & 7)) & 0xff;
    result |= (digit & 8 ? (byte >> 7) * 0xff : byte) << (8 * i);
  }
  return result;
}

/// The 64 bits that a funnel shift takes its result from.
static uint64_t funnel(int64_t low, int64_t high) {
  return uint64_t(uint32_t(high)) << 32 | uint32_t(low);
}

using IntegerTable = std::map<std::string, IntegerFunction>;

/// Functions of bits by name.
static const IntegerTable &bitFunctions() {
  static const IntegerTable functions = {
      {"and", [](int64_t a, int64_t b, int64_t, const Type &) { return uint64_t(a & b); }},
      {"or", [](int64_t a, int64_t b, int64_t, const Type &) { return uint64_t(a | b); }},
      {"xor", [](int64_t a, int64_t b, int64_t, const Type &) { return uint64_t(a ^ b); }},
      {"not", [](int64_t a, int64_t, int64_t, const Type &) { return uint64_t(~a); }},
      {"prmt", permuted},
      {"popc", [](int64_t a, int64_t, int64_t,
                  const Type &) { return uint64_t(std::popcount(uint64_t(a))); }},
      {"shl",
       [](int64_t a, int64_t b, int64_t, const Type &type) {
         uint64_t by = uint32_t(b);
         return by >= type.bits ? 0 : uint64_t(a) << by;
       }},
      {"shr",
       [](int64_t a, int64_t b, int64_t, const Type &type) {
         uint64_t by = std::min<uint64_t>(uint32_t(b), type.isSigned() ? type.bits - 1 : 64);
         return type.isSigned() ? uint64_t(a >> by) : by >= type.bits ? 0 : uint64_t(a) >> by;
       }},
      {"shf.r.wrap", [](int64_t a, int64_t b, int64_t c,
                        const Type &) { return funnel(a, b) >> (uint32_t(c) & 31); }},
      {"shf.l.wrap", [](int64_t a, int64_t b, int64_t c,
                        const Type &) { return funnel(a, b) << (uint32_t(c) & 31) >> 32; }},
      {"bfe",
       [](int64_t a, int64_t b, int64_t c, const Type &type) {
         uint64_t position = uint64_t(b) & 0xff, length = uint64_t(c) & 0xff;
         uint64_t field = position >= 64 ? 0 : mask(uint64_t(a) >> position, length);
         bool negative = type.isSigned() && length > 0 && (field >> (length - 1)) != 0;
         return negative ? field | ~uint64_t(0) << length : field;
       }},
  };
  return functions;
}

static const IntegerTable &arithmeticFunctions() {
  static const IntegerTable functions = {
      {"mov", [](int64_t a, int64_t, int64_t, const Type &) { return uint64_t(a); }},
      {"add",
       [](int64_t a, int64_t b, int64_t, const Type &) { return uint64_t(a) + uint64_t(b); }},
      {"sub",
       [](int64_t a, int64_t b, int64_t, const Type &) { return uint64_t(a) - uint64_t(b); }},
      {"mul",
       [](int64_t a, int64_t b, int64_t, const Type &) { return uint64_t(a) * uint64_t(b); }},
      {"mad", [](int64_t a, int64_t b, int64_t c,
                 const Type &) { return uint64_t(a) * uint64_t(b) + uint64_t(c); }},
      {"div",
       [](int64_t a, int64_t b, int64_t, const Type &type) {
         if (b == 0) {
           return ~uint64_t(0);
         }
         if (type.isSigned()) { // the least number has no positive one
           return b == -1 ? -uint64_t(a) : uint64_t(a / b);
         }
         return uint64_t(a) / uint64_t(b);
       }},
      {"rem",
       [](int64_t a, int64_t b, int64_t, const Type &type) {
         if (b == 0) {
           return uint64_t(a);
         }
         if (type.isSigned()) {
           return b == -1 ? 0 : uint64_t(a % b);
         }
         return uint64_t(a) % uint64_t(b);
       }},
      {"min",
       [](int64_t a, int64_t b, int64_t, const Type &type) {
         return type.isSigned() ? uint64_t(std::min(a, b)) : std::min(uint64_t(a), uint64_t(b));
       }},
      {"max",
       [](int64_t a, int64_t b, int64_t, const Type &type) {
         return type.isSigned() ? uint64_t(std::max(a, b)) : std::max(uint64_t(a), uint64_t(b));
       }},
      {"neg", [](int64_t a, int64_t, int64_t, const Type &) { return -uint64_t(a); }},
      {"abs", [](int64_t a, int64_t, int64_t, const Type &) { return uint64_t(std::abs(a)); }},
      {"cvta", [](int64_t a, int64_t, int64_t, const Type &) { return uint64_t(a); }},
  };
  return functions;
}

static IntegerFunction integerFunction(const std::string &name) {
  for (const IntegerTable *table : {&arithmeticFunctions(), &bitFunctions()}) {
    if (auto found = table->find(name); found != table->end()) {
      return found->second;
    }
  }
  return nullptr;
}

/// Sums, and products with them, that leave a carry (.cc) or take one in (addc, madc).
static bool decodeCarry(const Statement &s, const Symbols &symbols, const Type &type,
                        Instruction &out) {
  const std::string &name = s.opcode[0];
  bool takes = name == "addc" || name == "madc";
  bool leaves = has(s, "cc");
  bool isProduct = name.starts_with("mad");
  if ((!takes && !leaves) || (!isProduct && !name.starts_with("add")) || type.isSigned()) {
    return false;
  }
  bool isHigh = has(s, "hi");
  out.run = [=, d = resultOf(s.operands[0]), a = sourceOf(s.operands[1], symbols),
             b = sourceOf(s.operands[2], symbols),
             c = sourceOf(s.operands[isProduct ? 3 : 2], symbols)](Thread &t) {
    unsigned __int128 first = mask(a(t), type.bits);
    if (isProduct) {
      first *= mask(b(t), type.bits);
      first = mask(static_cast<uint64_t>(isHigh ? first >> type.bits : first), type.bits);
    }
    unsigned __int128 sum = first + mask(c(t), type.bits) + (takes && t.carry ? 1 : 0);
    t.registers[d] = mask(static_cast<uint64_t>(sum), type.bits);
    t.carry = leaves ? (sum >> type.bits) != 0 : t.carry;
  };
  return true;
}

static bool decodeInteger(const Statement &s, const Symbols &symbols, const Type &type,
                          Instruction &out) {
  bool isFunnel = s.opcode[0] == "shf";
  IntegerFunction function =
      integerFunction(isFunnel ? fmt::format("shf.{}.{}", s.opcode[1], s.opcode[2]) : s.opcode[0]);
  if (!function) {
    return false;
  }
  Source a = sourceOf(s.operands[1], symbols);
  Source b = s.operands.size() > 2 ? sourceOf(s.operands[2], symbols) : a;
  Source c = s.operands.size() > 3 ? sourceOf(s.operands[3], symbols) : a;
  uint32_t d = resultOf(s.operands[0]);
  if (has(s, "hi")) {
    out.run = [=](Thread &t) {
      __int128 x = extended(a(t), type), y = extended(b(t), type);
      if (!type.isSigned()) {
        x = static_cast<unsigned __int128>(mask(a(t), type.bits));
        y = static_cast<unsigned __int128>(mask(b(t), type.bits));
      }
      t.registers[d] = mask(static_cast<uint64_t>((x * y) >> type.bits), type.bits);
    };
    return true;
  }
  bool isWide = has(s, "wide");
  Type third = type;
  third.bits = isWide ? 2 * type.bits : type.bits;
  // The amount of a shift, and position and length of a field, are 32 bits of no sign.
  bool isShift = s.opcode[0] == "shl" || s.opcode[0] == "shr" || s.opcode[0] == "bfe";
  Type second = isShift ? Type{'u', 32, false} : type;
  third = s.opcode[0] == "bfe" ? second : third;
  unsigned resultBits = isWide ? 2 * type.bits : type.bits;
  auto one = [=](uint64_t x, uint64_t y, uint64_t z) {
    uint64_t result = function(extended(x, type), extended(y, second), extended(z, third), type);
    return mask(result, resultBits);
  };
  out.run = [=](Thread &t) {
    uint64_t x = a(t), y = b(t), z = c(t);
    uint64_t result = one(x, y, z);
    if (type.isPair) {
      result |= one(x >> 16, y >> 16, z >> 16) << 16;
    }
    t.registers[d] = result;
  };
  return true;
}

static bool compare(const std::string &how, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  if (how == "num" || how == "nan") {
    return unordered == (how == "nan");
  }
  std::string base = how.size() == 3 ? how.substr(0, 2) : how; // "ltu": or unordered
  if (unordered) {
    return how.size() == 3;
  }
  return base == "eq"   ? a == b
         : base == "ne" ? a != b
         : base == "lt" ? a < b
         : base == "le" ? a <= b
         : base == "gt" ? a > b
                        : a >= b;
}

static bool compareIntegers(const std::string &how, int64_t a, int64_t b, bool isSigned) {
  if (how == "eq" || how == "ne") {
    return (a == b) == (how == "eq");
  }
  bool less = isSigned ? a < b : uint64_t(a) < uint64_t(b);
  if (how == "lt" || how == "lo") {
    return less;
  }
  if (how == "ge" || how == "hs") {
    return !less;
  }
  bool isLessOrEqual = less || a == b;
  return how == "le" || how == "ls" ? isLessOrEqual : !isLessOrEqual;
}

static void decodeCompare(const Statement &s, const Symbols &symbols, Instruction &out) {
  Type type = typeOf(s);
  Source a = sourceOf(s.operands[1], symbols), b = sourceOf(s.operands[2], symbols);
  out.run = [=, d = resultOf(s.operands[0]), how = s.opcode[1]](Thread &t) {
    t.registers[d] = type.isFloat() ? compare(how, toDouble(a(t), type), toDouble(b(t), type))
                                    : compareIntegers(how, extended(a(t), type),
                                                      extended(b(t), type), type.isSigned());
  };
}

/// A float to an integer: rounded as asked for, limited to the type, 0 for NaN.
static uint64_t toInteger(double value, const Type &to, const Statement &s) {
  value = has(s, "rni")   ? std::nearbyint(value)
          : has(s, "rmi") ? std::floor(value)
          : has(s, "rpi") ? std::ceil(value)
                          : std::trunc(value);
  if (std::isnan(value)) {
    return 0;
  }
  double low = to.isSigned() ? -std::ldexp(1, static_cast<int>(to.bits) - 1) : 0;
  double high = std::ldexp(1, static_cast<int>(to.bits) - to.isSigned());
  if (value < low) {
    value = low;
  }
  if (value >= high) {
    return mask(to.isSigned() ? ~uint64_t(0) >> (65 - to.bits) : ~uint64_t(0), to.bits);
  }
  return mask(to.isSigned() ? static_cast<uint64_t>(static_cast<int64_t>(value))
                            : static_cast<uint64_t>(value),
              to.bits);
}

/// What a conversion to an integer leaves in a register, which may be wider: the sign goes on.
static uint64_t inRegister(uint64_t value, const Type &type) {
  return static_cast<uint64_t>(extended(value, type));
}

static void decodeConversion(const Statement &s, const Symbols &symbols, Instruction &out) {
  Type from = typeOf(s);
  std::optional<Type> to = typeNamed(s.opcode[s.opcode.size() - 2]);
  if (!to) {
    throw Fault{"conversion"};
  }
  uint32_t d = resultOf(s.operands[0]);
  Source a = sourceOf(s.operands[1], symbols);
  if (to->isPair) {
    // The first operand is the upper half.
    Source low = sourceOf(s.operands[2], symbols);
    out.run = [=, half = Type{to->kind, 16, false}](Thread &t) {
      t.registers[d] =
          fromDouble(toDouble(low(t), from), half) | fromDouble(toDouble(a(t), from), half) << 16;
    };
    return;
  }
  Statement copy = s;
  out.run = [=, to = *to](Thread &t) {
    uint64_t bits = a(t);
    if (from.isFloat()) {
      double value = toDouble(bits, from);
      bool toWhole = to.isFloat() &&
                     (has(copy, "rni") || has(copy, "rmi") || has(copy, "rpi") || has(copy, "rzi"));
      if (toWhole) {
        value = has(copy, "rni")   ? std::nearbyint(value)
                : has(copy, "rmi") ? std::floor(value)
                : has(copy, "rpi") ? std::ceil(value)
                                   : std::trunc(value);
      }
      t.registers[d] =
          to.isFloat() ? fromDouble(value, to) : inRegister(toInteger(value, to, copy), to);
      return;
    }
    int64_t value = extended(bits, from);
    if (!to.isFloat()) {
      t.registers[d] = inRegister(static_cast<uint64_t>(value), to);
    } else if (to.bits == 32) {
      float rounded = from.isSigned() ? static_cast<float>(value)
                                      : static_cast<float>(static_cast<uint64_t>(value));
      t.registers[d] = std::bit_cast<uint32_t>(rounded);
    } else {
      t.registers[d] = fromDouble(
          from.isSigned() ? static_cast<double>(value) : static_cast<double>(uint64_t(value)), to);
    }
  };
}

/// mov of a pair or quadruple of registers to one, and back.
static bool decodePacking(const Statement &s, const Symbols &symbols, Instruction &out) {
  const Operand &to = s.operands[0], &from = s.operands[1];
  unsigned bits = typeOf(s).bits;
  if (from.kind == Operand::Kind::List) {
    unsigned each = bits / static_cast<unsigned>(from.parts.size());
    std::vector<Source> parts;
    for (const Operand &part : from.parts) {
      parts.push_back(sourceOf(part, symbols));
    }
    out.run = [=, d = resultOf(to)](Thread &t) {
      uint64_t whole = 0;
      for (size_t i = 0; i < parts.size(); ++i) {
        whole |= mask(parts[i](t), each) << (i * each);
      }
      t.registers[d] = whole;
    };
    return true;
  }
  if (to.kind == Operand::Kind::List) {
    unsigned each = bits / static_cast<unsigned>(to.parts.size());
    std::vector<uint32_t> parts;
    for (const Operand &part : to.parts) {
      parts.push_back(resultOf(part));
    }
    out.run = [=, a = sourceOf(from, symbols)](Thread &t) {
      uint64_t whole = a(t);
      for (size_t i = 0; i < parts.size(); ++i) {
        t.registers[parts[i]] = mask(whole >> (i * each), each);
      }
    };
    return true;
  }
  return false;
}

bool decodeScalar(const Statement &s, const Symbols &symbols, Instruction &out) {
  const std::string &name = s.opcode[0];
  if (name == "setp") {
    decodeCompare(s, symbols, out);
    return true;
  }
  if (name == "cvt") {
    decodeConversion(s, symbols, out);
    return true;
  }
  if (name == "selp") {
    Source a = sourceOf(s.operands[1], symbols), b = sourceOf(s.operands[2], symbols);
    Source p = sourceOf(s.operands[3], symbols);
    unsigned bits = typeOf(s).bits;
    out.run = [=, d = resultOf(s.operands[0])](Thread &t) {
      t.registers[d] = mask(p(t) ? a(t) : b(t), bits);
    };
    return true;
  }
  if (name == "mov" && decodePacking(s, symbols, out)) {
    return true;
  }
  std::optional<Type> type = typeNamed(s.opcode.back());
  if (!type || s.operands.size() < 2) {
    return false;
  }
  return (type->isFloat() && name != "mov" && decodeFloat(s, symbols, *type, out)) ||
         decodeCarry(s, symbols, *type, out) || decodeInteger(s, symbols, *type, out);
}

} // namespace zyxc::rt::ptxsim
