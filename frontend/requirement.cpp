#include "frontend/requirement.h"

#include "frontend/numbers.h"
#include "frontend/resolve.h"
#include "frontend/schedule.h"
#include "schedule/directive.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mmk {
namespace {

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
      if (built && built->isTruth() != rule->isLogical()) {
        refuse(operand->where,
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

  const Kernel &kernel_;
  const Schedule &schedule_;
  bool knowsBody_;
  Diagnostics &diagnostics_;
};

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
  if (result.rule && !result.rule->isTruth())
    result.rule = builder.refuse(tree.rule->where,
                                 "a rule is a comparison, found a number; such as tile.M <= 128");
  if (!result.rule)
    return std::nullopt;
  return result;
}

} // namespace mmk
