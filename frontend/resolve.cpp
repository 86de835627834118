#include "frontend/resolve.h"

#include "frontend/numbers.h"
#include "frontend/primitives.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace mmk {
namespace {

constexpr size_t maximumListed = 12, maximumCandidates = 200;

/// Names of the functions in other languages.
std::string_view foreignFunction(std::string_view word) {
  static const std::map<std::string_view, std::string_view> names = {
      {"where", "select"},     {"maximum", "max"},    {"minimum", "min"},     {"fmax", "max"},
      {"fmin", "min"},         {"amax", "max"},       {"amin", "min"},        {"fabs", "abs"},
      {"var", "variance"},     {"average", "mean"},   {"ln", "log"},          {"clip", "clamp"},
      {"logistic", "sigmoid"}, {"product", "prod"},   {"rand", "random"},     {"uniform", "random"},
      {"reduce_sum", "sum"},   {"reduce_max", "max"}, {"reduce_mean", "mean"}};
  const auto found = names.find(word);
  return found == names.end() ? std::string_view() : found->second;
}

class Resolver {
public:
  Resolver(Names &names, const Functions &functions, Diagnostics &diagnostics)
      : names_(names), functions_(functions), diagnostics_(diagnostics) {}

  void visit(const ast::Expression &expression) {
    using Kind = ast::Expression::Kind;
    switch (expression.kind) {
    case Kind::number:
      if (overflowsF32(expression.text))
        error(expression.where, fmt::format("{} is too large for f32, whose largest number is "
                                            "3.4028235e38; write inf for infinity",
                                            expression.text));
      break;
    case Kind::name:
      name(expression);
      break;
    case Kind::choice:
      error(expression.where,
            fmt::format("'{}' is a choice of the schedule; only a 'require' can read it",
                        expression.text));
      break;
    case Kind::call:
      if (functions_.isExtent(expression.text) ||
          (functions_.isIndex(expression.text) && !names_.dimensionsAreNumbers))
        return extent(expression);
      if (names_.isIndexed && !expression.over.empty())
        return callOverVariables(expression);
      call(expression);
      break;
    case Kind::element:
      return element(expression);
    case Kind::cast:
      sound_ &= resolveType({expression.text, expression.textWhere}, diagnostics_).has_value();
      break;
    case Kind::operation:
      break;
    }
    for (const ast::ExpressionPtr &operand : expression.operands)
      visit(*operand);
  }

  bool isSound() const { return sound_; }
  void refuse(SourceRange where, std::string message) { error(where, std::move(message)); }

  /// Adds the variables that a place introduces.
  void introduce(const std::vector<ast::Place> &places) {
    for (const auto &[word, range] : places) {
      if (range)
        visit(*range);
      const auto first = static_cast<unsigned char>(word.text.front());
      if (names_.dimensions.contains(word.text))
        error(word.where, fmt::format("'{}' is a dimension; a statement with index variables goes "
                                      "over those, such as sum[k](x[i, k])",
                                      word.text));
      else if (std::isupper(first))
        error(word.where, fmt::format("an index variable begins with a lower-case letter, found "
                                      "'{}'",
                                      word.text));
      else if (names_.readable.contains(word.text) || names_.refused.contains(word.text))
        error(word.where,
              fmt::format("'{}' is the name of a value, so no index variable has it", word.text));
      if (!names_.dimensions.contains(word.text))
        names_.variables.push_back(word.text);
    }
  }

private:
  Diagnostic &error(SourceRange where, std::string message) {
    sound_ = false;
    return diagnostics_.error(where, std::move(message));
  }

  /// A reduction or a function over variables, which its brackets introduce.
  void callOverVariables(const ast::Expression &expression) {
    const Function *function = functions_.find(expression.text);
    const bool reduces =
        !function && (reductionOf(expression.text) || functions_.isRandom(expression.text));
    const size_t wanted = function ? function->definition->over.size() : 1,
                 found = expression.over.size();
    if (!reduces && !function) {
      if (primitiveFunction(expression.text))
        error(expression.textWhere,
              fmt::format("'{0}' reduces nothing; expected {0}(...)", expression.text));
      else
        unknownFunction(expression);
    } else if (wanted != found && !(wanted == 1 && found > 0)) {
      error(expression.textWhere,
            wanted == 0 ? fmt::format("'{0}' has no dimensions; expected {0}(...)", expression.text)
                        : fmt::format("'{}' takes {} variables in brackets, found {}",
                                      expression.text, wanted, found));
    }
    const size_t arguments = function ? function->definition->arguments.size() : 1;
    if ((reduces || function) && expression.operands.size() != arguments)
      error(expression.where,
            fmt::format("'{}' takes {} argument{}, found {}", expression.text, arguments,
                        arguments == 1 ? "" : "s", expression.operands.size()));
    const size_t outer = names_.variables.size();
    introduce(expression.over);
    for (const ast::ExpressionPtr &operand : expression.operands)
      visit(*operand);
    if (expression.guard)
      visit(*expression.guard);
    names_.variables.resize(outer);
  }

  /// x[i, j], or pad(x, 0)[i, j].
  void element(const ast::Expression &expression) {
    const ast::Expression &base = *expression.operands[0];
    if (!names_.isIndexed) {
      error(expression.where, "a function reads the elements of arguments that have dimensions: "
                              "fn f(x[M, N])[i, j] = ...");
      return;
    }
    const bool isPad =
        base.kind == ast::Expression::Kind::call && base.text == "pad" && !functions_.find("pad");
    if (base.kind == ast::Expression::Kind::name) {
      tensor(base);
    } else if (isPad && base.operands.size() == 2 &&
               base.operands[0]->kind == ast::Expression::Kind::name) {
      tensor(*base.operands[0]);
      visit(*base.operands[1]);
    } else if (isOverTensors(base)) {
      visit(base);
    } else if (isPad && base.operands.size() == 2 && isOverTensors(*base.operands[0])) {
      visit(*base.operands[0]);
      visit(*base.operands[1]);
    } else {
      error(base.where, isPad ? "expected pad(x, value)[...] with the name of a tensor"
                              : "elements are read of a tensor's name; name the value with let");
    }
    for (size_t i = 1; i < expression.operands.size(); ++i)
      visit(*expression.operands[i]);
  }

  bool isOverTensors(const ast::Expression &expression) const {
    const Function *function =
        expression.kind == ast::Expression::Kind::call ? functions_.find(expression.text) : nullptr;
    return function && function->definition->isOverTensors();
  }

  void tensor(const ast::Expression &base) {
    if (names_.dimensions.contains(base.text))
      error(base.where,
            fmt::format("'{}' is a dimension; elements are read of tensors", base.text));
    else
      name(base);
  }

  void name(const ast::Expression &expression) {
    const std::string &text = expression.text;
    if (std::ranges::find(names_.variables, text) != names_.variables.end())
      return;
    if (const auto found = names_.readable.find(text); found != names_.readable.end()) {
      found->second = true;
      return;
    }
    if (const auto found = names_.refused.find(text); found != names_.refused.end()) {
      error(expression.where, found->second);
      return;
    }
    if (const auto found = names_.dimensions.find(text); found != names_.dimensions.end()) {
      found->second = true;
      if (!names_.dimensionsAreNumbers)
        error(expression.where,
              fmt::format("'{0}' stands for dimensions; extent({0}) is the number "
                          "of their elements",
                          text));
      return;
    }
    if (primitiveFunction(text) || functions_.find(text)) {
      error(expression.where, fmt::format("'{0}' is a function; expected a call, {0}(...)", text));
      return;
    }
    if (reductionOf(text)) {
      error(expression.where,
            fmt::format("'{0}' is a reduction; expected {0}[{1}](...)", text, someDimension()));
      return;
    }
    std::vector<std::string> known = names_.variables;
    for (const auto &[name, isRead] : names_.readable)
      if (known.size() < maximumCandidates)
        known.push_back(name);
    if (names_.dimensionsAreNumbers)
      for (const auto &[name, isRead] : names_.dimensions)
        known.push_back(name);
    // A variable that nothing introduces is not a dimension in other letters.
    const std::string_view near = nearestWord(text, known);
    if (names_.isIndexed && names_.dimensions.contains(std::string(near)) && text.size() == 1)
      error(expression.where,
            fmt::format("unknown name '{0}'; an index variable is introduced left of "
                        "'=' or by a reduction, sum[{0}](...)",
                        text));
    else
      error(expression.where,
            fmt::format("unknown name '{}'{}", text, suggestion(text, known, names_.label)));
  }

  std::string someDimension() const {
    return names_.dimensions.empty() ? "D" : names_.dimensions.rbegin()->first;
  }

  void dimension(const ast::Word &word) {
    if (const auto found = names_.dimensions.find(word.text); found != names_.dimensions.end()) {
      found->second = true;
      return;
    }
    std::vector<std::string> known;
    for (const auto &[name, isRead] : names_.dimensions)
      known.push_back(name);
    error(word.where, fmt::format("'{}' is no dimension here{}", word.text,
                                  suggestion(word.text, known, "dimensions")));
  }

  void extent(const ast::Expression &expression) {
    if (expression.operands.size() == 1 && expression.over.empty() &&
        expression.operands[0]->kind == ast::Expression::Kind::name)
      return dimension({expression.operands[0]->text, expression.operands[0]->where});
    error(expression.where,
          fmt::format("'{0}' takes a dimension: {0}({1})", expression.text, someDimension()));
  }

  /// The brackets of a call.
  void over(const ast::Expression &expression, const std::vector<ast::Word> *expected) {
    for (const auto &[word, range] : expression.over)
      dimension(word);
    const size_t found = expression.over.size();
    if (!expected) {
      if (found > 0)
        error(expression.over[0].name.where,
              fmt::format("'{0}' reduces nothing; expected {0}(...)", expression.text));
      return;
    }
    // One dimension of a function may stand for several.
    if (found == expected->size() || (expected->size() == 1 && found > 0))
      return;
    std::vector<std::string> names;
    for (const ast::Word &word : *expected)
      names.push_back(word.text);
    error(expression.textWhere,
          expected->empty()
              ? fmt::format("'{0}' has no dimensions; expected {0}(...)", expression.text)
              : fmt::format("'{}' takes {} dimension{} in brackets ({}), found {}", expression.text,
                            expected->size(), expected->size() == 1 ? "" : "s",
                            listOf(names, "and"), found));
  }

  void call(const ast::Expression &expression) {
    const std::string &name = expression.text;
    const size_t found = expression.operands.size();
    const auto arity = [&](size_t expected, std::string_view arguments) {
      return fmt::format("'{}' takes {} argument{}{}, found {}", name, expected,
                         expected == 1 ? "" : "s", arguments, found);
    };
    const Function *function = functions_.find(name);
    if (functions_.isRandom(name)) {
      for (const auto &[word, range] : expression.over)
        dimension(word);
      if (expression.over.empty())
        error(expression.textWhere, fmt::format("'random' has a number for each place of the "
                                                "dimensions in its brackets: random[{}](seed)",
                                                someDimension()));
      else if (found != 1)
        error(expression.where, arity(1, " (seed)"));
      return;
    }
    if (reductionOf(name) && !function && (!expression.over.empty() || !primitiveFunction(name))) {
      for (const auto &[word, range] : expression.over)
        dimension(word);
      if (expression.over.empty())
        error(expression.textWhere,
              names_.isIndexed
                  ? fmt::format("'{0}' reduces variables that its brackets introduce: {0}[k](...)",
                                name)
                  : fmt::format("'{0}' reduces dimensions that its brackets name: {0}[{1}](...)",
                                name, someDimension()));
      else if (found != 1)
        error(expression.where, arity(1, ""));
      return;
    }
    if (const Primitive *primitive = primitiveFunction(name)) {
      over(expression, nullptr);
      if (primitive->operands != found)
        error(expression.where, arity(primitive->operands, "") + hintOfReduction(name, found));
      return;
    }
    if (!function) {
      unknownFunction(expression);
      return;
    }
    const ast::Function &definition = *function->definition;
    if (function->isSound)
      over(expression, &definition.over);
    if (definition.arguments.size() == found)
      return;
    std::vector<std::string> arguments;
    for (const ast::Argument &argument : definition.arguments)
      arguments.push_back(argument.name.text);
    const std::string listed = arguments.empty() ? "" : " (" + listOf(arguments, "and") + ")";
    Diagnostic &diagnostic = error(expression.where, arity(arguments.size(), listed));
    if (!function->isPrelude)
      diagnostic.notes.push_back({Severity::note, definition.name.where, "defined here", {}});
  }

  std::string hintOfReduction(const std::string &name, size_t found) const {
    if (found != 1 || !reductionOf(name))
      return "";
    return fmt::format("; {}[{}](...) reduces a dimension", name, someDimension());
  }

  void unknownFunction(const ast::Expression &expression) {
    const std::string &name = expression.text;
    if (names_.readable.contains(name)) {
      error(expression.textWhere,
            names_.isIndexed
                ? fmt::format("'{0}' is a value, not a function; its elements are read with "
                              "brackets, {0}[i]",
                              name)
                : fmt::format("'{}' is a value, not a function; multiply with '*' or '@'", name));
      return;
    }
    if (names_.isIndexed && name == "pad") {
      error(expression.where, "pad(x, value) is read by its elements, such as pad(x, 0)[i - 1]");
      return;
    }
    const std::vector<std::string> known = functions_.names();
    std::string_view near = foreignFunction(name);
    if (near.empty())
      near = nearestWord(name, known);
    Diagnostic &diagnostic =
        error(expression.textWhere, fmt::format("unknown function '{}'{}", name, didYouMean(near)));
    if (near.empty())
      diagnostic.notes.push_back({Severity::note, {}, "functions: " + listOf(known, "and"), {}});
  }

  Names &names_;
  const Functions &functions_;
  Diagnostics &diagnostics_;
  bool sound_ = true;
};

/// Names of the types in other languages.
std::string_view foreignName(std::string_view word) {
  static const std::map<std::string_view, std::string_view> names = {
      {"float", "f32"},   {"float32", "f32"}, {"fp32", "f32"}, {"single", "f32"},
      {"half", "f16"},    {"float16", "f16"}, {"fp16", "f16"}, {"bfloat16", "bf16"},
      {"bfloat", "bf16"}, {"int8", "i8"},     {"char", "i8"},  {"s8", "i8"},
      {"int8_t", "i8"},   {"int32", "i32"},   {"int", "i32"},  {"s32", "i32"},
      {"int32_t", "i32"}};
  const auto found = names.find(word);
  return found == names.end() ? std::string_view() : found->second;
}

} // namespace

bool resolve(const ast::Expression &expression, Names &names, const Functions &functions,
             Diagnostics &diagnostics) {
  Resolver resolver(names, functions, diagnostics);
  resolver.visit(expression);
  return resolver.isSound();
}

bool resolveIndexed(const std::vector<ast::Place> &places, const ast::Expression &value,
                    Names &names, const Functions &functions, Diagnostics &diagnostics) {
  names.isIndexed = true;
  names.variables.clear();
  Resolver resolver(names, functions, diagnostics);
  resolver.introduce(places);
  for (size_t i = 1; i < places.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (places[i].name.text == places[j].name.text)
        resolver.refuse(places[i].name.where,
                        fmt::format("'{}' stands left of '=' twice", places[i].name.text));
  resolver.visit(value);
  names.isIndexed = false;
  names.variables.clear();
  return resolver.isSound();
}

std::optional<ElementType> resolveType(const ast::Word &word, Diagnostics &diagnostics) {
  if (const auto type = elementTypeFromSpelling(word.text))
    return type;
  const std::vector<std::string> all = {"f32", "f16", "bf16", "i8", "i32"};
  std::string_view near = foreignName(word.text);
  if (near.empty())
    near = nearestWord(word.text, all);
  diagnostics.error(word.where, fmt::format("unknown type '{}'{}; types: {}", word.text,
                                            didYouMean(near), listOf(all, "and")));
  return std::nullopt;
}

std::string didYouMean(std::string_view near) {
  return near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near);
}

std::string suggestion(const std::string &word, const std::vector<std::string> &candidates,
                       std::string_view label) {
  if (const std::string_view near = nearestWord(word, candidates); !near.empty())
    return didYouMean(near);
  if (candidates.empty() || candidates.size() > maximumListed)
    return "";
  return fmt::format("; {}: {}", label, listOf(candidates, "and"));
}

} // namespace mmk
