// The way of a kernel, from top to bottom.
#include "passes/passes.h"

#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mmk {

namespace {

// Blocks are not merged: control flow is structured here. One sweep finds what there is; what it
// leaves is a constant that stands farther in than it could.
void tidy(OpPassManager &manager) {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled).setMaxIterations(1);
  manager.addPass(createCanonicalizerPass(config));
  manager.addPass(createCSEPass());
}

} // namespace

void registerDialectExtensions(DialectRegistry &registry) {
  linalg::registerTilingInterfaceExternalModels(registry);
}

void buildPipeline(OpPassManager &manager, Stage stage, bool proveSync) {
  if (stage == Stage::mmk)
    return;
  // Which operations share a pass over memory: decided while the body is whole tensors.
  manager.addPass(createFuseEpilogue());
  // A reduction that several cores share becomes parts and their sum, each a nest.
  manager.addPass(createSplitReduction());
  // Who computes which output tile, then how deep one step of its product reaches.
  manager.addPass(createTileCores());
  manager.addPass(createTileBase());
  manager.addPass(createCSEPass());
  if (stage == Stage::tiled)
    return;
  // Tiles become buffers, slices become transfers; from here on, program order is the meaning.
  manager.addPass(createPlace());
  tidy(manager);
  // Transfers move ahead of the work that they feed.
  manager.addPass(createDoubleBuffer());
  tidy(manager);
  // Offsets need the final number of copies.
  manager.addPass(createPlanMemory());
  // Flags need the final order.
  manager.addPass(createInsertSync());
  // A kernel goes out with the proof that its flags are right.
  if (proveSync)
    manager.addPass(createVerifySync());
}

LogicalResult runPipeline(ModuleOp module, const Machine &machine, Stage stage,
                          const PipelineOptions &options) {
  module->setAttr("aicore.machine", machineAttr(machine, *module.getContext()));
  std::string variant;
  for (auto &[key, value] : options.choices)
    variant += (variant.empty() ? "" : ",") + key + "=" + value;

  PassManager manager(module.getContext());
  manager.enableVerifier(options.verify);
  if (!options.printAfter.empty()) {
    bool all = options.printAfter == "all";
    manager.enableIRPrinting(
        /*shouldPrintBeforePass=*/nullptr,
        [all, name = options.printAfter](Pass *pass, Operation *) {
          return all || pass->getArgument() == name;
        },
        /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
  }
  ApplyVariantOptions choose;
  choose.variant = variant;
  manager.addPass(createApplyVariant(choose));
  buildPipeline(manager, stage, options.proveSync);
  return manager.run(module);
}

} // namespace mmk
