// Reductions over index variables. A sum of products of two tensors is the product `@`.
#include "frontend/index/body.h"
#include "frontend/shapes.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

bool isOfContraction(const Value &value) {
  return !value.shape.empty() && (isFloat(value.type) || value.type == ElementType::i8);
}

bool contains(const std::vector<std::string> &all, const std::string &one) {
  return std::ranges::find(all, one) != all.end();
}

std::vector<std::string> without(const std::vector<std::string> &all, const std::string &one) {
  std::vector<std::string> rest = all;
  std::erase(rest, one);
  return rest;
}

} // namespace

Indexed IndexBody::reduce(const ast::Expression &expression, const Frame &frame) {
  const NamedReduction &named = *reductionOf(expression.text);
  if (expression.operands.size() != 1)
    return {}; // reported
  const ast::Expression &operand = *expression.operands[0];
  Over over;
  std::vector<Variable> introduced;
  for (const ast::Place &place : expression.over) {
    if (frame.function) {
      const auto given = frame.over.find(place.name.text);
      if (given == frame.over.end())
        return {};
      over.variables.insert(over.variables.end(), given->second.variables.begin(),
                            given->second.variables.end());
      over.guard = given->second.guard;
      continue;
    }
    if (contains(over.variables, place.name.text))
      return error(place.name.where,
                   fmt::format("'{}' stands in the brackets twice", place.name.text));
    if (!introduce(place, {&operand}, introduced))
      return restore(introduced), Indexed();
    over.variables.push_back(place.name.text);
  }
  if (expression.guard) {
    over.guard = evaluate(*expression.guard, frame);
    if (*over.guard && over.guard->value->type != ElementType::boolean)
      over.guard = error(expression.guard->where, "behind '|' stands a condition, such as j <= i");
  }
  Indexed result;
  const bool isProduct = operand.kind == ast::Expression::Kind::operation && operand.text == "*" &&
                         operand.operands.size() == 2;
  if (over.guard && !*over.guard) {
    // reported
  } else if (named.reduction == Reduction::sum && !named.dividesByCount && !over.guard &&
             isProduct) {
    const Indexed left = evaluate(*operand.operands[0], frame),
                  right = evaluate(*operand.operands[1], frame);
    if (left && right)
      result = contraction(over.variables, left, right, expression, frame);
    if (left && right && !result)
      if (const Indexed product = apply(operand, {left, right}, frame))
        result = reduceOver(over, named, product, expression, frame);
  } else if (const Indexed value = evaluate(operand, frame)) {
    result = reduceOver(over, named, value, expression, frame);
  }
  restore(introduced);
  return result;
}

// The place is that in the brackets, whatever the order of the statement's variables.
Indexed IndexBody::random(const ast::Expression &expression, const Frame &frame) {
  std::vector<std::string> over;
  for (const ast::Place &place : expression.over) {
    if (frame.function) {
      const auto given = frame.over.find(place.name.text);
      if (given == frame.over.end())
        return {};
      over.insert(over.end(), given->second.variables.begin(), given->second.variables.end());
      continue;
    }
    const bool isOfStatement = !place.range && variables_.find(place.name.text);
    if (!isOfStatement)
      return error(place.name.where,
                   fmt::format("'{}' is no variable of the statement; 'random' has "
                               "a number for each place of those",
                               place.name.text));
    if (contains(over, place.name.text))
      return error(place.name.where,
                   fmt::format("'{}' stands in the brackets twice", place.name.text));
    over.push_back(place.name.text);
  }
  const Indexed seed = evaluate(*expression.operands[0], frame);
  if (!seed)
    return {};
  Problem problem;
  const Value *value = context_.typing.random(seed.value, variables_.shapeOf(over),
                                              placeOf(expression, frame), problem);
  return value ? Indexed{value, over} : report(std::move(problem), expression, {seed}, frame);
}

Indexed IndexBody::reduceOver(const Over &over, const NamedReduction &named, const Indexed &operand,
                              const ast::Expression &expression, const Frame &frame) {
  const SourceRange where = placeOf(expression, frame);
  std::vector<Indexed> all = {operand};
  if (over.guard)
    all.push_back(*over.guard);
  std::vector<std::string> target = align_.unionOf(all);
  for (const std::string &variable : over.variables)
    if (!contains(target, variable))
      target.push_back(variable);
  target = variables_.sorted(target);
  Indexed whole = operand, guard;
  // A row that the operand does not have, of the variable or of the condition, repeats it.
  if (std::ranges::any_of(target, [&](const std::string &each) { return !operand.has(each); }))
    whole = align_.exactly(target, operand, where);
  if (over.guard)
    guard = align_.toEndOf(whole.variables, *over.guard, where);
  std::vector<size_t> along;
  for (size_t d = 0; d < whole.variables.size(); ++d)
    if (contains(over.variables, whole.variables[d]))
      along.push_back(d);
  Problem problem;
  const Value *value =
      context_.typing.reduceAlong(named, whole.value, guard.value, along, where, problem);
  if (!value)
    return report(std::move(problem), expression, {operand}, frame);
  Indexed result{value, whole.variables};
  if (named.reduction)
    for (size_t d : along)
      result.variables[d].clear();
  return result;
}

// One variable of both operands and of the sum is the depth; the last free one of each side are the
// rows and the columns. All others are batches, of which an operand has some not; those that are
// summed are added afterwards.
Indexed IndexBody::contraction(const std::vector<std::string> &summed, Indexed left, Indexed right,
                               const ast::Expression &expression, const Frame &frame) {
  if (!isOfContraction(*left.value) || left.value->type != right.value->type)
    return {};
  std::string depth;
  for (const std::string &variable : summed)
    if (depth.empty() && left.has(variable) && right.has(variable))
      depth = variable;
  if (depth.empty())
    return {};
  std::vector<std::string> rows, columns, batches;
  const auto deal = [&] {
    rows.clear(), columns.clear(), batches.clear();
    for (const std::string &variable : without(align_.unionOf({left, right}), depth))
      (!right.has(variable) ? rows : !left.has(variable) ? columns : batches).push_back(variable);
  };
  deal();
  if (rows.empty() && columns.empty() && left.value->type != ElementType::i8)
    return {};
  // In the order of the statement's variables, so that the result needs no transposition.
  const auto last = [&](const std::vector<std::string> &of) {
    std::string own;
    for (const std::string &variable : of)
      if (!contains(summed, variable))
        own = variable;
    return own.empty() && !of.empty() ? of.back() : own;
  };
  std::string row = last(rows), column = last(columns);
  const std::vector<std::string> order = variables_.names();
  if (!row.empty() && !column.empty() &&
      std::ranges::find(order, row) > std::ranges::find(order, column)) {
    std::swap(left, right);
    std::swap(row, column);
    deal();
  }
  for (const auto &[free, own] : {std::pair(&rows, &row), std::pair(&columns, &column)})
    for (const std::string &variable : *free)
      if (variable != *own)
        batches.push_back(variable);
  batches = variables_.sorted(batches);
  const SourceRange where = placeOf(expression, frame);
  const auto matrix = [&](const Indexed &of, const std::string &first, const std::string &second) {
    std::vector<std::string> target;
    for (const std::string &variable : batches)
      if (!target.empty() || of.has(variable))
        target.push_back(of.has(variable) ? variable : "");
    target.push_back(first);
    target.push_back(second);
    return align_.exactly(target, of, where);
  };
  const Indexed a = matrix(left, row, depth), b = matrix(right, depth, column);
  Problem problem;
  const Value *value =
      context_.typing.apply(Operation::product, "*", {a.value, b.value}, where, problem);
  if (!value)
    return report(std::move(problem), expression, {left, right}, frame);
  Indexed result{value, batches};
  result.variables.push_back(row);
  result.variables.push_back(column);
  Over rest;
  for (const std::string &variable : without(summed, depth))
    rest.variables.push_back(variable);
  return rest.variables.empty() ? result
                                : reduceOver(rest, *reductionOf("sum"), result, expression, frame);
}

} // namespace mmk
