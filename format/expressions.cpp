#include "format/expressions.h"

#include <algorithm>

namespace mmk::format {

using antlr4::Token;
using antlr4::tree::TerminalNode;
using grammar::MmkParser;

namespace {

/// Operators of one line of the grammar.
int precedence(const Token *op) {
  switch (op->getType()) {
  case MmkParser::STAR:
  case MmkParser::SLASH:
  case MmkParser::PERCENT:
  case MmkParser::AT:
    return 6;
  case MmkParser::PLUS:
  case MmkParser::MINUS:
    return 5;
  case MmkParser::LESS:
  case MmkParser::LESS_EQUAL:
  case MmkParser::GREATER:
  case MmkParser::GREATER_EQUAL:
    return 4;
  case MmkParser::EQUAL:
  case MmkParser::NOT_EQUAL:
    return 3;
  case MmkParser::AND:
    return 2;
  default:
    return 1;
  }
}

} // namespace

Document Expressions::of(MmkParser::ExpressionContext *context, bool isIndex) const {
  if (auto *unary = dynamic_cast<MmkParser::UnaryContext *>(context))
    return sequence({tokens_(unary->op), of(unary->expression(), isIndex)});
  if (auto *binary = dynamic_cast<MmkParser::BinaryContext *>(context))
    return chain(binary, isIndex);
  if (auto *inner = dynamic_cast<MmkParser::ParenthesesContext *>(context))
    return sequence({tokens_(inner->LEFT_PARENTHESIS()),
                     bracketed({of(inner->expression(), isIndex)}),
                     tokens_(inner->RIGHT_PARENTHESIS())});
  if (auto *cast = dynamic_cast<MmkParser::CastContext *>(context))
    return sequence({tokens_(cast->CAST()), tokens_(cast->LESS()), tokens_(cast->NAME()),
                     tokens_(cast->GREATER()), tokens_(cast->LEFT_PARENTHESIS()),
                     bracketed({of(cast->expression(), isIndex)}),
                     tokens_(cast->RIGHT_PARENTHESIS())});
  if (auto *reference = dynamic_cast<MmkParser::ReferenceContext *>(context))
    return this->reference(reference, isIndex);
  return tokens_(context->getStart());
}

Document Expressions::chain(MmkParser::BinaryContext *context, bool isIndex) const {
  // From the right: operators of one precedence group from the left.
  std::vector<MmkParser::BinaryContext *> links;
  MmkParser::ExpressionContext *first = context;
  while (auto *link = dynamic_cast<MmkParser::BinaryContext *>(first)) {
    if (precedence(link->op) != precedence(context->op))
      break;
    links.push_back(link);
    first = link->expression(0);
  }
  std::vector<Document> parts{of(first, isIndex)};
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    const bool isTight = isIndex && (*link)->op->getType() == MmkParser::STAR;
    if (!isTight)
      parts.push_back(breakOrSpace());
    parts.push_back(tokens_((*link)->op));
    if (!isTight)
      parts.push_back(text(" "));
    parts.push_back(of((*link)->expression(1), isIndex));
  }
  return aligned({group(std::move(parts))});
}

Document Expressions::reference(MmkParser::ReferenceContext *context, bool isIndex) const {
  std::vector<Document> parts;
  for (antlr4::tree::ParseTree *child : context->children)
    if (auto *terminal = dynamic_cast<TerminalNode *>(child)) {
      parts.push_back(tokens_(terminal));
    } else if (auto *brackets = dynamic_cast<MmkParser::BracketsContext *>(child)) {
      parts.push_back(this->brackets(brackets));
    } else if (auto *call = dynamic_cast<MmkParser::CallContext *>(child)) {
      std::vector<Document> operands;
      for (MmkParser::ExpressionContext *operand : call->expression())
        operands.push_back(of(operand, isIndex));
      parts.push_back(list(call->LEFT_PARENTHESIS()->getSymbol(), std::move(operands),
                           call->COMMA(), call->RIGHT_PARENTHESIS()->getSymbol()));
    }
  return sequence(std::move(parts));
}

Document Expressions::brackets(MmkParser::BracketsContext *context) const {
  std::vector<Document> items;
  for (MmkParser::SubscriptContext *subscript : context->subscript()) {
    std::vector<Document> parts{of(subscript->expression(0), true)};
    if (subscript->COLON()) {
      parts.push_back(tokens_(subscript->COLON()));
      parts.push_back(text(" "));
      parts.push_back(of(subscript->expression(1), true));
    }
    items.push_back(sequence(std::move(parts)));
  }
  Document over = commaSeparated(std::move(items), context->COMMA());
  if (context->BAR())
    over = sequence({over, breakOrSpace(), tokens_(context->BAR()), text(" "),
                     of(context->expression(), true)});
  return sequence({tokens_(context->LEFT_BRACKET()), bracketed({group({over})}),
                   tokens_(context->RIGHT_BRACKET())});
}

Document Expressions::places(MmkParser::PlacesContext *context) const {
  std::vector<Document> items;
  for (MmkParser::PlaceContext *place : context->place()) {
    std::vector<Document> parts{tokens_(place->NAME())};
    if (place->COLON()) {
      parts.push_back(tokens_(place->COLON()));
      parts.push_back(text(" "));
      parts.push_back(of(place->expression(), true));
    }
    items.push_back(sequence(std::move(parts)));
  }
  return list(context->LEFT_BRACKET()->getSymbol(), std::move(items), context->COMMA(),
              context->RIGHT_BRACKET()->getSymbol());
}

Document Expressions::list(const Token *open, std::vector<Document> items,
                           const std::vector<TerminalNode *> &commas, const Token *close) const {
  return sequence(
      {tokens_(open), bracketed({commaSeparated(std::move(items), commas)}), tokens_(close)});
}

Document Expressions::commaSeparated(std::vector<Document> items,
                                     const std::vector<TerminalNode *> &commas) const {
  std::vector<Document> parts;
  for (size_t i = 0; i < items.size(); ++i) {
    const bool isLast = i == commas.size();
    if (i > 0)
      parts.push_back(breakOrSpace());
    parts.push_back(isLast ? items[i] : sequence({items[i], tokens_(commas[i])}));
  }
  return filled(std::move(parts));
}

} // namespace mmk::format
