// Documents of expressions.
#pragma once

#include "format/tokens.h"

namespace mmk::format {

class Expressions {
public:
  explicit Expressions(const Tokens &tokens) : tokens_(tokens) {}

  using Grammar = grammar::MmkParser;

  /// Of calculations with indices, `isIndex`, products are written without spaces: 2*p + r - 1.
  Document of(Grammar::ExpressionContext *context, bool isIndex) const;
  Document places(Grammar::PlacesContext *context) const;

  /// "(a, b)" or "[a, b]" with `items` for what the commas separate.
  Document list(const antlr4::Token *open, std::vector<Document> items,
                const std::vector<antlr4::tree::TerminalNode *> &commas,
                const antlr4::Token *close) const;
  /// Items with their commas, filled into lines.
  Document commaSeparated(std::vector<Document> items,
                          const std::vector<antlr4::tree::TerminalNode *> &commas) const;

private:
  Document chain(Grammar::BinaryContext *context, bool isIndex) const;
  Document reference(Grammar::ReferenceContext *context, bool isIndex) const;
  Document brackets(Grammar::BracketsContext *context) const;

  const Tokens &tokens_;
};

} // namespace mmk::format
