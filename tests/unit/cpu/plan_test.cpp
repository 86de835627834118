// The values that a phase computes in its plan, and the plan's figures of the blocks.
#include "codegen/plan.h"
#include "codegen/program.h"
#include "compiler/pipeline.h"
#include "frontend/compile.h"
#include "lower/lower.h"
#include "passes/variant.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

/// The fused product on the host, as a variant.
class PlanOf {
public:
  explicit PlanOf(const std::string &variant = "") {
    const std::string text = "kernel k(a: f32[M, K], b: f32[K, N], alpha: f32) -> c: f32[M, N] {"
                             " c = leaky_relu(a @ b, alpha); }";
    Diagnostics diagnostics;
    std::unique_ptr<SourceFile> file;
    auto program = checkProgram("k.mmk", text, diagnostics, file);
    EXPECT_TRUE(program) << diagnostics.render();
    const Machine machine = llvm::cantFail(loadMachine("host"));
    module = lowerToIr(*program->kernels[0], "host", context);
    PipelineOptions options;
    std::string message;
    ir::KernelOp op = *module->getOps<ir::KernelOp>().begin();
    EXPECT_TRUE(parseVariant(variant, tileDims(op), options.choices, message)) << message;
    EXPECT_TRUE(succeeded(runPipeline(*module, machine, LoweringLevel::aicore, options)));
  }

  aicore::KernelOp kernel() { return *module->getOps<aicore::KernelOp>().begin(); }
  PhasePlan plan() { return PhasePlan(*kernel().getBody().getOps<aicore::PhaseOp>().begin()); }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialectExtensions(registry);
    return registry;
  }
  mlir::MLIRContext context{registry(), mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

int64_t divisionsOf(const llvm::Function &function) {
  return llvm::count_if(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    return instruction.isIntDivRem();
  });
}

TEST(Plan, theSearchForATileIsDoneOnce) {
  PlanOf host;
  llvm::LLVMContext context;
  const auto module =
      llvm::cantFail(emitProgram(host.kernel(), llvm::cantFail(hostTarget()), context));
  // The number of the tile, its row and its column.
  EXPECT_LE(divisionsOf(*module->getFunction(phaseName(0))), 3);
  EXPECT_GT(divisionsOf(*module->getFunction(planName(0))), 3);
}

TEST(Plan, tilesDealtInTurnsLeaveNothingForLaterBlocks) {
  EXPECT_TRUE(PlanOf().plan().laterBlocksIdleIfSecondIs);
  EXPECT_TRUE(PlanOf("order=columns").plan().laterBlocksIdleIfSecondIs);
}

// Over one column of tiles the second block of a grid has none, and the third has some.
TEST(Plan, inAGridALaterBlockMayHaveMore) {
  EXPECT_FALSE(PlanOf("cores=2,grid.M=2").plan().laterBlocksIdleIfSecondIs);
}

} // namespace
} // namespace mmk
