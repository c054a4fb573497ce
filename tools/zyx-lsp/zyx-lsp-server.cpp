// zyx-lsp-server: a language server for .mlir files of zyxc's dialects: diagnostics, definitions,
// hover, completion, and code that editors ask for. What MLIR's server does, with our dialects.
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tools/ir/Registration.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  zyxc::registerDialects(registry);
  zyxc::registerPasses();
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
