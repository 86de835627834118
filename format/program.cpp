#include "format/program.h"

#include "format/format.h"
#include "format/statements.h"

#include <algorithm>

namespace mmk::format {
namespace {

using antlr4::Token;
using antlr4::tree::TerminalNode;
using grammar::MmkParser;

constexpr int parameterIndent = 2, continuationIndent = 4;

class ProgramPrinter {
public:
  explicit ProgramPrinter(ParseTree &tree)
      : tree_(tree), tokens_(tree), expressions_(tokens_), statements_(tokens_) {}

  Document whole() {
    std::vector<Document> parts;
    bool isBehindKernel = false;
    for (MmkParser::ItemContext *item : tree_.program()->item()) {
      const bool isKernel = item->kernel() != nullptr;
      if (!parts.empty())
        separate(parts, item->getStart(), isKernel || isBehindKernel);
      parts.push_back(statements_.item(
          item, [&] { return isKernel ? kernel(item->kernel()) : function(item->function()); }));
      isBehindKernel = isKernel;
    }
    const Token *end = tree_.program()->EOF()->getSymbol();
    if (tokens_.hasAbove(end)) {
      separate(parts, end, false);
      parts.push_back(tokens_.above(end, /*endsBlock=*/true));
    }
    return sequence(std::move(parts));
  }

private:
  void separate(std::vector<Document> &parts, const Token *next, bool always) const {
    parts.push_back(always || tokens_.followsEmptyLine(next) ? emptyLine() : hardBreak());
  }

  Document kernel(MmkParser::KernelContext *context) {
    const Document name =
        sequence({tokens_(context->KERNEL()), text(" "), tokens_(context->NAME())});
    std::vector<Document> parameters;
    for (MmkParser::ParameterContext *parameter : context->parameter())
      parameters.push_back(this->parameter(parameter, 0));
    const size_t between = context->parameter().empty() ? 0 : context->parameter().size() - 1;
    const auto commas = context->COMMA();
    const std::vector<TerminalNode *> ofParameters(commas.begin(), commas.begin() + between),
        ofResults(commas.begin() + between, commas.end());
    const Document results = this->results(context, ofResults);
    const Document line =
        sequence({name, tokens_(context->LEFT_PARENTHESIS()),
                  expressions_.commaSeparated(std::move(parameters), ofParameters),
                  tokens_(context->RIGHT_PARENTHESIS()), results});
    const int brace = 2;
    const bool isOneLine = flatWidth(line) + brace <= formattedWidth;
    return sequence({isOneLine ? line : parameterLines(name, context, ofParameters, results),
                     text(" "), statements_.body(context, !isOneLine)});
  }

  /// A head that is too long for a line: one parameter a line, with the types in a column.
  Document parameterLines(const Document &name, MmkParser::KernelContext *context,
                          const std::vector<TerminalNode *> &commas, const Document &results) {
    size_t width = 0;
    for (MmkParser::ParameterContext *parameter : context->parameter())
      width = std::max(width, parameter->NAME()->getText().size());
    std::vector<Document> lines;
    for (size_t i = 0; i < context->parameter().size(); ++i) {
      lines.push_back(hardBreak());
      lines.push_back(parameter(context->parameter(i), width));
      if (i < commas.size())
        lines.push_back(tokens_(commas[i]));
    }
    return sequence({name, tokens_(context->LEFT_PARENTHESIS()),
                     indented(parameterIndent, std::move(lines)), hardBreak(),
                     tokens_(context->RIGHT_PARENTHESIS()), results});
  }

  Document results(MmkParser::KernelContext *context, const std::vector<TerminalNode *> &commas) {
    std::vector<Document> results;
    for (MmkParser::ResultContext *result : context->result())
      results.push_back(sequence(
          {tokens_(result->NAME()), tokens_(result->COLON()), text(" "), type(result->type())}));
    return sequence(
        {text(" "), tokens_(context->ARROW()), text(" "),
         indented(continuationIndent, {expressions_.commaSeparated(std::move(results), commas)})});
  }

  Document parameter(MmkParser::ParameterContext *context, size_t nameWidth) {
    const size_t length = context->NAME()->getText().size();
    std::vector<Document> parts{
        tokens_(context->NAME()), tokens_(context->COLON()),
        text(std::string(nameWidth > length ? nameWidth - length + 1 : 1, ' ')),
        type(context->type())};
    if (context->number()) {
      parts.push_back(text(" "));
      parts.push_back(tokens_(context->ASSIGN()));
      parts.push_back(text(" "));
      parts.push_back(tokens_.joined(context->number()));
    }
    return sequence(std::move(parts));
  }

  Document type(MmkParser::TypeContext *context) {
    std::vector<Document> parts;
    for (TerminalNode *name : context->NAME()) {
      if (!parts.empty())
        parts.push_back(text(" "));
      parts.push_back(tokens_(name));
    }
    if (context->LEFT_BRACKET())
      parts.push_back(expressions_.list(context->LEFT_BRACKET()->getSymbol(),
                                        dimensions(context->dimension()), context->COMMA(),
                                        context->RIGHT_BRACKET()->getSymbol()));
    return sequence(std::move(parts));
  }

  std::vector<Document> dimensions(const std::vector<MmkParser::DimensionContext *> &contexts) {
    std::vector<Document> result;
    for (MmkParser::DimensionContext *dimension : contexts)
      result.push_back(tokens_(dimension->getStart()));
    return result;
  }

  Document function(MmkParser::FunctionContext *context) {
    std::vector<Document> head{tokens_(context->FN()), text(" "), tokens_(context->NAME())};
    if (auto *over = context->over()) {
      std::vector<Document> names;
      for (TerminalNode *name : over->NAME())
        names.push_back(tokens_(name));
      head.push_back(expressions_.list(over->LEFT_BRACKET()->getSymbol(), std::move(names),
                                       over->COMMA(), over->RIGHT_BRACKET()->getSymbol()));
    }
    std::vector<Document> arguments;
    for (MmkParser::ArgumentContext *argument : context->argument())
      arguments.push_back(this->argument(argument));
    head.push_back(expressions_.list(context->LEFT_PARENTHESIS()->getSymbol(), std::move(arguments),
                                     context->COMMA(), context->RIGHT_PARENTHESIS()->getSymbol()));
    if (context->places())
      head.push_back(
          indented(continuationIndent, {breakOrNothing(), expressions_.places(context->places())}));
    return sequence(
        {group(std::move(head)),
         statements_.value(context->ASSIGN(), expressions_.of(context->expression(), false)),
         tokens_(context->SEMICOLON())});
  }

  Document argument(MmkParser::ArgumentContext *context) {
    std::vector<Document> parts{tokens_(context->NAME(0))};
    if (context->LEFT_BRACKET())
      parts.push_back(expressions_.list(context->LEFT_BRACKET()->getSymbol(),
                                        dimensions(context->dimension()), context->COMMA(),
                                        context->RIGHT_BRACKET()->getSymbol()));
    if (context->COLON()) {
      parts.push_back(tokens_(context->COLON()));
      parts.push_back(text(" "));
      parts.push_back(tokens_(context->NAME(1)));
    }
    return sequence(std::move(parts));
  }

  ParseTree &tree_;
  Tokens tokens_;
  Expressions expressions_;
  Statements statements_;
};

} // namespace

Document documentOf(ParseTree &tree) { return ProgramPrinter(tree).whole(); }

} // namespace mmk::format
