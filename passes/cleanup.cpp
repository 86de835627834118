#include "passes/passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace mmk {

// Blocks are not merged: control flow is structured here. One sweep is enough; it only leaves some
// constants deeper in regions than necessary.
void addCleanup(OpPassManager &manager) {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled).setMaxIterations(1);
  manager.addPass(createCanonicalizerPass(config));
  manager.addPass(createCSEPass());
}

} // namespace mmk
