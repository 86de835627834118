// Documents of single tokens, with the comments around them.
#pragma once

#include "format/comments.h"
#include "format/document.h"

#include <set>

namespace mmk::format {

class Tokens {
public:
  explicit Tokens(ParseTree &tree) : surroundings_(surroundingsOf(tree)) {}

  /// A token that stands anywhere.
  Document operator()(const antlr4::Token *token) const;
  Document operator()(antlr4::tree::TerminalNode *node) const { return (*this)(node->getSymbol()); }
  /// The tokens of a node, up to one of the type `end`, with nothing between them.
  Document joined(antlr4::ParserRuleContext *context,
                  size_t end = antlr4::Token::INVALID_TYPE) const;

  /// The comments above a token that begins an item of a block, with their empty lines;
  /// `operator()` leaves them out from then on. Of a token that ends a block no empty line is
  /// before it.
  Document above(const antlr4::Token *token, bool endsBlock = false);
  bool hasAbove(const antlr4::Token *token) const { return !around(token).above.empty(); }
  /// Whether an empty line is before the first of these comments, or before the token.
  bool followsEmptyLine(const antlr4::Token *token) const;
  /// The comments behind a token, apart: `operator()` leaves them out from then on.
  Document behind(const antlr4::Token *token);

private:
  const Surroundings &around(const antlr4::Token *token) const {
    return surroundings_.at(token->getTokenIndex());
  }

  std::map<size_t, Surroundings> surroundings_;
  std::set<size_t> withoutAbove_, withoutBehind_;
};

} // namespace mmk::format
