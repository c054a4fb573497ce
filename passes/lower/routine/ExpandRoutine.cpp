#include "passes/lower/routine/ExpandRoutine.h"
#include "dialects/zyxk/IR/affine/SizeExpr.h"
#include "mlir/Parser/Parser.h"
#include "passes/lower/routine/LowerOpaque.h"
#include "runtime/core/DType.h"
#include "runtime/routines/Scatter.h"
#include <fmt/format.h>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

namespace {

/// A routine's kernel, and the text of its body.
struct Expansion {
  OpaqueOp opaque;
  std::vector<std::string> elements; ///< types of the ports' elements: "f32"
  std::vector<std::string> shapes;   ///< of the ports: "2, 37"
  Shape shape;                       ///< of port 0
  std::string body = {};

  template <class... Args> void add(fmt::format_string<Args...> line, Args &&...args) {
    body += "  " + fmt::format(line, std::forward<Args>(args)...) + "\n";
  }
  /// The DType that param `i` names.
  DType dtype(size_t i) { return static_cast<DType>(opaque.getParams()[i]); }
};

} // namespace

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The bits of the largest number of a float, which is infinity where the format has one.
static uint64_t largestBits(DType dtype) {
  switch (dtype) {
  case DType::F16: return 0x7c00;
  case DType::BF16: return 0x7f80;
  case DType::F64: return uint64_t(0x7ff) << 52;
  case DType::F8E4M3FN: return 0x7e;
  case DType::F8E5M2: return 0x7c;
  default: return 0x7f800000;
  }
}

/// `%kV` from element `%V`: unsigned numbers that order as the elements do. NaN is the largest.
static void addKey(Expansion &e, DType dtype, std::string_view v) {
  size_t bits = 8 * byteSize(dtype);
  std::string type = fmt::format("i{}", bits);
  int64_t sign = static_cast<int64_t>(-(uint64_t(1) << (bits - 1)));
  if (e.elements[0] == "i1") {
    e.add("%k{0} = arith.extui %{0} : i1 to {1}", v, type);
    return;
  }
  if (!isFloat(dtype)) {
    bool isSigned =
        dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
    e.add("%s{} = arith.constant {} : {}", v, isSigned ? sign : 0, type);
    e.add("%k{0} = arith.xori %{0}, %s{0} : {1}", v, type);
    return;
  }
  if (e.elements[0] != type) {
    e.add("%b{0} = arith.bitcast %{0} : {1} to {2}", v, e.elements[0], type);
  } else {
    e.add("%n{} = arith.constant 0 : {}", v, type);
    e.add("%b{0} = arith.ori %{0}, %n{0} : {1}", v, type);
  }
  e.add("%s{} = arith.constant {} : {}", v, sign, type);
  e.add("%o{} = arith.constant -1 : {}", v, type);
  e.add("%z{} = arith.constant 0 : {}", v, type);
  e.add("%l{} = arith.constant {} : {}", v, largestBits(dtype), type);
  e.add("%r{} = arith.constant {} : {}", v, ~sign, type);
  e.add("%m{0} = arith.andi %b{0}, %r{0} : {1}", v, type);
  e.add("%isNan{0} = arith.cmpi ugt, %m{0}, %l{0} : {1}", v, type);
  e.add("%isZero{0} = arith.cmpi eq, %m{0}, %z{0} : {1}", v, type);
  e.add("%isLow{0} = arith.cmpi slt, %b{0}, %z{0} : {1}", v, type);
  e.add("%low{0} = arith.xori %b{0}, %o{0} : {1}", v, type);
  e.add("%high{0} = arith.ori %b{0}, %s{0} : {1}", v, type);
  e.add("%some{0} = arith.select %isLow{0}, %low{0}, %high{0} : {1}", v, type);
  e.add("%number{0} = arith.select %isZero{0}, %s{0}, %some{0} : {1}", v, type);
  e.add("%k{0} = arith.select %isNan{0}, %o{0}, %number{0} : {1}", v, type);
}

/// Each element goes to the place that the number of those before it tells.
static std::string addSort(Expansion &e, DType dtype, bool descending) {
  std::string rows, bounds;
  for (size_t axis = 0; axis + 1 < e.shape.size(); ++axis) {
    rows += fmt::format("r{}, ", axis);
    bounds += fmt::format("r{} < {}, ", axis, e.shape[axis]);
  }
  std::string keys = fmt::format("i{}", 8 * byteSize(dtype));
  e.add("%a = load %p0[{}i] : {}", rows, e.elements[0]);
  e.add("%c = load %p0[{}j] : {}", rows, e.elements[0]);
  addKey(e, dtype, "a");
  addKey(e, dtype, "c");
  e.add("%less = arith.cmpi {}, %kc, %ka : {}", descending ? "ugt" : "ult", keys);
  e.add("%same = arith.cmpi eq, %kc, %ka : {}", keys);
  e.add("%i = index i");
  e.add("%j = index j");
  e.add("%i64 = arith.index_cast %i : index to i64");
  e.add("%j64 = arith.index_cast %j : index to i64");
  e.add("%first = arith.cmpi slt, %j64, %i64 : i64");
  e.add("%tie = arith.andi %same, %first : i1");
  e.add("%before = arith.ori %less, %tie : i1");
  e.add("%one = arith.extui %before : i1 to i64");
  e.add("%rank = reduce add %one over [j] : i64");
  e.add("%at = arith.index_cast %rank : i64 to index");
  for (size_t port = 1; port < e.elements.size(); ++port) {
    bool isPosition = e.opaque.getRoutine() == "argsort" || port == 2;
    e.add("store {}, %p{}[{}%at] : {}", isPosition ? "%i64" : "%a", port, rows, e.elements[port]);
  }
  return fmt::format("{0}i < {1}, j < {1}", bounds, e.shape.back());
}

/// `%t`: the row that update m goes to; `%match`: whether that is row n.
static void addScatterRows(Expansion &e) {
  DType dtype = e.dtype(2);
  bool isSigned = dtype != DType::U8 && dtype != DType::U16 && dtype != DType::U32;
  e.add("%raw = load %p1[m] : {}", e.elements[1]);
  if (e.elements[1] == "i64") {
    e.add("%nothing = arith.constant 0 : i64");
    e.add("%index = arith.addi %raw, %nothing : i64");
  } else {
    e.add("%index = arith.{} %raw : {} to i64", isSigned ? "extsi" : "extui", e.elements[1]);
  }
  e.add("%zero64 = arith.constant 0 : i64");
  e.add("%rows = arith.constant {} : i64", dtype == DType::U64 ? 0 : e.shape[0]);
  e.add("%fromEnd = arith.addi %index, %rows : i64");
  e.add("%isNegative = arith.cmpi slt, %index, %zero64 : i64");
  e.add("%t = arith.select %isNegative, %fromEnd, %index : i64");
  e.add("%n = index n");
  e.add("%n64 = arith.index_cast %n : index to i64");
  e.add("%match = arith.cmpi eq, %t, %n64 : i64");
}

/// The last update of a row replaces it.
static void addReplacing(Expansion &e) {
  const std::string &type = e.elements[0];
  e.add("%m = index m");
  e.add("%m64 = arith.index_cast %m : index to i64");
  e.add("%none = arith.constant -1 : i64");
  e.add("%which = arith.select %match, %m64, %none : i64");
  e.add("%last = reduce max %which over [m] : i64");
  e.add("%has = arith.cmpi sge, %last, %zero64 : i64");
  e.add("%safe = arith.maxsi %last, %zero64 : i64");
  e.add("%at = arith.index_cast %safe : i64 to index");
  e.add("%u = load %p2[%at, i] : {}", type);
  e.add("%x = load %p0[n, i] : {}", type);
  e.add("%result = arith.select %has, %u, %x : {}", type);
  e.add("store %result, %p3[n, i] : {}", type);
}

namespace {

/// How updates of a kind are joined: a reduction, an op, and what changes nothing.
struct Joining {
  std::string_view reduction, op;
  std::string identity;
};

} // namespace

static Joining joiningOf(rt::ScatterKind kind, DType dtype, std::string_view type) {
  bool real = isFloat(dtype);
  bool isUnsigned =
      dtype == DType::U8 || dtype == DType::U16 || dtype == DType::U32 || dtype == DType::U64;
  size_t bits = 8 * byteSize(dtype);
  auto least = static_cast<int64_t>(-(uint64_t(1) << (bits - 1)));
  bool isDouble = type == "f64";
  switch (kind) {
  case rt::ScatterKind::Mul: return {"mul", real ? "mulf" : "muli", real ? "1.0" : "1"};
  case rt::ScatterKind::Max:
    return real         ? Joining{"max", "maximumf", isDouble ? "0xFFF0000000000000" : "0xFF800000"}
           : isUnsigned ? Joining{"umax", "maxui", "0"}
                        : Joining{"max", "maxsi", std::to_string(least)};
  case rt::ScatterKind::Min:
    return real         ? Joining{"min", "minimumf", isDouble ? "0x7FF0000000000000" : "0x7F800000"}
           : isUnsigned ? Joining{"umin", "minui", "-1"}
                        : Joining{"min", "minsi", std::to_string(~least)};
  default: return {"add", real ? "addf" : "addi", real ? "-0.0" : "0"};
  }
}

static LogicalResult addCombining(Expansion &e, rt::ScatterKind kind) {
  DType dtype = e.dtype(1);
  const std::string &type = e.elements[0];
  bool real = isFloat(dtype);
  if (dtype == DType::Bool || (real && byteSize(dtype) == 1)) {
    return e.opaque.emitOpError() << "cannot be lowered: routine '" << e.opaque.getRoutine()
                                  << "' combines such elements on the host only";
  }
  bool widens = real && byteSize(dtype) == 2;
  std::string wide = widens ? "f32" : type;
  auto load = [&](std::string_view name, std::string_view from) {
    e.add("%{}{} = load {} : {}", name, widens ? "Narrow" : "", from, type);
    if (widens) {
      e.add("%{0} = arith.extf %{0}Narrow : {1} to f32", name, type);
    }
  };
  Joining joining = joiningOf(kind, dtype, wide);
  load("u", "%p2[m, i]");
  load("x", "%p0[n, i]");
  e.add("%identity = arith.constant {} : {}", joining.identity, wide);
  e.add("%update = arith.select %match, %u, %identity : {}", wide);
  e.add("%all = reduce {} %update over [m] : {}", joining.reduction, wide);
  e.add("%joined = arith.{} %x, %all : {}", joining.op, wide);
  if (widens) {
    e.add("%result = arith.truncf %joined : f32 to {}", type);
  }
  e.add("store {}, %p3[n, i] : {}", widens ? "%result" : "%joined", type);
  return success();
}

/// The axes of the body; fails for a routine that has none.
static FailureOr<std::string> addBody(Expansion &e) {
  StringRef routine = e.opaque.getRoutine();
  ArrayRef<int64_t> params = e.opaque.getParams();
  if (routine == "sort" || routine == "sort_values" || routine == "argsort") {
    auto port = cast<PortType>(e.opaque.getPorts()[0].getType());
    DType dtype = params.size() > 1 ? e.dtype(1) : elementDType(port.getElementType());
    return addSort(e, dtype, !params.empty() && params[0] == 1);
  }
  if (routine != "scatter") {
    return e.opaque.emitOpError() << "cannot be lowered: routine '" << routine
                                  << "' runs on the host only";
  }
  auto kind = static_cast<rt::ScatterKind>(params[0]);
  addScatterRows(e);
  if (kind == rt::ScatterKind::None) {
    addReplacing(e);
  } else if (failed(addCombining(e, kind))) {
    return failure();
  }
  return fmt::format("n < {}, i < {}, m < {}", e.shape[0], e.shape[1], e.shapes[1]);
}

FailureOr<KernelOp> expandRoutine(KernelOp kernel) {
  Expansion e{opaqueOf(kernel), {}, {}, {}};
  if (failed(checkRoutine(e.opaque))) {
    return failure();
  }
  std::string ports;
  for (auto [i, port] : llvm::enumerate(e.opaque.getPorts())) {
    auto type = cast<PortType>(port.getType());
    Shape shape;
    for (AffineExpr size : type.getShape().getResults()) {
      shape.push_back(sizeOf(size));
    }
    e.elements.push_back(typeText(type.getElementType()));
    e.shapes.push_back(fmt::format("{}", fmt::join(shape, ", ")));
    e.shape = i == 0 ? shape : e.shape;
    ports +=
        fmt::format("{}%p{}: {} {}[{}]", i ? ", " : "", i, stringifyPortMode(type.getMode()).str(),
                    e.elements.back(), e.shapes.back());
  }
  FailureOr<std::string> axes = addBody(e);
  if (failed(axes)) {
    return failure();
  }
  std::string text = fmt::format("zyxk.kernel @{} ports({}) axes({}) {{\n{}}}\n",
                                 kernel.getSymName().str(), ports, *axes, e.body);
  auto parsed = parseSourceString<ModuleOp>(text, ParserConfig(kernel.getContext()));
  if (!parsed) {
    return kernel.emitError() << "its routine was not expanded";
  }
  auto expanded = *parsed->getOps<KernelOp>().begin();
  expanded->moveBefore(kernel);
  kernel.erase();
  return expanded;
}

} // namespace zyxc
