#include "format/statements.h"

#include "format/format.h"

#include <algorithm>

namespace mmk::format {

using antlr4::ParserRuleContext;
using antlr4::Token;
using antlr4::tree::TerminalNode;
using grammar::MmkParser;

namespace {

constexpr int blockIndent = 2, valueIndent = 4;

template <typename Context>
std::vector<ParserRuleContext *> asRules(const std::vector<Context *> &contexts) {
  return {contexts.begin(), contexts.end()};
}

/// The name that an aligned item begins with; empty when it is not aligned.
std::string alignedName(MmkParser::KernelItemContext *item) {
  if (item->caseBlock())
    return item->caseBlock()->NAME()->getText();
  if (auto *assignment = item->assignment(); assignment && !assignment->places())
    return assignment->NAME(1) ? "" : assignment->NAME(0)->getText();
  return "";
}

} // namespace

Document Statements::item(ParserRuleContext *context, const std::function<Document()> &body) {
  // Before the body, whose tokens then come without them.
  Document above = tokens_.above(context->getStart());
  Document behind = tokens_.behind(context->getStop());
  return sequence({above, body(), behind});
}

Document Statements::block(const Token *open, std::vector<ParserRuleContext *> contexts,
                           const std::function<Document(size_t)> &body, const Token *close,
                           bool isSpaced) {
  const bool isEmpty = contexts.empty() && !tokens_.hasAbove(close);
  std::vector<Document> inside;
  const auto separate = [&](const Token *next) {
    const bool isFirst = inside.empty();
    inside.push_back((isFirst ? isSpaced : tokens_.followsEmptyLine(next)) ? emptyLine()
                                                                           : hardBreak());
  };
  for (size_t i = 0; i < contexts.size(); ++i) {
    separate(contexts[i]->getStart());
    inside.push_back(item(contexts[i], [&] { return body(i); }));
  }
  if (tokens_.hasAbove(close)) {
    separate(close);
    inside.push_back(tokens_.above(close, /*endsBlock=*/true));
  }
  return sequence({tokens_(open), indented(blockIndent, std::move(inside)),
                   isEmpty ? sequence({}) : hardBreak(), tokens_(close)});
}

Document Statements::padded(TerminalNode *name, size_t width) {
  const size_t length = name->getText().size();
  return sequence({tokens_(name), text(std::string(width > length ? width - length : 0, ' '))});
}

Document Statements::value(TerminalNode *sign, Document expression) {
  return sequence({text(" "), tokens_(sign),
                   group({indented(valueIndent, {breakOrSpace(), std::move(expression)})})});
}

std::vector<size_t> Statements::columnWidths(const std::vector<ParserRuleContext *> &items,
                                             const std::function<std::string(size_t)> &kind,
                                             const std::function<std::string(size_t)> &name) {
  std::vector<size_t> widths(items.size());
  for (size_t begin = 0, end = 0; begin < items.size(); begin = end) {
    size_t width = name(begin).size();
    for (end = begin + 1; end < items.size() && kind(end) == kind(begin) &&
                          !tokens_.followsEmptyLine(items[end]->getStart());
         ++end)
      width = std::max(width, name(end).size());
    std::fill(widths.begin() + static_cast<ptrdiff_t>(begin),
              widths.begin() + static_cast<ptrdiff_t>(end), width);
  }
  return widths;
}

Document Statements::body(MmkParser::KernelContext *kernel, bool isSpaced) {
  const auto items = kernel->kernelItem();
  const auto kind = [&](size_t i) {
    return alignedName(items[i]).empty() ? "" : items[i]->caseBlock() ? "case" : "=";
  };
  const std::vector<size_t> widths =
      columnWidths(asRules(items), kind, [&](size_t i) { return alignedName(items[i]); });
  return block(
      kernel->LEFT_BRACE()->getSymbol(), asRules(items),
      [&](size_t i) { return kernelItem(items[i], widths[i]); }, kernel->RIGHT_BRACE()->getSymbol(),
      isSpaced);
}

Document Statements::kernelItem(MmkParser::KernelItemContext *item, size_t nameWidth) {
  if (auto *let = item->let())
    return sequence({tokens_(let->LET()), text(" "), tokens_(let->NAME()),
                     let->places() ? expressions_.places(let->places()) : sequence({}),
                     value(let->ASSIGN(), expressions_.of(let->expression(), false)),
                     tokens_(let->SEMICOLON())});
  if (auto *assignment = item->assignment())
    return this->assignment(assignment, nameWidth);
  if (auto *rule = item->requirement())
    return requirement(rule, 0);
  if (auto *schedule = item->schedule())
    return this->schedule(schedule);
  if (auto *block = item->caseBlock())
    return caseBlock(block, nameWidth);
  return check(item->check());
}

Document Statements::assignment(MmkParser::AssignmentContext *context, size_t nameWidth) {
  const bool isDerived = context->NAME(1) != nullptr;
  Document name = padded(context->NAME(0), nameWidth);
  if (isDerived)
    name = sequence({name, text(" "), tokens_(context->NAME(1))});
  else if (context->places())
    name = sequence({name, expressions_.places(context->places())});
  return sequence({name,
                   value(context->ASSIGN(), expressions_.of(context->expression(), isDerived)),
                   tokens_(context->SEMICOLON())});
}

Document Statements::requirement(MmkParser::RequirementContext *context, size_t nameWidth) {
  return sequence({padded(context->REQUIRE(), nameWidth), text(" "),
                   expressions_.of(context->expression(), false), tokens_(context->SEMICOLON())});
}

Document Statements::schedule(MmkParser::ScheduleContext *context) {
  std::vector<Document> head{tokens_(context->SCHEDULE()), text(" ")};
  if (context->pattern())
    for (const Document &part :
         {tokens_(context->FOR()), text(" "), tokens_.joined(context->pattern()), text(" ")})
      head.push_back(part);
  const auto items = context->scheduleItem();
  const auto name = [&](size_t i) {
    return items[i]->directive() ? items[i]->directive()->NAME()->getText()
                                 : items[i]->requirement()->REQUIRE()->getText();
  };
  const std::vector<size_t> widths = columnWidths(asRules(items), [](size_t) { return ""; }, name);
  head.push_back(block(
      context->LEFT_BRACE()->getSymbol(), asRules(items),
      [&](size_t i) {
        return items[i]->directive() ? directive(items[i]->directive(), widths[i])
                                     : requirement(items[i]->requirement(), widths[i]);
      },
      context->RIGHT_BRACE()->getSymbol()));
  return sequence(std::move(head));
}

Document Statements::directive(MmkParser::DirectiveContext *context, size_t nameWidth) {
  std::vector<Document> parts{padded(context->NAME(), nameWidth), text(" ")};
  if (context->alternatives()) {
    parts.push_back(tokens_(context->ASSIGN()));
    parts.push_back(text(" "));
    parts.push_back(alternatives(context->alternatives()));
  }
  std::vector<Document> settings;
  for (MmkParser::SettingContext *setting : context->setting())
    settings.push_back(
        sequence({tokens_.joined(setting, MmkParser::ASSIGN), text(" "), tokens_(setting->ASSIGN()),
                  text(" "), alternatives(setting->alternatives())}));
  if (!settings.empty())
    parts.push_back(aligned({expressions_.commaSeparated(std::move(settings), context->COMMA())}));
  parts.push_back(tokens_(context->SEMICOLON()));
  return sequence(std::move(parts));
}

Document Statements::alternatives(MmkParser::AlternativesContext *context) {
  std::vector<Document> parts;
  for (size_t i = 0; i < context->alternative().size(); ++i) {
    if (i > 0)
      parts.push_back(sequence({breakOrSpace(), tokens_(context->BAR(i - 1)), text(" ")}));
    parts.push_back(tokens_.joined(context->alternative(i)));
  }
  return aligned({filled(std::move(parts))});
}

Document Statements::caseBlock(MmkParser::CaseBlockContext *context, size_t nameWidth) {
  return bindings(sequence({tokens_(context->CASE()), text(" "), padded(context->NAME(), nameWidth),
                            text(" ")}),
                  context->LEFT_BRACE()->getSymbol(), asRules(context->binding()),
                  context->RIGHT_BRACE()->getSymbol());
}

Document Statements::check(MmkParser::CheckContext *context) {
  return bindings(sequence({tokens_(context->CHECK()), text(" ")}),
                  context->LEFT_BRACE()->getSymbol(), asRules(context->tolerance()),
                  context->RIGHT_BRACE()->getSymbol());
}

/// On one line where that is possible, else each binding on its own.
Document Statements::bindings(Document head, const Token *open,
                              std::vector<ParserRuleContext *> contexts, const Token *close) {
  std::vector<Document> line{head, tokens_(open)};
  for (ParserRuleContext *context : contexts) {
    line.push_back(text(" "));
    line.push_back(binding(context));
  }
  if (!contexts.empty())
    line.push_back(text(" "));
  line.push_back(tokens_(close));
  Document whole = sequence(std::move(line));
  if (blockIndent + flatWidth(whole) <= formattedWidth)
    return whole;
  return sequence(
      {head, block(open, contexts, [&](size_t i) { return binding(contexts[i]); }, close)});
}

/// Of a case or a check: `NAME = VALUE;`.
Document Statements::binding(ParserRuleContext *context) {
  std::vector<Document> parts;
  for (antlr4::tree::ParseTree *child : context->children)
    if (auto *terminal = dynamic_cast<TerminalNode *>(child)) {
      const bool isSign = terminal->getSymbol()->getType() == MmkParser::ASSIGN;
      parts.push_back(isSign ? sequence({text(" "), tokens_(terminal), text(" ")})
                             : tokens_(terminal));
    } else {
      parts.push_back(tokens_.joined(dynamic_cast<ParserRuleContext *>(child)));
    }
  return sequence(std::move(parts));
}

} // namespace mmk::format
