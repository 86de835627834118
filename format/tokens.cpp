#include "format/tokens.h"

namespace mmk::format {

using antlr4::Token;

namespace {

/// Whether no space is before a token; a comment there has it.
bool isTightToTheLeft(const Token *token) {
  switch (token->getType()) {
  case grammar::MmkLexer::COMMA:
  case grammar::MmkLexer::SEMICOLON:
  case grammar::MmkLexer::COLON:
  case grammar::MmkLexer::RIGHT_PARENTHESIS:
  case grammar::MmkLexer::RIGHT_BRACKET:
    return true;
  default:
    return false;
  }
}

} // namespace

Document Tokens::operator()(const Token *token) const {
  const size_t index = token->getTokenIndex();
  const Surroundings &here = around(token);
  std::vector<Document> parts;
  if (!withoutAbove_.contains(index))
    for (const OwnLine &comment : here.above) {
      parts.push_back(hardBreak());
      parts.push_back(endingLine(comment.text));
    }
  if (!here.before.empty())
    parts.push_back(text(isTightToTheLeft(token) ? " " + here.before : here.before + " "));
  if (token->getType() != Token::EOF)
    parts.push_back(text(token->getText()));
  if (!here.behind.empty() && !withoutBehind_.contains(index))
    parts.push_back(endingLine(" " + here.behind));
  return parts.size() == 1 ? parts.front() : sequence(std::move(parts));
}

Document Tokens::joined(antlr4::ParserRuleContext *context, size_t end) const {
  std::vector<Document> parts;
  for (antlr4::tree::ParseTree *child : context->children) {
    if (auto *part = dynamic_cast<antlr4::ParserRuleContext *>(child)) {
      parts.push_back(joined(part));
      continue;
    }
    auto *terminal = dynamic_cast<antlr4::tree::TerminalNode *>(child);
    if (!terminal || terminal->getSymbol()->getType() == end)
      break;
    parts.push_back((*this)(terminal));
  }
  return sequence(std::move(parts));
}

Document Tokens::above(const Token *token, bool endsBlock) {
  withoutAbove_.insert(token->getTokenIndex());
  const Surroundings &here = around(token);
  std::vector<Document> parts;
  for (const OwnLine &comment : here.above) {
    const bool isFirst = &comment == &here.above.front();
    parts.push_back(!isFirst && comment.followsEmptyLine ? emptyLine() : hardBreak());
    parts.push_back(endingLine(comment.text));
  }
  if (!here.above.empty() && here.followsEmptyLine && !endsBlock)
    parts.push_back(emptyLine());
  return sequence(std::move(parts));
}

bool Tokens::followsEmptyLine(const Token *token) const {
  return around(token).firstFollowsEmptyLine;
}

Document Tokens::behind(const Token *token) {
  withoutBehind_.insert(token->getTokenIndex());
  const Surroundings &here = around(token);
  return here.behind.empty() ? sequence({}) : endingLine(" " + here.behind);
}

} // namespace mmk::format
