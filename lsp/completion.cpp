#include "lsp/completion.h"

#include "lsp/directive_help.h"

#include "frontend/functions.h"
#include "frontend/primitives.h"
#include "schedule/directive.h"

#include "MmkLexer.h"

#include <algorithm>
#include <set>

namespace mmk::lsp {
namespace {

using grammar::MmkLexer;
using Kind = llvm::lsp::CompletionItemKind;

/// Where a place is, as far as the tokens before it say.
struct Context {
  size_t block = 0;         ///< the keyword of the block around it; 0 outside of one
  size_t item = 0;          ///< the keyword of an item that has begun, whose block has not
  std::vector<size_t> line; ///< indices of the statement's tokens before the place
};

class ContextFinder {
public:
  ContextFinder(const Document &document, uint32_t offset) : tokens_(document.tokens()) {
    for (size_t i = 0; i < tokens_.size() && tokens_[i].end < offset + isOf(i, offset); ++i)
      take(i);
  }

  Context context;

private:
  /// A word that ends at the place is being typed; another token is complete.
  bool isOf(size_t i, uint32_t offset) const {
    const bool isWord = tokens_[i].type == MmkLexer::NAME || tokens_[i].type <= MmkLexer::NAN_;
    return !(isWord && tokens_[i].end == offset);
  }

  void take(size_t i) {
    switch (tokens_[i].type) {
    case MmkLexer::KERNEL:
    case MmkLexer::FN:
      blocks_.clear();
      [[fallthrough]];
    case MmkLexer::SCHEDULE:
    case MmkLexer::CASE:
    case MmkLexer::CHECK:
      context.item = tokens_[i].type;
      context.line = {i};
      break;
    case MmkLexer::LEFT_BRACE:
      blocks_.push_back(context.item);
      endStatement();
      break;
    case MmkLexer::RIGHT_BRACE:
      if (!blocks_.empty())
        blocks_.pop_back();
      endStatement();
      break;
    case MmkLexer::SEMICOLON:
      endStatement();
      break;
    default:
      context.line.push_back(i);
    }
    context.block = blocks_.empty() ? 0 : blocks_.back();
  }
  void endStatement() {
    context.item = 0;
    context.line.clear();
  }

  const std::vector<TextToken> &tokens_;
  std::vector<size_t> blocks_;
};

class Proposer {
public:
  Proposer(const Document &document, uint32_t offset)
      : document_(document), offset_(offset), context_(ContextFinder(document, offset).context) {}

  std::vector<Proposal> all() {
    if (context_.item == MmkLexer::SCHEDULE)
      return patterns(), std::move(found_);
    if (context_.item == MmkLexer::CASE || context_.item == MmkLexer::CHECK)
      return {};
    if (context_.item == MmkLexer::KERNEL || context_.item == MmkLexer::FN)
      inHead();
    else if (context_.block == MmkLexer::KERNEL)
      inBody();
    else if (context_.block == MmkLexer::SCHEDULE)
      inSchedule();
    else if (context_.block == MmkLexer::CASE)
      inCase();
    else if (context_.block == MmkLexer::CHECK)
      inCheck();
    else
      words({"kernel", "fn"}, Kind::Keyword);
    return std::move(found_);
  }

private:
  size_t lineSize() const { return context_.line.size(); }
  /// The type of a token of the statement, counted from its end; 0 where there is none.
  size_t typeFromEnd(size_t i) const {
    return i < lineSize() ? document_.tokens()[context_.line[lineSize() - 1 - i]].type : 0;
  }
  std::string textOf(size_t i) const {
    const TextToken &token = document_.tokens()[context_.line[i]];
    return document_.text().substr(token.begin, token.end - token.begin);
  }
  bool hasToken(size_t type) const {
    return std::ranges::any_of(context_.line,
                               [&](size_t i) { return document_.tokens()[i].type == type; });
  }

  void add(std::string text, Kind kind, std::string detail = "") {
    if (seen_.insert(text).second)
      found_.push_back({std::move(text), kind, std::move(detail)});
  }
  void words(const std::vector<std::string> &all, Kind kind) {
    for (const std::string &word : all)
      add(word, kind);
  }
  void types() {
    for (const ElementType type : languageTypes)
      add(std::string(spelling(type)), Kind::TypeParameter);
  }
  void patterns() {
    if (typeFromEnd(0) == MmkLexer::SCHEDULE)
      return words({"for"}, Kind::Keyword);
    words(machineNames(), Kind::Constant);
  }

  /// Names of the item around the place that are defined before it, or anywhere where the place of
  /// the definition is not known.
  void names(const std::set<NameKind> &kinds) {
    const OutlineItem *item = document_.itemAt(offset_);
    const Names &names = document_.names();
    for (size_t i = 0; i < names.symbols.size() && item; ++i) {
      const Symbol &symbol = names.symbols[i];
      if (symbol.item != item->name || !kinds.contains(symbol.kind))
        continue;
      const Occurrence *definition = names.definitionOf(i);
      if (symbol.kind != NameKind::value || !definition || definition->end < offset_)
        add(symbol.name, symbol.kind == NameKind::dimension ? Kind::Constant : Kind::Variable,
            symbol.meaning);
    }
  }
  void functions() {
    for (const OutlineItem &item : document_.outline())
      if (item.kind == OutlineItem::Kind::function)
        add(item.name, Kind::Function, "of this text");
    Diagnostics ignored;
    static const ast::Program none;
    static const Functions library(none, ignored);
    for (const std::string &name : library.names())
      add(name, Kind::Function);
  }
  void expression() {
    if (typeFromEnd(0) == MmkLexer::LESS && typeFromEnd(1) == MmkLexer::CAST)
      return types();
    names({NameKind::dimension, NameKind::parameter, NameKind::value, NameKind::variable});
    functions();
    words({"cast", "inf", "nan"}, Kind::Keyword);
  }

  void inHead() {
    const bool isFunction = context_.item == MmkLexer::FN;
    if (isFunction && hasToken(MmkLexer::ASSIGN))
      return expression();
    if (typeFromEnd(0) == MmkLexer::COLON && isFunction)
      return words({"int"}, Kind::Keyword);
    if (typeFromEnd(0) == MmkLexer::COLON) {
      types();
      return words({"const", "int"}, Kind::Keyword);
    }
    if (typeFromEnd(0) == MmkLexer::NAME && typeFromEnd(1) == MmkLexer::COLON)
      return types();
    if (typeFromEnd(0) == MmkLexer::LEFT_BRACKET || typeFromEnd(0) == MmkLexer::COMMA)
      names({NameKind::dimension});
  }

  void inBody() {
    if (lineSize() == 0) {
      words({"let", "dim", "require", "schedule", "case", "check"}, Kind::Keyword);
      return names({NameKind::result});
    }
    if (hasToken(MmkLexer::ASSIGN) || typeFromEnd(lineSize() - 1) == MmkLexer::REQUIRE)
      expression();
  }

  void inSchedule() {
    if (lineSize() == 0) {
      words(directiveNames(), Kind::Property);
      return words({"require"}, Kind::Keyword);
    }
    if (typeFromEnd(lineSize() - 1) == MmkLexer::REQUIRE)
      return typeFromEnd(0) == MmkLexer::DOT ? keys(textOf(lineSize() - 2))
                                             : words(directiveNames(), Kind::Property);
    if (typeFromEnd(0) == MmkLexer::ASSIGN || typeFromEnd(0) == MmkLexer::BAR)
      return words(directiveValues(textOf(0)), Kind::EnumMember);
    if (lineSize() == 1 || typeFromEnd(0) == MmkLexer::COMMA || typeFromEnd(0) == MmkLexer::DOT)
      keys(textOf(0));
  }
  /// What follows the name of a directive.
  void keys(const std::string &name) {
    const DirectiveTraits *directive = findDirective(name);
    if (!directive || directive->index == DirectiveIndex::none)
      return;
    if (directive->index != DirectiveIndex::buffer)
      return names({NameKind::dimension});
    if (typeFromEnd(0) == MmkLexer::DOT && lineSize() > 2)
      return names({NameKind::parameter});
    for (const BufferGroup &group : bufferGroups())
      add(std::string(group.name), Kind::EnumMember);
  }

  void inCase() {
    if (lineSize() == 0)
      names({NameKind::dimension, NameKind::parameter});
  }

  void inCheck() {
    if (lineSize() == 0)
      words({"rtol", "atol", "max_error_ratio", "rounding", "math"}, Kind::Property);
    else if (typeFromEnd(0) == MmkLexer::ASSIGN && textOf(0) == "math")
      words({"exact", "fast"}, Kind::EnumMember);
  }

  const Document &document_;
  const uint32_t offset_;
  const Context context_;
  std::vector<Proposal> found_;
  std::set<std::string> seen_;
};

} // namespace

std::vector<Proposal> proposalsAt(const Document &document, uint32_t offset) {
  return Proposer(document, offset).all();
}

} // namespace mmk::lsp
