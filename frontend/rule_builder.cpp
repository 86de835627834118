#include "frontend/rule_builder.h"

#include "frontend/numbers.h"

#include <fmt/format.h>
#include <map>

namespace mmk {
namespace {

std::optional<Rule::Kind> kindOf(std::string_view symbol, size_t operands, bool floors) {
  static const std::map<std::string_view, Rule::Kind> binary = {
      {"+", Rule::Kind::add},           {"-", Rule::Kind::subtract},
      {"*", Rule::Kind::multiply},      {"/", Rule::Kind::divide},
      {"%", Rule::Kind::remainder},     {"==", Rule::Kind::equal},
      {"!=", Rule::Kind::notEqual},     {"<", Rule::Kind::less},
      {"<=", Rule::Kind::lessEqual},    {">", Rule::Kind::greater},
      {">=", Rule::Kind::greaterEqual}, {"&&", Rule::Kind::logicalAnd},
      {"||", Rule::Kind::logicalOr}};
  if (floors && (symbol == "/" || symbol == "%"))
    return symbol == "/" ? Rule::Kind::floorDivide : Rule::Kind::floorRemainder;
  if (operands == 1)
    return symbol == "!" ? Rule::Kind::logicalNot : Rule::Kind::subtract;
  const auto found = binary.find(symbol);
  if (found == binary.end())
    return std::nullopt;
  return found->second;
}

} // namespace

std::unique_ptr<Rule> ruleOf(Rule::Kind kind) {
  auto rule = std::make_unique<Rule>();
  rule->kind = kind;
  return rule;
}

std::unique_ptr<Rule> ruleThatReads(std::string name) {
  auto rule = ruleOf(Rule::Kind::choice);
  rule->choice = std::move(name);
  return rule;
}

std::unique_ptr<Rule> ruleOfNumber(int64_t number) {
  auto rule = ruleOf(Rule::Kind::number);
  rule->number = number;
  return rule;
}

std::unique_ptr<Rule> RuleBuilder::build(const ast::Expression &tree) {
  using Kind = ast::Expression::Kind;
  switch (tree.kind) {
  case Kind::number:
    return number(tree);
  case Kind::name:
  case Kind::choice:
    return names_(tree);
  case Kind::operation:
    return operation(tree);
  case Kind::call:
  case Kind::cast:
  case Kind::element:
    return refuse(tree.where, fmt::format("{} knows no functions; expected {} and integers with "
                                          "+ - * / %, comparisons, && || !",
                                          words_.what, words_.reads));
  }
  return nullptr;
}

std::unique_ptr<Rule> RuleBuilder::refuse(SourceRange where, std::string message) {
  diagnostics_.error(where, std::move(message));
  return nullptr;
}

std::unique_ptr<Rule> RuleBuilder::number(const ast::Expression &tree) {
  const auto value = parseInteger(tree.text);
  if (!value)
    return refuse(tree.where, fmt::format("{} computes with 64-bit integers, found {}", words_.what,
                                          tree.text));
  auto rule = ruleOf(Rule::Kind::number);
  rule->number = *value;
  return rule;
}

std::unique_ptr<Rule> RuleBuilder::operation(const ast::Expression &tree) {
  if (!kindOf(tree.text, tree.operands.size(), words_.floors))
    return refuse(tree.textWhere,
                  fmt::format("{} has no '{}'; expected + - * / %, comparisons, && || !",
                              words_.what, tree.text));
  std::vector<std::unique_ptr<Rule>> operands;
  for (const ast::ExpressionPtr &operand : tree.operands)
    operands.push_back(build(*operand));
  return join(tree, std::move(operands));
}

std::unique_ptr<Rule> RuleBuilder::join(const ast::Expression &tree,
                                        std::vector<std::unique_ptr<Rule>> operands) {
  const auto kind = kindOf(tree.text, tree.operands.size(), words_.floors);
  auto rule = ruleOf(*kind);
  if (tree.operands.size() == 1 && *kind == Rule::Kind::subtract)
    rule->operands.push_back(ruleOf(Rule::Kind::number));
  bool sound = true;
  for (size_t i = 0; i < operands.size(); ++i) {
    rule->operands.push_back(std::move(operands[i]));
    const Rule *built = rule->operands.back().get();
    if (built && built->isTruth() != rule->isLogical()) {
      refuse(tree.operands[i]->where,
             rule->isLogical()
                 ? fmt::format("'{}' combines comparisons, found a number", tree.text)
                 : fmt::format("'{}' needs numbers, found a comparison{}", tree.text,
                               rule->isTruth() ? "; join two comparisons with &&" : ""));
      sound = false;
    }
    sound &= built != nullptr;
  }
  return sound ? std::move(rule) : nullptr;
}

std::string onOneLine(std::string_view text) {
  std::string result;
  for (char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!space)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  return result;
}

} // namespace mmk
