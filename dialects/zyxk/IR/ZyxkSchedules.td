// Schedules: one flat attribute per family. The fields and their meaning are in ScheduleFields.h.
#ifndef ZYXK_SCHEDULES
#define ZYXK_SCHEDULES

include "dialects/zyxk/IR/ZyxkBase.td"

def Zyxk_Scope : Zyxk_Enum<"Scope", "who works on one row", [
  I32EnumAttrCase<"Lane", 0, "lane">, I32EnumAttrCase<"Subgroup", 1, "subgroup">,
  I32EnumAttrCase<"Block", 2, "block">, I32EnumAttrCase<"Cluster", 3, "cluster">
]>;

def Zyxk_Hold : Zyxk_Enum<"Hold", "where a value waits between its uses", [
  I32EnumAttrCase<"Auto", 0, "auto">, I32EnumAttrCase<"Reload", 1, "reload">,
  I32EnumAttrCase<"Reg", 2, "reg">, I32EnumAttrCase<"Smem", 3, "smem">
]>;

def Zyxk_Pack : Zyxk_Enum<"Pack", "when an operand of a contraction is packed into panels", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Loop", 1, "loop">,
  I32EnumAttrCase<"Prepared", 2, "prepared">
]>;

def Zyxk_Unit : Zyxk_Enum<"Unit", "what multiplies on the host", [I32EnumAttrCase<"Fma", 0, "fma">]>;

def Zyxk_MmaUnit : Zyxk_Enum<"MmaUnit", "what multiplies on a GPU", [
  I32EnumAttrCase<"Fma", 0, "fma">, I32EnumAttrCase<"Mma", 1, "mma">,
  I32EnumAttrCase<"Wgmma", 2, "wgmma">, I32EnumAttrCase<"Coop", 3, "coop">
]>;

def Zyxk_Copy : Zyxk_Enum<"Copy", "how a stage is filled from memory", [
  I32EnumAttrCase<"Ld", 0, "ld">, I32EnumAttrCase<"CpAsync", 1, "cp_async">,
  I32EnumAttrCase<"Tma", 2, "tma">
]>;

def Zyxk_Grid : Zyxk_Enum<"Grid", "how workgroups meet tiles", [
  I32EnumAttrCase<"Plain", 0, "plain">, I32EnumAttrCase<"Persistent", 1, "persistent">
]>;

def Zyxk_Place : Zyxk_Enum<"Place", "memory of a workgroup that holds a tile", [
  I32EnumAttrCase<"Smem", 0, "smem">, I32EnumAttrCase<"Reg", 1, "reg">
]>;

def Zyxk_Via : Zyxk_Enum<"Via", "the way of a tile from port to port", [
  I32EnumAttrCase<"Smem", 0, "smem">, I32EnumAttrCase<"Reg", 1, "reg">,
  I32EnumAttrCase<"Tma", 2, "tma">
]>;

def Zyxk_Finish : Zyxk_Enum<"Finish", "who joins the parts of a split reduction", [
  I32EnumAttrCase<"Second", 0, "second">, I32EnumAttrCase<"LastBlock", 1, "last_block">
]>;

def Zyxk_Overlap : Zyxk_Enum<"Overlap", "what runs beside the products of attention", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Intra", 1, "intra">,
  I32EnumAttrCase<"PingPong", 2, "pingpong">
]>;

def Zyxk_Skip : Zyxk_Enum<"Skip", "which tiles of keys are left out", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Bounds", 1, "bounds">
]>;

def Zyxk_ScanMode : Zyxk_Enum<"ScanMode", "how tiles of a scan meet", [
  I32EnumAttrCase<"Serial", 0, "serial">, I32EnumAttrCase<"TwoPass", 1, "two_pass">,
  I32EnumAttrCase<"Lookback", 2, "lookback">
]>;

// Printed as `#zyxk.name<field = value, ...>`, fields in declaration order, defaults left out.
class Zyxk_Schedule<string family, string mnemonicText, string text>
    : AttrDef<Zyxk_Dialect, family # "Schedule"> {
  let mnemonic = mnemonicText;
  let summary = text;
  let parameters = (ins !strconcat("::zyxc::zyxk::", family, "Fields"):$fields);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Zyxk_MapSchedule : Zyxk_Schedule<"Map", "map", "elementwise, gather, pad, windows">;
def Zyxk_RowSchedule : Zyxk_Schedule<"Row", "row", "reductions along rows">;
def Zyxk_ColSchedule : Zyxk_Schedule<"Col", "col", "reductions along columns, lanes across">;
def Zyxk_ContractSchedule : Zyxk_Schedule<"Contract", "contract", "sums of products on the host">;
def Zyxk_MmaSchedule : Zyxk_Schedule<"Mma", "mma", "sums of products on a GPU">;
def Zyxk_AttnSchedule : Zyxk_Schedule<"Attn", "attn", "contraction, expsum, contraction">;
def Zyxk_MoveSchedule : Zyxk_Schedule<"Move", "move", "transposes and changes of layout">;
def Zyxk_ScanSchedule : Zyxk_Schedule<"Scan", "scan", "prefix forms along an axis">;
def Zyxk_BlockSchedule : Zyxk_Schedule<"Block", "block", "a whole subgraph in one workgroup">;

#endif
