#include "ascendc/vector_calls.h"

#include "ascendc/comparison.h"
#include "ascendc/instructions.h"
#include "ascendc/unwritten.h"
#include "ascendc/vector_call_writer.h"
#include "ir/element_type.h"
#include "machines/vector_instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <fmt/format.h>
#include <utility>

namespace mmk::ascendc {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

LogicalResult VectorCallWriter::refuse(const llvm::Twine &why) {
  return reportUnwritten(op, "the vector instruction " + op.getInstruction() + why);
}

//===--- masks ----------------------------------------------------------------------------===//

LogicalResult VectorCallWriter::compareAll() {
  Operand left = call.inputs[0], right = call.inputs[1];
  const bool isFloat = mlir::isa<mlir::FloatType>(left.element);
  Comparison by = isFloat ? comparisonOf(*mlir::arith::symbolizeCmpFPredicate(*op.getPredicate()))
                          : comparisonOf(*mlir::arith::symbolizeCmpIPredicate(*op.getPredicate()));
  if (!left.isTile) {
    std::swap(left, right);
    by = swapped(by);
  }
  if (!by.mode.name || !(isFloat || left.element.isInteger(8) || left.element.isInteger(32)))
    return refuse(" of this type");
  const std::string &mask = call.target.text;
  compare(mask, by.mode.name, left, right);
  if (by.other.name) {
    const std::string other = room(call.target.element);
    compare(other, by.other.name, left, right);
    combine("Or", mask, {mask, other});
  }
  if (by.isNegated)
    combine("Not", mask, {mask});
  return success();
}

void VectorCallWriter::combineMasks(std::string_view function) {
  const std::string &to = call.target.text;
  const bool isExclusive = function == "Xor";
  if (isExclusive && mlir::matchPattern(op.getInputs()[1], mlir::m_One()))
    return combine("Not", to, {call.inputs[0].text});
  const std::string left = tileOf(call.inputs[0], call.target.element),
                    right = tileOf(call.inputs[1], call.target.element);
  if (isExclusive)
    combineExclusively(to, left, right);
  else
    combine(function, to, {left, right});
}

//===--- conversions ----------------------------------------------------------------------===//

Conversion conversionOf(mlir::Type from, mlir::Type to) {
  struct Row {
    ElementType from, to;
    Conversion by;
  };
  using enum ElementType;
  static constexpr Row rows[] = {
      {f16, f32, {"NONE", "widened"}},     {bf16, f32, {"NONE", "widened"}},
      {i32, f32, {"RINT", "wordToFloat"}}, {f32, f16, {"RINT", "rounded"}},
      {f32, bf16, {"RINT", "rounded"}},    {f32, i32, {"RINT", "floatToWord"}},
      {i8, f16, {"NONE", "widened"}},      {f16, i8, {"RINT", "saturated"}},
      {f16, i32, {"RINT", "halfToWord"}},  {i8, i32, {nullptr, "widened"}},
  };
  for (const Row &row : rows)
    if (row.from == elementTypeOf(from) && row.to == elementTypeOf(to))
      return row.by;
  return {};
}

// Without an instruction, i8 is converted from and to by way of f16, all else by way of f32. A
// float becomes the nearest integer in f32 before a conversion of fewer bits, or it would be
// rounded twice.
LogicalResult VectorCallWriter::convertAll() {
  const mlir::Type source = call.inputs[0].element, target = call.target.element;
  mlir::MLIRContext *context = source.getContext();
  const mlir::Type f16 = mlir::Float16Type::get(context), f32 = mlir::Float32Type::get(context);
  mlir::Type type = source;
  std::string value = call.inputs[0].text;
  auto inRoom = [&] { return value == call.inputs[0].text ? room(type) : value; };
  if (source.isInteger(32) && target.isInteger(8)) { // the lower eight bits, with their sign
    const std::string number = room(type);
    shift("Left", number, value);
    shift("Right", number, number);
    value = number;
  }
  while (type != target) {
    const bool leavesFloat = type.isF32() && target.isInteger(8);
    const mlir::Type next = hasConversion(conversionOf(type, target)) ? target
                            : type.isInteger(8) || leavesFloat        ? f16
                                                                      : f32;
    const Conversion by = conversionOf(type, next);
    if (!hasConversion(by))
      return refuse(fmt::format(" from {} to {}", typeText(source), typeText(target)));
    if (leavesFloat && !source.isInteger(32)) {
      const std::string whole = inRoom();
      round(whole, value, "RINT");
      value = whole;
    }
    const std::string converted = next == target ? call.target.text : room(next);
    convert(converted, value, by);
    value = converted;
    type = next;
  }
  return success();
}

//===--- arithmetic -----------------------------------------------------------------------===//

// Of a tile and a scalar, the call that takes both; without one, the scalar is filled.
LogicalResult VectorCallWriter::compute() {
  const llvm::StringRef name = op.getInstruction();
  const mlir::Type element = call.target.element;
  const bool hasIntegers = llvm::is_contained({"add", "sub", "mul", "max", "min"}, name);
  if (!element.isF32() && !element.isF16() && !(element.isInteger(32) && hasIntegers))
    return refuse(fmt::format(" of {}", typeText(element)));
  if (addSequence())
    return success();
  const VectorInstruction &row = op.getRow();
  const bool takesScalar =
      call.inputs[0].isTile && !call.inputs.back().isTile && !row.ascendScalar.empty();
  llvm::SmallVector<std::string> operands;
  for (const Operand &input : call.inputs)
    operands.push_back(takesScalar && !input.isTile ? argument(input, element)
                                                    : tileOf(input, element));
  addCall(takesScalar ? row.ascendScalar : row.ascend, operands);
  return success();
}

mlir::FailureOr<VectorCalls> VectorCallWriter::write() {
  const std::string_view name = op.getRow().ascend;
  LogicalResult done = success();
  if (name == "Compare")
    done = compareAll();
  else if (name == "Cast")
    done = convertAll();
  else if (name == "Select")
    select();
  else if (name == "And" || name == "Or" || name == "Xor")
    combineMasks(name);
  else if (name == "Copy")
    copy();
  else if (name == "ErrorFunction" || name == "Tangent")
    addFunction(name);
  else if (name != "FLOOR" && name != "CEIL" && name != "RINT")
    done = compute();
  else if (call.target.element.isF32())
    round(call.target.text, call.inputs[0].text, name);
  else
    done = refuse(" of this type");
  if (mlir::failed(done))
    return failure();
  return std::move(lines);
}

bool isTile(mlir::Value value) { return mlir::isa<aicore::TileType>(value.getType()); }

bool isArithmetic(mlir::Type element) {
  return element.isF32() || element.isF16() || element.isInteger(32);
}

} // namespace mmk::ascendc
