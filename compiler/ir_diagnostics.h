// What passes say through MLIR, turned into messages about the user's text.
#pragma once

#include "support/diagnostics.h"

#include "mlir/IR/Diagnostics.h"

namespace mmk {

/// Where an op of the IR comes from: its place in `file`, or nowhere.
SourceRange rangeOf(mlir::Location location, const SourceFile &file);

/// Takes every message of the context while it lives; of two, the younger takes them.
class IrDiagnostics {
public:
  /// Places in a file of the same path are places in `file`; all others are nowhere.
  IrDiagnostics(mlir::MLIRContext &context, const SourceFile &file);

  const Diagnostics &diagnostics() const { return diagnostics_; }

  /// Whether a verifier spoke ("'aicore.load' op ..."): only a wrong compiler makes it.
  bool isBug() const { return isBug_; }

private:
  Diagnostic converted(mlir::Diagnostic &diagnostic);

  const SourceFile &file_;
  Diagnostics diagnostics_;
  bool isBug_ = false;
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace mmk
