#ifndef ZYXC_PASSES_GRAPH
#define ZYXC_PASSES_GRAPH

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"zyx-decompose"> {
  let summary = "Replace composite ops by their decomposition into primitives";
  let description = [{
    Works until no picked op is left, so that a composite inside a decomposition is replaced too.
    Without `ops` every composite is picked.

    ```mlir
    %0 = zyx.softmax %x over [1] : tensor<2x3xf32> -> tensor<2x3xf32>
    ```

    becomes a maximum, a difference, an exponential, a sum and a quotient.
  }];
  let options = [
    ListOption<"ops", "ops", "std::string", "Mnemonics of the ops to replace (softmax,conv)">
  ];
  let dependentDialects = ["::zyxc::zyx::ZyxDialect"];
}

def CanonicalModulePass : Pass<"zyx-canonical-module", "::mlir::ModuleOp"> {
  let summary = "Check that a module is one function of zyx ops that the compiler can handle";
  let description = [{
    The module must hold exactly one function, of one block, whose ops are zyx ops, whose
    types are tensors of static shape, and whose `zyx.name` attributes are strings, each used once
    among the inputs and once among the outputs. Changes nothing; reports the first violation.
  }];
}

#endif
