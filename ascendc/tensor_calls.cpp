// The calls of vector instructions in count form on tensors in UB. dav-2201 compares integers for
// equality alone, has i8 in conversions from and to f16 alone, and no exclusive or.
#include "ascendc/element_names.h"
#include "ascendc/vector_call_writer.h"
#include "ascendc/vector_calls.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>
#include <utility>

namespace mmk::ascendc {
namespace {

class TensorCallWriter : public VectorCallWriter {
public:
  TensorCallWriter(const VectorCall &call, std::string count, unsigned spare)
      : VectorCallWriter(call), count(std::move(count)), spare(spare) {}

private:
  std::string room(mlir::Type element) override {
    return fmt::format("Spare<{}>({})", element.isInteger(1) ? "uint16_t" : deviceType(element),
                       spare + lines.pieces++);
  }
  std::string filled(const Operand &scalar, mlir::Type element) override;
  std::string argument(const Operand &scalar, mlir::Type element) override {
    return converted(scalar.text, element);
  }
  void addCall(std::string_view function, llvm::ArrayRef<std::string> operands) override {
    add("{}({}, {}, {});", function, call.target.text, llvm::join(operands, ", "), count);
  }
  void compare(const std::string &to, llvm::StringRef mode, const Operand &left,
               const Operand &right) override;
  void combine(std::string_view function, const std::string &to,
               llvm::ArrayRef<std::string> masks) override;
  void combineExclusively(const std::string &to, const std::string &left,
                          const std::string &right) override;
  void select() override;
  void copy() override;
  void addFunction(std::string_view name) override {
    add("{}({}, {}, {}, {});", name, call.target.text, call.inputs[0].text, spare, count);
    lines.pieces += 4; // elementary_functions.cpp
  }
  bool hasConversion(const Conversion &conversion) override { return conversion.rounding; }
  void convert(const std::string &to, const std::string &from,
               const Conversion &conversion) override {
    round(to, from, conversion.rounding);
  }
  void round(const std::string &to, const std::string &from, std::string_view rounding) override {
    add("Cast({}, {}, RoundMode::CAST_{}, {});", to, from, rounding, count);
  }
  void shift(const char *direction, const std::string &to, const std::string &from) override {
    add("Shift{}({}, {}, static_cast<int32_t>(24), {});", direction, to, from, count);
  }
  bool addSequence() override;
  void negate() {
    add("Muls({}, {}, static_cast<{}>(-1), {});", call.target.text, call.inputs.back().text,
        deviceType(call.target.element), count);
  }
  /// An operand of i8 as f16, which has each number of it.
  std::string wideOf(const Operand &operand);

  /// A mask as the words of 16 bits that And, Or and Not take.
  static std::string words(const std::string &mask) {
    return llvm::StringRef(mask).starts_with("Spare<") ? mask
                                                       : mask + ".ReinterpretCast<uint16_t>()";
  }
  static constexpr int maskWords = 16; // of the 256 elements of a piece

  std::string count;
  unsigned spare;
};

std::string TensorCallWriter::filled(const Operand &scalar, mlir::Type element) {
  const std::string to = room(element);
  if (element.isInteger(1))
    add("Duplicate<uint16_t>({}, {} ? 0xFFFF : 0, {});", to, scalar.text, maskWords);
  else
    add("Duplicate({}, {}, {});", to, argument(scalar, element), count);
  return to;
}

std::string TensorCallWriter::wideOf(const Operand &operand) {
  const mlir::Type f16 = mlir::Float16Type::get(op.getContext());
  if (!operand.isTile)
    return filled(operand, f16);
  const std::string wide = room(f16);
  round(wide, operand.text, "NONE");
  return wide;
}

// Of i32, a <= b where max(a, b) is b.
void TensorCallWriter::compare(const std::string &to, llvm::StringRef mode, const Operand &left,
                               const Operand &right) {
  const mlir::Type element = left.element;
  auto compareTo = [&](const std::string &first, llvm::StringRef by, const std::string &second) {
    add("CompareAll({}, {}, {}, CMPMODE::{}, {});", to, first, second, by.str(), count);
  };
  if (element.isInteger(8)) {
    const std::string first = wideOf(left), second = wideOf(right);
    return compareTo(first, mode, second);
  }
  if (!element.isInteger(32))
    return compareTo(left.text, mode, right.isTile ? right.text : argument(right, element));
  const std::string second = tileOf(right, element);
  std::string compared = left.text;
  if (mode != "EQ" && mode != "NE") {
    compared = room(element);
    add("Max({}, {}, {}, {});", compared, left.text, second, count);
  }
  compareTo(compared, "EQ", mode == "GE" || mode == "LT" ? left.text : second);
  if (mode == "NE" || mode == "GT" || mode == "LT")
    combine("Not", to, {to});
}

void TensorCallWriter::combine(std::string_view function, const std::string &to,
                               llvm::ArrayRef<std::string> masks) {
  std::string operands = words(to);
  for (const std::string &mask : masks)
    operands += ", " + words(mask);
  add("{}({}, {});", function, operands, maskWords);
}

// (a | b) & ~(a & b)
void TensorCallWriter::combineExclusively(const std::string &to, const std::string &left,
                                          const std::string &right) {
  const std::string both = room(call.target.element);
  combine("And", both, {left, right});
  combine("Not", both, {both});
  combine("Or", to, {left, right});
  combine("And", to, {to, both});
}

// Elements are moved, whatever they mean: those of a type that Select does not know as another of
// their size.
void TensorCallWriter::select() {
  const mlir::Type element = call.target.element;
  const Operand &first = call.inputs[1], &second = call.inputs[2];
  const std::string mask = tileOf(call.inputs[0], call.inputs[0].element);
  auto selectInto = [&](const std::string &to, const std::string &one, const std::string &other,
                        const char *mode) {
    add("Select({}, {}.ReinterpretCast<uint8_t>(), {}, {}, SELMODE::VSEL_TENSOR_{}_MODE, {});", to,
        mask, one, other, mode, count);
  };
  if (element.isInteger(8)) {
    const std::string wide = wideOf(first), other = wideOf(second);
    selectInto(wide, wide, other, "TENSOR");
    return round(call.target.text, wide, "RINT");
  }
  const std::string moved = element.getIntOrFloatBitWidth() == 32 ? "float" : "half";
  const bool isMoved = moved != deviceType(element);
  auto as = [&](const std::string &tensor) {
    return isMoved ? fmt::format("{}.ReinterpretCast<{}>()", tensor, moved) : tensor;
  };
  const std::string one = as(tileOf(first, element)), to = as(call.target.text);
  if (second.isTile || isMoved)
    selectInto(to, one, as(tileOf(second, element)), "TENSOR");
  else
    selectInto(to, one, argument(second, element), "SCALAR");
}

void TensorCallWriter::copy() {
  const Operand &from = call.inputs[0];
  const std::string &to = call.target.text;
  if (from.isTile)
    add("CopyAll({}, {}, {});", to, from.text, count);
  else if (call.target.element.isInteger(8))
    round(to, wideOf(from), "RINT");
  else
    add("Duplicate({}, {}, {});", to, argument(from, call.target.element), count);
}

// Of a difference with a scalar no tile is filled: c - x is -x + c, with the same rounding.
bool TensorCallWriter::addSequence() {
  const llvm::StringRef name = op.getInstruction();
  const bool isDifference = name == "sub" && !(call.inputs[0].isTile && call.inputs[1].isTile);
  if (name == "neg" || (isDifference && !call.inputs[0].isTile))
    negate();
  const std::string &to = call.target.text;
  if (isDifference && call.inputs[0].isTile)
    add("Adds({}, {}, {}, {});", to, call.inputs[0].text,
        converted("-" + call.inputs[1].text, call.target.element), count);
  else if (isDifference)
    add("Adds({0}, {0}, {1}, {2});", to, argument(call.inputs[0], call.target.element), count);
  return name == "neg" || isDifference;
}

} // namespace

mlir::FailureOr<VectorCalls> callsOnTensors(const VectorCall &call, const std::string &count,
                                            unsigned spare) {
  return TensorCallWriter(call, count, spare).write();
}

} // namespace mmk::ascendc
