#include "frontend/requirement.h"

#include "frontend/numbers.h"
#include "frontend/resolve.h"
#include "frontend/schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace mmk {
namespace {

using Rule = Requirement::Expression;

bool isTruth(Rule::Kind kind) { return kind >= Rule::Kind::equal; }
bool isLogical(Rule::Kind kind) { return kind >= Rule::Kind::logicalAnd; }

std::optional<Rule::Kind> kindOf(std::string_view symbol, size_t operands) {
  static const std::map<std::string_view, Rule::Kind> binary = {
      {"+", Rule::Kind::add},           {"-", Rule::Kind::subtract},
      {"*", Rule::Kind::multiply},      {"/", Rule::Kind::divide},
      {"%", Rule::Kind::remainder},     {"==", Rule::Kind::equal},
      {"!=", Rule::Kind::notEqual},     {"<", Rule::Kind::less},
      {"<=", Rule::Kind::lessEqual},    {">", Rule::Kind::greater},
      {">=", Rule::Kind::greaterEqual}, {"&&", Rule::Kind::logicalAnd},
      {"||", Rule::Kind::logicalOr}};
  if (operands == 1)
    return symbol == "!" ? Rule::Kind::logicalNot : Rule::Kind::subtract;
  const auto found = binary.find(symbol);
  if (found == binary.end())
    return std::nullopt;
  return found->second;
}

class Builder {
public:
  Builder(const Kernel &kernel, const Schedule &schedule, bool knowsBody, Diagnostics &diagnostics)
      : kernel_(kernel), schedule_(schedule), knowsBody_(knowsBody), diagnostics_(diagnostics) {}

  std::unique_ptr<Rule> build(const ast::Expression &tree) {
    using Kind = ast::Expression::Kind;
    switch (tree.kind) {
    case Kind::number:
      return number(tree);
    case Kind::name:
    case Kind::choice:
      return choice(tree);
    case Kind::operation:
      return operation(tree);
    case Kind::call:
    case Kind::cast:
      return refuse(tree.where, "a rule knows no functions; expected choices and integers with "
                                "+ - * / %, comparisons, && || !");
    }
    return nullptr;
  }

  std::unique_ptr<Rule> refuse(SourceRange where, std::string message) {
    diagnostics_.error(where, std::move(message));
    return nullptr;
  }

private:
  static std::unique_ptr<Rule> make(Rule::Kind kind) {
    auto rule = std::make_unique<Rule>();
    rule->kind = kind;
    return rule;
  }

  std::unique_ptr<Rule> number(const ast::Expression &tree) {
    const auto value = parseInteger(tree.text);
    if (!value)
      return refuse(tree.where,
                    fmt::format("a rule computes with 64-bit integers, found {}", tree.text));
    auto rule = make(Rule::Kind::number);
    rule->number = *value;
    return rule;
  }

  std::unique_ptr<Rule> choice(const ast::Expression &tree) {
    const std::string &key = tree.text;
    std::string message;
    if (!checkKey(kernel_, key, knowsBody_, message))
      return refuse(tree.where,
                    fmt::format("'{}' is no choice of this schedule{}", key, choices()));
    if (!hasNumbers(key))
      return refuse(tree.where, fmt::format("the choices of '{}' are words, and a rule computes "
                                            "with numbers{}",
                                            key, choices()));
    if (mayBeAuto(key))
      return refuse(tree.where,
                    fmt::format("'{}' may be auto here, which is no number; list only "
                                "numbers for it, such as {}",
                                key, key == "cores" ? "cores = 1 | 2 | 4" : "128 | 64"));
    auto rule = make(Rule::Kind::choice);
    rule->choice = key;
    return rule;
  }

  bool mayBeAuto(std::string_view key) const {
    const auto found = std::ranges::find(schedule_.directives, key, &Directive::key);
    if (found == schedule_.directives.end())
      return key == "cores";
    return std::ranges::find(found->alternatives, "auto", &Directive::Alternative::word) !=
           found->alternatives.end();
  }

  std::string choices() const {
    std::vector<std::string> keys;
    for (const Directive &directive : schedule_.directives)
      if (hasNumbers(directive.key) && !mayBeAuto(directive.key))
        keys.push_back(directive.key);
    return keys.empty() ? "" : "; its choices with numbers: " + listOf(keys, "and");
  }

  std::unique_ptr<Rule> operation(const ast::Expression &tree) {
    const auto kind = kindOf(tree.text, tree.operands.size());
    if (!kind)
      return refuse(
          tree.textWhere,
          fmt::format("a rule has no '{}'; expected + - * / %, comparisons, && || !", tree.text));
    auto rule = make(*kind);
    if (tree.operands.size() == 1 && *kind == Rule::Kind::subtract)
      rule->operands.push_back(make(Rule::Kind::number));
    bool sound = true;
    for (const ast::ExpressionPtr &operand : tree.operands) {
      rule->operands.push_back(build(*operand));
      const Rule *built = rule->operands.back().get();
      if (built && isTruth(built->kind) != isLogical(*kind)) {
        refuse(operand->where,
               isLogical(*kind)
                   ? fmt::format("'{}' combines comparisons, found a number", tree.text)
                   : fmt::format("'{}' needs numbers, found a comparison{}", tree.text,
                                 isTruth(*kind) ? "; join two comparisons with &&" : ""));
        sound = false;
      }
      sound &= built != nullptr;
    }
    return sound ? std::move(rule) : nullptr;
  }

  const Kernel &kernel_;
  const Schedule &schedule_;
  bool knowsBody_;
  Diagnostics &diagnostics_;
};

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
    // One side can decide, also when the other is unknown.
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
    default: // && and ||, which neither side has decided
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

} // namespace

std::optional<Requirement> buildRequirement(const ast::Requirement &tree, const Kernel &kernel,
                                            const Schedule &schedule, bool knowsBody,
                                            Diagnostics &diagnostics) {
  Builder builder(kernel, schedule, knowsBody, diagnostics);
  Requirement result{builder.build(*tree.rule), onOneLine(tree.text), tree.rule->where};
  if (result.rule && !isTruth(result.rule->kind))
    result.rule = builder.refuse(tree.rule->where,
                                 "a rule is a comparison, found a number; such as tile.M <= 128");
  if (!result.rule)
    return std::nullopt;
  return result;
}

Verdict judge(const Requirement &requirement, const ChosenNumber &chosen) {
  Evaluation evaluation{chosen};
  const auto value = evaluation(*requirement.rule);
  if (value)
    return *value ? Verdict::holds : Verdict::broken;
  return evaluation.failed ? Verdict::broken : Verdict::undecided;
}

std::string explain(const Requirement &requirement, const ChosenNumber &chosen) {
  std::vector<std::string> keys;
  collectChoices(*requirement.rule, keys);
  std::string text;
  for (const std::string &key : keys) {
    const auto number = chosen(key);
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key,
                        number ? std::to_string(*number) : "unknown");
  }
  Evaluation evaluation{chosen};
  evaluation(*requirement.rule);
  if (evaluation.failed)
    text += "; it divides by zero or leaves 64 bits";
  return text;
}

} // namespace mmk
