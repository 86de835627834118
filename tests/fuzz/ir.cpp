// Any text as IR for mmk-opt: IR that parses and verifies runs through all passes.
#include "compiler/pipeline.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::DialectRegistry registry;
  registry.insert<mmk::ir::MmkDialect, mmk::aicore::AicoreDialect, mlir::affine::AffineDialect,
                  mlir::arith::ArithDialect, mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  mmk::registerDialectExtensions(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  // Parts of a file of tests, each a module, are inputs by themselves. The reader expects a 0 after
  // it.
  const llvm::StringRef all(reinterpret_cast<const char *>(data), size);
  const std::string text = all.split("// -----").first.str();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return 0;
  mlir::PassManager manager(&context);
  mmk::buildPipeline(manager, mmk::backendOf(mmk::MachineKind::emulated),
                     mmk::LoweringLevel::aicore);
  (void)manager.run(*module);
  return 0;
}
