// Base classes of the zyx dialect. ODS is the single declaration of an op: kinds, arity and
// attributes used by the e-graph and the interpreter are generated from it (tools/zyx-tblgen).
#ifndef ZYX_BASE
#define ZYX_BASE

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Zyx_Dialect : Dialect {
  let name = "zyx";
  let cppNamespace = "::zyxc::zyx";
  let summary = "Tensor graphs with value semantics";
  let description = [{
    The graph level: tensor values, shapes and dtypes, no layout and no buffers. Structural
    primitives, and composites that each carry a decomposition into primitives. Scalar semantics
    are those of docs/semantics.md on every target.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// The tensors behind the large constants of this context.
    ::zyxc::zyx::SharedTensors &sharedTensors() { return tensors; }

  private:
    ::zyxc::zyx::SharedTensors tensors;

  public:
  }];
}

def Zyx_Tensor : TensorOf<[
  I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64, F16, BF16, F32, F64, F8E4M3FN, F8E5M2,
  I<4>, UI<4>, I<2>, UI<2>, F4E2M1FN
]>;

// An op whose result type follows from its operands and attributes by the one table of
// dialects/zyx/semantics/Infer.h, which serves the verifier too. The family names of the
// subclasses below (Unary, Binary, Compare, Reduce, Movement, Composite, Structural) become
// OpFamily in the generated kind table.
class Zyx_Op<string mnemonic, list<Trait> traits = []>
    : Op<Zyx_Dialect, mnemonic,
         !listconcat([Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)> {
  let results = (outs Zyx_Tensor:$result);
  string family = "Structural";
  string inferDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      ::mlir::DictionaryAttr all = attributes;
      if (properties) {
        // The inherent attributes live in the properties: merge them into one dictionary.
        ::mlir::NamedAttrList list(attributes);
        ::mlir::Attribute inherent =
            getPropertiesAsAttr(context, *properties.as<Properties *>());
        if (auto dictionary = ::llvm::dyn_cast_or_null<::mlir::DictionaryAttr>(inherent))
          for (::mlir::NamedAttribute entry : dictionary)
            list.set(entry.getName(), entry.getValue());
        all = list.getDictionary(context);
      }
      return ::zyxc::zyx::inferResultTypes(getOperationName(), context, location, operands, all,
                                           types);
    }
    ::llvm::LogicalResult $cppClass::verify() {
      return ::zyxc::zyx::verifyResultType(getOperation());
    }
  }];
  let extraClassDefinition = inferDefinition;
  let hasVerifier = 1;
}

// The fold method of an op that folds by the function of ZyxDialect.h of this name.
class Zyx_FoldBy<string function> {
  string definition = [{
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::zyxc::zyx::}] # function # [{(getOperation(), adaptor.getOperands());
    }
  }];
}

// Elementwise: one operand, same shape.
class Zyx_Unary<string mnemonic, string text> : Zyx_Op<mnemonic> {
  let summary = text;
  let arguments = (ins Zyx_Tensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let family = "Unary";
  let hasFolder = 1;
  let extraClassDefinition = inferDefinition # Zyx_FoldBy<"foldElementwise">.definition;
}

// Elementwise: two operands of one type; broadcasting is explicit (zyx.expand).
class Zyx_Binary<string mnemonic, string text, list<Trait> traits = []>
    : Zyx_Op<mnemonic, traits> {
  let summary = text;
  let arguments = (ins Zyx_Tensor:$x, Zyx_Tensor:$y);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x) `,` type($y) `->` type($result)";
  let family = "Binary";
  let hasFolder = 1;
  let extraClassDefinition = inferDefinition # Zyx_FoldBy<"foldElementwise">.definition;
}

// As Zyx_Binary, with a bool result.
class Zyx_Compare<string mnemonic, string text, list<Trait> traits = []>
    : Zyx_Binary<mnemonic, text, traits> {
  let family = "Compare";
}

// Reduction over `axes` (sorted, distinct), which disappear from the shape.
class Zyx_Reduce<string mnemonic, string text> : Zyx_Op<mnemonic> {
  let summary = text;
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$axes);
  let assemblyFormat = "$x `over` $axes attr-dict `:` type($x) `->` type($result)";
  let family = "Reduce";
}

// A kind of node of the e-graph that no op of the dialect stands for.
class Zyx_GraphKind<string mnemonic, dag args> {
  string opName = mnemonic;
  dag arguments = args;
  string family = "Structural";
  list<Trait> traits = [];
}

class Zyx_Movement<string mnemonic> : Zyx_Op<mnemonic> {
  let family = "Movement";
}

// An op that is defined by its decomposition (dialects/zyx/semantics/Decompose.cpp).
class Zyx_Composite<string mnemonic> : Zyx_Op<mnemonic> {
  let family = "Composite";
}

#endif
