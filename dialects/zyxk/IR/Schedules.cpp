// Text form and checks of the schedule attributes: `<field = value, ...>` in any order, each field
// once, unknown fields refused; printed in declaration order without fields at their default.
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/IR/text/ScheduleText.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zyxc::zyxk {

//===- Values of fields ----------------------------------------------------------------------===//

static ParseResult parseValue(AsmParser &parser, StringRef, int64_t &value) {
  return parser.parseInteger(value);
}

static ParseResult parseValue(AsmParser &parser, StringRef, StringAttr &value) {
  return parser.parseAttribute(value);
}

template <size_t n>
static ParseResult parseValue(AsmParser &parser, StringRef name, std::array<int64_t, n> &value) {
  size_t count = 0;
  SMLoc loc = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    int64_t integer = 0;
    if (parser.parseInteger(integer)) {
      return failure();
    }
    if (count < n) {
      value[count] = integer;
    }
    ++count;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne)) {
    return failure();
  }
  if (count != n) {
    return parser.emitError(loc, "schedule field '")
           << name << "' has " << n << " integers, not " << count;
  }
  return success();
}

template <class Enum>
  requires std::is_enum_v<Enum>
static ParseResult parseValue(AsmParser &parser, StringRef name, Enum &value) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword)) {
    return failure();
  }
  std::optional<Enum> parsed = symbolizeEnum<Enum>(keyword);
  if (!parsed) {
    return parser.emitError(loc, "'") << keyword << "' is no value of field " << name;
  }
  value = *parsed;
  return success();
}

//===- All fields ----------------------------------------------------------------------------===//

template <ScheduleFields Fields> static ParseResult parseFields(AsmParser &parser, Fields &fields) {
  SmallVector<StringRef> seen;
  auto parseField = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name)) {
      return failure();
    }
    if (llvm::is_contained(seen, name)) {
      return parser.emitError(loc, "schedule field '") << name << "' is given twice";
    }
    seen.push_back(name);
    std::optional<ParseResult> result;
    fields.visit([&](StringRef field, auto &value) {
      if (field == name) {
        result = failure(parser.parseEqual() || parseValue(parser, field, value));
      }
    });
    if (result) {
      return *result;
    }
    SmallVector<StringRef> known;
    fields.visit([&](StringRef field, auto &) { known.push_back(field); });
    return parser.emitError(loc, "unknown schedule field '")
           << name << "'; known are " << llvm::join(known, ", ");
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalLessGreater, parseField);
}

template <ScheduleFields Fields> static SmallVector<std::string> textOf(Fields fields) {
  SmallVector<std::string> values;
  fields.visit([&](StringRef, const auto &value) {
    llvm::raw_string_ostream os(values.emplace_back());
    printFieldValue(os, value);
  });
  return values;
}

template <ScheduleFields Fields> static void printFields(AsmPrinter &printer, Fields fields) {
  SmallVector<std::string> values = textOf(fields);
  SmallVector<std::string> standard = textOf(Fields{});
  raw_ostream &os = printer.getStream();
  size_t index = 0;
  StringRef separator;
  os << '<';
  fields.visit([&](StringRef name, const auto &) {
    if (values[index] != standard[index]) {
      os << separator << name << " = " << values[index];
      separator = ", ";
    }
    ++index;
  });
  os << '>';
}

//===- Checks that need no target ------------------------------------------------------------===//

using ErrorFn = function_ref<InFlightDiagnostic()>;

/// No negative integer; `vec` is a power of two; `flatten`, `online` and other switches are 0 or 1.
template <ScheduleFields Fields>
static LogicalResult verifyRanges(ErrorFn emitError, Fields fields) {
  static constexpr StringRef switches[] = {"flatten", "online", "pack"};
  LogicalResult result = success();
  auto check = [&](StringRef name, int64_t value) {
    if (failed(result)) {
      return;
    }
    if (value < 0 || value > (int64_t(1) << 40)) {
      result = emitError() << "schedule field '" << name << "' is negative or too large: " << value;
    } else if (name == "vec" && (value > 64 || (value & (value - 1)) != 0)) {
      result = emitError() << "schedule field 'vec' is a power of two up to 64, not " << value;
    } else if (llvm::is_contained(switches, name) && value > 1) {
      result = emitError() << "schedule field '" << name << "' is 0 or 1";
    }
  };
  fields.visit([&](StringRef name, const auto &value) {
    if constexpr (std::is_same_v<decltype(value), const int64_t &>) {
      check(name, value);
    } else if constexpr (requires { value.max_size(); }) {
      llvm::for_each(value, [&](int64_t part) { check(name, part); });
    }
  });
  return result;
}

/// Rules that hold within one family.
template <ScheduleFields Fields> static LogicalResult verifyFamily(ErrorFn, const Fields &) {
  return success();
}

static LogicalResult verifyFamily(ErrorFn emitError, const RowFields &row) {
  if (row.inflight > 16) {
    return emitError() << "schedule field 'inflight' is at most 16";
  }
  if (row.cluster > 1 && row.scope != Scope::Cluster) {
    return emitError() << "schedule field 'cluster' needs scope = cluster";
  }
  return success();
}

static LogicalResult verifyFamily(ErrorFn emitError, const ContractFields &contract) {
  if (contract.order) {
    std::string letters = contract.order.getValue().str();
    llvm::sort(letters);
    if (letters != "kmn") {
      return emitError() << "schedule field 'order' is a permutation of \"mnk\"";
    }
  }
  StringRef task = contract.task ? contract.task.getValue() : "m";
  if (task != "m" && task != "n" && task != "batch") {
    return emitError() << "schedule field 'task' is \"m\", \"n\" or \"batch\"";
  }
  return success();
}

static LogicalResult verifyFamily(ErrorFn emitError, const MmaFields &mma) {
  if (!llvm::is_contained({0, 32, 64, 128}, mma.swizzle)) {
    return emitError() << "schedule field 'swizzle' is 0, 32, 64 or 128, not " << mma.swizzle;
  }
  bool wgmma = mma.unit == MmaUnit::Wgmma;
  if (mma.warps[0] && wgmma) {
    return emitError() << "unit = wgmma counts 'warpgroups', not 'warps'";
  }
  if ((mma.warpgroups[0] || mma.loaders || mma.copy == Copy::Tma) && !wgmma) {
    return emitError()
           << "schedule fields 'warpgroups', 'loaders' and copy = tma need unit = wgmma";
  }
  if (mma.thread[0] && mma.unit != MmaUnit::Fma) {
    return emitError() << "schedule field 'thread' needs unit = fma";
  }
  return success();
}

static LogicalResult verifyFamily(ErrorFn emitError, const AttnFields &attn) {
  bool wgmma = attn.unit == MmaUnit::Wgmma;
  if (attn.warps && wgmma) {
    return emitError() << "unit = wgmma counts 'warpgroups', not 'warps'";
  }
  if ((attn.warpgroups || attn.loaders || attn.copy == Copy::Tma) && !wgmma) {
    return emitError()
           << "schedule fields 'warpgroups', 'loaders' and copy = tma need unit = wgmma";
  }
  return success();
}

template <ScheduleFields Fields>
static LogicalResult verifyFields(ErrorFn emitError, const Fields &fields) {
  return failure(failed(verifyRanges(emitError, fields)) ||
                 failed(verifyFamily(emitError, fields)));
}

//===- The attributes ------------------------------------------------------------------------===//

#define ZYXK_SCHEDULE(FAMILY)                                                                      \
  Attribute FAMILY##ScheduleAttr::parse(AsmParser &parser, Type) {                                 \
    FAMILY##Fields fields;                                                                         \
    SMLoc loc = parser.getCurrentLocation();                                                       \
    if (parseFields(parser, fields)) {                                                             \
      return {};                                                                                   \
    }                                                                                              \
    return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), fields);         \
  }                                                                                                \
  void FAMILY##ScheduleAttr::print(AsmPrinter &printer) const {                                    \
    printFields(printer, getFields());                                                             \
  }                                                                                                \
  LogicalResult FAMILY##ScheduleAttr::verify(ErrorFn emitError, FAMILY##Fields fields) {           \
    return verifyFields(emitError, fields);                                                        \
  }

ZYXK_SCHEDULE(Map)
ZYXK_SCHEDULE(Row)
ZYXK_SCHEDULE(Col)
ZYXK_SCHEDULE(Contract)
ZYXK_SCHEDULE(Mma)
ZYXK_SCHEDULE(Attn)
ZYXK_SCHEDULE(Move)
ZYXK_SCHEDULE(Scan)
ZYXK_SCHEDULE(Block)

#undef ZYXK_SCHEDULE

} // namespace zyxc::zyxk
