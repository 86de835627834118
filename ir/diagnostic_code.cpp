#include "ir/diagnostic_code.h"

using namespace mlir;

namespace mmk {

InFlightDiagnostic withCode(InFlightDiagnostic &&diagnostic, DiagnosticCode code) {
  if (mlir::Diagnostic *it = diagnostic.getUnderlyingDiagnostic())
    it->getMetadata().push_back(DiagnosticArgument(static_cast<unsigned>(code)));
  return std::move(diagnostic);
}

DiagnosticCode codeOf(mlir::Diagnostic &diagnostic) {
  for (DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Unsigned)
      return static_cast<DiagnosticCode>(argument.getAsUnsigned());
  return DiagnosticCode::none;
}

} // namespace mmk
