#include "frontend/typing.h"

#include "frontend/primitives.h"
#include "frontend/shapes.h"

#include <fmt/format.h>

namespace mmk {
namespace {

bool canMultiply(ElementType type) {
  return type != ElementType::i32 && type != ElementType::boolean;
}

/// What would make both operands of `@` the same type: the cast that loses nothing but what the
/// author gives away knowingly.
std::string castThatFits(ElementType left, ElementType right) {
  if (!isFloat(left) || !isFloat(right))
    return "cast<f16>(...) or cast<f32>(...) on both sides would fit";
  // The accumulator of an earlier product is f32; its operands are what the cube multiplies.
  const bool castLeft = left == ElementType::f32 || right != ElementType::f32;
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

} // namespace

const Value *Typing::apply(Operation operation, std::string_view symbol,
                           const std::vector<const Value *> &operands, SourceRange where,
                           std::string &problem) {
  switch (operation) {
  case Operation::product:
    return product(operands[0], operands[1], where, problem);
  case Operation::transpose:
    return transpose(operands[0], where, problem);
  default:
    return elementwise(operation, symbol, operands, where, problem);
  }
}

const Value *Typing::cast(ElementType type, const Value *operand, SourceRange where,
                          std::string &problem) {
  if (operand->type == ElementType::boolean) {
    problem = "a comparison cannot be cast to a number; use select(condition, 1, 0)";
    return nullptr;
  }
  if (operand->type == type)
    return operand;
  return values_.operation(Operation::cast, type, operand->shape, {operand}, where);
}

const Value *Typing::product(const Value *left, const Value *right, SourceRange where,
                             std::string &problem) {
  for (const auto &[value, side] : {std::pair(left, "left"), std::pair(right, "right")}) {
    if (!canMultiply(value->type))
      problem = fmt::format("'@' multiplies f32, f16, bf16 or i8, found {} on the {}{}",
                            spelling(*value), side,
                            value->type == ElementType::i32 ? "; cast<f32>(...) of it would fit"
                                                            : "; use select(condition, 1, 0)");
    else if (value->shape.size() < 2)
      problem = rankProblem(*value, side);
    if (!problem.empty())
      return nullptr;
  }
  if (left->type != right->type) {
    problem = fmt::format("'@' needs the same element type on both sides, found {} and {}; {}",
                          spelling(*left), spelling(*right), castThatFits(left->type, right->type));
    return nullptr;
  }

  const Dimension rows = left->shape.end()[-2], columns = right->shape.end()[-1];
  const Dimension leftDepth = left->shape.end()[-1], rightDepth = right->shape.end()[-2];
  const std::string pair =
      fmt::format("cannot multiply {} by {}", spelling(*left), spelling(*right));
  if (leftDepth != rightDepth) {
    problem = fmt::format("{}: the inner dimensions are {} and {}", pair, spelling(leftDepth),
                          spelling(rightDepth));
    if (leftDepth == columns)
      problem += "; transpose(...) of the right would fit";
    else if (rows == rightDepth)
      problem += "; transpose(...) of the left would fit";
    return nullptr;
  }
  Mismatch mismatch;
  const auto batch = broadcast(Shape(left->shape.begin(), left->shape.end() - 2),
                               Shape(right->shape.begin(), right->shape.end() - 2), mismatch);
  if (!batch) {
    problem = fmt::format("{}: the batch dimensions {} and {} differ", pair,
                          spelling(mismatch.left), spelling(mismatch.right));
    return nullptr;
  }
  Shape shape = *batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return values_.operation(Operation::product, accumulatorOf(left->type), std::move(shape),
                           {left, right}, where);
}

const Value *Typing::transpose(const Value *operand, SourceRange where, std::string &problem) {
  Shape shape = operand->shape;
  if (operand->type == ElementType::boolean)
    problem = "'transpose' needs numbers, found a comparison";
  else if (shape.size() < 2)
    problem =
        fmt::format("'transpose' needs a tensor of rank 2 or more, found {}", spelling(*operand));
  if (!problem.empty())
    return nullptr;
  std::swap(shape.end()[-1], shape.end()[-2]);
  return values_.operation(Operation::transpose, operand->type, std::move(shape), {operand}, where);
}

const Value *Typing::elementwise(Operation operation, std::string_view symbol,
                                 std::vector<const Value *> operands, SourceRange where,
                                 std::string &problem) {
  Shape shape;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Value &operand = *operands[i];
    const bool isCondition = operation == Operation::select && i == 0;
    if (isCondition && operand.type != ElementType::boolean) {
      problem = fmt::format("'select' needs a comparison first, found {}; such as x > 0",
                            spelling(operand));
      return nullptr;
    }
    if (!isCondition && operand.type == ElementType::boolean) {
      problem = fmt::format("'{}' needs numbers, found a comparison; select(condition, 1, 0) makes "
                            "a number of it",
                            symbol);
      return nullptr;
    }
    Mismatch mismatch;
    const auto combined = broadcast(shape, operand.shape, mismatch);
    if (!combined) {
      const Value &other = *operands[i - 1];
      problem = fmt::format("'{}' cannot combine {} and {}: {}", symbol,
                            i == 1 ? spelling(other) : "the shape " + spelling(shape),
                            spelling(operand), spelling(mismatch));
      return nullptr;
    }
    shape = *combined;
  }

  if (operation == Operation::negate && operands[0]->operation == Operation::constant)
    return values_.constant(-operands[0]->constant, where);
  // Elementwise arithmetic is done in f32; making that visible here spares every reader the rule.
  for (const Value *&operand : operands)
    if (operand->type != ElementType::boolean)
      operand = cast(ElementType::f32, operand, where, problem);
  const ElementType type = isComparison(operation) ? ElementType::boolean : ElementType::f32;
  return values_.operation(operation, type, std::move(shape), std::move(operands), where);
}

} // namespace mmk
