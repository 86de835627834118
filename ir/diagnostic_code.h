// The meaning of a pass's message for the program that runs the passes, beside its text.
#pragma once

#include "support/diagnostics.h"

#include "mlir/IR/Diagnostics.h"

namespace mmk {

/// Marks a message. A diagnostic without a mark has DiagnosticCode::none.
mlir::InFlightDiagnostic withCode(mlir::InFlightDiagnostic &&diagnostic, DiagnosticCode code);
DiagnosticCode codeOf(mlir::Diagnostic &diagnostic);

/// An error that names a legal choice close to the refused one.
inline mlir::InFlightDiagnostic nearestLegal(mlir::InFlightDiagnostic &&diagnostic) {
  return withCode(std::move(diagnostic), DiagnosticCode::namesNearest);
}

} // namespace mmk
