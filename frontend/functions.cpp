#include "frontend/functions.h"

#include "frontend/function_signature.h"
#include "frontend/parser.h"
#include "frontend/primitives.h"
#include "frontend/resolve.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

constexpr char preludeText[] =
#include "dsl/prelude.inc"
    ;

/// Parsed once for the life of the process; messages may point into it.
const ast::Program &prelude() {
  static const SourceFile file("prelude.mmk", preludeText);
  static const ast::Program program = [] {
    Diagnostics diagnostics;
    return parse(file, diagnostics).value_or(ast::Program());
  }();
  return program;
}

void collectCalls(const ast::Expression &expression, std::vector<std::string> &calls) {
  if (expression.kind == ast::Expression::Kind::call)
    calls.push_back(expression.text);
  for (const ast::ExpressionPtr &operand : expression.operands)
    collectCalls(*operand, calls);
  for (const ast::Place &place : expression.over)
    if (place.range)
      collectCalls(*place.range, calls);
  if (expression.guard)
    collectCalls(*expression.guard, calls);
}

/// What the expression of a function may read.
Names namesOf(const ast::Function &definition) {
  Names names;
  names.label = "a function reads its arguments only";
  for (const ast::Argument &argument : definition.arguments) {
    names.readable.emplace(argument.name.text, false);
    for (const ast::Word &dimension : argument.dimensions)
      names.dimensions.emplace(dimension.text, false);
  }
  for (const ast::Word &dimension : definition.over)
    names.dimensions.emplace(dimension.text, false);
  names.dimensionsAreNumbers = definition.isOverTensors();
  return names;
}

} // namespace

Functions::Functions(const ast::Program &program, Diagnostics &diagnostics) {
  for (const ast::Function &definition : mmk::prelude().functions)
    prelude_.emplace(definition.name.text, Function{&definition, true, true});
  for (const ast::Function &definition : program.functions)
    define(definition, diagnostics);
  for (const ast::Function &definition : program.functions) {
    Names names = namesOf(definition);
    Function &function = own_[definition.name.text];
    function.isSound &=
        definition.isOverTensors()
            ? resolveIndexed(definition.places, *definition.value, names, *this, diagnostics)
            : resolve(*definition.value, names, *this, diagnostics);
    if (!function.isSound)
      continue;
    for (const ast::Argument &argument : definition.arguments)
      if (!names.readable[argument.name.text])
        diagnostics.warning(argument.name.where,
                            fmt::format("the argument '{}' is not used", argument.name.text));
    for (const ast::Word &dimension : definition.over)
      if (!names.dimensions[dimension.text])
        diagnostics.warning(dimension.where,
                            fmt::format("the dimension '{}' is not used", dimension.text));
  }
  refuseRecursion(diagnostics);
}

void Functions::define(const ast::Function &definition, Diagnostics &diagnostics) {
  const ast::Word &name = definition.name;
  if (primitiveFunction(name.text))
    diagnostics.error(name.where, fmt::format("'{}' is a function of the language and cannot be "
                                              "defined anew",
                                              name.text));
  const auto [entry, isNew] = own_.try_emplace(name.text, Function{&definition, false, true});
  if (!isNew)
    diagnostics.error(name.where, fmt::format("the function '{}' is defined twice", name.text))
        .notes.push_back({Severity::note, entry->second.definition->name.where, "first here", {}});

  entry->second.isSound &= checkDeclaration(definition, diagnostics);
}

/// Functions are inlined, so none may call itself, directly or not. A depth-first search with an
/// explicit stack: a chain of calls may be as long as the text.
void Functions::refuseRecursion(Diagnostics &diagnostics) {
  struct Visit {
    std::string name;
    std::vector<std::string> calls;
  };
  std::map<std::string, bool> finished; // false while it is visited
  for (const auto &[root, rootFunction] : own_) {
    std::vector<Visit> way;
    const auto enter = [&](const std::string &name) {
      Visit &visit = way.emplace_back(Visit{name, {}});
      collectCalls(*own_.at(name).definition->value, visit.calls);
      finished[name] = false;
    };
    if (!finished.contains(root))
      enter(root);
    while (!way.empty()) {
      if (way.back().calls.empty()) {
        finished[way.back().name] = true;
        way.pop_back();
        continue;
      }
      const std::string callee = way.back().calls.back();
      way.back().calls.pop_back();
      if (!own_.contains(callee))
        continue;
      const auto state = finished.find(callee);
      if (state == finished.end()) {
        enter(callee);
      } else if (!state->second) {
        std::string cycle;
        const auto start = std::ranges::find(way, callee, &Visit::name);
        for (auto visit = start; visit != way.end(); ++visit) {
          own_[visit->name].isSound = false;
          if (visit - start < 5)
            cycle += visit->name + " -> ";
        }
        if (way.end() - start > 5)
          cycle += "... -> ";
        const ast::Word &name = own_[callee].definition->name;
        diagnostics.error(name.where,
                          fmt::format("'{}' calls itself ({}{}); functions are inlined, so "
                                      "recursion is not possible",
                                      callee, cycle, callee));
      }
    }
  }
}

const Function *Functions::find(const std::string &name, bool fromPrelude) const {
  if (const auto found = own_.find(name); found != own_.end() && !fromPrelude)
    return &found->second;
  const auto found = prelude_.find(name);
  return found == prelude_.end() ? nullptr : &found->second;
}

std::vector<std::string> Functions::names() const {
  std::vector<std::string> names = primitiveFunctionNames();
  for (std::string &name : reductionNames())
    if (std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  names.push_back("random");
  for (const auto *functions : {&own_, &prelude_})
    for (const auto &[name, function] : *functions)
      if (names.size() < 200)
        names.push_back(name);
  return names;
}

} // namespace mmk
