#include "passes/pipelines/HostPipeline.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace zyxc {

void buildHostPipeline(OpPassManager &passes, const HostExpandOptions &options) {
  passes.addPass(createHostNarrowFloatsPass());
  passes.addPass(createHostExpandPass(options));
  passes.addPass(createCSEPass());
  passes.addPass(createHostToLlvmPass());
}

void registerHostPipeline() {
  registerPass(createHostNarrowFloatsPass);
  registerPass([] { return createHostExpandPass(); });
  registerPass(createHostToLlvmPass);
  PassPipelineRegistration<>("zyxk-host-pipeline",
                             "Lowered host kernels (scf, vector, memref) to the LLVM dialect",
                             [](OpPassManager &passes) { buildHostPipeline(passes); });
}

} // namespace zyxc
