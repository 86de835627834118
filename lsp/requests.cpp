// The answers to requests on one text. None waits for the background.
#include "lsp/completion.h"
#include "lsp/hover.h"
#include "lsp/prelude.h"
#include "lsp/rename.h"
#include "lsp/server.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::lsp {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;
using llvm::lsp::ErrorCode;
using llvm::lsp::LSPError;
using llvm::lsp::Range;

namespace {

llvm::Error refuse(const std::string &why) {
  return llvm::make_error<LSPError>(why, ErrorCode::RequestFailed);
}

Object edit(Range range, const std::string &text) {
  return Object{{"range", range}, {"newText", text}};
}

/// The one place where two texts differ, in whole characters.
Object difference(const Document &document, const std::string &other) {
  const std::string &text = document.text();
  const auto isInside = [](const std::string &of, size_t at) {
    return at < of.size() && (static_cast<unsigned char>(of[at]) & 0xC0) == 0x80;
  };
  size_t begin = static_cast<size_t>(std::ranges::mismatch(text, other).in1 - text.begin());
  while (isInside(text, begin) || isInside(other, begin))
    --begin;
  size_t same = 0;
  while (same < std::min(text.size(), other.size()) - begin &&
         text[text.size() - 1 - same] == other[other.size() - 1 - same])
    ++same;
  while (isInside(text, text.size() - same))
    --same;
  const Range range = document.lines().range(static_cast<uint32_t>(begin),
                                             static_cast<uint32_t>(text.size() - same));
  return edit(range, other.substr(begin, other.size() - same - begin));
}

Object symbolOf(const Document &document, const OutlineItem &item) {
  using llvm::lsp::SymbolKind;
  const SymbolKind kind = item.kind == OutlineItem::Kind::kernel     ? SymbolKind::Class
                          : item.kind == OutlineItem::Kind::function ? SymbolKind::Function
                                                                     : SymbolKind::Constant;
  Array cases;
  for (const OutlineItem &each : item.cases)
    cases.push_back(symbolOf(document, each));
  return Object{{"name", item.name},
                {"kind", static_cast<int>(kind)},
                {"range", document.lines().range(item.begin, item.end)},
                {"selectionRange", document.lines().range(item.nameBegin, item.nameEnd)},
                {"children", std::move(cases)}};
}

} // namespace

uint32_t Server::offsetOf(const Parameters &parameters, const Document &document) const {
  llvm::json::Path::Root root;
  llvm::lsp::Position position;
  if (const Value *value = parameters.object.get("position"))
    fromJSON(*value, position, root);
  return document.lines().offset(position);
}

void Server::format(const Parameters &parameters, Reply reply) {
  const std::lock_guard lock(mutex_);
  std::string uri;
  const Open *text = find(parameters, uri);
  if (!text)
    return reply(nullptr);
  const Document &document = text->document;
  const std::optional<std::string> formatted = document.formatted();
  if (!formatted)
    return reply(refuse("the text has syntax errors; it is formatted when it parses"));
  Array edits;
  if (*formatted != document.text())
    edits.push_back(difference(document, *formatted));
  reply(std::move(edits));
}

void Server::symbols(const Parameters &parameters, Reply reply) {
  const std::lock_guard lock(mutex_);
  std::string uri;
  Array all;
  if (const Open *text = find(parameters, uri))
    for (const OutlineItem &item : text->document.outline())
      all.push_back(symbolOf(text->document, item));
  reply(std::move(all));
}

Server::Named Server::findName(const Parameters &parameters, std::string &uri) {
  Open *text = find(parameters, uri);
  if (!text)
    return {};
  return {text, text->document.names().at(offsetOf(parameters, text->document))};
}

void Server::define(const Parameters &parameters, Reply reply) {
  const std::lock_guard lock(mutex_);
  std::string uri;
  const auto [text, here] = findName(parameters, uri);
  if (!here)
    return reply(nullptr);
  const Names &names = text->document.names();
  const Symbol &symbol = names.symbols[here->symbol];
  if (symbol.kind == NameKind::libraryFunction) {
    const auto found = definitionInPrelude(symbol.name);
    return reply(found ? llvm::lsp::toJSON(*found) : Value(nullptr));
  }
  const Occurrence *definition = names.definitionOf(here->symbol);
  if (!definition)
    return reply(nullptr);
  reply(Object{{"uri", uri}, {"range", text->document.range(*definition)}});
}

void Server::hover(const Parameters &parameters, Reply reply) {
  const std::lock_guard lock(mutex_);
  std::string uri;
  const auto [text, here] = findName(parameters, uri);
  if (!here)
    return reply(nullptr);
  const Symbol &symbol = text->document.names().symbols[here->symbol];
  if (symbol.kind == NameKind::kernel || symbol.kind == NameKind::kernelCase)
    countCasesOf(uri, *text, symbol.kind == NameKind::kernel ? symbol.name : symbol.item);
  reply(Object{{"contents",
                Object{{"kind", "markdown"},
                       {"value", hoverText(text->document, symbol, text->counts, machine_->name)}}},
               {"range", text->document.range(*here)}});
}

/// Those that were not counted yet; the next hover shows them.
void Server::countCasesOf(const std::string &uri, const Open &text, const std::string &kernel) {
  if (text.document.diagnostics().hasErrors())
    return;
  for (const OutlineItem &item : text.document.outline())
    for (const OutlineItem &each : item.cases)
      if (item.name == kernel && !text.counts.contains({kernel, each.name}))
        count(uri, kernel, each.name, [](const LoweredText::Count &) {});
}

void Server::complete(const Parameters &parameters, Reply reply) {
  const std::lock_guard lock(mutex_);
  std::string uri;
  Array items;
  if (const Open *text = find(parameters, uri))
    for (const Proposal &each : proposalsAt(text->document, offsetOf(parameters, text->document)))
      items.push_back(Object{
          {"label", each.text}, {"kind", static_cast<int>(each.kind)}, {"detail", each.detail}});
  reply(Object{{"isIncomplete", false}, {"items", std::move(items)}});
}

void Server::prepareRename(const Parameters &parameters, Reply reply) {
  const std::lock_guard lock(mutex_);
  std::string uri;
  const Open *text = find(parameters, uri);
  if (!text)
    return reply(nullptr);
  const uint32_t offset = offsetOf(parameters, text->document);
  auto places = placesToRename(text->document, offset, "", *machine_);
  if (!places)
    return reply(refuse(llvm::toString(places.takeError())));
  const Names &names = text->document.names();
  const Occurrence &here = *names.at(offset);
  reply(Object{{"range", text->document.range(here)},
               {"placeholder", names.symbols[here.symbol].name}});
}

void Server::rename(const Parameters &parameters, Reply reply) {
  const std::lock_guard lock(mutex_);
  std::string uri;
  const Open *text = find(parameters, uri);
  const std::string name = parameters.object.getString("newName").value_or("").str();
  if (!text || name.empty())
    return reply(refuse("expected the name of an open text, and a new one"));
  auto places =
      placesToRename(text->document, offsetOf(parameters, text->document), name, *machine_);
  if (!places)
    return reply(refuse(llvm::toString(places.takeError())));
  Array edits;
  for (const Occurrence &place : *places)
    edits.push_back(edit(text->document.range(place), name));
  reply(Object{{"changes", Object{{uri, std::move(edits)}}}});
}

void Server::lenses(const Parameters &parameters, Reply reply) {
  const std::lock_guard lock(mutex_);
  std::string uri;
  Array all;
  if (const Open *text = find(parameters, uri))
    for (const OutlineItem &item : text->document.outline())
      for (const OutlineItem &each : item.cases) {
        const auto count = text->counts.find({item.name, each.name});
        const std::string title =
            count == text->counts.end()
                ? "count"
                : fmt::format("{} on {}", summaryOf(count->second), machine_->name);
        const Object argument{{"uri", uri}, {"kernel", item.name}, {"case", each.name}};
        all.push_back(Object{{"range", text->document.lines().range(each.nameBegin, each.nameEnd)},
                             {"command", Object{{"title", title},
                                                {"command", "mmk.count"},
                                                {"arguments", Array{Value(Object(argument))}}}}});
      }
  reply(std::move(all));
}

/// mmk.count {uri, kernel, case}: answered by the background, when the case is counted.
void Server::execute(const Parameters &parameters, Reply reply) {
  const Array *arguments = parameters.object.getArray("arguments");
  const Object *argument =
      arguments && !arguments->empty() ? arguments->front().getAsObject() : nullptr;
  const auto of = [&](llvm::StringRef key) {
    return argument ? argument->getString(key).value_or("").str() : "";
  };
  if (parameters.object.getString("command") != llvm::StringRef("mmk.count"))
    return reply(refuse("unknown command; expected mmk.count"));
  const std::string kernel = of("kernel"), kernelCase = of("case"), uri = of("uri");
  const auto shared = std::make_shared<Reply>(std::move(reply)); // std::function is copied
  count(uri, kernel, kernelCase, [=, this](const LoweredText::Count &count) {
    if (!count.problem.empty())
      return (*shared)(refuse(count.problem));
    (*shared)(Object{{"kernel", kernel},
                     {"case", kernelCase},
                     {"variant", count.variant},
                     {"cycles", count.cycles},
                     {"microseconds", count.microseconds},
                     {"bytes", count.bytes},
                     {"bound", count.bound},
                     {"summary", summaryOf(count)}});
    refreshLenses();
  });
}

} // namespace mmk::lsp
