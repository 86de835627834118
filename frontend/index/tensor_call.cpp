#include "frontend/index/tensor_call.h"

#include "frontend/index/arithmetic.h"
#include "frontend/numbers.h"
#include "frontend/rule_builder.h"
#include "frontend/whole.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mmk {
namespace {

constexpr size_t mostNotes = 6;

/// "x[B, C]", as declared.
std::string declared(const ast::Argument &argument) {
  std::string text;
  for (const ast::Word &word : argument.dimensions)
    text += (text.empty() ? "" : ", ") + word.text;
  return fmt::format("{}[{}]", argument.name.text, text);
}

/// What the names of a function stand for in a call.
class Binding {
public:
  Binding(const ast::Function &definition, Problem &problem)
      : definition_(definition), problem_(problem) {}

  std::map<std::string, const Value *> names;
  WholeNumbers wholes;

  bool bind(const std::vector<TensorArgument> &arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const ast::Argument &argument = definition_.arguments[i];
      const TensorArgument &given = arguments[i];
      if (argument.type)
        wholes[argument.name.text] = given.whole;
      else
        names[argument.name.text] = given.value;
      if (!argument.type && !(argument.isTensor() ? tensor(argument, *given.value, i)
                                                  : scalar(argument, *given.value, i)))
        return false;
    }
    return true;
  }

private:
  bool refuse(size_t operand, std::string message) {
    problem_.operand = operand;
    problem_.message = std::move(message);
    return false;
  }

  bool scalar(const ast::Argument &argument, const Value &value, size_t number) {
    if (value.type == ElementType::boolean)
      return refuse(number, fmt::format("'{}' of '{}' is a number, found a condition",
                                        argument.name.text, definition_.name.text));
    return value.shape.empty() ||
           refuse(
               number,
               fmt::format("'{0}' of '{1}' is a scalar, found {2}; a tensor is declared with its "
                           "dimensions, such as {0}[M]",
                           argument.name.text, definition_.name.text, spelling(value)));
  }

  bool tensor(const ast::Argument &argument, const Value &value, size_t number) {
    const auto mismatch = [&] {
      return refuse(number,
                    fmt::format("'{}' of '{}' is {}, found {}", argument.name.text,
                                definition_.name.text, declared(argument), spelling(value)));
    };
    if (value.type == ElementType::boolean)
      return refuse(number, fmt::format("'{}' of '{}' is a tensor, found a condition; use "
                                        "select(condition, 1, 0)",
                                        argument.name.text, definition_.name.text));
    if (value.shape.size() != argument.dimensions.size())
      return mismatch();
    for (size_t d = 0; d < value.shape.size(); ++d) {
      const std::string &word = argument.dimensions[d].text;
      if (const auto literal = parseInteger(word)) {
        if (value.shape[d] != Dimension{"", *literal})
          return mismatch();
        continue;
      }
      const auto [known, isNew] = bound_.try_emplace(word, value.shape[d], argument.name.text);
      if (!isNew && known->second.first != value.shape[d])
        return refuse(number, fmt::format("'{}' of '{}' is {} in '{}', and {} in '{}'", word,
                                          definition_.name.text, spelling(known->second.first),
                                          known->second.second, spelling(value.shape[d]),
                                          argument.name.text));
      wholes[word] = ruleOfDimension(value.shape[d]);
    }
    return true;
  }

  static std::string spelling(const Dimension &dimension) {
    return dimension.isLiteral() ? std::to_string(dimension.literal) : dimension.name;
  }
  static std::string spelling(const Value &value) { return mmk::spelling(value); }

  const ast::Function &definition_;
  Problem &problem_;
  /// The dimension of each name, and the argument that has it.
  std::map<std::string, std::pair<Dimension, std::string>> bound_;
};

/// What is wrong inside is an error of the call, with a note of its place.
void report(const Diagnostics &found, const std::string &function, SourceRange where,
            const BodyContext &context) {
  for (const Diagnostic &each : found.all()) {
    if (!context.reported.emplace(where.begin, each.message).second)
      continue;
    Diagnostic wrapped{each.severity, where, each.message, {}, each.code};
    wrapped.notes.push_back({Severity::note, each.where, fmt::format("inside '{}'", function), {}});
    // Of calls within each other, the outer ones.
    for (const Diagnostic &note : each.notes)
      if (wrapped.notes.size() < mostNotes)
        wrapped.notes.push_back(note);
    context.diagnostics.add(std::move(wrapped));
  }
}

} // namespace

const Value *callOverTensors(const Function &function, const std::vector<TensorArgument> &arguments,
                             SourceRange where, const BodyContext &context, Problem &problem) {
  const ast::Function &definition = *function.definition;
  Binding binding(definition, problem);
  if (!binding.bind(arguments))
    return nullptr;
  Diagnostics found;
  std::set<std::pair<size_t, std::string>> reported;
  const SourceRange call = context.inside ? context.inside->call : where;
  const BodyContext inside{context.kernel, context.functions,      context.values, context.typing,
                           found,          binding.names,          binding.wholes, reported,
                           context.growth, Inside{&function, call}};
  const Value *value = evaluateFunction(definition, inside);
  report(found, definition.name.text, where, context);
  return value;
}

WholeNumbers wholeNumbersOf(const Kernel &kernel) {
  WholeNumbers wholes;
  for (const std::string &dimension : kernel.dimensions)
    wholes[dimension] = ruleThatReads(dimension);
  for (const WholeParameter &whole : kernel.wholes)
    wholes[whole.name] = ruleOfNumber(whole.value);
  return wholes;
}

WholeNumbers wholeNumbersAmong(const std::map<std::string, const Value *> &arguments) {
  WholeNumbers wholes;
  for (const auto &[name, value] : arguments) {
    if (!value)
      continue;
    const bool isInteger = value->operation == Operation::constant &&
                           value->constant == std::floor(value->constant) &&
                           std::abs(value->constant) <= maximumDimension;
    if (isInteger)
      wholes[name] = ruleOfNumber(static_cast<int64_t>(value->constant));
    else if (std::unique_ptr<Rule> calculation = calculationOf(*value))
      wholes[name] = std::move(calculation);
  }
  return wholes;
}

std::unique_ptr<Rule> wholeRuleOf(const ast::Expression &expression, std::string_view what,
                                  const BodyContext &context) {
  const auto names = [&](const ast::Expression &tree) -> std::unique_ptr<Rule> {
    if (const auto found = context.wholes.find(tree.text); found != context.wholes.end())
      return copyOf(*found->second);
    const std::string hint = !context.names.contains(tree.text)
                                 ? ""
                                 : fmt::format("; such a parameter is declared {}: int{}",
                                               tree.text, context.inside ? "" : " = 1");
    context.diagnostics.error(
        tree.where,
        fmt::format("'{}' is no whole number that is known when the kernel is compiled, "
                    "and {} is of dimensions, int parameters and integers{}",
                    tree.text, what, hint));
    return nullptr;
  };
  const RuleWords words = {what, "dimensions, int parameters", /*floors=*/true};
  auto rule = RuleBuilder(words, names, context.diagnostics).build(expression);
  if (!rule || !rule->isTruth())
    return rule;
  context.diagnostics.error(expression.where,
                            fmt::format("{} is a number, found a comparison", what));
  return nullptr;
}

} // namespace mmk
