// Body ops that touch ports or coordinates: load, store, where, index, dim.
#ifndef ZYXK_ACCESS
#define ZYXK_ACCESS

include "dialects/zyxk/IR/ZyxkTypes.td"

class Zyxk_BodyOp<string mnemonic, list<Trait> traits = []>
    : Zyxk_Op<mnemonic, !listconcat([HasParent<"KernelOp">], traits)> {
  let hasCustomAssemblyFormat = 1;
}

def Zyxk_LoadOp : Zyxk_BodyOp<"load", [MemoryEffects<[MemRead]>, AttrSizedOperandSegments]> {
  let summary = "The element of a port at coordinates";
  let description = [{
    `load %x[n, c, h * 2 + r - 1, %i] : f32`. The coordinates are quasi-affine expressions of axes,
    dims and SSA values of type index: `map` has as dims all axes of the kernel, then `coords`, and
    as symbols the dims of the kernel. Coordinates must be inside the port (`oob prove`), be guarded
    by a `where` above the load, or are clamped (`oob clamp`), or the result is another value where
    one of them is outside (`oob else(%c)`).
  }];
  let arguments = (ins Zyxk_Port:$port, Variadic<Index>:$coords, Optional<AnyType>:$otherwise,
                       AffineMapAttr:$map, DefaultValuedAttr<Zyxk_OobAttr, "Oob::Prove">:$oob);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$port,
      "::mlir::ValueRange":$coords, "::mlir::AffineMap":$map, CArg<"Oob", "Oob::Prove">:$oob), [{
    build($_builder, $_state, type, port, coords, ::mlir::Value(), map, oob);
  }]>];
}

def Zyxk_StoreOp : Zyxk_BodyOp<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes a value to a port, at every point of the axes that its map uses";
  let description = [{
    `store %v, %y[r, n] combine add : f32`. `map` and `coords` are as in load. Without `combine` the
    coordinates must differ for different points.
  }];
  let arguments = (ins AnyType:$value, Zyxk_Port:$port, Variadic<Index>:$coords,
                       AffineMapAttr:$map,
                       DefaultValuedAttr<Zyxk_CombineAttr, "Combine::None">:$combine);
  let hasVerifier = 1;
}

def Zyxk_WhereOp : Zyxk_BodyOp<"where", [Pure]> {
  let summary = "A value inside a set of axis points, another one outside";
  let description = [{
    `where %v if (h >= 1 and h < 57) else %c : f32`. Loads that only %v needs are not executed
    outside of the set. `set` has the axes as dims and the dims of the kernel as symbols.
  }];
  let arguments = (ins AnyType:$value, AnyType:$otherwise, IntegerSetAttr:$set);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
}

def Zyxk_IndexOp : Zyxk_BodyOp<"index", [Pure]> {
  let summary = "The coordinate along an axis as a value: `index n`";
  let arguments = (ins I64Attr:$axis);
  let results = (outs Index:$result);
  let hasVerifier = 1;
}

def Zyxk_DimOp : Zyxk_BodyOp<"dim", [Pure]> {
  let summary = "The size that a dim has, as a value: `dim N`";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Index:$result);
  let hasVerifier = 1;
}

#endif
