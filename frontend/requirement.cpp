#include "frontend/requirement.h"

#include "frontend/resolve.h"
#include "frontend/rule_builder.h"
#include "frontend/schedule.h"
#include "schedule/directive.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

/// The choices that a rule of a schedule may read.
class ChoiceNames {
public:
  ChoiceNames(const Kernel &kernel, const Schedule &schedule, bool knowsBody,
              Diagnostics &diagnostics)
      : kernel_(kernel), schedule_(schedule), knowsBody_(knowsBody), diagnostics_(diagnostics) {}

  std::unique_ptr<Rule> operator()(const ast::Expression &tree) const {
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
    return ruleThatReads(key);
  }

private:
  std::unique_ptr<Rule> refuse(SourceRange where, std::string message) const {
    diagnostics_.error(where, std::move(message));
    return nullptr;
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

  const Kernel &kernel_;
  const Schedule &schedule_;
  bool knowsBody_;
  Diagnostics &diagnostics_;
};

} // namespace

std::optional<Requirement> buildRequirement(const ast::Requirement &tree, const Kernel &kernel,
                                            const Schedule &schedule, bool knowsBody,
                                            Diagnostics &diagnostics) {
  RuleBuilder builder({"a rule", "choices"}, ChoiceNames(kernel, schedule, knowsBody, diagnostics),
                      diagnostics);
  Requirement result{builder.build(*tree.rule), onOneLine(tree.text), tree.rule->where};
  if (result.rule && !result.rule->isTruth())
    result.rule = builder.refuse(tree.rule->where,
                                 "a rule is a comparison, found a number; such as tile.M <= 128");
  if (!result.rule)
    return std::nullopt;
  return result;
}

} // namespace mmk
