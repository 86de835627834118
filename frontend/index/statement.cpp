#include "frontend/index/statement.h"

#include "frontend/index/body.h"
#include "frontend/numbers.h"
#include "frontend/shapes.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace mmk {
namespace {

// They bound the growth of functions that call each other.
constexpr unsigned maximumIndexedDepth = 400, maximumEvaluated = 100'000;
constexpr size_t maximumOfValues = 10'000;
constexpr size_t maximumRankOfValue = 8;

std::string tooLarge() {
  return fmt::format("the statement grows beyond {} operations here, or {} within each other, with "
                     "its calls inlined",
                     maximumEvaluated, maximumIndexedDepth);
}

bool readsElements(const ast::Expression &expression) {
  if (expression.kind == ast::Expression::Kind::element || expression.guard)
    return true;
  for (const auto &[word, range] : expression.over)
    if (range || !std::isupper(static_cast<unsigned char>(word.text.front())))
      return true;
  return std::ranges::any_of(expression.operands,
                             [](const auto &operand) { return readsElements(*operand); });
}

} // namespace

bool usesIndices(const ast::Statement &statement) {
  return !statement.places.empty() || readsElements(*statement.value);
}

const Value *evaluateFunction(const ast::Function &definition, const BodyContext &context) {
  return IndexBody(context).run(definition);
}

const Value *evaluateIndexed(const ast::Statement &statement, const Result *declared,
                             const BodyContext &context) {
  return IndexBody(context).run(statement, declared);
}

Indexed IndexBody::error(SourceRange where, std::string message) {
  context_.diagnostics.error(where, std::move(message));
  return {};
}

Indexed IndexBody::report(Problem problem, const ast::Expression &expression,
                          const std::vector<Indexed> &operands, const Frame &frame) {
  if (frame.function && !context_.reported.emplace(frame.call.begin, problem.message).second)
    return {};
  const bool blamesOperand = problem.operand && !frame.function;
  Diagnostic &diagnostic = context_.diagnostics.error(
      blamesOperand ? expression.operands[*problem.operand]->where : whereOf(expression, frame),
      std::move(problem.message));
  if (frame.function)
    diagnostic.notes.push_back({Severity::note,
                                expression.where,
                                fmt::format("inside '{}'", frame.function->definition->name.text),
                                {}});
  for (const Indexed &operand : operands)
    if (!operand.value->name.empty())
      diagnostic.notes.push_back(
          {Severity::note,
           operand.value->where,
           fmt::format("'{}' is {}", operand.value->name, spelling(*operand.value)),
           {}});
  return {};
}

const Value *IndexBody::run(const ast::Statement &statement, const Result *declared) {
  std::vector<Variable> introduced;
  std::vector<std::string> wanted;
  if (declared && declared->shape.size() != statement.places.size() &&
      !(declared->isScalar && statement.places.empty()))
    return error(statement.name.where,
                 statement.places.empty()
                     ? fmt::format("'{0}' is {1}, and a statement with index variables introduces "
                                   "those of its result, {0}[i] = ...; dimensions are written as "
                                   "declared",
                                   declared->name, spelling(*declared))
                     : fmt::format("'{}' is {}, found {} index variable{}", declared->name,
                                   spelling(*declared), statement.places.size(),
                                   statement.places.size() == 1 ? "" : "s"))
        .value;
  if (statement.places.size() > maximumRankOfValue)
    return error(statement.name.where,
                 fmt::format("{} index variables; a tensor has at most {} dimensions",
                             statement.places.size(), maximumRankOfValue))
        .value;
  for (size_t i = 0; i < statement.places.size(); ++i) {
    const ast::Place &place = statement.places[i];
    wanted.push_back(place.name.text);
    if (declared && !place.range)
      variables_.set(place.name.text, {declared->shape[i], place.name.where});
    else if (!introduce(place, {statement.value.get()}, introduced))
      return nullptr;
    const Dimension own = variables_.find(place.name.text)->dimension;
    if (declared && own != declared->shape[i])
      return error(place.range->where,
                   fmt::format("'{}' ranges over {} here, and '{}' is {}", place.name.text,
                               spelling(own), declared->name, spelling(*declared)))
          .value;
  }
  const Indexed value = evaluate(*statement.value, {});
  if (!value && !context_.diagnostics.hasErrors())
    return error(statement.where, "mmk has no meaning for this statement").value;
  if (!value)
    return nullptr;
  const bool mayStretch = declared != nullptr;
  return (mayStretch ? align_.toEndOf(wanted, value, statement.value->where)
                     : align_.exactly(wanted, value, statement.value->where))
      .value;
}

const Value *IndexBody::run(const ast::Function &definition) {
  // Ranges are found in calls within each other, before anything is evaluated.
  Growth &growth = context_.growth;
  if (growth.isExhausted)
    return nullptr;
  if (growth.depth > maximumIndexedDepth) {
    growth.isExhausted = true;
    return error(definition.name.where, tooLarge()).value;
  }
  ++growth.depth;
  const Value *value = valueOf(definition);
  --growth.depth;
  return value;
}

const Value *IndexBody::valueOf(const ast::Function &definition) {
  std::vector<Variable> introduced;
  std::vector<std::string> wanted;
  for (const ast::Place &place : definition.places) {
    wanted.push_back(place.name.text);
    if (!introduce(place, {definition.value.get()}, introduced))
      return nullptr;
  }
  const Indexed value = evaluate(*definition.value, {});
  if (!value && !context_.diagnostics.hasErrors())
    return error(definition.name.where, "mmk has no meaning for this statement").value;
  return value ? align_.exactly(wanted, value, placeOf(definition.value->where)).value : nullptr;
}

Indexed IndexBody::evaluate(const ast::Expression &expression, const Frame &frame) {
  using Kind = ast::Expression::Kind;
  Growth &growth = context_.growth;
  if (growth.isExhausted)
    return {};
  growth.isExhausted = growth.depth > maximumIndexedDepth ||
                       ++growth.evaluated > maximumEvaluated ||
                       context_.values.size() > maximumOfValues;
  if (growth.isExhausted)
    return error(whereOf(expression, frame), tooLarge());
  ++growth.depth;
  const auto done = [&](Indexed value) {
    --growth.depth;
    if (value && value.variables.size() > maximumRankOfValue)
      return error(whereOf(expression, frame),
                   fmt::format("a value over {} index variables stands here; at most {} are "
                               "possible; name a part of it with let",
                               value.variables.size(), maximumRankOfValue));
    return value;
  };
  bool readsVariables = false;
  if (!frame.function && isWhole(expression, readsVariables) && readsVariables)
    return done(position(wholeRule(expression), placeOf(expression, frame)));
  switch (expression.kind) {
  case Kind::number:
    return done({context_.values.literal(expression.text, placeOf(expression, frame)), {}});
  case Kind::name:
    return done(name(expression, frame));
  case Kind::element:
    return done(element(expression, frame));
  case Kind::call:
    return done(call(expression, frame));
  case Kind::cast:
    return done(cast(expression, evaluate(*expression.operands[0], frame), frame));
  case Kind::operation:
    break;
  case Kind::choice:
    return done({}); // reported
  }
  std::vector<Indexed> operands;
  for (const ast::ExpressionPtr &operand : expression.operands)
    operands.push_back(evaluate(*operand, frame));
  return done(apply(expression, std::move(operands), frame));
}

Indexed IndexBody::name(const ast::Expression &expression, const Frame &frame) {
  const std::string &text = expression.text;
  if (frame.function) {
    const auto found = frame.names.find(text);
    return found == frame.names.end() ? Indexed() : found->second;
  }
  const auto found = context_.names.find(text);
  if (found == context_.names.end())
    return number(text, placeOf(expression.where));
  if (!found->second)
    return {};
  const Value &value = *found->second;
  if (value.shape.empty())
    return {&value, {}};
  std::string indices;
  for (size_t d = 0; d < value.shape.size(); ++d)
    indices += fmt::format("{}{}", d ? ", " : "", static_cast<char>('i' + d));
  return error(expression.where,
               fmt::format("'{0}' is {1}; a statement with index variables reads its elements: "
                           "{0}[{2}]",
                           text, spelling(value), indices));
}

/// A dimension or another whole number as a value.
Indexed IndexBody::number(const std::string &name, SourceRange where) {
  const Rule *rule = wholeNumber(name);
  if (!rule)
    return {};
  if (rule->kind == Rule::Kind::choice)
    return {context_.values.extent({{rule->choice, 0}}, where), {}};
  if (rule->kind == Rule::Kind::number)
    return {context_.values.whole(rule->number, where), {}};
  return position(copyOf(*rule), where);
}

Indexed IndexBody::cast(const ast::Expression &expression, const Indexed &operand,
                        const Frame &frame) {
  const auto type = elementTypeFromSpelling(expression.text);
  if (!type || !operand)
    return {};
  Problem problem;
  const Value *value =
      context_.typing.cast(*type, operand.value, placeOf(expression, frame), problem);
  return value ? Indexed{value, operand.variables}
               : report(std::move(problem), expression, {operand}, frame);
}

Indexed IndexBody::apply(const ast::Expression &expression, std::vector<Indexed> operands,
                         const Frame &frame) {
  for (const Indexed &operand : operands)
    if (!operand)
      return {};
  const Primitive *primitive = expression.kind == ast::Expression::Kind::operation
                                   ? operatorOf(expression.text, operands.size())
                                   : primitiveFunction(expression.text);
  if (!primitive || primitive->operands != operands.size())
    return {};
  if (primitive->operation == Operation::product || primitive->operation == Operation::transpose)
    return error(expression.textWhere,
                 fmt::format("'{}' takes whole tensors; with index variables, {}", primitive->name,
                             primitive->operation == Operation::product
                                 ? "write sum[k](a[i, k] * b[k, j])"
                                 : "exchange those: x[j, i]"));
  const std::vector<std::string> target = align_.unionOf(operands);
  std::vector<const Value *> aligned;
  std::vector<std::string> variables;
  for (Indexed &operand : operands) {
    operand = align_.toEndOf(target, operand, placeOf(expression, frame));
    aligned.push_back(operand.value);
    variables.resize(std::max(variables.size(), operand.variables.size()));
  }
  for (const Indexed &operand : operands)
    for (size_t d = 0; d < operand.variables.size(); ++d)
      if (!operand.variables[operand.variables.size() - 1 - d].empty())
        variables[variables.size() - 1 - d] = operand.variables[operand.variables.size() - 1 - d];
  Problem problem;
  const Value *value = context_.typing.apply(primitive->operation, primitive->name, aligned,
                                             placeOf(expression, frame), problem);
  return value ? Indexed{value, variables}
               : report(std::move(problem), expression, operands, frame);
}

Indexed IndexBody::call(const ast::Expression &expression, const Frame &frame) {
  const bool ofPrelude = isOfPrelude(frame);
  const std::string &text = expression.text;
  const Function *function = context_.functions.find(text, ofPrelude);
  const bool isOfDimension = !function && expression.operands.size() == 1 &&
                             expression.over.empty() && (text == "extent" || text == "index");
  if (isOfDimension && !frame.function)
    return number(expression.operands[0]->text, placeOf(expression.where));
  if (isOfDimension) {
    const auto over = frame.over.find(expression.operands[0]->text);
    if (over == frame.over.end())
      return {};
    const std::vector<std::string> &variables = over->second.variables;
    if (text == "extent")
      return {context_.values.extent(variables_.shapeOf(variables), placeOf(frame.call)), {}};
    if (variables.size() != 1)
      return error(frame.call, fmt::format("'index' is one variable; '{}' stands for {} here",
                                           expression.operands[0]->text, variables.size()));
    return position(ruleThatReads(variables[0]), placeOf(frame.call));
  }
  if (!function && !expression.over.empty() && reductionOf(text))
    return reduce(expression, frame);
  if (!function && text == "random" && expression.operands.size() == 1)
    return random(expression, frame);
  if (function && function->definition->isOverTensors())
    return scalarCall(expression, *function, frame);
  if (function)
    return inlined(expression, *function, frame);
  std::vector<Indexed> operands;
  for (const ast::ExpressionPtr &operand : expression.operands)
    operands.push_back(evaluate(*operand, frame));
  return apply(expression, std::move(operands), frame);
}

// The variables in the brackets are those of the statement, or of the arguments alone.
Indexed IndexBody::inlined(const ast::Expression &expression, const Function &function,
                           const Frame &frame) {
  const ast::Function &definition = *function.definition;
  if (!function.isSound || definition.arguments.size() != expression.operands.size())
    return {};
  Frame inner{{}, {}, &function, whereOf(expression, frame)};
  std::vector<Variable> introduced;
  std::vector<Over> given;
  std::vector<const ast::Expression *> within;
  for (const ast::ExpressionPtr &operand : expression.operands)
    within.push_back(operand.get());
  for (const ast::Place &place : expression.over) {
    if (frame.function) {
      const auto known = frame.over.find(place.name.text);
      if (known == frame.over.end())
        return {};
      given.push_back(known->second);
      continue;
    }
    if ((place.range || !variables_.find(place.name.text)) && !introduce(place, within, introduced))
      return restore(introduced), Indexed();
    given.push_back({{place.name.text}, {}});
  }
  std::optional<Indexed> guard;
  if (expression.guard && !(guard = evaluate(*expression.guard, frame))->value)
    return restore(introduced), Indexed();
  if (definition.over.size() == 1 && !given.empty()) {
    Over &all = inner.over[definition.over[0].text];
    for (const Over &each : given) {
      all.variables.insert(all.variables.end(), each.variables.begin(), each.variables.end());
      all.guard = each.guard;
    }
    if (guard)
      all.guard = guard;
  } else if (definition.over.size() == given.size()) {
    for (size_t i = 0; i < given.size(); ++i)
      inner.over[definition.over[i].text] = {given[i].variables, guard ? guard : given[i].guard};
  } else {
    return restore(introduced), Indexed(); // reported
  }
  for (size_t i = 0; i < expression.operands.size(); ++i) {
    Indexed &argument = inner.names[definition.arguments[i].name.text];
    argument = evaluate(*expression.operands[i], frame);
    if (!argument)
      return restore(introduced), Indexed();
  }
  Indexed value = evaluate(*definition.value, inner);
  for (const auto &[variable, before] : introduced)
    if (value && !before && value.has(variable))
      value = error(expression.where,
                    fmt::format("'{0}' leaves '{1}' free, and no '{1}' stands left of '='",
                                expression.text, variable));
  restore(introduced);
  return value;
}

} // namespace mmk
