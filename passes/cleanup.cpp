#include "passes/passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace mmk {

// Blocks are not merged: control flow is structured here. One sweep finds what there is; what it
// leaves is a constant that stands farther in than it could.
void addCleanup(OpPassManager &manager) {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled).setMaxIterations(1);
  manager.addPass(createCanonicalizerPass(config));
  manager.addPass(createCSEPass());
}

} // namespace mmk
