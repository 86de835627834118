#include "lsp/rename.h"

#include "MmkLexer.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::lsp {
namespace {

llvm::Error noRename(const std::string &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
}

bool isOfText(NameKind kind) { return kind <= NameKind::kernelCase; }

bool isName(const std::string &text) {
  const std::vector<TextToken> tokens = tokensOf(text);
  return tokens.size() == 1 && tokens[0].type == grammar::MmkLexer::NAME &&
         tokens[0].end == text.size();
}

/// Whether names of `symbol`'s scope have this name already.
bool isTaken(const Names &names, const Symbol &symbol, const std::string &name) {
  return std::ranges::any_of(names.symbols, [&](const Symbol &each) {
    const bool isWhole = symbol.item.empty(); // a kernel or a function
    return each.name == name &&
           (isWhole ? each.kind == symbol.kind || (symbol.kind == NameKind::function &&
                                                   each.kind == NameKind::libraryFunction)
                    : each.item == symbol.item);
  });
}

std::string renamed(const Document &document, const std::vector<Occurrence> &places,
                    const std::string &name) {
  std::string text = document.text();
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    text.replace(place->begin, place->end - place->begin, name);
  return text;
}

} // namespace

llvm::Expected<std::vector<Occurrence>> placesToRename(const Document &document, uint32_t offset,
                                                       const std::string &newName,
                                                       const Machine &machine) {
  if (!document.syntax())
    return noRename("the text has syntax errors; names are renamed when it parses");
  const Names &names = document.names();
  const Occurrence *here = names.at(offset);
  if (!here)
    return noRename("there is no name here");
  const Symbol &symbol = names.symbols[here->symbol];
  if (!isOfText(symbol.kind))
    return noRename(fmt::format("'{}' is of the language", symbol.name));
  std::vector<Occurrence> places;
  std::ranges::copy_if(names.occurrences, std::back_inserter(places),
                       [&](const Occurrence &each) { return each.symbol == here->symbol; });
  if (newName.empty() || newName == symbol.name)
    return places;
  if (!isName(newName))
    return noRename(
        fmt::format("'{}' is no name: expected a letter or '_', then letters, digits and "
                    "'_', and no keyword",
                    newName));
  if (isTaken(names, symbol, newName))
    return noRename(fmt::format("'{}' is the name of something else here", newName));
  // What else a name decides, such as that of merged dimensions, the compiler says.
  const Document after(document.path(), renamed(document, places, newName), 0, machine);
  if (after.diagnostics().all().size() > document.diagnostics().all().size())
    return noRename(
        fmt::format("with the name '{}': {}", newName, after.diagnostics().all().back().message));
  return places;
}

} // namespace mmk::lsp
