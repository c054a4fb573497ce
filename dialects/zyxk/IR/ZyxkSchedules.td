// Schedules: one flat attribute per family. A field that is 0 or absent is left to the lowering.
#ifndef ZYXK_SCHEDULES
#define ZYXK_SCHEDULES

include "dialects/zyxk/IR/ZyxkBase.td"

def Zyxk_Scope : Zyxk_Enum<"Scope", "who works on one row", [
  I32EnumAttrCase<"Lane", 0, "lane">, I32EnumAttrCase<"Subgroup", 1, "subgroup">,
  I32EnumAttrCase<"Block", 2, "block">, I32EnumAttrCase<"Cluster", 3, "cluster">
]>;

def Zyxk_Hold : Zyxk_Enum<"Hold", "where a row waits between its reductions", [
  I32EnumAttrCase<"Reload", 0, "reload">, I32EnumAttrCase<"Reg", 1, "reg">,
  I32EnumAttrCase<"Smem", 2, "smem">
]>;

def Zyxk_Pack : Zyxk_Enum<"Pack", "when an operand of a contraction is packed into panels", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Loop", 1, "loop">,
  I32EnumAttrCase<"Prepared", 2, "prepared">
]>;

def Zyxk_Unit : Zyxk_Enum<"Unit", "what multiplies", [I32EnumAttrCase<"Fma", 0, "fma">]>;

// Printed as `#zyxk.name<field = value, ...>`, fields in declaration order, defaults left out.
class Zyxk_Schedule<string name, string mnemonicText, string text>
    : AttrDef<Zyxk_Dialect, name> {
  let mnemonic = mnemonicText;
  let summary = text;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class Zyxk_Field<string default = "0"> : DefaultValuedParameter<"int64_t", default>;

def Zyxk_MapSchedule : Zyxk_Schedule<"MapSchedule", "map", "elementwise, gather, pad, windows"> {
  let description = [{
    `tile`: elements that one task handles. `vec`: vector lanes along the innermost stored axis.
    `flatten`: 1 (default) merges axes where every access allows it, 0 keeps them.
  }];
  let parameters = (ins Zyxk_Field<>:$tile, Zyxk_Field<>:$vec, Zyxk_Field<"1">:$flatten);
}

def Zyxk_RowSchedule : Zyxk_Schedule<"RowSchedule", "row", "reductions along rows"> {
  let description = [{
    `rows`: rows that one task handles. `vec`: vector lanes along the row. `inflight`: independent
    accumulators of one reduction.
  }];
  let parameters = (ins
    DefaultValuedParameter<"::zyxc::zyxk::Scope", "::zyxc::zyxk::Scope::Lane">:$scope,
    Zyxk_Field<>:$rows,
    DefaultValuedParameter<"::zyxc::zyxk::Hold", "::zyxc::zyxk::Hold::Reload">:$hold,
    Zyxk_Field<>:$vec, Zyxk_Field<>:$inflight);
}

def Zyxk_ContractSchedule : Zyxk_Schedule<"ContractSchedule", "contract", "sums of products"> {
  let description = [{
    `mr` x `nr`: register tile. `mc`, `nc`, `kc`: cache blocks. `pack_a`, `pack_b`: packing of the
    operands. `order`: loop order of the blocks, outermost first, such as "nkm". `task`: the role
    that tasks split, "m", "n" or "batch".
  }];
  let parameters = (ins
    Zyxk_Field<>:$mr, Zyxk_Field<>:$nr, Zyxk_Field<>:$mc, Zyxk_Field<>:$nc, Zyxk_Field<>:$kc,
    DefaultValuedParameter<"::zyxc::zyxk::Pack", "::zyxc::zyxk::Pack::Loop">:$packA,
    DefaultValuedParameter<"::zyxc::zyxk::Pack", "::zyxc::zyxk::Pack::Loop">:$packB,
    DefaultValuedParameter<"::zyxc::zyxk::Unit", "::zyxc::zyxk::Unit::Fma">:$unit,
    OptionalParameter<"::mlir::StringAttr">:$order,
    OptionalParameter<"::mlir::StringAttr">:$task);
}

#endif
