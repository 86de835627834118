#include "format/format.h"

#include "format/program.h"
#include "frontend/parser.h"
#include "frontend/text.h"

namespace mmk {

std::string formatTree(ParseTree &tree) {
  return format::layOut(format::documentOf(tree), formattedWidth);
}

std::optional<std::string> formatProgram(std::string path, std::string text,
                                         Diagnostics &diagnostics,
                                         std::unique_ptr<SourceFile> &keepFile) {
  keepFile = fileOf(std::move(path), std::move(text), diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  const auto tree = ParseTree::of(*keepFile, diagnostics);
  if (!tree || !tree->isSound() || !toSyntax(*tree, diagnostics))
    return std::nullopt;
  return formatTree(*tree);
}

} // namespace mmk
