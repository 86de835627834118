// Turns MLIR's diagnostics into messages about the user's text.
#pragma once

#include "support/diagnostics.h"

#include "mlir/IR/Diagnostics.h"

namespace mmk {

/// The place of an op in `file`, or nowhere.
SourceRange rangeOf(mlir::Location location, const SourceFile &file);

/// Receives every message of the context during its lifetime; of two, the newer one does.
class IrDiagnostics {
public:
  /// Places in a file of the same path become places in `file`; all others become nowhere.
  IrDiagnostics(mlir::MLIRContext &context, const SourceFile &file);

  const Diagnostics &diagnostics() const { return diagnostics_; }

  /// Whether the message is of a verifier ("'aicore.load' op ..."), which is always a bug of the
  /// compiler.
  bool isBug() const { return isBug_; }

private:
  Diagnostic converted(mlir::Diagnostic &diagnostic);

  const SourceFile &file_;
  Diagnostics diagnostics_;
  bool isBug_ = false;
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace mmk
