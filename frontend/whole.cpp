#include "frontend/whole.h"

#include "frontend/resolve.h"
#include "frontend/rule_builder.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace mmk {
namespace {

/// The names that a calculation may read: those of `known`.
class WholeNames {
public:
  WholeNames(const Kernel &kernel, std::vector<std::string> known, Diagnostics &diagnostics)
      : kernel_(kernel), known_(std::move(known)), diagnostics_(diagnostics) {}

  std::unique_ptr<Rule> operator()(const ast::Expression &tree) const {
    if (std::ranges::find(known_, tree.text) != known_.end())
      return ruleThatReads(tree.text);
    const bool isLater = kernel_.isDerived(tree.text);
    diagnostics_.error(
        tree.where,
        isLater ? fmt::format("'{}' is not known yet; a dim reads those above it", tree.text)
                : fmt::format("'{}' is no dimension and no int parameter{}", tree.text,
                              suggestion(tree.text, known_, "known here")));
    return nullptr;
  }

private:
  const Kernel &kernel_;
  std::vector<std::string> known_;
  Diagnostics &diagnostics_;
};

constexpr RuleWords calculationWords = {"a calculation of dimensions", "dimensions, int parameters",
                                        /*floors=*/true};

ChosenNumber numbersOf(const Kernel &kernel, const std::map<std::string, int64_t> &dims) {
  return [&](std::string_view name) -> std::optional<int64_t> {
    if (const auto dim = dims.find(std::string(name)); dim != dims.end())
      return dim->second;
    const auto whole = std::ranges::find(kernel.wholes, name, &WholeParameter::name);
    return whole == kernel.wholes.end() ? std::nullopt : std::optional(whole->value);
  };
}

/// A calculation as written, with its numbers in place of its names.
std::string withNumbers(const std::string &text, const ChosenNumber &chosen) {
  std::string result;
  const auto isOfName = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (isOfName(text[i]))
      while (end < text.size() && isOfName(text[end]))
        ++end;
    const std::string word = text.substr(i, end - i);
    const auto number = chosen(word);
    result += !number ? word : *number < 0 ? fmt::format("({})", *number) : std::to_string(*number);
    i = end;
  }
  return result;
}

std::string derive(const DerivedDimension &derived, const ChosenNumber &chosen,
                   std::map<std::string, int64_t> &dims) {
  const auto value = numberOf(*derived.value, chosen);
  if (!value)
    return fmt::format("{} = {} is {}, which divides by zero or leaves 64 bits", derived.name,
                       derived.text, withNumbers(derived.text, chosen));
  const auto calculation = [&] {
    return fmt::format("{} = {} is {} = {}", derived.name, derived.text,
                       withNumbers(derived.text, chosen), *value);
  };
  if (*value < 0 || *value > maximumDimension)
    return fmt::format("{}, and a dimension is 0 to {}", calculation(), maximumDimension);
  const auto [known, isNew] = dims.try_emplace(derived.name, *value);
  if (!isNew && known->second != *value)
    return fmt::format("{}, and the arguments have {} = {}", calculation(), derived.name,
                       known->second);
  return "";
}

} // namespace

void checkWholes(const ast::Kernel &tree, Kernel &kernel, Diagnostics &diagnostics) {
  // A dimension that is derived, too, is known from where it is derived.
  std::vector<std::string> known = kernel.boundDimensions();
  for (const WholeParameter &whole : kernel.wholes)
    known.push_back(whole.name);
  for (const ast::Derived &each : tree.derived) {
    const auto declared =
        std::ranges::find(kernel.derived, each.name.where.begin,
                          [](const DerivedDimension &derived) { return derived.where.begin; });
    if (declared == kernel.derived.end())
      continue; // reported
    RuleBuilder builder(calculationWords, WholeNames(kernel, known, diagnostics), diagnostics);
    declared->value = builder.build(*each.value);
    declared->text = onOneLine(each.text);
    if (declared->value && declared->value->isTruth())
      declared->value = builder.refuse(
          each.value->where,
          fmt::format("'dim {}' needs a number, found a comparison", each.name.text));
    known.push_back(each.name.text);
  }
  for (const ast::Requirement &each : tree.requirements) {
    RuleBuilder builder(calculationWords, WholeNames(kernel, known, diagnostics), diagnostics);
    Condition condition{builder.build(*each.rule), onOneLine(each.text), each.rule->where};
    if (condition.rule && !condition.rule->isTruth())
      condition.rule =
          builder.refuse(each.rule->where, "'require' needs a comparison, found a number; such as "
                                           "M % 2 == 0");
    if (condition.rule)
      kernel.conditions.push_back(std::move(condition));
  }
}

bool isCalculatedWith(const Kernel &kernel, std::string_view name) {
  return std::ranges::any_of(
             kernel.derived,
             [&](const auto &each) { return each.value && each.value->reads(name); }) ||
         std::ranges::any_of(kernel.conditions,
                             [&](const auto &each) { return each.rule->reads(name); });
}

std::string completeDimensions(const Kernel &kernel, std::map<std::string, int64_t> &dims) {
  const ChosenNumber chosen = numbersOf(kernel, dims);
  for (const DerivedDimension &derived : kernel.derived)
    if (std::string problem = derive(derived, chosen, dims); !problem.empty())
      return problem;
  for (const Condition &condition : kernel.conditions)
    if (std::ranges::none_of(condition.over,
                             [&](const std::string &name) { return chosen(name) == 0; }) &&
        judge(*condition.rule, chosen) != Verdict::holds)
      return fmt::format("'{}' requires {}{}, found {}", kernel.name, condition.text, condition.why,
                         withNumbers(condition.text, chosen));
  return "";
}

} // namespace mmk
