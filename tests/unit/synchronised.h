// A kernel with its flags, for tests of the proof and the watch.
#pragma once

#include "compiler/pipeline.h"
#include "frontend/compile.h"
#include "lower/lower.h"
#include "place/passes.h"
#include "sync/passes.h"
#include "sync/verify_sync_explorer.h"
#include "watch/watch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace mmk {

inline std::string exampleText(const std::string &name) {
  std::ifstream in(std::string(MMK_SOURCE_DIR) + "/examples/" + name + ".mmk");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// One kernel, lowered to synchronised aicore IR, for one machine and variant.
class Synchronised {
public:
  Synchronised(const std::string &text, const std::string &machineName, const std::string &variant)
      : machine(llvm::cantFail(loadMachine(machineName))) {
    Diagnostics diagnostics;
    std::unique_ptr<SourceFile> wrong;
    std::optional<Program> program = checkProgram("test.mmk", text, diagnostics, wrong);
    EXPECT_TRUE(program) << diagnostics.render();
    if (!program)
      return;
    program_ = std::move(*program);
    mlir::DialectRegistry registry;
    registerDialectExtensions(registry);
    makeContext(registry);
    module_ = lowerToIr(*program_.kernels[0], machineName, *context_);
    ir::KernelOp op = *module_->getOps<ir::KernelOp>().begin();
    PipelineOptions options;
    options.proveSync = false; // the tests run the proof
    std::string message;
    EXPECT_TRUE(parseVariant(variant, tileDims(op), options.choices, message)) << message;
    made_ = succeeded(runPipeline(*module_, machine, LoweringLevel::aicore, options));
  }

  /// Aicore IR without offsets and flags (`%n` the only dimension), on which the passes after
  /// aicore-double-buffer are run.
  struct Ir {
    std::string text;
  };
  Synchronised(const Ir &ir, const std::string &machineName,
               const std::vector<MachineOverride> &overrides)
      : machine(llvm::cantFail(loadMachine(machineName, overrides))) {
    mlir::DialectRegistry registry;
    registry.insert<aicore::AicoreDialect, ir::MmkDialect, mlir::arith::ArithDialect,
                    mlir::scf::SCFDialect>();
    makeContext(registry);
    module_ = mlir::parseSourceString<mlir::ModuleOp>(ir.text, context_.get());
    EXPECT_TRUE(module_) << messages;
    if (!module_)
      return;
    module_.get()->setAttr("aicore.machine", machineAttr(machine, *context_));
    mlir::PassManager manager(context_.get());
    manager.addPass(createSelectVector());
    manager.addPass(createPlanMemory());
    manager.addPass(createInsertSync());
    made_ = succeeded(manager.run(*module_));
    EXPECT_TRUE(made_) << messages;
  }

  /// A kernel of fusion groups, its schedule with one alternative each.
  struct Groups {
    std::string text;
  };
  Synchronised(const Groups &groups, const std::string &machineName)
      : machine(llvm::cantFail(loadMachine(machineName))) {
    mlir::DialectRegistry registry;
    registerDialectExtensions(registry);
    registry.insert<ir::MmkDialect, mlir::arith::ArithDialect, mlir::linalg::LinalgDialect,
                    mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
    const Backend &backend = backendOf(machine.kind);
    backend.registerDialects(registry);
    makeContext(registry);
    module_ = mlir::parseSourceString<mlir::ModuleOp>(groups.text, context_.get());
    EXPECT_TRUE(module_) << messages;
    if (!module_)
      return;
    module_.get()->setAttr("aicore.machine", machineAttr(machine, *context_));
    mlir::PassManager manager(context_.get());
    manager.addPass(createTileCores());
    manager.addPass(createTileBase());
    backend.addPasses(manager, FlagEffort::fewest);
    made_ = succeeded(manager.run(*module_));
    EXPECT_TRUE(made_) << messages;
  }

  /// False for a variant that does not fit the machine.
  bool ready() const { return made_; }
  mlir::ModuleOp module() { return *module_; }
  /// The text, for messages about it.
  const SourceFile &file() const { return *program_.file; }
  aicore::KernelOp kernel() { return *module_->getOps<aicore::KernelOp>().begin(); }

  /// Whether the proof succeeds.
  bool isProven() {
    messages.clear();
    for (auto phase : kernel().getBody().getOps<aicore::PhaseOp>()) {
      std::optional<sync::PhaseModel> program = sync::PhaseModel::read(phase);
      if (!program || sync::findFault(*program))
        return false;
    }
    return true;
  }

  /// The proof with `redundant`; its remarks are in `messages`.
  bool isProvenWithRemarks() {
    messages.clear();
    mlir::PassManager manager(module_->getContext());
    VerifySyncOptions options;
    options.redundant = true;
    manager.addPass(createVerifySync(options));
    return succeeded(manager.run(*module_));
  }

  /// The faults at these dimensions, as text; empty: none.
  std::string watched(llvm::ArrayRef<int64_t> dims) {
    llvm::Expected<WatchReport> report = watchKernel(kernel(), machine, dims);
    if (!report)
      return "cannot be watched: " + llvm::toString(report.takeError());
    return report->faults.empty() ? "" : report->faults.front().message;
  }

  const Machine machine;
  std::string messages; ///< of the compiler

private:
  void makeContext(const mlir::DialectRegistry &registry) {
    context_ =
        std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    context_->getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return mlir::success();
    });
  }

  Program program_;
  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  bool made_ = false;
};

} // namespace mmk
