#include "compiler/ir_diagnostics.h"

#include "ir/diagnostic_code.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace mmk {
namespace {

Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Severity::error;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::warning;
  case mlir::DiagnosticSeverity::Remark:
    return Severity::remark;
  case mlir::DiagnosticSeverity::Note:
    return Severity::note;
  }
  return Severity::error;
}

} // namespace

SourceRange rangeOf(mlir::Location location, const SourceFile &file) {
  // A fused location holds several places; the first is reported.
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location))
    return fused.getLocations().empty() ? SourceRange()
                                        : rangeOf(fused.getLocations().front(), file);
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(location))
    return rangeOf(named.getChildLoc(), file);
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location))
    return rangeOf(call.getCallee(), file);
  auto range = mlir::dyn_cast<mlir::FileLineColRange>(location);
  if (!range || range.getFilename().getValue() != file.path())
    return {};
  return {&file, file.offset({range.getStartLine(), range.getStartColumn()}),
          file.offset({range.getEndLine(), range.getEndColumn()})};
}

IrDiagnostics::IrDiagnostics(mlir::MLIRContext &context, const SourceFile &file)
    : file_(file), handler_(&context, [this](mlir::Diagnostic &diagnostic) {
        diagnostics_.add(converted(diagnostic));
        return mlir::success();
      }) {}

Diagnostic IrDiagnostics::converted(mlir::Diagnostic &diagnostic) {
  Diagnostic result{severityOf(diagnostic.getSeverity()),
                    rangeOf(diagnostic.getLocation(), file_),
                    diagnostic.str(),
                    {},
                    codeOf(diagnostic)};
  isBug_ |= result.severity == Severity::error && result.message.starts_with("'") &&
            result.message.find("' op ") != std::string::npos;
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    Diagnostic &added = result.notes.emplace_back(converted(note));
    // The line has just been shown.
    if (added.where.file == result.where.file && added.where.begin == result.where.begin)
      added.where = {};
  }
  return result;
}

} // namespace mmk
