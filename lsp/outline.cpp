#include "lsp/outline.h"

#include "frontend/parse_tree.h"

namespace mmk::lsp {
namespace {

using grammar::MmkLexer;

class OutlineFinder {
public:
  OutlineFinder(std::string_view text, const std::vector<TextToken> &tokens)
      : text_(text), tokens_(tokens) {}

  std::vector<OutlineItem> all() {
    std::vector<OutlineItem> items;
    while (at_ < tokens_.size())
      if (begins(MmkLexer::KERNEL) || begins(MmkLexer::FN))
        items.push_back(item());
      else
        ++at_;
    return items;
  }

private:
  /// Whether the keyword of an item and its name are here.
  bool begins(size_t keyword) const {
    return tokens_[at_].type == keyword && at_ + 1 < tokens_.size() &&
           tokens_[at_ + 1].type == MmkLexer::NAME;
  }
  bool isAt(size_t type) const { return at_ < tokens_.size() && tokens_[at_].type == type; }

  OutlineItem named(OutlineItem::Kind kind) {
    const TextToken &name = tokens_[at_ + 1];
    OutlineItem item{kind,
                     std::string(text_.substr(name.begin, name.end - name.begin)),
                     tokens_[at_].begin,
                     name.end,
                     name.begin,
                     name.end};
    at_ += 2;
    return item;
  }

  OutlineItem item() {
    const bool isKernel = tokens_[at_].type == MmkLexer::KERNEL;
    OutlineItem item = named(isKernel ? OutlineItem::Kind::kernel : OutlineItem::Kind::function);
    const size_t last = isKernel ? MmkLexer::RIGHT_BRACE : MmkLexer::SEMICOLON;
    for (int depth = 0;
         at_ < tokens_.size() && !begins(MmkLexer::KERNEL) && !begins(MmkLexer::FN);) {
      if (isKernel && begins(MmkLexer::CASE)) {
        item.cases.push_back(kernelCase());
        item.end = item.cases.back().end;
        continue;
      }
      depth += isAt(MmkLexer::LEFT_BRACE);
      depth -= isAt(MmkLexer::RIGHT_BRACE);
      item.end = tokens_[at_].end;
      if (tokens_[at_++].type == last && depth <= 0)
        break;
    }
    return item;
  }

  OutlineItem kernelCase() {
    OutlineItem item = named(OutlineItem::Kind::kernelCase);
    if (!isAt(MmkLexer::LEFT_BRACE))
      return item;
    while (at_ < tokens_.size() && !isAt(MmkLexer::RIGHT_BRACE) && !begins(MmkLexer::CASE) &&
           !begins(MmkLexer::KERNEL) && !begins(MmkLexer::FN))
      item.end = tokens_[at_++].end;
    if (isAt(MmkLexer::RIGHT_BRACE))
      item.end = tokens_[at_++].end;
    return item;
  }

  std::string_view text_;
  const std::vector<TextToken> &tokens_;
  size_t at_ = 0;
};

} // namespace

std::vector<TextToken> tokensOf(std::string_view text) {
  const SourceFile file("", std::string(text));
  const TokenPlaces places(file);
  antlr4::ANTLRInputStream input(textForAntlr(text));
  MmkLexer lexer(&input);
  lexer.removeErrorListeners();
  std::vector<TextToken> tokens;
  for (;;) {
    const std::unique_ptr<antlr4::Token> token = lexer.nextToken();
    if (token->getType() == antlr4::Token::EOF)
      return tokens;
    const SourceRange where = places(token.get());
    if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL)
      tokens.push_back({token->getType(), where.begin, where.end});
  }
}

std::vector<TextToken> tokensOf(ParseTree &tree) {
  std::vector<TextToken> tokens;
  for (const antlr4::Token *token : tree.tokens())
    if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL &&
        token->getType() != antlr4::Token::EOF) {
      const SourceRange where = tree.places()(token);
      tokens.push_back({token->getType(), where.begin, where.end});
    }
  return tokens;
}

std::vector<OutlineItem> outlineOf(std::string_view text, const std::vector<TextToken> &tokens) {
  return OutlineFinder(text, tokens).all();
}

} // namespace mmk::lsp
