#include "lsp/hover.h"

#include "lsp/directive_help.h"
#include "lsp/prelude.h"

#include "frontend/primitives.h"
#include "schedule/directive.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::lsp {
namespace {

std::string block(const std::string &code) { return "```mmk\n" + code + "\n```\n"; }

std::string spell(const SourceRange &where) {
  return std::string(where.file->text().substr(where.begin, where.end - where.begin));
}

std::string bodyOf(const ast::Function &function, const std::string &head) {
  return block(head + " = " + spell(function.value->where));
}

/// A function of the prelude as it is written there, or what a primitive is.
std::string libraryText(const std::string &name) {
  const Functions &library = libraryFunctions();
  if (const Function *function = library.find(name)) {
    const ast::Function &definition = *function->definition;
    const SourceFile &file = *definition.name.where.file;
    const std::string_view text = file.text().substr(0, definition.value->where.end);
    const size_t begin = text.rfind("fn ", definition.name.where.begin);
    return block(std::string(text.substr(begin)) + ";") + "\nA function of the prelude.\n";
  }
  if (const NamedReduction *reduction = reductionOf(name))
    return block(name + "[D](x)") + (reduction->reduction ? "\nA reduction along dimensions.\n"
                                                          : "\nSums up to each element.\n");
  if (const Primitive *primitive = primitiveFunction(name))
    return block(name + (primitive->operands == 1   ? "(x)"
                         : primitive->operands == 2 ? "(x, y)"
                                                    : "(condition, x, y)")) +
           "\nA function of the language.\n";
  const std::vector<std::string> known = library.names();
  const bool isKnown = std::ranges::find(known, name) != known.end();
  return block(name) + (isKnown ? "\nA function of the language.\n" : "\nAn unknown function.\n");
}

std::string typeText(const std::string &name) {
  for (const ElementType type : languageTypes)
    if (spelling(type) == name)
      return fmt::format("`{}`: an element of {} byte{}", name, sizeInBytes(type),
                         sizeInBytes(type) == 1 ? "" : "s");
  return name == "int" ? "`int`: a whole number that is known when the kernel is compiled" : "";
}

std::string kernelText(const Document &document, const Symbol &symbol, const Counts &counts,
                       const std::string &machine) {
  std::string text = block(symbol.meaning);
  for (const OutlineItem &item : document.outline()) {
    if (item.kind != OutlineItem::Kind::kernel || item.name != symbol.name)
      continue;
    if (!item.cases.empty())
      text += fmt::format("\nThe default variant on {}:\n", machine);
    for (const OutlineItem &each : item.cases) {
      const auto count = counts.find({item.name, each.name});
      text += fmt::format("- {}: {}\n", each.name,
                          count == counts.end() ? "is being counted" : summaryOf(count->second));
    }
    break;
  }
  return text;
}

std::string caseText(const Symbol &symbol, const Counts &counts, const std::string &machine) {
  const auto count = counts.find({symbol.item, symbol.name});
  return block(symbol.meaning) +
         fmt::format("\nThe default variant on {}: {}\n", machine,
                     count == counts.end() ? "is being counted" : summaryOf(count->second));
}

/// The first error in a range of the text; null where there is none.
const Diagnostic *errorIn(const Diagnostics &messages, const SourceRange &range) {
  for (const Diagnostic &message : messages.all())
    if (message.severity == Severity::error && message.where.begin >= range.begin &&
        message.where.end <= range.end)
      return &message;
  return nullptr;
}

/// Why a value has no type: an error of its own, else the first of the kernel's body.
const Diagnostic *reasonFor(const Document &document, const Symbol &symbol) {
  const Diagnostic *reason = nullptr;
  for (const ast::Kernel &kernel : document.syntax()->kernels)
    for (const ast::Statement &statement : kernel.body)
      if (kernel.name.text == symbol.item) {
        const Diagnostic *error = errorIn(document.diagnostics(), statement.where);
        if (error && statement.name.text == symbol.name)
          return error;
        reason = reason ? reason : error;
      }
  return reason;
}

std::string valueText(const Document &document, const Symbol &symbol) {
  const std::string text = block(symbol.meaning);
  const bool hasType = symbol.meaning.find(": ") != std::string::npos;
  const Diagnostic *reason = hasType || !document.syntax() ? nullptr : reasonFor(document, symbol);
  return reason ? text + fmt::format("\nIts type is not known: {}.\n", reason->message) : text;
}

} // namespace

std::string summaryOf(const LoweredText::Count &count) {
  if (!count.problem.empty())
    return count.problem;
  return fmt::format("{} cycles, {:.2f} us, {:.1f} MB, bound by {}", count.cycles,
                     count.microseconds, static_cast<double>(count.bytes) / 1e6, count.bound);
}

std::string hoverText(const Document &document, const Symbol &symbol, const Counts &counts,
                      const std::string &machine) {
  switch (symbol.kind) {
  case NameKind::kernel:
    return kernelText(document, symbol, counts, machine);
  case NameKind::kernelCase:
    return caseText(symbol, counts, machine);
  case NameKind::function:
    if (document.syntax())
      for (const ast::Function &function : document.syntax()->functions)
        if (function.name.text == symbol.name)
          return bodyOf(function, symbol.meaning);
    return block(symbol.meaning);
  case NameKind::value:
    return valueText(document, symbol);
  case NameKind::libraryFunction:
    return libraryText(symbol.name);
  case NameKind::directive:
    return directiveHelp(symbol.name);
  case NameKind::bufferGroup:
    return fmt::format("**buffers {}**\n\nMore: {}.\n", symbol.name,
                       findBufferGroup(symbol.name)->reasonForMore);
  case NameKind::type:
    return typeText(symbol.name);
  default:
    return block(symbol.meaning);
  }
}

} // namespace mmk::lsp
