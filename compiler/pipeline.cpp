// The lowering pipeline, from top to bottom.
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

/// A part of the time for each pass. Passes run one after the other, in the calling thread.
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

/// A failure of the proof is a bug of mmk; other failures are errors of the user.
class ProofWatch : public PassInstrumentation {
public:
  ProofWatch(bool &failed, const std::function<void(ModuleOp)> &mutateBeforeVerify)
      : failed(failed), mutateBeforeVerify(mutateBeforeVerify) {}
  void runBeforePass(Pass *pass, Operation *op) override {
    if (isProof(pass) && mutateBeforeVerify)
      mutateBeforeVerify(cast<ModuleOp>(op));
  }
  void runAfterPassFailed(Pass *pass, Operation *) override { failed |= isProof(pass); }

private:
  bool &failed;
  const std::function<void(ModuleOp)> &mutateBeforeVerify;
};

} // namespace

void registerDialectExtensions(DialectRegistry &registry) {
  linalg::registerTilingInterfaceExternalModels(registry);
}

void addVariantPasses(OpPassManager &manager, bool joinsDimensions) {
  // A reduction that is none any more has other tiles, as has a product that is several.
  manager.addPass(createUnrollWindows());
  // Tiles are named by the dimensions that are left.
  manager.addPass(createJoinDimensions({joinsDimensions}));
  manager.addPass(createApplyVariant());
}

void buildPipeline(OpPassManager &manager, const Backend &backend, LoweringLevel level,
                   FlagEffort effort) {
  if (level == LoweringLevel::mmk)
    return;
  // Before its copy would be a fusion group.
  manager.addPass(createReadWindows());
  // Fusion groups are formed while the body is on whole tensors.
  manager.addPass(createFuseEpilogue());
  if (level == LoweringLevel::fused)
    return;
  // Rows that are divided become reductions of their parts and a combination of the results.
  manager.addPass(createSplitRows());
  // A split reduction becomes a product of the splits and their sum, each a fusion group.
  manager.addPass(createSplitReduction());
  // The mapping of output tiles to cores, then the depth of one step of the product.
  manager.addPass(createTileCores());
  manager.addPass(createTileBase());
  if (level == LoweringLevel::tiled) {
    manager.addPass(createCSEPass()); // readable output
    return;
  }
  // The rest is the back end's.
  backend.addPasses(manager, effort);
}

Pipeline::Pipeline(MLIRContext &context, const Machine &machine)
    : context_(context), backend_(backendOf(machine.kind)),
      machine_(machineAttr(machine, context)) {}
Pipeline::~Pipeline() = default;

void Pipeline::watch(PassManager &manager) {
  if (Timing::isOn())
    manager.addInstrumentation(std::make_unique<PassTimes>());
  manager.addInstrumentation(std::make_unique<ProofWatch>(endedInProof_, mutateBeforeVerify_));
}

PassManager &Pipeline::passesTo(LoweringLevel level, const PipelineOptions &options) {
  std::unique_ptr<PassManager> &manager = managers_[{level, options.effort()}];
  if (!manager) {
    manager = std::make_unique<PassManager>(&context_);
    watch(*manager);
    buildPipeline(*manager, backend_, level, options.effort());
  }
  return *manager;
}

LogicalResult Pipeline::run(ModuleOp module, LoweringLevel level, const PipelineOptions &options) {
  const TimedScope timed("passes");
  mutateBeforeVerify_ = options.mutateBeforeVerify;
  endedInProof_ = false;
  module->setAttr("aicore.machine", machine_);
  setChoices(module, options.choices);
  const auto runAll = [&](PassManager &manager) {
    manager.enableVerifier(options.verify);
    if (!options.printAfter.empty())
      manager.enableIRPrinting(
          /*shouldPrintBeforePass=*/nullptr,
          [&](Pass *pass, Operation *) {
            return options.printAfter == "all" || pass->getArgument() == options.printAfter;
          },
          /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
    return manager.run(module);
  };
  PassManager variant(&context_);
  watch(variant);
  addVariantPasses(variant, options.joinsDimensions);
  if (failed(runAll(variant)))
    return failure();
  for (ir::KernelOp kernel : module.getOps<ir::KernelOp>())
    choices_ = choicesOf(kernel);
  if (options.printAfter.empty())
    return runAll(passesTo(level, options));
  // Printing is enabled on a manager for this run only.
  PassManager printed(&context_);
  watch(printed);
  buildPipeline(printed, backend_, level, options.effort());
  return runAll(printed);
}

LogicalResult runPipeline(ModuleOp module, const Machine &machine, LoweringLevel level,
                          const PipelineOptions &options) {
  return Pipeline(*module.getContext(), machine).run(module, level, options);
}

} // namespace mmk
