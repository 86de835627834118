// The way of a kernel, from top to bottom.
#include "compiler/pipeline.h"
#include "support/timing.h"

#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Pass/PassInstrumentation.h"
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

/// A part of the time for each pass. Passes run one after the other, in the thread that asked.
class PassTimes : public PassInstrumentation {
public:
  void runBeforePass(Pass *pass, Operation *) override {
    const StringRef name = pass->getArgument();
    open.emplace_back(std::make_unique<TimedScope>(name.empty() ? pass->getName() : name));
  }
  void runAfterPass(Pass *, Operation *) override { open.pop_back(); }
  void runAfterPassFailed(Pass *, Operation *) override { open.pop_back(); }

private:
  std::vector<std::unique_ptr<TimedScope>> open;
};

bool isProof(Pass *pass) { return pass->getArgument() == "aicore-verify-sync"; }

/// Whose fault a failure is depends on whether the proof is what failed.
class ProofWatch : public PassInstrumentation {
public:
  ProofWatch(bool &failed, const std::function<void(ModuleOp)> &spoil)
      : failed(failed), spoil(spoil) {}
  void runBeforePass(Pass *pass, Operation *op) override {
    if (isProof(pass) && spoil)
      spoil(cast<ModuleOp>(op));
  }
  void runAfterPassFailed(Pass *pass, Operation *) override { failed |= isProof(pass); }

private:
  bool &failed;
  const std::function<void(ModuleOp)> &spoil;
};

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
  if (stage == Stage::tiled) {
    manager.addPass(createCSEPass()); // for who reads it
    return;
  }
  // Which buffer holds a value, and by that which transfers bring it there; from then on, program
  // order is the meaning. What the vector unit does with a tile is then cut for its cores and
  // buffers.
  manager.addPass(createAssignMemories());
  manager.addPass(createInsertTransfers());
  manager.addPass(createDistributeVectorWork());
  // Transfers move ahead of the work that they feed.
  manager.addPass(createDoubleBuffer());
  // What all of them leave behind goes at once: in between it is in nobody's way.
  tidy(manager);
  // Offsets need the final number of copies.
  manager.addPass(createPlanMemory());
  // Flags need the final order.
  manager.addPass(createInsertSync());
  // A kernel goes out with the proof that its flags are right.
  if (proveSync)
    manager.addPass(createVerifySync());
}

Pipeline::Pipeline(MLIRContext &context, const Machine &machine)
    : context_(context), machine_(machineAttr(machine, context)) {}
Pipeline::~Pipeline() = default;

void Pipeline::watch(PassManager &manager) {
  if (Timing::isOn())
    manager.addInstrumentation(std::make_unique<PassTimes>());
  manager.addInstrumentation(std::make_unique<ProofWatch>(endedInProof_, spoil_));
}

PassManager &Pipeline::passesTo(Stage stage, const PipelineOptions &options) {
  std::unique_ptr<PassManager> &manager = managers_[{stage, options.proveSync}];
  if (!manager) {
    manager = std::make_unique<PassManager>(&context_);
    watch(*manager);
    buildPipeline(*manager, stage, options.proveSync);
  }
  return *manager;
}

LogicalResult Pipeline::run(ModuleOp module, Stage stage, const PipelineOptions &options) {
  const TimedScope timed("passes");
  spoil_ = options.spoil;
  endedInProof_ = false;
  module->setAttr("aicore.machine", machine_);
  ApplyVariantOptions choose;
  for (auto &[key, value] : options.choices)
    choose.variant += (choose.variant.empty() ? "" : ",") + key + "=" + value;
  PassManager chooser(&context_);
  watch(chooser);
  chooser.addPass(createApplyVariant(choose));
  if (options.printAfter.empty()) {
    PassManager &passes = passesTo(stage, options);
    for (PassManager *manager : {&chooser, &passes}) {
      manager->enableVerifier(options.verify);
      if (failed(manager->run(module)))
        return failure();
    }
    return success();
  }
  // What prints its passes is set up for that alone.
  chooser.enableVerifier(options.verify);
  chooser.enableIRPrinting(
      /*shouldPrintBeforePass=*/nullptr,
      [&](Pass *pass, Operation *) {
        return options.printAfter == "all" || pass->getArgument() == options.printAfter;
      },
      /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
  buildPipeline(chooser, stage, options.proveSync);
  return chooser.run(module);
}

LogicalResult runPipeline(ModuleOp module, const Machine &machine, Stage stage,
                          const PipelineOptions &options) {
  return Pipeline(*module.getContext(), machine).run(module, stage, options);
}

} // namespace mmk
