#include "frontend/values.h"

#include "frontend/index/arithmetic.h"
#include "frontend/numbers.h"
#include "frontend/rule_builder.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

namespace mmk {

std::optional<int64_t> integerOf(const Value &value) {
  if (value.operation == Operation::constant && value.type == ElementType::i32)
    return static_cast<int64_t>(value.constant);
  if (value.operation == Operation::position && value.indices[0]->kind == Rule::Kind::number)
    return value.indices[0]->number;
  return std::nullopt;
}

std::unique_ptr<Rule> ruleOfDimension(const Dimension &dimension) {
  return dimension.isLiteral() ? ruleOfNumber(dimension.literal) : ruleThatReads(dimension.name);
}

std::unique_ptr<Rule> calculationOf(const Value &value) {
  if (!value.shape.empty() || !isInteger(value.type))
    return nullptr;
  switch (value.operation) {
  case Operation::constant:
    return ruleOfNumber(static_cast<int64_t>(value.constant));
  case Operation::extent:
    return ruleOfDimension(value.dimensions[0]);
  case Operation::position:
    return copyOf(*value.indices[0]);
  default:
    return nullptr;
  }
}

const Value *Values::parameter(unsigned index, const Parameter &parameter) {
  Value value{.operation = Operation::parameter,
              .type = parameter.type,
              .shape = parameter.shape,
              .operands = {},
              .parameter = index,
              .where = parameter.where,
              .name = parameter.name};
  return unique({value.operation, value.type, {}, std::to_string(index)}, std::move(value));
}

const Value *Values::constant(double number, SourceRange where) {
  Value value{.operation = Operation::constant,
              .type = ElementType::f32,
              .shape = {},
              .operands = {},
              .constant = number,
              .where = where};
  return unique({value.operation, value.type, {}, std::to_string(std::bit_cast<uint64_t>(number))},
                std::move(value));
}

const Value *Values::whole(int64_t number, SourceRange where) {
  Value value{.operation = Operation::constant,
              .type = ElementType::i32,
              .shape = {},
              .operands = {},
              .constant = static_cast<double>(number),
              .where = where};
  return unique({value.operation, value.type, {}, std::to_string(number)}, std::move(value));
}

const Value *Values::random(const Value *seed, Shape shape, SourceRange where) {
  std::string text = spelling(shape);
  return unique({Operation::random, ElementType::f32, {seed}, std::move(text)},
                {.operation = Operation::random,
                 .type = ElementType::f32,
                 .shape = std::move(shape),
                 .operands = {seed},
                 .where = where});
}

const Value *Values::operation(Operation operation, ElementType type, Shape shape,
                               std::vector<const Value *> operands, SourceRange where) {
  Key key{operation, type, operands, ""};
  return unique(std::move(key), {.operation = operation,
                                 .type = type,
                                 .shape = std::move(shape),
                                 .operands = std::move(operands),
                                 .where = where});
}

const Value *Values::reduce(Reduction reduction, ElementType type, Shape shape,
                            const Value *operand, std::vector<size_t> along, SourceRange where) {
  std::string text = std::to_string(static_cast<int>(reduction));
  for (size_t each : along)
    text += "," + std::to_string(each);
  return unique({Operation::reduce, type, {operand}, std::move(text)},
                {.operation = Operation::reduce,
                 .type = type,
                 .shape = std::move(shape),
                 .operands = {operand},
                 .where = where,
                 .reduction = reduction,
                 .along = std::move(along)});
}

const Value *Values::cumulate(const Value *operand, size_t along, SourceRange where) {
  const ElementType type = operand->type;
  return unique({Operation::cumulate, type, {operand}, std::to_string(along)},
                {.operation = Operation::cumulate,
                 .type = type,
                 .shape = operand->shape,
                 .operands = {operand},
                 .where = where,
                 .along = {along}});
}

const Value *Values::integer(int64_t number, SourceRange where) {
  return number == static_cast<int32_t>(number)
             ? whole(number, where)
             : position(ElementType::i32, {}, ruleOfNumber(number), where);
}

const Value *Values::literal(std::string_view text, SourceRange where) {
  if (const std::optional<int64_t> integer = parseInteger(text))
    return this->integer(*integer, where);
  return constant(roundTo(ElementType::f32, parseNumber(text)), where);
}

const Value *Values::extent(const Shape &dimensions, SourceRange where) {
  return extent(dimensions, dimensions.size() == 1 ? ElementType::i32 : ElementType::f32, where);
}

const Value *Values::extent(const Shape &dimensions, ElementType type, SourceRange where) {
  return unique({Operation::extent, type, {}, spelling(dimensions)},
                {.operation = Operation::extent,
                 .type = type,
                 .shape = {},
                 .operands = {},
                 .where = where,
                 .dimensions = dimensions});
}

const Value *Values::access(const Value *operand, Shape shape, std::vector<Index> indices,
                            const Value *padding, SourceRange where) {
  std::string text = spelling(shape);
  for (const Index &index : indices)
    text += ";" + spellingOf(*index);
  std::vector<const Value *> operands = {operand};
  if (padding)
    operands.push_back(padding);
  const ElementType type = operand->type;
  return unique({Operation::access, type, operands, std::move(text)},
                {.operation = Operation::access,
                 .type = type,
                 .shape = std::move(shape),
                 .operands = operands,
                 .where = where,
                 .indices = std::move(indices)});
}

const Value *Values::position(ElementType type, Shape shape, Index index, SourceRange where) {
  std::string text = spelling(shape) + ";" + spellingOf(*index);
  return unique({Operation::position, type, {}, std::move(text)}, {.operation = Operation::position,
                                                                   .type = type,
                                                                   .shape = std::move(shape),
                                                                   .operands = {},
                                                                   .where = where,
                                                                   .indices = {std::move(index)}});
}

const Value *Values::reduceWhere(Reduction reduction, ElementType type, Shape shape,
                                 const Value *operand, const Value *guard,
                                 std::vector<size_t> along, SourceRange where) {
  std::string text = std::to_string(static_cast<int>(reduction));
  for (size_t each : along)
    text += "," + std::to_string(each);
  return unique({Operation::reduce, type, {operand, guard}, std::move(text)},
                {.operation = Operation::reduce,
                 .type = type,
                 .shape = std::move(shape),
                 .operands = {operand, guard},
                 .where = where,
                 .reduction = reduction,
                 .along = std::move(along)});
}

const Value *Values::productWhere(const Value &product, const Value *guard, size_t side,
                                  SourceRange where) {
  const std::vector<const Value *> operands = {product.operands[0], product.operands[1], guard};
  return unique({Operation::product, product.type, operands, std::to_string(side)},
                {.operation = Operation::product,
                 .type = product.type,
                 .shape = product.shape,
                 .operands = operands,
                 .where = where,
                 .along = {side}});
}

const Value *Values::squeeze(const Value *operand, Shape shape, SourceRange where) {
  std::string text = spelling(shape);
  return unique({Operation::squeeze, operand->type, {operand}, std::move(text)},
                {.operation = Operation::squeeze,
                 .type = operand->type,
                 .shape = std::move(shape),
                 .operands = {operand},
                 .where = where});
}

const Value *Values::reshape(const Value *operand, Shape shape, std::vector<size_t> groups,
                             SourceRange where) {
  std::string text = spelling(shape);
  for (size_t count : groups)
    text += "," + std::to_string(count);
  return unique({Operation::reshape, operand->type, {operand}, std::move(text)},
                {.operation = Operation::reshape,
                 .type = operand->type,
                 .shape = std::move(shape),
                 .operands = {operand},
                 .where = where,
                 .along = std::move(groups)});
}

const Value *Values::unique(Key key, Value value) {
  const auto [entry, isNew] = known_.try_emplace(std::move(key), nullptr);
  if (isNew) {
    values_.push_back(std::make_unique<Value>(std::move(value)));
    entry->second = values_.back().get();
  }
  return entry->second;
}

void Values::name(const Value *value, const std::string &name) {
  if (!value->name.empty() || value->operation == Operation::constant)
    return;
  // Searched from the end: a let mostly names the newest value.
  const auto own = std::find_if(values_.rbegin(), values_.rend(),
                                [&](const auto &candidate) { return candidate.get() == value; });
  (*own)->name = name;
}

std::vector<std::unique_ptr<Value>> Values::neededBy(const std::vector<const Value *> &results) && {
  std::set<const Value *> needed(results.begin(), results.end());
  // Users come after their operands, so one pass backwards reaches everything.
  for (size_t i = values_.size(); i-- > 0;)
    if (needed.contains(values_[i].get()))
      needed.insert(values_[i]->operands.begin(), values_[i]->operands.end());
  std::erase_if(values_, [&](const auto &value) { return !needed.contains(value.get()); });
  return std::move(values_);
}

} // namespace mmk
