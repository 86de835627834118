// The passes from mmk IR to synchronised aicore IR, run in order.
#pragma once

#include "backend/backend.h"
#include "passes/passes.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace mlir {
class PassManager;
}

namespace mmk {

/// How far to lower a kernel.
enum class LoweringLevel { mmk, fused, tiled, aicore };

struct PipelineOptions {
  FlagEffort effort() const {
    return proveSync ? FlagEffort::proved : keepImplied ? FlagEffort::kept : FlagEffort::fewest;
  }

  Choices choices;
  /// Whether dimensions that all operations go along together are one, which takes tensors whose
  /// strides allow it.
  bool joinsDimensions = true;
  bool verify = false;   ///< verify the IR after each pass
  bool proveSync = true; ///< with aicore-verify-sync; without, for variants that are only timed
  /// Without a proof: flags that others imply stay, for variants that are only ranked.
  bool keepImplied = false;
  std::string printAfter; ///< print the IR to stderr after the pass of this name; "all"
  /// For tests of the proof: mutates the IR before aicore-verify-sync.
  std::function<void(mlir::ModuleOp)> mutateBeforeVerify;
};

/// The passes from mmk IR to aicore IR on one machine, set up once for many variants. For one
/// thread at a time, as its context.
class Pipeline {
public:
  Pipeline(mlir::MLIRContext &context, const Machine &machine);
  ~Pipeline();

  /// Runs the passes up to `level`. Messages go to the context's diagnostics.
  mlir::LogicalResult run(mlir::ModuleOp module, LoweringLevel level,
                          const PipelineOptions &options = {});
  /// Whether the last run failed in aicore-verify-sync: the passes before it set these flags, so
  /// that it is a bug of mmk.
  bool endedInProof() const { return endedInProof_; }
  /// All choices of the variant of the last run.
  const Choices &choices() const { return choices_; }

private:
  void watch(mlir::PassManager &manager);
  mlir::PassManager &passesTo(LoweringLevel level, const PipelineOptions &options);

  mlir::MLIRContext &context_;
  const Backend &backend_;
  aicore::MachineAttr machine_;
  std::map<std::pair<LoweringLevel, FlagEffort>, std::unique_ptr<mlir::PassManager>> managers_;
  std::function<void(mlir::ModuleOp)> mutateBeforeVerify_;
  bool endedInProof_ = false;
  Choices choices_;
};

/// The same for one module.
mlir::LogicalResult runPipeline(mlir::ModuleOp module, const Machine &machine, LoweringLevel level,
                                const PipelineOptions &options = {});

/// Registers what the passes need of upstream dialects (tiling of linalg ops); for every context
/// in which they run.
void registerDialectExtensions(mlir::DialectRegistry &registry);

/// Adds mmk-apply-variant, and what changes the groups that it chooses for.
void addVariantPasses(mlir::OpPassManager &manager, bool joinsDimensions = true);

/// Adds the passes after mmk-apply-variant; mmk-opt has them as `--mmk-pipeline`.
void buildPipeline(mlir::OpPassManager &manager, const Backend &backend, LoweringLevel level,
                   FlagEffort effort = FlagEffort::proved);

} // namespace mmk
