#ifndef ZYX_ATTRS
#define ZYX_ATTRS

include "dialects/zyx/IR/ZyxBase.td"
include "mlir/IR/AttrTypeBase.td"

def Zyx_DimsAttr : AttrDef<Zyx_Dialect, "Dims"> {
  let mnemonic = "dims";
  let summary = "the sizes of the dynamic dims of a tensor type";
  let description = [{
    The encoding of a tensor type with dynamic dims: one text per `?`, in order, each a size over
    named variables in canonical form (runtime/core/Dim.h):

        tensor<?x8x?xf32, #zyx.dims<"N", "2 * N + 1">>
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$sizes);
  let assemblyFormat = "`<` $sizes `>`";
  let genVerifyDecl = 1;
}

#endif
