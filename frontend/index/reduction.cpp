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

/// The operand of a product, 0 or 1, with whose elements a condition stands: the one that has what
/// the other has not of its variables. Nothing where both have such.
std::optional<size_t> sideOf(const Indexed &guard, const Indexed &left, const Indexed &right) {
  bool isOfLeft = false, isOfRight = false;
  for (const std::string &variable : guard.variables) {
    isOfLeft |= !variable.empty() && !right.has(variable);
    isOfRight |= right.has(variable) && !left.has(variable);
  }
  if (isOfLeft && isOfRight)
    return std::nullopt;
  return isOfRight ? 1 : 0;
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
  const size_t around = reduced_.size();
  reduced_.insert(reduced_.end(), over.variables.begin(), over.variables.end());
  const bool isProduct = operand.kind == ast::Expression::Kind::operation && operand.text == "*" &&
                         operand.operands.size() == 2;
  if (over.guard && !*over.guard) {
    // reported
  } else if (named.reduction == Reduction::sum && !named.dividesByCount && isProduct) {
    const Indexed left = evaluate(*operand.operands[0], frame),
                  right = evaluate(*operand.operands[1], frame);
    if (left && right)
      result = contraction(over, left, right, expression, frame);
    if (left && right && !result)
      if (const Indexed product = apply(operand, {left, right}, frame))
        result = reduceOver(over, named, product, expression, frame);
  } else if (const Indexed value = evaluate(operand, frame)) {
    result = reduceOver(over, named, value, expression, frame);
  }
  reduced_.resize(around);
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

bool IndexBody::Roles::deal(const Indexed &left, const Indexed &right, const Alignment &align) {
  rows.clear(), columns.clear(), batches.clear();
  for (const std::string &variable : without(align.unionOf({left, right}), depth))
    (!right.has(variable) ? rows : !left.has(variable) ? columns : batches).push_back(variable);
  return !rows.empty() || !columns.empty() || left.value->type == ElementType::i8;
}

// The last free variable of each side. In the order of the statement's variables, so that the
// result needs no transposition.
void IndexBody::chooseMatrix(const std::vector<std::string> &summed, Indexed &left, Indexed &right,
                             Roles &roles) {
  const auto last = [&](const std::vector<std::string> &of) {
    std::string own;
    for (const std::string &variable : of)
      if (!contains(summed, variable))
        own = variable;
    return own.empty() && !of.empty() ? of.back() : own;
  };
  roles.row = last(roles.rows), roles.column = last(roles.columns);
  const std::vector<std::string> order = variables_.names();
  if (!roles.row.empty() && !roles.column.empty() &&
      std::ranges::find(order, roles.row) > std::ranges::find(order, roles.column)) {
    std::swap(left, right);
    std::swap(roles.row, roles.column);
    roles.deal(left, right, align_);
  }
  for (const auto &[free, own] :
       {std::pair(&roles.rows, &roles.row), std::pair(&roles.columns, &roles.column)})
    for (const std::string &variable : *free)
      if (variable != *own)
        roles.batches.push_back(variable);
  roles.batches = variables_.sorted(roles.batches);
}

/// Whether a condition stands with a product of matrices of several variables: with elements of one
/// operand, of which some are free.
static bool standsWithMatrix(const Indexed &guard, const Indexed &left, const Indexed &right) {
  const std::optional<size_t> side = sideOf(guard, left, right);
  if (!side)
    return false;
  const Indexed &own = *side == 0 ? left : right, &other = *side == 0 ? right : left;
  return std::ranges::all_of(
             guard.variables,
             [&](const std::string &each) { return each.empty() || own.has(each); }) &&
         std::ranges::any_of(guard.variables, [&](const std::string &each) {
           return !each.empty() && !other.has(each);
         });
}

// A sum over variables of extent 1 is that of a window that reads each element as it is. One
// without variables of its own on both sides, such as that of a depthwise convolution, is a
// reduction; but sums of i8 are those of a product.
std::optional<Indexed> IndexBody::contractionOfWindow(const Over &over, const Indexed &left,
                                                      const Indexed &right,
                                                      const ast::Expression &expression,
                                                      const Frame &frame) {
  Indexed window = windowOf(left, right, over.variables);
  if (!window)
    window = windowOf(right, left, over.variables);
  const auto isUnit = [&](const std::string &each) {
    return variables_.find(each)->dimension == Dimension{"", 1};
  };
  const auto areInBoth = [&](const std::string &each) {
    return isUnit(each) || (left.has(each) && right.has(each));
  };
  if ((!window && std::ranges::none_of(over.variables, isUnit)) ||
      !std::ranges::all_of(over.variables, areInBoth) ||
      (over.guard && !(window && standsWithMatrix(*over.guard, left, right))))
    return std::nullopt;
  const auto hasOwn = [&](const Indexed &operand, const Indexed &other) {
    return std::ranges::any_of(operand.variables, [&](const std::string &each) {
      return !each.empty() && !other.has(each) && !contains(over.variables, each);
    });
  };
  if (hasOwn(left, right) && hasOwn(right, left)) {
    const size_t guarded = over.guard ? *sideOf(*over.guard, left, right) : 0;
    return windowProduct(over, guarded, window, left, right, expression, frame);
  }
  return window && isFloat(left.value->type) ? std::optional(Indexed()) : std::nullopt;
}

// One variable of both operands and of the sum is the depth; the last free one of each side are the
// rows and the columns. All others are batches, of which an operand has some not; those that are
// summed are added afterwards. A condition goes with one operand, which then has all its variables.
Indexed IndexBody::contraction(const Over &over, Indexed left, Indexed right,
                               const ast::Expression &expression, const Frame &frame) {
  if (!isOfContraction(*left.value) || left.value->type != right.value->type)
    return {};
  if (const auto product = contractionOfWindow(over, left, right, expression, frame))
    return *product;
  Roles roles;
  for (const std::string &variable : over.variables)
    if (roles.depth.empty() && left.has(variable) && right.has(variable))
      roles.depth = variable;
  if (roles.depth.empty() || !roles.deal(left, right, align_))
    return {};
  const SourceRange where = placeOf(expression, frame);
  if (over.guard) {
    const std::optional<size_t> side = sideOf(*over.guard, left, right);
    if (!side)
      return {};
    Indexed &guarded = *side == 0 ? left : right;
    const std::vector<std::string> all = align_.unionOf({guarded, *over.guard});
    if (std::ranges::any_of(all, [&](const std::string &each) { return !guarded.has(each); }))
      guarded = align_.exactly(all, guarded, where);
    roles.deal(left, right, align_);
  }
  chooseMatrix(over.variables, left, right, roles);
  const auto matrix = [&](const Indexed &of, const std::string &first, const std::string &second) {
    std::vector<std::string> target;
    for (const std::string &variable : roles.batches)
      if (!target.empty() || of.has(variable))
        target.push_back(of.has(variable) ? variable : "");
    target.push_back(first);
    target.push_back(second);
    return align_.exactly(target, of, where);
  };
  const Indexed a = matrix(left, roles.row, roles.depth),
                b = matrix(right, roles.depth, roles.column);
  Problem problem;
  const Value *value =
      context_.typing.apply(Operation::product, "*", {a.value, b.value}, where, problem);
  if (!value)
    return report(std::move(problem), expression, {left, right}, frame);
  if (over.guard) {
    const size_t side = *sideOf(*over.guard, left, right);
    std::vector<std::string> target = roles.batches;
    target.push_back(side == 0 ? roles.row : roles.depth);
    target.push_back(side == 0 ? roles.depth : roles.column);
    const Indexed guard = align_.toEndOf(target, *over.guard, where);
    value = context_.values.productWhere(*value, guard.value, side, where);
  }
  Indexed result{value, roles.batches};
  result.variables.push_back(roles.row);
  result.variables.push_back(roles.column);
  Over rest;
  for (const std::string &variable : without(over.variables, roles.depth))
    rest.variables.push_back(variable);
  return rest.variables.empty() ? result
                                : reduceOver(rest, *reductionOf("sum"), result, expression, frame);
}

} // namespace mmk
