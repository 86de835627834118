#include "frontend/parser.h"

#include "frontend/parse_tree.h"

#include <fmt/format.h>

namespace mmk {
namespace {

using antlr4::ParserRuleContext;
using antlr4::Token;
using antlr4::tree::TerminalNode;
using grammar::MmkParser;

constexpr size_t maximumWordLength = 128;

/// Converts ANTLR's parse tree to the syntax tree. Each function takes one node of the grammar.
class TreeBuilder {
public:
  TreeBuilder(const SourceFile &file, const TokenPlaces &places, Diagnostics &diagnostics)
      : file_(file), places_(places), diagnostics_(diagnostics) {}

  ast::Program program(MmkParser::ProgramContext *context) {
    ast::Program result;
    for (MmkParser::ItemContext *item : context->item())
      if (item->kernel())
        result.kernels.push_back(kernel(item->kernel()));
      else
        result.functions.push_back(function(item->function()));
    return result;
  }

private:
  SourceRange where(ParserRuleContext *context) const {
    return places_(context->getStart(), context->getStop());
  }
  std::string textOf(SourceRange range) const {
    return std::string(file_.text().substr(range.begin, range.end - range.begin));
  }

  ast::Word word(Token *token) {
    ast::Word result{token->getText(), places_(token)};
    if (result.text.size() > maximumWordLength) {
      diagnostics_.error(result.where,
                         fmt::format("a word of {} characters; at most {} are allowed",
                                     result.text.size(), maximumWordLength));
      result.text.resize(maximumWordLength);
    }
    return result;
  }
  ast::Word word(TerminalNode *node) { return word(node->getSymbol()); }

  /// Several tokens as one word, without the space between them: "-1", "swizzle(4)".
  ast::Word joined(ParserRuleContext *context) {
    ast::Word result{context->getText(), where(context)};
    if (result.text.size() > maximumWordLength)
      word(context->getStop());
    return result;
  }

  ast::Kernel kernel(MmkParser::KernelContext *context) {
    ast::Kernel result;
    result.name = word(context->NAME());
    for (MmkParser::ParameterContext *parameter : context->parameter()) {
      ast::Parameter &added = result.parameters.emplace_back();
      added.name = word(parameter->NAME());
      added.type = type(parameter->type());
      if (parameter->number())
        added.byDefault = joined(parameter->number());
      added.where = where(parameter);
    }
    for (MmkParser::ResultContext *declared : context->result())
      result.results.push_back({word(declared->NAME()), type(declared->type()), where(declared)});
    for (MmkParser::KernelItemContext *item : context->kernelItem())
      kernelItem(item, result);
    return result;
  }

  void kernelItem(MmkParser::KernelItemContext *item, ast::Kernel &kernel) {
    if (auto *let = item->let())
      kernel.body.push_back({true, word(let->NAME()), places(let->places()),
                             expression(let->expression()), where(let)});
    else if (auto *assignment = item->assignment())
      this->assignment(assignment, kernel);
    else if (auto *rule = item->requirement())
      kernel.requirements.push_back(requirement(rule));
    else if (item->schedule())
      kernel.schedules.push_back(schedule(item->schedule()));
    else if (auto *block = item->caseBlock())
      kernel.cases.push_back({word(block->NAME()), bindings(block->binding())});
    else if (auto *check = item->check())
      kernel.checks.push_back({tolerances(check->tolerance()), places_(check->getStart())});
  }

  void assignment(MmkParser::AssignmentContext *context, ast::Kernel &kernel) {
    const ast::Word first = word(context->NAME(0));
    if (!context->NAME(1)) {
      kernel.body.push_back({false, first, places(context->places()),
                             expression(context->expression()), where(context)});
      return;
    }
    ast::Word name = word(context->NAME(1));
    if (first.text != "dim")
      diagnostics_.error(name.where,
                         fmt::format("expected '=', found '{0}'; a derived dimension is "
                                     "written dim {0} = ...;",
                                     name.text));
    kernel.derived.push_back(
        {std::move(name), expression(context->expression()), textOf(where(context->expression()))});
  }

  ast::Requirement requirement(MmkParser::RequirementContext *context) {
    return {expression(context->expression()), textOf(where(context->expression()))};
  }

  ast::Function function(MmkParser::FunctionContext *context) {
    ast::Function result;
    result.name = word(context->NAME());
    result.over = over(context->over());
    for (MmkParser::ArgumentContext *argument : context->argument())
      result.arguments.push_back(this->argument(argument));
    result.places = places(context->places());
    result.value = expression(context->expression());
    return result;
  }

  ast::Argument argument(MmkParser::ArgumentContext *context) {
    ast::Argument result;
    result.name = word(context->NAME(0));
    for (MmkParser::DimensionContext *dimension : context->dimension())
      result.dimensions.push_back(word(dimension->getStart()));
    if (context->NAME(1))
      result.type = word(context->NAME(1));
    result.where = where(context);
    return result;
  }

  std::vector<ast::Word> over(MmkParser::OverContext *context) {
    std::vector<ast::Word> result;
    if (context)
      for (TerminalNode *name : context->NAME())
        result.push_back(word(name));
    return result;
  }

  std::vector<ast::Place> places(MmkParser::PlacesContext *context) {
    std::vector<ast::Place> result;
    if (context)
      for (MmkParser::PlaceContext *place : context->place())
        result.push_back(
            {word(place->NAME()), place->expression() ? expression(place->expression()) : nullptr});
    return result;
  }

  ast::Type type(MmkParser::TypeContext *context) {
    ast::Type result;
    for (TerminalNode *name : context->NAME())
      result.qualifiers.push_back(word(name));
    result.element = result.qualifiers.back();
    result.qualifiers.pop_back();
    result.where = where(context);
    for (MmkParser::DimensionContext *dimension : context->dimension())
      result.dimensions.push_back(word(dimension->getStart()));
    return result;
  }

  ast::Schedule schedule(MmkParser::ScheduleContext *context) {
    ast::Schedule result;
    result.where = places_(context->SCHEDULE()->getSymbol());
    if (context->pattern()) {
      result.pattern = joined(context->pattern());
      result.where = places_(context->getStart(), context->pattern()->getStop());
      if (result.pattern->text != textOf(result.pattern->where))
        diagnostics_.error(result.pattern->where,
                           "a machine pattern is one word without spaces, such as ascend910b*");
    }
    for (MmkParser::ScheduleItemContext *item : context->scheduleItem())
      if (item->directive())
        result.directives.push_back(directive(item->directive()));
      else if (auto *rule = item->requirement())
        result.requirements.push_back(requirement(rule));
    return result;
  }

  ast::Directive directive(MmkParser::DirectiveContext *context) {
    ast::Directive result{word(context->NAME()), {}};
    if (context->alternatives())
      result.settings.push_back({{}, alternatives(context->alternatives()), where(context)});
    for (MmkParser::SettingContext *setting : context->setting()) {
      ast::Setting &added = result.settings.emplace_back();
      for (MmkParser::SettingWordContext *part : setting->settingWord())
        added.key.push_back(joined(part));
      added.alternatives = alternatives(setting->alternatives());
      added.where = where(setting);
    }
    if (context->alternatives())
      result.settings.front().where.end -= 1; // without the semicolon
    return result;
  }

  std::vector<ast::Word> alternatives(MmkParser::AlternativesContext *context) {
    std::vector<ast::Word> result;
    for (MmkParser::AlternativeContext *alternative : context->alternative())
      result.push_back(joined(alternative));
    return result;
  }

  std::vector<ast::Binding> bindings(const std::vector<MmkParser::BindingContext *> &contexts) {
    std::vector<ast::Binding> result;
    for (MmkParser::BindingContext *context : contexts)
      result.push_back({word(context->NAME()), joined(context->number()), where(context)});
    return result;
  }

  std::vector<ast::Binding> tolerances(const std::vector<MmkParser::ToleranceContext *> &contexts) {
    std::vector<ast::Binding> result;
    for (MmkParser::ToleranceContext *context : contexts)
      result.push_back({word(context->NAME(0)),
                        context->number() ? joined(context->number()) : word(context->NAME(1)),
                        where(context)});
    return result;
  }

  using Kind = ast::Expression::Kind;

  ast::ExpressionPtr node(Kind kind, ParserRuleContext *context, Token *text) {
    ast::Word spelled = word(text);
    auto result = std::make_unique<ast::Expression>();
    result->kind = kind;
    result->text = std::move(spelled.text);
    result->where = where(context);
    result->textWhere = spelled.where;
    return result;
  }

  ast::ExpressionPtr expression(MmkParser::ExpressionContext *context) {
    if (auto *unary = dynamic_cast<MmkParser::UnaryContext *>(context)) {
      auto result = node(Kind::operation, context, unary->op);
      result->operands.push_back(expression(unary->expression()));
      return result;
    }
    if (auto *binary = dynamic_cast<MmkParser::BinaryContext *>(context)) {
      auto result = node(Kind::operation, context, binary->op);
      for (MmkParser::ExpressionContext *operand : binary->expression())
        result->operands.push_back(expression(operand));
      return result;
    }
    if (auto *parentheses = dynamic_cast<MmkParser::ParenthesesContext *>(context))
      return expression(parentheses->expression());
    if (auto *cast = dynamic_cast<MmkParser::CastContext *>(context)) {
      auto result = node(Kind::cast, context, cast->NAME()->getSymbol());
      result->operands.push_back(expression(cast->expression()));
      return result;
    }
    if (auto *reference = dynamic_cast<MmkParser::ReferenceContext *>(context))
      return this->reference(reference);
    return node(Kind::number, context, context->getStart());
  }

  ast::ExpressionPtr reference(MmkParser::ReferenceContext *context) {
    if (!context->DOT().empty()) {
      auto result = node(Kind::choice, context, context->getStart());
      const ast::Word dotted = joined(context);
      result->text = dotted.text;
      result->textWhere = dotted.where;
      return result;
    }
    if (!context->call()) {
      auto name = node(Kind::name, context, context->getStart());
      name->where = name->textWhere;
      return context->brackets().empty() ? std::move(name)
                                         : element(context, std::move(name), context->brackets(0));
    }
    auto result = node(Kind::call, context, context->getStart());
    MmkParser::BracketsContext *behind = context->element, *before = nullptr;
    for (MmkParser::BracketsContext *each : context->brackets())
      before = each == behind ? before : each;
    if (before)
      over(before, *result);
    for (MmkParser::ExpressionContext *operand : context->call()->expression())
      result->operands.push_back(expression(operand));
    return behind ? element(context, std::move(result), behind) : std::move(result);
  }

  /// What a reduction or a function goes over.
  void over(MmkParser::BracketsContext *context, ast::Expression &call) {
    for (MmkParser::SubscriptContext *subscript : context->subscript()) {
      ast::ExpressionPtr name = expression(subscript->expression(0));
      if (name->kind != Kind::name)
        diagnostics_.error(name->where,
                           fmt::format("'{0}' goes over dimensions or index variables, "
                                       "each a name; {1}",
                                       call.text, insteadOf(*name, call.text)));
      call.over.push_back({{name->text, name->where}, range(subscript)});
    }
    if (context->expression())
      call.guard = expression(context->expression());
  }

  /// What is meant by brackets that hold more than a name.
  static std::string insteadOf(const ast::Expression &expression, const std::string &call) {
    if (expression.kind == Kind::operation &&
        expression.text.find_first_of("<>=") != std::string::npos)
      return fmt::format("a condition follows '|': {}[j | j <= i](...)", call);
    return fmt::format("what has no name is gone over by a variable: {}[j](...)", call);
  }

  ast::ExpressionPtr range(MmkParser::SubscriptContext *context) {
    return context->expression().size() > 1 ? expression(context->expression(1)) : nullptr;
  }

  /// x[i, j], or pad(x, 0)[i, j].
  ast::ExpressionPtr element(ParserRuleContext *whole, ast::ExpressionPtr tensor,
                             MmkParser::BracketsContext *context) {
    auto result = node(Kind::element, whole, whole->getStart());
    if (context->expression())
      diagnostics_.error(where(context->expression()),
                         "a condition behind '|' belongs to a reduction: sum[j | j <= i](x[i, j])");
    result->operands.push_back(std::move(tensor));
    for (MmkParser::SubscriptContext *subscript : context->subscript()) {
      if (ast::ExpressionPtr given = range(subscript))
        diagnostics_.error(given->where, "a range is given where a variable is introduced: left of "
                                         "'=', or in the brackets of a reduction");
      result->operands.push_back(expression(subscript->expression(0)));
    }
    return result;
  }

  const SourceFile &file_;
  const TokenPlaces &places_;
  Diagnostics &diagnostics_;
};

} // namespace

std::optional<ast::Program> toSyntax(const ParseTree &tree, Diagnostics &diagnostics) {
  const size_t before = diagnostics.all().size();
  ast::Program program =
      TreeBuilder(tree.file(), tree.places(), diagnostics).program(tree.program());
  if (diagnostics.all().size() > before)
    return std::nullopt;
  return program;
}

std::optional<ast::Program> parse(const SourceFile &file, Diagnostics &diagnostics) {
  const auto tree = ParseTree::of(file, diagnostics);
  return tree && tree->isSound() ? toSyntax(*tree, diagnostics) : std::nullopt;
}

} // namespace mmk
