// Operations on integers alone: in i32, modulo 2^32. Arithmetic of dimensions, int parameters and
// literals stays a calculation in 64 bits until it meets an element.
#include "frontend/typing/typing.h"

#include "frontend/index/arithmetic.h"
#include "frontend/rule_builder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace mmk {
namespace {

/// f32 holds every integer up to it.
constexpr double mostExact = 1 << 24;

bool isSumOrComparison(Operation operation) {
  return operation == Operation::add || operation == Operation::subtract ||
         operation == Operation::minimum || operation == Operation::maximum ||
         isComparison(operation);
}

/// The operations that have a meaning on integers; the others are on f32.
bool isOfIntegers(Operation operation) {
  switch (operation) {
  case Operation::negate:
  case Operation::abs:
  case Operation::add:
  case Operation::subtract:
  case Operation::multiply:
  case Operation::remainder:
  case Operation::minimum:
  case Operation::maximum:
  case Operation::select:
    return true;
  default:
    return isComparison(operation);
  }
}

std::optional<Rule::Kind> kindOf(Operation operation) {
  switch (operation) {
  case Operation::negate: // 0 - x
  case Operation::subtract:
    return Rule::Kind::subtract;
  case Operation::add:
    return Rule::Kind::add;
  case Operation::multiply:
    return Rule::Kind::multiply;
  case Operation::remainder:
    return Rule::Kind::floorRemainder;
  default:
    return std::nullopt;
  }
}

/// The largest magnitude of a value, `of` its operands.
double largestOf(const Value &value, const std::function<double(size_t)> &of) {
  switch (value.operation) {
  case Operation::constant:
    return std::fabs(value.constant);
  case Operation::position: // dimensions are numbers of steps, and rarely as large
  case Operation::extent:
    return 0;
  case Operation::negate:
  case Operation::abs:
  case Operation::transpose:
  case Operation::squeeze:
  case Operation::reshape:
  case Operation::access:
    return of(0);
  case Operation::cast:
    if (!isInteger(value.operands[0]->type))
      break;
    return std::min(of(0), largestValue(value.type) + 1);
  case Operation::add:
  case Operation::subtract:
    return of(0) + of(1);
  case Operation::multiply:
    return of(0) * of(1);
  case Operation::remainder:
    return of(1);
  case Operation::minimum:
  case Operation::maximum:
    return std::max(of(0), of(1));
  case Operation::select:
    return std::max(of(1), of(2));
  default:
    break;
  }
  return largestValue(value.type) + 1;
}

/// The largest magnitude of an integer, as far as the text tells. Values that several others read
/// are looked at once.
double largestOf(const Value &value, std::map<const Value *, double> &known) {
  if (const auto found = known.find(&value); found != known.end())
    return found->second;
  const double largest =
      largestOf(value, [&](size_t operand) { return largestOf(*value.operands[operand], known); });
  return known[&value] = largest;
}

} // namespace

const Value *Typing::ofWholeNumbers(Operation operation, const std::vector<const Value *> &operands,
                                    SourceRange where) {
  const std::optional<Rule::Kind> kind = kindOf(operation);
  const auto isLiteral = [](const Value *it) { return integerOf(*it).has_value(); };
  if ((operation == Operation::minimum || operation == Operation::maximum) &&
      std::ranges::all_of(operands, isLiteral))
    return (*integerOf(*operands[0]) < *integerOf(*operands[1])) ==
                   (operation == Operation::minimum)
               ? operands[0]
               : operands[1];
  if (!kind || (operation == Operation::remainder && !isLiteral(operands[1])))
    return nullptr; // a divisor may be 0
  std::unique_ptr<Rule> rule = ruleOf(*kind);
  if (operands.size() == 1)
    rule->operands.push_back(ruleOfNumber(0));
  for (const Value *operand : operands) {
    std::unique_ptr<Rule> calculation = calculationOf(*operand);
    if (!calculation)
      return nullptr;
    rule->operands.push_back(std::move(calculation));
  }
  if (operation == Operation::remainder && integerOf(*operands[1]) == 0)
    return values_.whole(0, where);
  if (!std::ranges::all_of(operands, isLiteral))
    return values_.position(ElementType::i32, {}, std::move(rule), where);
  const std::optional<int64_t> exact =
      numberOf(*rule, [](std::string_view) { return std::nullopt; });
  if (!exact)
    return nullptr; // beyond 64 bits
  return values_.integer(*exact, where);
}

// j <= last[b] - 1 as j + 1 <= last[b]: so it is exact for each element, and the comparison has the
// form of a bound of a loop.
bool Typing::moveNumber(const Value *&position, const Value *&elements) {
  // In index notation the sum may be read at variables of the other operand.
  const bool isRead = elements->operation == Operation::access && elements->operands.size() == 1;
  const Value *sum = isRead ? elements->operands[0] : elements;
  const bool isSum = sum->operation == Operation::add || sum->operation == Operation::subtract;
  if (position->operation != Operation::position || !isSum || sum->type != ElementType::i32)
    return false;
  const bool isFirst = sum->operation == Operation::add && calculationOf(*sum->operands[0]);
  std::unique_ptr<Rule> number = calculationOf(*sum->operands[isFirst ? 0 : 1]);
  if (!number)
    return false;
  std::unique_ptr<Rule> rule =
      ruleOf(sum->operation == Operation::add ? Rule::Kind::subtract : Rule::Kind::add);
  rule->operands.push_back(copyOf(*position->indices[0]));
  rule->operands.push_back(std::move(number));
  position = values_.position(ElementType::i32, position->shape, std::move(rule), position->where);
  const Value *rest = sum->operands[isFirst ? 1 : 0];
  elements =
      isRead ? values_.access(rest, elements->shape, elements->indices, nullptr, elements->where)
             : rest;
  return true;
}

const Value *Typing::ofIntegers(Operation operation, const Shape &shape,
                                const std::vector<const Value *> &given, SourceRange where) {
  const auto isNumber = [](const Value *it) { return it->type != ElementType::boolean; };
  if (!std::ranges::all_of(given,
                           [&](const Value *it) { return !isNumber(it) || isInteger(it->type); }))
    return nullptr;
  if (operation == Operation::floor || operation == Operation::ceil)
    return given[0];
  if (!isOfIntegers(operation))
    return nullptr;
  if (const Value *value = ofWholeNumbers(operation, given, where))
    return value;
  std::vector<const Value *> operands = given;
  if (isComparison(operation))
    for (auto [position, other] : {std::pair(0, 1), {1, 0}})
      while (moveNumber(operands[position], operands[other]))
        ;
  Problem none;
  for (const Value *&operand : operands) {
    const std::optional<int64_t> number = integerOf(*operand);
    if (number && !isComparison(operation))
      operand = values_.whole(static_cast<int32_t>(*number), operand->where);
    else if (isNumber(operand))
      operand = cast(ElementType::i32, operand, where, none);
  }
  const ElementType type = isComparison(operation) ? ElementType::boolean : ElementType::i32;
  return values_.operation(operation, type, shape, std::move(operands), where);
}

void Typing::noteRounded(Operation operation, const std::vector<const Value *> &operands,
                         SourceRange where) {
  if (!isSumOrComparison(operation) || std::ranges::any_of(operands, [](const Value *it) {
        return it->operation == Operation::constant && std::isinf(it->constant);
      }))
    return;
  for (const Value *operand : operands)
    if (isInteger(operand->type) && largestOf(*operand, largest_) > mostExact)
      rounded_.push_back({operand, where});
}

} // namespace mmk
