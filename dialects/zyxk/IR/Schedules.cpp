// Text form and checks of the schedule attributes: `<field = value, ...>` in any order, each field
// once, unknown fields refused; printed in declaration order without fields at their default.
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/IR/DialectImplementation.h"
#include <functional>

using namespace mlir;

namespace zyxc::zyxk {

namespace {

/// One field of a schedule and how its value is read.
struct Field {
  StringRef name;
  std::function<ParseResult(AsmParser &)> parse;
};

} // namespace

static ParseResult parseFields(AsmParser &parser, ArrayRef<Field> fields) {
  SmallVector<StringRef> seen;
  auto parseField = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name)) {
      return failure();
    }
    const auto *field = llvm::find_if(fields, [&](const Field &f) { return f.name == name; });
    if (field == fields.end()) {
      return parser.emitError(loc, "unknown schedule field '") << name << "'";
    }
    if (llvm::is_contained(seen, name)) {
      return parser.emitError(loc, "schedule field '") << name << "' is given twice";
    }
    seen.push_back(name);
    return failure(parser.parseEqual() || field->parse(parser));
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalLessGreater, parseField);
}

static Field integer(StringRef name, int64_t &value) {
  return {name, [&value](AsmParser &parser) { return parser.parseInteger(value); }};
}

static Field text(StringRef name, StringAttr &value) {
  return {name, [&value](AsmParser &parser) { return parser.parseAttribute(value); }};
}

template <typename Enum, typename Symbolize>
static Field choice(StringRef name, Enum &value, Symbolize symbolize) {
  return {name, [name, &value, symbolize](AsmParser &parser) -> ParseResult {
            StringRef keyword;
            SMLoc loc = parser.getCurrentLocation();
            if (parser.parseKeyword(&keyword)) {
              return failure();
            }
            std::optional<Enum> parsed = symbolize(keyword);
            if (!parsed) {
              return parser.emitError(loc, "'") << keyword << "' is no value of field " << name;
            }
            value = *parsed;
            return success();
          }};
}

namespace {

/// Prints the fields that differ from their defaults.
class FieldPrinter {
public:
  explicit FieldPrinter(AsmPrinter &printer) : os(printer.getStream()) { os << '<'; }
  ~FieldPrinter() { os << '>'; }

  FieldPrinter &integer(StringRef name, int64_t value, int64_t standard = 0) {
    if (value != standard) {
      start(name) << value;
    }
    return *this;
  }
  FieldPrinter &keyword(StringRef name, StringRef value, StringRef standard) {
    if (value != standard) {
      start(name) << value;
    }
    return *this;
  }
  FieldPrinter &text(StringRef name, StringAttr value) {
    if (value) {
      start(name) << '"' << value.getValue() << '"';
    }
    return *this;
  }

private:
  raw_ostream &start(StringRef name) {
    os << (first ? "" : ", ") << name << " = ";
    first = false;
    return os;
  }

  raw_ostream &os;
  bool first = true;
};

} // namespace

static LogicalResult verifyPositive(function_ref<InFlightDiagnostic()> emitError,
                                    ArrayRef<std::pair<StringRef, int64_t>> fields) {
  for (auto [name, value] : fields) {
    if (value < 0) {
      return emitError() << "schedule field '" << name << "' is negative";
    }
  }
  return success();
}

static LogicalResult verifyVector(function_ref<InFlightDiagnostic()> emitError, int64_t lanes) {
  if (lanes > 64 || (lanes & (lanes - 1)) != 0) {
    return emitError() << "schedule field 'vec' is a power of two up to 64, not " << lanes;
  }
  return success();
}

//===- map -----------------------------------------------------------------------------------===//

Attribute MapScheduleAttr::parse(AsmParser &parser, Type) {
  int64_t tile = 0;
  int64_t vec = 0;
  int64_t flatten = 1;
  SMLoc loc = parser.getCurrentLocation();
  if (parseFields(parser,
                  {integer("tile", tile), integer("vec", vec), integer("flatten", flatten)})) {
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), tile, vec, flatten);
}

void MapScheduleAttr::print(AsmPrinter &printer) const {
  FieldPrinter(printer)
      .integer("tile", getTile())
      .integer("vec", getVec())
      .integer("flatten", getFlatten(), 1);
}

LogicalResult MapScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t tile,
                                      int64_t vec, int64_t flatten) {
  if (flatten != 0 && flatten != 1) {
    return emitError() << "schedule field 'flatten' is 0 or 1";
  }
  return failure(failed(verifyPositive(emitError, {{"tile", tile}, {"vec", vec}})) ||
                 failed(verifyVector(emitError, vec)));
}

//===- row -----------------------------------------------------------------------------------===//

Attribute RowScheduleAttr::parse(AsmParser &parser, Type) {
  Scope scope = Scope::Lane;
  Hold hold = Hold::Reload;
  int64_t rows = 0;
  int64_t vec = 0;
  int64_t inflight = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parseFields(parser, {choice("scope", scope, [](StringRef s) { return symbolizeScope(s); }),
                           integer("rows", rows),
                           choice("hold", hold, [](StringRef s) { return symbolizeHold(s); }),
                           integer("vec", vec), integer("inflight", inflight)})) {
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), scope, rows, hold,
                    vec, inflight);
}

void RowScheduleAttr::print(AsmPrinter &printer) const {
  FieldPrinter(printer)
      .keyword("scope", stringifyScope(getScope()), "lane")
      .integer("rows", getRows())
      .keyword("hold", stringifyHold(getHold()), "reload")
      .integer("vec", getVec())
      .integer("inflight", getInflight());
}

LogicalResult RowScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, Scope,
                                      int64_t rows, Hold, int64_t vec, int64_t inflight) {
  if (inflight > 16) {
    return emitError() << "schedule field 'inflight' is at most 16";
  }
  return failure(
      failed(verifyPositive(emitError, {{"rows", rows}, {"vec", vec}, {"inflight", inflight}})) ||
      failed(verifyVector(emitError, vec)));
}

//===- contract ------------------------------------------------------------------------------===//

Attribute ContractScheduleAttr::parse(AsmParser &parser, Type) {
  int64_t mr = 0;
  int64_t nr = 0;
  int64_t mc = 0;
  int64_t nc = 0;
  int64_t kc = 0;
  Pack packA = Pack::Loop;
  Pack packB = Pack::Loop;
  Unit unit = Unit::Fma;
  StringAttr order;
  StringAttr task;
  auto symbolizePackName = [](StringRef s) {
    return symbolizePack(s);
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parseFields(parser,
                  {integer("mr", mr), integer("nr", nr), integer("mc", mc), integer("nc", nc),
                   integer("kc", kc), choice("pack_a", packA, symbolizePackName),
                   choice("pack_b", packB, symbolizePackName),
                   choice("unit", unit, [](StringRef s) { return symbolizeUnit(s); }),
                   text("order", order), text("task", task)})) {
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), mr, nr, mc, nc, kc,
                    packA, packB, unit, order, task);
}

void ContractScheduleAttr::print(AsmPrinter &printer) const {
  FieldPrinter(printer)
      .integer("mr", getMr())
      .integer("nr", getNr())
      .integer("mc", getMc())
      .integer("nc", getNc())
      .integer("kc", getKc())
      .keyword("pack_a", stringifyPack(getPackA()), "loop")
      .keyword("pack_b", stringifyPack(getPackB()), "loop")
      .keyword("unit", stringifyUnit(getUnit()), "fma")
      .text("order", getOrder())
      .text("task", getTask());
}

LogicalResult ContractScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t mr,
                                           int64_t nr, int64_t mc, int64_t nc, int64_t kc, Pack,
                                           Pack, Unit, StringAttr order, StringAttr task) {
  if (order) {
    std::string letters = order.getValue().str();
    llvm::sort(letters);
    if (letters != "kmn") {
      return emitError() << "schedule field 'order' is a permutation of \"mnk\"";
    }
  }
  if (task && task.getValue() != "m" && task.getValue() != "n" && task.getValue() != "batch") {
    return emitError() << "schedule field 'task' is \"m\", \"n\" or \"batch\"";
  }
  return verifyPositive(emitError, {{"mr", mr}, {"nr", nr}, {"mc", mc}, {"nc", nc}, {"kc", kc}});
}

} // namespace zyxc::zyxk
