// Documents of the items of a kernel, and of blocks of items.
#pragma once

#include "format/expressions.h"

#include <functional>

namespace mmk::format {

class Statements {
public:
  explicit Statements(Tokens &tokens) : tokens_(tokens), expressions_(tokens) {}

  using Grammar = grammar::MmkParser;

  /// An item of a block with the comments above it and at the end of its last line.
  Document item(antlr4::ParserRuleContext *context, const std::function<Document()> &body);
  /// "{", the items on lines of their own, "}". The first item follows an empty line when
  /// `isSpaced`.
  Document block(const antlr4::Token *open, std::vector<antlr4::ParserRuleContext *> contexts,
                 const std::function<Document(size_t)> &body, const antlr4::Token *close,
                 bool isSpaced = false);

  /// `name` with spaces up to `width` characters.
  Document padded(antlr4::tree::TerminalNode *name, size_t width);
  /// " =", and the value on the same line or on the next one.
  Document value(antlr4::tree::TerminalNode *sign, Document expression);

  /// All items of a kernel.
  Document body(Grammar::KernelContext *kernel, bool isSpaced);

private:
  Document kernelItem(Grammar::KernelItemContext *item, size_t nameWidth);
  Document assignment(Grammar::AssignmentContext *context, size_t nameWidth);
  Document requirement(Grammar::RequirementContext *context, size_t nameWidth);
  Document schedule(Grammar::ScheduleContext *context);
  Document directive(Grammar::DirectiveContext *context, size_t nameWidth);
  Document alternatives(Grammar::AlternativesContext *context);
  Document caseBlock(Grammar::CaseBlockContext *context, size_t nameWidth);
  Document check(Grammar::CheckContext *context);
  Document bindings(Document head, const antlr4::Token *open,
                    std::vector<antlr4::ParserRuleContext *> contexts, const antlr4::Token *close);
  Document binding(antlr4::ParserRuleContext *context);
  /// The width of the names of items, by neighbours that are no empty line apart. An empty name is
  /// of no column.
  std::vector<size_t> columnWidths(const std::vector<antlr4::ParserRuleContext *> &items,
                                   const std::function<std::string(size_t)> &kind,
                                   const std::function<std::string(size_t)> &name);

  Tokens &tokens_;
  Expressions expressions_;
};

} // namespace mmk::format
