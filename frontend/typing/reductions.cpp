// The types and shapes of reductions over named dimensions.
#include "frontend/rule_builder.h"
#include "frontend/shapes.h"
#include "frontend/typing/typing.h"
#include "support/diagnostics.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

/// Where a dimension stands in a shape; nothing, and why, unless it stands there once.
std::optional<size_t> positionOf(const Dimension &dimension, std::string_view name,
                                 const Value &operand, Problem &problem) {
  const auto count = std::ranges::count(operand.shape, dimension);
  if (count == 1)
    return std::ranges::find(operand.shape, dimension) - operand.shape.begin();
  problem.message =
      count == 0 ? fmt::format("'{}' over {}: it is no dimension of {}", name, dimension.name,
                               spelling(operand))
                 : fmt::format("'{}' over {}: {} has it {} times, and a reduction needs one place",
                               name, dimension.name, spelling(operand), count);
  std::vector<std::string> legal;
  for (const Dimension &each : operand.shape)
    if (!each.isLiteral() && std::ranges::count(operand.shape, each) == 1)
      legal.push_back(each.name);
  if (!legal.empty())
    problem.message += fmt::format("; legal: {}", listOf(legal));
  return std::nullopt;
}

std::string_view needed(const Value &operand, std::string_view name, bool isOfConditions) {
  if (isOfConditions == (operand.type == ElementType::boolean))
    return "";
  if (isOfConditions)
    return "needs a comparison, such as x > 0";
  return name == "argmax" || name == "argmin" || name == "max" || name == "min"
             ? "needs numbers, found a comparison; any and all reduce comparisons"
             : "needs numbers, found a comparison; select(condition, 1, 0) makes numbers of it";
}

bool isArgument(Reduction reduction) {
  return reduction == Reduction::argmax || reduction == Reduction::argmin;
}

bool isOfConditions(const NamedReduction &named) {
  return named.reduction == Reduction::any || named.reduction == Reduction::all;
}

bool takesType(const NamedReduction &named, const Value &operand, Problem &problem) {
  const std::string_view wanted = needed(operand, named.name, isOfConditions(named));
  if (wanted.empty())
    return true;
  problem = {fmt::format("'{}' {}", named.name, wanted), 0};
  if (isOfConditions(named))
    problem.message += fmt::format(", found {}", spelling(operand));
  return false;
}

/// What elements are converted to before they are combined. Sums and products of integers wrap;
/// integers are compared as they are; all else is f32.
ElementType operandType(const NamedReduction &named, ElementType element) {
  if (isFloat(element) || named.dividesByCount)
    return ElementType::f32;
  const bool wraps = !named.reduction || named.reduction == Reduction::sum ||
                     named.reduction == Reduction::product;
  return wraps ? ElementType::i32 : element;
}

} // namespace

const Value *Typing::reduce(const NamedReduction &named, const Value *operand, const Shape &over,
                            SourceRange where, Problem &problem) {
  if (!takesType(named, *operand, problem))
    return nullptr;
  std::vector<size_t> along;
  for (size_t i = 0; i < over.size(); ++i) {
    const auto position = positionOf(over[i], named.name, *operand, problem);
    if (!position) {
      problem.dimension = i;
      return nullptr;
    }
    if (std::ranges::find(along, *position) != along.end()) {
      problem = {fmt::format("'{}' over {} twice", named.name, over[i].name), {}, i};
      return nullptr;
    }
    along.push_back(*position);
  }
  std::ranges::sort(along);
  return reduceAlong(named, operand, nullptr, std::move(along), where, problem);
}

const Value *Typing::reduceAlong(const NamedReduction &named, const Value *operand,
                                 const Value *guard, std::vector<size_t> along, SourceRange where,
                                 Problem &problem) {
  if (!takesType(named, *operand, problem))
    return nullptr;
  Shape over;
  for (size_t each : along)
    over.push_back(operand->shape[each]);
  if (along.size() > 1 && (!named.reduction || isArgument(*named.reduction))) {
    problem.message =
        fmt::format("'{}' goes along one dimension, found {}", named.name, spelling(over));
    problem.dimension = 1;
    return nullptr;
  }
  if (guard && !named.reduction) {
    problem.message = fmt::format("'{}' has no condition; it goes along all elements", named.name);
    return nullptr;
  }
  if (!isOfConditions(named))
    operand = cast(operandType(named, operand->type), operand, where, problem);
  if (!named.reduction)
    return values_.cumulate(operand, along[0], where);
  Shape shape = operand->shape;
  for (size_t each : along)
    shape[each] = {"", 1};
  const ElementType type = isArgument(*named.reduction) ? ElementType::i32 : operand->type;
  const Value *value =
      guard ? values_.reduceWhere(*named.reduction, type, shape, operand, guard, along, where)
            : values_.reduce(*named.reduction, type, shape, operand, along, where);
  if (!named.dividesByCount)
    return value;
  const Value *count = values_.extent(over, where);
  if (guard) {
    // As many as hold.
    const Value *one = values_.constant(1, where), *zero = values_.constant(0, where);
    const Value *holds = apply(Operation::select, "select", {guard, one, zero}, where, problem);
    std::vector<Index> everywhere;
    for (size_t d = 0; d < holds->shape.size(); ++d)
      everywhere.push_back(holds->shape[d] == Dimension{"", 1}
                               ? Index(ruleOf(Rule::Kind::number))
                               : Index(ruleThatReads(fmt::format("#{}", d + operand->shape.size() -
                                                                            holds->shape.size()))));
    holds = values_.access(holds, operand->shape, std::move(everywhere), nullptr, where);
    count = values_.reduce(Reduction::sum, ElementType::f32, shape, holds, along, where);
  }
  return apply(Operation::divide, "/", {value, count}, where, problem);
}

} // namespace mmk
