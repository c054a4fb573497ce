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
  let summary = "Check that a module is a model of zyx ops that the compiler can handle";
  let description = [{
    The module must hold exactly one public function, the model. Its types are tensors whose dims
    have a size, a number or an expression (#zyx.dims), and its `zyx.name` attributes are strings,
    each used once among the inputs and once among the outputs. Beside it there may be private
    functions, which are decompositions of custom ops, and zyxk.kernel ops. Functions are one block
    of zyx ops. Changes nothing; reports the first violation.
  }];
}

def InstantiateCustomPass : Pass<"zyx-instantiate-custom", "::mlir::ModuleOp"> {
  let summary = "Give uses of custom kernels the decomposition of the declaration at their types";
  let description = [{
    Each `zyx.custom` of a declared kernel with a decomposition gets a private function as its own
    one: a copy with the sizes of the use in place of the names of dims. Uses with the same sizes
    share it.
  }];
  let dependentDialects = ["::zyxc::zyx::ZyxDialect"];
}

def UnrollPass : Pass<"zyx-unroll", "::mlir::func::FuncOp"> {
  let summary = "Replace branches by selections and loops of a known limit by their iterations";
  let description = [{
    For targets that neither branch nor loop. Both regions of an `if` are computed. Of a loop whose
    condition only the run tells, all iterations are computed, up to the limit, and those after its
    end are not taken. Loops of more than 1024 iterations stay, and regions that write to inputs.
  }];
  let dependentDialects = ["::zyxc::zyx::ZyxDialect"];
}

def BindSizesPass : Pass<"zyx-bind-sizes", "::mlir::ModuleOp"> {
  let summary = "Replace variables of symbolic sizes by sizes, in types, attributes and ops";
  let description = [{
    The result types are inferred again, also in regions and in private functions; limits of loops
    are bound. `sizes` maps names to numbers or expressions:

        zyx-opt --zyx-bind-sizes=sizes=N=8,M=2 model.mlir
  }];
  let options = [
    ListOption<"sizes", "sizes", "std::string", "Sizes by name (N=8,M=2)">
  ];
  let dependentDialects = ["::zyxc::zyx::ZyxDialect"];
}

#endif
