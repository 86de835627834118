#include "ascendc/unwritten.h"

namespace mmk::ascendc {

mlir::LogicalResult reportUnwritten(mlir::Operation *op, const llvm::Twine &what) {
  mlir::InFlightDiagnostic error = op->emitError("this is not written as Ascend C yet: ");
  error << what;
  error.attachNote()
      << "docs/ascendc.md says what is written; mmk run and --emit=aicore take every kernel";
  return error;
}

mlir::LogicalResult reportUnwritten(mlir::Operation *op) {
  return reportUnwritten(op, "the operation " + op->getName().getStringRef());
}

} // namespace mmk::ascendc
