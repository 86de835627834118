#include "schedule/rule.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace mmk {
namespace {

/// A value for a rule, or the reason why it has none.
struct Evaluation {
  const ChosenNumber &chosen;
  bool failed = false; ///< division by zero, overflow

  std::optional<int64_t> operator()(const Rule &rule) {
    using Kind = Rule::Kind;
    if (rule.kind == Kind::number)
      return rule.number;
    if (rule.kind == Kind::choice)
      return chosen(rule.choice);
    const auto left = (*this)(*rule.operands.front());
    if (rule.kind == Kind::logicalNot)
      return left ? std::optional<int64_t>(!*left) : std::nullopt;
    // One side can decide the result even if the other is unknown.
    if (rule.kind == Kind::logicalAnd && left && !*left)
      return 0;
    if (rule.kind == Kind::logicalOr && left && *left)
      return 1;
    const auto right = (*this)(*rule.operands.back());
    if (rule.kind == Kind::logicalAnd && right && !*right)
      return 0;
    if (rule.kind == Kind::logicalOr && right && *right)
      return 1;
    return left && right ? binary(rule.kind, *left, *right) : std::nullopt;
  }

private:
  std::optional<int64_t> binary(Rule::Kind kind, int64_t left, int64_t right) {
    using Kind = Rule::Kind;
    int64_t result = 0;
    bool fails = false;
    switch (kind) {
    case Kind::add:
      fails = __builtin_add_overflow(left, right, &result);
      break;
    case Kind::subtract:
      fails = __builtin_sub_overflow(left, right, &result);
      break;
    case Kind::multiply:
      fails = __builtin_mul_overflow(left, right, &result);
      break;
    case Kind::divide:
    case Kind::remainder:
      fails = right == 0 || (right == -1 && left == std::numeric_limits<int64_t>::min());
      if (!fails)
        result = kind == Kind::divide ? left / right : left % right;
      break;
    case Kind::floorDivide:
    case Kind::floorRemainder: {
      fails = right == 0 || (right == -1 && left == std::numeric_limits<int64_t>::min());
      if (fails)
        break;
      const int64_t rest = left % right, below = rest != 0 && (rest < 0) != (right < 0);
      result = kind == Kind::floorDivide ? left / right - below : rest + below * right;
      break;
    }
    case Kind::equal:
      return left == right;
    case Kind::notEqual:
      return left != right;
    case Kind::less:
      return left < right;
    case Kind::lessEqual:
      return left <= right;
    case Kind::greater:
      return left > right;
    case Kind::greaterEqual:
      return left >= right;
    default: // && and || that neither side has decided
      return kind == Kind::logicalAnd;
    }
    failed |= fails;
    return fails ? std::nullopt : std::optional(result);
  }
};

void collectChoices(const Rule &rule, std::vector<std::string> &keys) {
  if (rule.kind == Rule::Kind::choice && std::ranges::find(keys, rule.choice) == keys.end())
    keys.push_back(rule.choice);
  for (const auto &operand : rule.operands)
    collectChoices(*operand, keys);
}

} // namespace

bool Rule::reads(std::string_view key) const {
  return (kind == Kind::choice && choice == key) ||
         std::ranges::any_of(operands, [&](const auto &operand) { return operand->reads(key); });
}

Verdict judge(const Rule &rule, const ChosenNumber &chosen) {
  Evaluation evaluation{chosen};
  const auto value = evaluation(rule);
  if (value)
    return *value ? Verdict::holds : Verdict::broken;
  return evaluation.failed ? Verdict::broken : Verdict::undecided;
}

std::optional<int64_t> numberOf(const Rule &rule, const ChosenNumber &chosen) {
  return Evaluation{chosen}(rule);
}

std::string explain(const Rule &rule, const ChosenNumber &chosen) {
  std::vector<std::string> keys;
  collectChoices(rule, keys);
  std::string text;
  for (const std::string &key : keys) {
    const auto number = chosen(key);
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key,
                        number ? std::to_string(*number) : "unknown");
  }
  Evaluation evaluation{chosen};
  evaluation(rule);
  if (evaluation.failed)
    text += "; it divides by zero or leaves 64 bits";
  return text;
}

} // namespace mmk
