#include "ascendc/unwritten.h"

namespace mmk::ascendc {

mlir::LogicalResult reportUnwritten(mlir::Operation *op, const llvm::Twine &what) {
  mlir::InFlightDiagnostic error = op->emitError("this is not written as Ascend C yet: ");
  error << what;
  error.attachNote()
      << "written: products of f16 or bf16 in one pass (grid.K=1), stored as f32, f16 or bf16, "
         "with additions, multiplications, minima, maxima and leaky_relu behind them; mmk run and "
         "--emit=aicore take every kernel";
  return error;
}

mlir::LogicalResult reportUnwritten(mlir::Operation *op) {
  return reportUnwritten(op, "the operation " + op->getName().getStringRef());
}

} // namespace mmk::ascendc
