// The type of a kernel's port.
#ifndef ZYXK_TYPES
#define ZYXK_TYPES

include "dialects/zyxk/IR/ZyxkBase.td"

def Zyxk_Port : TypeDef<Zyxk_Dialect, "Port"> {
  let mnemonic = "port";
  let summary = "A tensor in memory that a kernel reads or writes";
  let description = [{
    `shape` holds one expression per axis over the dims of the kernel (its symbols). `layout` maps
    logical coordinates to one linear offset in elements; without it the port is dense and
    row-major. `align` is the alignment of the address in bytes; 0 means that of an element.
    Elements are signless: u8, bool and the 8-bit floats are stored as i8.
  }];
  let parameters = (ins
    "::mlir::Type":$elementType,
    "::mlir::AffineMap":$shape,
    EnumParameter<Zyxk_PortMode>:$mode,
    OptionalParameter<"::mlir::AffineMap">:$layout,
    DefaultValuedParameter<"int64_t", "0">:$align);
  let genVerifyDecl = 1;
  let assemblyFormat = [{
    `<` $mode $elementType `,` $shape (`layout` `(` $layout^ `)`)? (`align` `(` $align^ `)`)? `>`
  }];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().getNumResults(); }
    bool isReadable() const { return getMode() != PortMode::Out; }
    bool isWritable() const { return getMode() != PortMode::In; }
    /// The shape, if it does not depend on dims.
    std::optional<::llvm::SmallVector<int64_t>> getStaticShape() const;
    /// Map from coordinates to the linear offset in elements, with the kernel's dims as symbols.
    ::mlir::AffineMap getLinearMap() const;
    /// The type that port values have while a kernel is being parsed.
    static PortType getPlaceholder(::mlir::MLIRContext *context);
  }];
}

#endif
