#include "frontend/index/arithmetic.h"

#include "frontend/rule_builder.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

using Kind = Rule::Kind;

std::unique_ptr<Rule> joined(Kind kind, std::unique_ptr<Rule> left, std::unique_ptr<Rule> right) {
  auto rule = ruleOf(kind);
  rule->operands.push_back(std::move(left));
  rule->operands.push_back(std::move(right));
  return rule;
}

std::string_view symbolOf(Kind kind) {
  switch (kind) {
  case Kind::add:
    return "+";
  case Kind::subtract:
    return "-";
  case Kind::multiply:
    return "*";
  case Kind::divide:
  case Kind::floorDivide:
    return "/";
  case Kind::remainder:
  case Kind::floorRemainder:
    return "%";
  case Kind::equal:
    return "==";
  case Kind::notEqual:
    return "!=";
  case Kind::less:
    return "<";
  case Kind::lessEqual:
    return "<=";
  case Kind::greater:
    return ">";
  case Kind::greaterEqual:
    return ">=";
  case Kind::logicalAnd:
    return "&&";
  case Kind::logicalOr:
    return "||";
  case Kind::number:
  case Kind::choice:
  case Kind::logicalNot:
    break;
  }
  return "!";
}

/// How tightly an operator binds.
int precedenceOf(const Rule &rule) {
  switch (rule.kind) {
  case Kind::number:
    return rule.number < 0 ? 3 : 9;
  case Kind::choice:
    return 9;
  case Kind::logicalNot:
    return 8;
  case Kind::multiply:
  case Kind::divide:
  case Kind::remainder:
  case Kind::floorDivide:
  case Kind::floorRemainder:
    return 7;
  case Kind::add:
  case Kind::subtract:
    return 6;
  case Kind::logicalAnd:
    return 2;
  case Kind::logicalOr:
    return 1;
  default:
    return 5;
  }
}

/// The number of a rule that reads no names.
std::optional<int64_t> constantOf(const Rule &rule) {
  return numberOf(rule, [](std::string_view) { return std::nullopt; });
}

} // namespace

std::optional<LinearForm> linearForm(const Rule &rule) {
  if (rule.kind == Kind::choice)
    return LinearForm{{{rule.choice, 1}}, 0};
  if (const auto number = constantOf(rule))
    return LinearForm{{}, *number};
  if (rule.kind != Kind::add && rule.kind != Kind::subtract && rule.kind != Kind::multiply)
    return std::nullopt;
  auto left = linearForm(*rule.operands[0]), right = linearForm(*rule.operands[1]);
  if (!left || !right)
    return std::nullopt;
  if (rule.kind == Kind::multiply) {
    if (!left->factors.empty())
      std::swap(left, right);
    if (!left->factors.empty())
      return std::nullopt;
    for (auto &[name, factor] : right->factors)
      factor *= left->number;
    right->number *= left->number;
    return right;
  }
  const int64_t sign = rule.kind == Kind::add ? 1 : -1;
  for (const auto &[name, factor] : right->factors)
    if ((left->factors[name] += sign * factor) == 0)
      left->factors.erase(name);
  left->number += sign * right->number;
  return left;
}

std::string spellingOf(const Rule &rule) {
  if (rule.kind == Kind::number)
    return std::to_string(rule.number);
  if (rule.kind == Kind::choice)
    return rule.choice;
  const auto spelled = [&](const Rule &operand, bool isRight) {
    const int outer = precedenceOf(rule), inner = precedenceOf(operand);
    return inner < outer || (isRight && inner == outer) ? fmt::format("({})", spellingOf(operand))
                                                        : spellingOf(operand);
  };
  const Rule &left = *rule.operands[0];
  if (rule.kind == Kind::logicalNot)
    return "!" + spelled(left, true);
  const std::string right = spelled(*rule.operands[1], true);
  if (rule.kind == Kind::subtract && left.kind == Kind::number && left.number == 0)
    return "-" + right;
  return fmt::format("{} {} {}", spelled(left, false), symbolOf(rule.kind), right);
}

std::unique_ptr<Rule> renamed(const Rule &rule,
                              const std::function<std::string(const std::string &)> &name) {
  auto copy = ruleOf(rule.kind);
  copy->number = rule.number;
  copy->choice = rule.kind == Kind::choice ? name(rule.choice) : "";
  for (const auto &operand : rule.operands)
    copy->operands.push_back(renamed(*operand, name));
  return copy;
}

std::unique_ptr<Rule> copyOf(const Rule &rule) {
  return renamed(rule, [](const std::string &name) { return name; });
}

bool readsVariable(const Rule &rule, const IsVariable &isVariable) {
  return (rule.kind == Kind::choice && isVariable(rule.choice)) ||
         std::ranges::any_of(rule.operands, [&](const auto &operand) {
           return readsVariable(*operand, isVariable);
         });
}

std::string whyNotAffine(const Rule &rule, const IsVariable &isVariable) {
  if (!readsVariable(rule, isVariable))
    return "";
  for (const auto &operand : rule.operands)
    if (std::string why = whyNotAffine(*operand, isVariable); !why.empty())
      return why;
  switch (rule.kind) {
  case Kind::multiply:
    for (size_t i : {size_t(0), size_t(1)})
      if (readsVariable(*rule.operands[i], isVariable) && !constantOf(*rule.operands[1 - i]))
        return fmt::format("'{}' is not affine; a variable is multiplied by integers and int "
                           "parameters only",
                           spellingOf(rule));
    return "";
  case Kind::floorDivide:
  case Kind::floorRemainder:
    if (constantOf(*rule.operands[1]).value_or(0) <= 0)
      return fmt::format("'{}' is not affine; a variable is divided by positive integers and int "
                         "parameters only",
                         spellingOf(rule));
    return "";
  case Kind::choice:
  case Kind::add:
  case Kind::subtract:
    return "";
  default:
    return fmt::format("'{}' is a condition, and an index is a number", spellingOf(rule));
  }
}

Interval intervalOf(const Rule &rule,
                    const std::function<std::unique_ptr<Rule>(const std::string &)> &greatest) {
  if (rule.kind == Kind::choice) {
    if (auto high = greatest(rule.choice))
      return {ruleOfNumber(0), std::move(high)};
    return {copyOf(rule), copyOf(rule)};
  }
  if (rule.kind == Kind::number)
    return {copyOf(rule), copyOf(rule)};
  Interval left = intervalOf(*rule.operands[0], greatest),
           right = intervalOf(*rule.operands[1], greatest);
  switch (rule.kind) {
  case Kind::subtract:
    std::swap(right.low, right.high);
    break;
  case Kind::multiply:
    if (constantOf(*rule.operands[1]).value_or(0) < 0)
      std::swap(left.low, left.high);
    else if (constantOf(*rule.operands[0]).value_or(0) < 0)
      std::swap(right.low, right.high);
    break;
  case Kind::floorRemainder:
    if (rule.operands[0]->kind != Kind::number)
      return {ruleOfNumber(0), joined(Kind::subtract, copyOf(*rule.operands[1]), ruleOfNumber(1))};
    break;
  default:
    break;
  }
  return {joined(rule.kind, std::move(left.low), std::move(right.low)),
          joined(rule.kind, std::move(left.high), std::move(right.high))};
}

} // namespace mmk
