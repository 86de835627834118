#include "frontend/typing/typing.h"

#include "frontend/primitives.h"
#include "frontend/shapes.h"

#include <cmath>
#include <fmt/format.h>

namespace mmk {
namespace {

/// The one cast that makes both operands of `@` the same type.
std::string castThatFits(ElementType left, ElementType right) {
  // i8 is exact in every float; and an f32 is mostly the accumulator of an earlier product, which
  // goes back to the type that the cube multiplies.
  const bool castLeft =
      left == ElementType::i8 ||
      (right != ElementType::i8 && (left == ElementType::f32 || right != ElementType::f32));
  return fmt::format("cast<{}>(...) on the {} would fit", spelling(castLeft ? right : left),
                     castLeft ? "left" : "right");
}

std::string rankProblem(const Value &value, std::string_view side) {
  if (value.shape.empty())
    return fmt::format("'@' needs tensors of rank 2 or more, found the scalar {} on the {}; "
                       "multiply by a scalar with '*'",
                       spelling(value), side);
  const std::string size = spelling(value.shape.front());
  return fmt::format("'@' needs tensors of rank 2 or more, found {} on the {}; as {}[{}] it would "
                     "fit",
                     spelling(value), side, spelling(value.type),
                     side == "left" ? "1, " + size : size + ", 1");
}

/// A vector that was meant as a column is the usual mistake: "; as f32[M, 1] it would fit".
std::string columnThatFits(const Shape &shape, const Value &operand) {
  Shape column = operand.shape;
  column.push_back({"", 1});
  Mismatch ignored;
  if (column.size() > shape.size() || !broadcast(shape, column, ignored))
    return "";
  return fmt::format("; as {} the right would fit", spelling(operand.type, column));
}

} // namespace

const Value *Typing::apply(Operation operation, std::string_view symbol,
                           const std::vector<const Value *> &operands, SourceRange where,
                           Problem &problem) {
  switch (operation) {
  case Operation::product:
    return product(operands[0], operands[1], where, problem);
  case Operation::transpose:
    return transpose(operands[0], where, problem);
  case Operation::logicalAnd:
  case Operation::logicalOr:
  case Operation::logicalNot:
    return logical(operation, symbol, operands, where, problem);
  default:
    return elementwise(operation, symbol, operands, where, problem);
  }
}

const Value *Typing::cast(ElementType type, const Value *operand, SourceRange where,
                          Problem &problem) {
  if (operand->type == ElementType::boolean) {
    problem = {"a comparison cannot be cast to a number; use select(condition, 1, 0)", 0};
    return nullptr;
  }
  if (operand->operation == Operation::constant && type == ElementType::f32)
    return values_.constant(roundTo(type, operand->constant), where);
  if (const std::optional<int64_t> integer = integerOf(*operand);
      integer && *integer != static_cast<int32_t>(*integer)) {
    const double rounded = roundTo(type, static_cast<double>(*integer));
    operand = type == ElementType::i32
                  ? values_.whole(static_cast<int64_t>(rounded), where)
                  : values_.constant(roundTo(ElementType::f32, rounded), where);
  }
  if (operand->type == type)
    return operand;
  if (operand->operation == Operation::extent && type == ElementType::f32)
    return values_.extent(operand->dimensions, type, operand->where);
  if (operand->operation == Operation::position && type == ElementType::f32)
    return values_.position(type, operand->shape, operand->indices[0], operand->where);
  // Of numbers that are chosen, those are converted.
  if (isFloat(type) && operand->operation == Operation::select &&
      operand->operands[1]->operation == Operation::constant &&
      operand->operands[2]->operation == Operation::constant)
    operand = values_.operation(Operation::select, ElementType::f32, operand->shape,
                                {operand->operands[0],
                                 cast(ElementType::f32, operand->operands[1], where, problem),
                                 cast(ElementType::f32, operand->operands[2], where, problem)},
                                where);
  if (operand->type == type)
    return operand;
  return values_.operation(Operation::cast, type, operand->shape, {operand}, where);
}

const Value *Typing::random(const Value *seed, Shape shape, SourceRange where, Problem &problem) {
  const bool isWholeConstant = seed->operation == Operation::constant &&
                               seed->constant == std::floor(seed->constant) &&
                               std::fabs(seed->constant) <= 2147483647;
  if (isWholeConstant)
    return values_.random(values_.whole(static_cast<int64_t>(seed->constant), seed->where),
                          std::move(shape), where);
  if (seed->type == ElementType::i32 && seed->shape.empty())
    return values_.random(seed, std::move(shape), where);
  problem = {fmt::format("'random' takes a whole seed, an i32 scalar, an int parameter or an "
                         "integer, found {}",
                         spelling(*seed)),
             0};
  return nullptr;
}

const Value *Typing::product(const Value *left, const Value *right, SourceRange where,
                             Problem &problem) {
  for (const auto &[value, index] : {std::pair(left, 0), std::pair(right, 1)}) {
    const std::string_view side = index == 0 ? "left" : "right";
    if (value->type == ElementType::boolean)
      problem.message = fmt::format("'@' needs numbers, found a comparison on the {}; "
                                    "cast<f16>(select(condition, 1, 0)) makes numbers of it",
                                    side);
    else if (value->type == ElementType::i32)
      problem.message = fmt::format("'@' multiplies f32, f16, bf16 or i8, found {} on the {}; "
                                    "cast<f32>(...) of it would fit",
                                    spelling(*value), side);
    else if (value->shape.size() < 2)
      problem.message = rankProblem(*value, side);
    if (!problem.message.empty()) {
      problem.operand = index;
      return nullptr;
    }
  }
  if (left->type != right->type) {
    problem.message =
        fmt::format("'@' needs the same element type on both sides, found {} and {}; {}",
                    spelling(*left), spelling(*right), castThatFits(left->type, right->type));
    return nullptr;
  }

  const Dimension rows = left->shape.end()[-2], columns = right->shape.end()[-1];
  const Dimension leftDepth = left->shape.end()[-1], rightDepth = right->shape.end()[-2];
  const std::string pair =
      fmt::format("cannot multiply {} by {}", spelling(*left), spelling(*right));
  if (leftDepth != rightDepth) {
    problem.message = fmt::format("{}: the inner dimensions are {} and {}", pair,
                                  spelling(leftDepth), spelling(rightDepth));
    if (leftDepth == columns)
      problem.message += "; transpose(...) of the right would fit";
    else if (rows == rightDepth)
      problem.message += "; transpose(...) of the left would fit";
    return nullptr;
  }
  Mismatch mismatch;
  const auto batch = broadcast(Shape(left->shape.begin(), left->shape.end() - 2),
                               Shape(right->shape.begin(), right->shape.end() - 2), mismatch);
  if (!batch) {
    problem.message = fmt::format("{}: the batch dimensions {} and {} differ", pair,
                                  spelling(mismatch.left), spelling(mismatch.right));
    return nullptr;
  }
  Shape shape = *batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return values_.operation(Operation::product, accumulatorOf(left->type), std::move(shape),
                           {left, right}, where);
}

const Value *Typing::transpose(const Value *operand, SourceRange where, Problem &problem) {
  Shape shape = operand->shape;
  if (operand->type == ElementType::boolean)
    problem.message = "'transpose' needs numbers, found a comparison";
  else if (shape.size() < 2)
    problem.message =
        fmt::format("'transpose' needs a tensor of rank 2 or more, found {}", spelling(*operand));
  if (!problem.message.empty()) {
    problem.operand = 0;
    return nullptr;
  }
  std::swap(shape.end()[-1], shape.end()[-2]);
  return values_.operation(Operation::transpose, operand->type, std::move(shape), {operand}, where);
}

const Value *Typing::logical(Operation operation, std::string_view symbol,
                             const std::vector<const Value *> &operands, SourceRange where,
                             Problem &problem) {
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i]->type != ElementType::boolean) {
      problem = {fmt::format("'{}' needs comparisons, such as x > 0, found {}", symbol,
                             spelling(*operands[i])),
                 i};
      return nullptr;
    }
  Shape shape = operands[0]->shape;
  Mismatch mismatch;
  for (const Value *operand : operands) {
    const auto combined = broadcast(shape, operand->shape, mismatch);
    if (!combined) {
      problem.message =
          fmt::format("'{}' cannot combine {} and {}: {}", symbol, spelling(*operands[0]),
                      spelling(*operands[1]), spelling(mismatch));
      return nullptr;
    }
    shape = *combined;
  }
  return values_.operation(operation, ElementType::boolean, std::move(shape), operands, where);
}

const Value *Typing::elementwise(Operation operation, std::string_view symbol,
                                 std::vector<const Value *> operands, SourceRange where,
                                 Problem &problem) {
  Shape shape;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Value &operand = *operands[i];
    const bool isCondition = operation == Operation::select && i == 0;
    if (isCondition && operand.type != ElementType::boolean) {
      problem = {fmt::format("'select' needs a comparison first, such as x > 0, found {}",
                             spelling(operand)),
                 i};
      return nullptr;
    }
    if (!isCondition && operand.type == ElementType::boolean) {
      problem = {fmt::format("'{}' needs numbers, found a comparison; {}", symbol,
                             isComparison(operation)
                                 ? "comparisons cannot be chained"
                                 : "select(condition, 1, 0) makes numbers of it"),
                 i};
      return nullptr;
    }
    Mismatch mismatch;
    const auto combined = broadcast(shape, operand.shape, mismatch);
    if (!combined) {
      const std::string other = i == 1 ? spelling(*operands[0]) : "the shape " + spelling(shape);
      problem.message =
          fmt::format("'{}' cannot combine {} and {}: {}{}", symbol, other, spelling(operand),
                      spelling(mismatch), columnThatFits(shape, operand));
      return nullptr;
    }
    shape = *combined;
  }

  if (const Value *value = ofIntegers(operation, shape, operands, where))
    return value;
  if (operation == Operation::remainder) {
    const bool isSecond = isInteger(operands[0]->type);
    problem = {fmt::format("'%' needs integers, found {}; x - floor(x / y) * y is that of floats",
                           spelling(*operands[isSecond])),
               isSecond};
    return nullptr;
  }
  if (operation == Operation::negate && operands[0]->operation == Operation::constant)
    return values_.constant(-operands[0]->constant, where);
  // Other arithmetic is done in f32. The casts are explicit, so that no reader of a kernel needs
  // the rule.
  noteRounded(operation, operands, where);
  for (const Value *&operand : operands)
    if (operand->type != ElementType::boolean)
      operand = cast(ElementType::f32, operand, where, problem);
  const ElementType type = isComparison(operation) ? ElementType::boolean : ElementType::f32;
  return values_.operation(operation, type, std::move(shape), std::move(operands), where);
}

} // namespace mmk
