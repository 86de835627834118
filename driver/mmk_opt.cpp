// mmk-opt: runs single passes on textual IR, for golden tests and for debugging.
#include "compiler/pipeline.h"
#include "count/sync_cost.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mmk::ir::MmkDialect, mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::linalg::LinalgDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect>();
  mmk::registerBackendDialects(registry);
  mmk::registerDialectExtensions(registry);
  mmk::registerMmkPasses();
  for (mmk::MachineKind kind : mmk::allMachineKinds)
    mmk::backendOf(kind).registerPasses();
  mmk::registerSyncCostPass();
  mlir::registerTransformsPasses();
  mlir::PassPipelineRegistration<>(
      "mmk-pipeline", "all passes after mmk-apply-variant, in order, for an AI core",
      [](mlir::OpPassManager &manager) {
        mmk::buildPipeline(manager, mmk::backendOf(mmk::MachineKind::emulated),
                           mmk::LoweringLevel::aicore);
      });
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "mmk optimizer driver\n", registry));
}
