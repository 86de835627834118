// The passes from mmk IR to synchronised aicore IR, and the pipeline that runs them in order.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"
#include "machines/machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class PassManager;
}

namespace mmk {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

/// What the passes need to know of a machine, as an attribute of the IR.
aicore::MachineAttr machineAttr(const Machine &machine, mlir::MLIRContext &context);

/// Choices that override a schedule's defaults, in order: ("tile.M", "64").
using Choices = std::vector<std::pair<std::string, std::string>>;

/// Printable name of the variant that a kernel was given (after mmk-apply-variant):
/// "cores=20,tile=128x256x64,stage=256,l1=2,...". `parseVariant` takes it back.
std::string variantName(ir::KernelOp kernel);

/// Reads "tile.M=64,epilogue=separate" and whole variant names ("tile=128x256x64" stands for the
/// tiles of `tileDims` in order). On error says in `message` what is wrong.
bool parseVariant(llvm::StringRef text, llvm::ArrayRef<std::string> tileDims, Choices &choices,
                  std::string &message);

/// Dimensions that a tile may be given for: those of the outputs and of the reductions, in the
/// order of a variant's name.
std::vector<std::string> tileDims(ir::KernelOp kernel);

/// How far down the way of a kernel to go.
enum class Stage { mmk, tiled, aicore };

struct PipelineOptions {
  Choices choices;
  bool verify = false;    ///< verify the IR after each pass
  bool proveSync = true;  ///< with aicore-verify-sync; without, for variants that are only timed
  std::string printAfter; ///< print the IR to stderr after the pass of this name; "all"
  /// For tests of the proof: what befalls the IR before aicore-verify-sync looks at it.
  std::function<void(mlir::ModuleOp)> spoil;
};

/// What aicore-verify-sync says of a phase that takes too long to prove. Of all that it says, this
/// alone is no fault of the flags.
inline constexpr llvm::StringLiteral beyondProof =
    "the synchronisation of this phase has too many states to be followed; fewer copies (buffers) "
    "have fewer";

/// The passes that lead from mmk IR to aicore IR on one machine. What they need to set up, they set
/// up once: for one who lowers many variants. For one thread at a time, as its context.
class Pipeline {
public:
  Pipeline(mlir::MLIRContext &context, const Machine &machine);
  ~Pipeline();

  /// Runs those as far as `stage`. Messages go to the context's diagnostics.
  mlir::LogicalResult run(mlir::ModuleOp module, Stage stage, const PipelineOptions &options = {});
  /// Whether the last run ended in aicore-verify-sync: the passes before it set these flags, so
  /// that nobody else can have done it wrong.
  bool endedInProof() const { return endedInProof_; }

private:
  void watch(mlir::PassManager &manager);
  mlir::PassManager &passesTo(Stage stage, const PipelineOptions &options);

  mlir::MLIRContext &context_;
  aicore::MachineAttr machine_;
  std::map<std::pair<Stage, bool>, std::unique_ptr<mlir::PassManager>> managers_; ///< by proveSync
  std::function<void(mlir::ModuleOp)> spoil_;
  bool endedInProof_ = false;
};

/// The same for one module.
mlir::LogicalResult runPipeline(mlir::ModuleOp module, const Machine &machine, Stage stage,
                                const PipelineOptions &options = {});

/// Registers what the passes need of upstream dialects (tiling of linalg ops); for every context
/// in which they run.
void registerDialectExtensions(mlir::DialectRegistry &registry);

/// Adds the passes after mmk-apply-variant, for mmk-opt's `--mmk-pipeline`.
void buildPipeline(mlir::OpPassManager &manager, Stage stage, bool proveSync = true);

} // namespace mmk
