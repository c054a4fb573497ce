// The zyxk dialect and its enumerations.
#ifndef ZYXK_BASE
#define ZYXK_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Zyxk_Dialect : Dialect {
  let name = "zyxk";
  let cppNamespace = "::zyxc::zyxk";
  let summary = "Kernels: an iteration domain, ports, a scalar body and a schedule";
  let description = [{
    The kernel level. The body of a kernel says what is computed, as scalar values over named axes;
    its schedule attribute says how. There are no loops, no staging and no layouts of registers in
    the body. docs/kernels.md explains the model with examples.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Zyxk_Op<string mnemonic, list<Trait> traits = []> : Op<Zyxk_Dialect, mnemonic, traits>;

class Zyxk_Enum<string name, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::zyxc::zyxk";
  let genSpecializedAttr = 0;
}

def Zyxk_PortMode : Zyxk_Enum<"PortMode", "how a kernel uses a port", [
  I32EnumAttrCase<"In", 0, "in">, I32EnumAttrCase<"Out", 1, "out">,
  I32EnumAttrCase<"InOut", 2, "inout">, I32EnumAttrCase<"Scratch", 3, "scratch">
]>;

def Zyxk_Oob : Zyxk_Enum<"Oob", "what a load does outside of its port", [
  I32EnumAttrCase<"Prove", 0, "prove">, I32EnumAttrCase<"Clamp", 1, "clamp">,
  I32EnumAttrCase<"Else", 2, "else">
]>;

def Zyxk_Combine : Zyxk_Enum<"Combine", "how a store meets the value that is there", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Max", 3, "max">
]>;

// Integer kinds are signed unless the name starts with u. Float max and min propagate NaN.
def Zyxk_ReduceKind : Zyxk_Enum<"ReduceKind", "monoid of a reduction", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
  I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">,
  I32EnumAttrCase<"ArgMax", 8, "argmax">, I32EnumAttrCase<"ArgMin", 9, "argmin">,
  I32EnumAttrCase<"UArgMax", 10, "uargmax">, I32EnumAttrCase<"UArgMin", 11, "uargmin">
]>;

def Zyxk_ReduceOrder : Zyxk_Enum<"ReduceOrder", "order in which a reduction combines", [
  I32EnumAttrCase<"Free", 0, "free">, I32EnumAttrCase<"Tree", 1, "tree">,
  I32EnumAttrCase<"Serial", 2, "serial">
]>;

class Zyxk_EnumAttr<EnumInfo info, string mnemonic> : EnumAttr<Zyxk_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}
def Zyxk_OobAttr : Zyxk_EnumAttr<Zyxk_Oob, "oob">;
def Zyxk_CombineAttr : Zyxk_EnumAttr<Zyxk_Combine, "combine">;
def Zyxk_ReduceKindAttr : Zyxk_EnumAttr<Zyxk_ReduceKind, "monoid">;
def Zyxk_ReduceOrderAttr : Zyxk_EnumAttr<Zyxk_ReduceOrder, "reduce_order">;

#endif
