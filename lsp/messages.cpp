#include "lsp/messages.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::lsp {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::lsp::DiagnosticSeverity;

DiagnosticSeverity severityOf(Severity severity) {
  switch (severity) {
  case Severity::error:
    return DiagnosticSeverity::Error;
  case Severity::warning:
    return DiagnosticSeverity::Warning;
  case Severity::remark:
  case Severity::note:
    return DiagnosticSeverity::Information;
  }
  return DiagnosticSeverity::Error;
}

/// As the command prints it in one line.
std::string lineOf(const Diagnostic &note) {
  if (!note.where.file)
    return "note: " + note.message;
  const SourceFile::Position place = note.where.file->position(note.where.begin);
  return fmt::format("note: {}:{}:{}: {}", note.where.file->path(), place.line, place.column,
                     note.message);
}

} // namespace

Array messagesOf(const Diagnostics &diagnostics, const std::string &uri, const std::string &path,
                 const TextLines &lines) {
  std::vector<const Diagnostic *> sorted;
  for (const Diagnostic &each : diagnostics.all())
    sorted.push_back(&each);
  std::ranges::stable_sort(sorted, {}, [](const Diagnostic *each) { return each->where.begin; });

  const auto isInText = [&](const SourceRange &where) {
    return where.file && where.file->path() == path;
  };
  const auto range = [&](const SourceRange &where) {
    return isInText(where) ? lines.range(where.begin, std::max(where.begin, where.end))
                           : llvm::lsp::Range();
  };
  Array all;
  for (const Diagnostic *each : sorted) {
    std::string message = each->message;
    Array related;
    for (const Diagnostic &note : each->notes)
      if (isInText(note.where))
        related.push_back(Object{{"location", Object{{"uri", uri}, {"range", range(note.where)}}},
                                 {"message", note.message}});
      else
        message += "\n" + lineOf(note);
    all.push_back(Object{{"range", range(each->where)},
                         {"severity", static_cast<int>(severityOf(each->severity))},
                         {"source", "mmk"},
                         {"message", std::move(message)},
                         {"relatedInformation", std::move(related)}});
  }
  return all;
}

} // namespace mmk::lsp
