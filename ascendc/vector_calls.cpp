#include "ascendc/vector_calls.h"

#include "ascendc/comparison.h"
#include "ascendc/element_names.h"
#include "ascendc/instructions.h"
#include "ascendc/unwritten.h"
#include "ir/element_type.h"
#include "machines/vector_instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <array>
#include <fmt/format.h>

namespace mmk::ascendc {
namespace {

using mlir::arith::CmpFPredicate;
using Calls = mlir::FailureOr<std::string>;

std::string barriers(llvm::ArrayRef<std::string> calls) {
  std::string text;
  for (const std::string &call : calls)
    text += (text.empty() ? "" : "\nPipeBarrier<PIPE_V>();\n") + call;
  return text;
}

std::string spare(mlir::Type element, unsigned piece) {
  return fmt::format("Spare<{}>({})", deviceType(element), piece);
}
std::string spareMask(unsigned piece) { return fmt::format("Spare<uint16_t>({})", piece); }

/// A scalar as an argument of the type of the tile's elements.
std::string scalarOf(const VectorOperand &operand, mlir::Type element) {
  return converted(operand.text, element);
}

std::string duplicate(const std::string &to, const VectorOperand &scalar, mlir::Type element,
                      const std::string &count) {
  return fmt::format("Duplicate({}, {}, {});", to, scalarOf(scalar, element), count);
}

std::string cast(const std::string &to, const std::string &from, const char *rounding,
                 const std::string &count) {
  return fmt::format("Cast({}, {}, RoundMode::CAST_{}, {});", to, from, rounding, count);
}

//===--- masks ----------------------------------------------------------------------------===//

CmpFPredicate swapped(CmpFPredicate predicate) {
  switch (predicate) {
  case CmpFPredicate::OGT:
    return CmpFPredicate::OLT;
  case CmpFPredicate::OGE:
    return CmpFPredicate::OLE;
  case CmpFPredicate::OLT:
    return CmpFPredicate::OGT;
  case CmpFPredicate::OLE:
    return CmpFPredicate::OGE;
  case CmpFPredicate::UGT:
    return CmpFPredicate::ULT;
  case CmpFPredicate::UGE:
    return CmpFPredicate::ULE;
  case CmpFPredicate::ULT:
    return CmpFPredicate::UGT;
  case CmpFPredicate::ULE:
    return CmpFPredicate::UGE;
  default:
    return predicate;
  }
}

class VectorCallWriter {
public:
  explicit VectorCallWriter(const VectorCall &call) : call(call), op(call.op) {}

  Calls write();

private:
  Calls compareFloats();
  Calls compareIntegers();
  Calls compareBytes(llvm::StringRef mode);
  Calls combineMasks();
  Calls select();
  Calls selectBytes();
  Calls convert();
  Calls roundOrRefuse();
  Calls arithmetic();
  Calls fromTable();

  Calls refuse(const llvm::Twine &why) {
    return reportUnwritten(op, "the vector instruction " + op.getInstruction() + why);
  }
  std::string negated(const std::string &mask) {
    return fmt::format("Not({0}, {0}, {1});", words(mask), maskWords);
  }
  /// A mask as the words of 16 bits that And, Or and Not take.
  static std::string words(const std::string &mask) {
    return mask + ".ReinterpretCast<uint16_t>()";
  }
  /// A mask operand; that of a scalar is made in spare room by `before`.
  std::string maskOf(const VectorOperand &operand, unsigned piece,
                     llvm::SmallVectorImpl<std::string> &before);

  std::string wideOf(const VectorOperand &operand, unsigned piece,
                     llvm::SmallVectorImpl<std::string> &before);

  static constexpr int maskWords = 16; // of the 256 elements of a piece

  const VectorCall &call;
  aicore::VecOp op;
};

std::string VectorCallWriter::maskOf(const VectorOperand &operand, unsigned piece,
                                     llvm::SmallVectorImpl<std::string> &before) {
  if (operand.isTile)
    return operand.text;
  before.push_back(fmt::format("Duplicate<uint16_t>({}, {} ? 0xFFFF : 0, {});", spareMask(piece),
                               operand.text, maskWords));
  return spareMask(piece);
}

Calls VectorCallWriter::compareFloats() {
  CmpFPredicate predicate = *mlir::arith::symbolizeCmpFPredicate(*op.getPredicate());
  VectorOperand left = call.inputs[0], right = call.inputs[1];
  if (!left.isTile) {
    std::swap(left, right);
    predicate = swapped(predicate);
  }
  const std::string &mask = call.target.text;
  auto compared = [&](const std::string &to, const char *mode) {
    return fmt::format("CompareAll({}, {}, {}, CMPMODE::{}, {});", to, left.text,
                       right.isTile ? right.text : scalarOf(right, left.element), mode, call.count);
  };
  const Comparison by = comparisonOf(predicate);
  if (!by.mode)
    return refuse(" of this type");
  llvm::SmallVector<std::string> calls = {compared(mask, by.mode)};
  if (by.other) {
    const std::string other = spareMask(call.spare);
    calls.push_back(compared(other, by.other));
    calls.push_back(fmt::format("Or({0}, {0}, {1}, {2});", words(mask), other, maskWords));
  }
  if (by.isNegated)
    calls.push_back(negated(mask));
  return barriers(calls);
}

// The interface has no comparison of integers but EQ: a <= b where max(a, b) is b.
Calls VectorCallWriter::compareIntegers() {
  const Comparison by = comparisonOf(*mlir::arith::symbolizeCmpIPredicate(*op.getPredicate()));
  const mlir::Type element = call.inputs[0].element;
  if (!by.mode || (!element.isInteger(8) && !element.isInteger(32)))
    return refuse(" of this type");
  const llvm::StringRef mode = by.mode;
  if (element.isInteger(8))
    return compareBytes(mode);
  llvm::SmallVector<std::string> calls;
  std::array<std::string, 2> operands;
  for (unsigned i : {0, 1}) {
    const VectorOperand &operand = call.inputs[i];
    operands[i] = operand.isTile ? operand.text : spare(element, call.spare);
    if (!operand.isTile)
      calls.push_back(duplicate(operands[i], operand, element, call.count));
  }
  const bool isOfFirst = mode == "GE" || mode == "LT";
  std::string compared = operands[0];
  if (mode != "EQ" && mode != "NE") {
    compared = spare(element, call.spare + 1);
    calls.push_back(
        fmt::format("Max({}, {}, {}, {});", compared, operands[0], operands[1], call.count));
  }
  const std::string &mask = call.target.text;
  calls.push_back(fmt::format("CompareAll({}, {}, {}, CMPMODE::EQ, {});", mask, compared,
                              operands[isOfFirst ? 0 : 1], call.count));
  if (mode == "NE" || mode == "GT" || mode == "LT")
    calls.push_back(negated(mask));
  return barriers(calls);
}

// Of i8, f16 has each exactly.
Calls VectorCallWriter::compareBytes(llvm::StringRef mode) {
  llvm::SmallVector<std::string> calls;
  std::array<std::string, 2> operands;
  for (unsigned i : {0, 1})
    operands[i] = wideOf(call.inputs[i], call.spare + i, calls);
  calls.push_back(fmt::format("CompareAll({}, {}, {}, CMPMODE::{}, {});", call.target.text,
                              operands[0], operands[1], mode.str(), call.count));
  return barriers(calls);
}

/// An operand of i8 as f16, made in spare room by `before`.
std::string VectorCallWriter::wideOf(const VectorOperand &operand, unsigned piece,
                                     llvm::SmallVectorImpl<std::string> &before) {
  mlir::Type f16 = mlir::Float16Type::get(op.getContext());
  const std::string wide = spare(f16, piece);
  before.push_back(operand.isTile ? cast(wide, operand.text, "NONE", call.count)
                                  : duplicate(wide, operand, f16, call.count));
  return wide;
}

// There is no exclusive or: (a | b) & ~(a & b).
Calls VectorCallWriter::combineMasks() {
  llvm::SmallVector<std::string> calls;
  if (op.getInstruction() == "xor" && !call.inputs[1].isTile && call.inputs[1].text == "true")
    return fmt::format("Not({}, {}, {});", words(call.target.text), words(call.inputs[0].text),
                       maskWords);
  const std::string a = words(maskOf(call.inputs[0], call.spare, calls)),
                    b = words(maskOf(call.inputs[1], call.spare, calls)),
                    to = words(call.target.text);
  const llvm::StringRef instruction = op.getInstruction();
  if (instruction != "xor") {
    calls.push_back(fmt::format("{}({}, {}, {}, {});", instruction == "and" ? "And" : "Or", to, a,
                                b, maskWords));
    return barriers(calls);
  }
  const std::string both = spareMask(call.spare + 1);
  calls.push_back(fmt::format("And({}, {}, {}, {});", both, a, b, maskWords));
  calls.push_back(fmt::format("Not({0}, {0}, {1});", both, maskWords));
  calls.push_back(fmt::format("Or({}, {}, {}, {});", to, a, b, maskWords));
  calls.push_back(fmt::format("And({0}, {0}, {1}, {2});", to, both, maskWords));
  return barriers(calls);
}

// Of i8, f16 has each exactly.
Calls VectorCallWriter::selectBytes() {
  llvm::SmallVector<std::string> calls;
  const std::string mask = maskOf(call.inputs[0], call.spare, calls),
                    first = wideOf(call.inputs[1], call.spare + 1, calls),
                    second = wideOf(call.inputs[2], call.spare + 2, calls);
  calls.push_back(fmt::format("Select({0}, {1}.ReinterpretCast<uint8_t>(), {0}, {2}, "
                              "SELMODE::VSEL_TENSOR_TENSOR_MODE, {3});",
                              first, mask, second, call.count));
  calls.push_back(cast(call.target.text, first, "RINT", call.count));
  return barriers(calls);
}

// Elements are moved, whatever they mean: those of a type that Select does not know as another of
// their size.
Calls VectorCallWriter::select() {
  mlir::Type element = call.target.element;
  const unsigned bits = element.getIntOrFloatBitWidth();
  if (bits == 8)
    return selectBytes();
  const std::string moved = bits == 32 ? "float" : "half";
  const bool isMoved = moved != deviceType(element);
  auto as = [&](const std::string &tensor) {
    return isMoved ? fmt::format("{}.ReinterpretCast<{}>()", tensor, moved) : tensor;
  };
  llvm::SmallVector<std::string> calls;
  const std::string mask = maskOf(call.inputs[0], call.spare, calls);
  std::string first = call.inputs[1].text;
  if (!call.inputs[1].isTile) {
    first = spare(element, call.spare + 1);
    calls.push_back(duplicate(first, call.inputs[1], element, call.count));
  }
  std::string second = call.inputs[2].text;
  const bool isScalar = !call.inputs[2].isTile && !isMoved;
  if (!call.inputs[2].isTile && isMoved) {
    second = spare(element, call.spare + 2);
    calls.push_back(duplicate(second, call.inputs[2], element, call.count));
  }
  calls.push_back(fmt::format(
      "Select({}, {}.ReinterpretCast<uint8_t>(), {}, {}, SELMODE::{}, {});", as(call.target.text),
      mask, as(first), isScalar ? scalarOf(call.inputs[2], element) : as(second),
      isScalar ? "VSEL_TENSOR_SCALAR_MODE" : "VSEL_TENSOR_TENSOR_MODE", call.count));
  return barriers(calls);
}

//===--- conversions ----------------------------------------------------------------------===//

/// Whether one instruction converts: f32 from and to each, i8 by way of f16 alone.
const char *roundingOf(mlir::Type from, mlir::Type to) {
  if (to.isF32())
    return from.isF16() || from.isBF16() ? "NONE" : from.isInteger(32) ? "RINT" : nullptr;
  if (from.isF32())
    return to.isF16() || to.isBF16() || to.isInteger(32) ? "RINT" : nullptr;
  if (from.isInteger(8))
    return to.isF16() ? "NONE" : nullptr;
  return from.isF16() && to.isInteger(32) ? "RINT" : nullptr;
}

// A float becomes the nearest integer in f32 before a conversion of fewer bits, or it would be
// rounded twice.
Calls VectorCallWriter::convert() {
  mlir::Type from = call.inputs[0].element, to = call.target.element;
  mlir::MLIRContext *context = from.getContext();
  mlir::Type f16 = mlir::Float16Type::get(context), f32 = mlir::Float32Type::get(context);
  const std::string &source = call.inputs[0].text, &target = call.target.text, &n = call.count;
  if (const char *rounding = roundingOf(from, to))
    return cast(target, source, rounding, n);
  const std::string half = spare(f16, call.spare), wide = spare(f32, call.spare + 1);
  if (to.isInteger(8) && from.isF32())
    return barriers({cast(wide, source, "RINT", n), cast(half, wide, "RINT", n),
                     cast(target, half, "RINT", n)});
  if (to.isInteger(8) && from.isBF16())
    return barriers({cast(wide, source, "NONE", n), cast(wide, wide, "RINT", n),
                     cast(half, wide, "RINT", n), cast(target, half, "RINT", n)});
  if (from.isInteger(8) && to.isBF16())
    return barriers({cast(half, source, "NONE", n), cast(wide, half, "NONE", n),
                     cast(target, wide, "RINT", n)});
  if (to.isInteger(8) && from.isF16())
    return cast(target, source, "RINT", n);
  if (to.isInteger(8) && from.isInteger(32)) { // the lower eight bits, with their sign
    const std::string number = spare(from, call.spare + 1);
    return barriers(
        {fmt::format("ShiftLeft({}, {}, static_cast<int32_t>(24), {});", number, source, n),
         fmt::format("ShiftRight({0}, {0}, static_cast<int32_t>(24), {1});", number, n),
         cast(wide, number, "RINT", n), cast(half, wide, "RINT", n),
         cast(target, half, "RINT", n)});
  }
  if (from.isInteger(8) && (to.isF32() || to.isInteger(32)))
    return barriers(
        {cast(half, source, "NONE", n), cast(target, half, to.isF32() ? "NONE" : "RINT", n)});
  if (const char *first = roundingOf(from, f32))
    if (const char *second = roundingOf(f32, to))
      return barriers({cast(wide, source, first, n), cast(target, wide, second, n)});
  return refuse(fmt::format(" from {} to {}", std::string(spelling(*elementTypeOf(from))),
                            std::string(spelling(*elementTypeOf(to)))));
}

//===--- arithmetic -----------------------------------------------------------------------===//

Calls VectorCallWriter::roundOrRefuse() {
  if (!call.target.element.isF32())
    return refuse(" of this type");
  const llvm::StringRef name = op.getInstruction();
  return cast(call.target.text, call.inputs[0].text,
              name == "floor"  ? "FLOOR"
              : name == "ceil" ? "CEIL"
                               : "RINT",
              call.count);
}

Calls VectorCallWriter::fromTable() {
  const VectorInstruction *row = findVectorInstruction(op.getInstruction().str());
  const bool hasScalar = !call.inputs.back().isTile;
  std::string text(hasScalar ? row->ascendScalar : row->ascend);
  auto replace = [&](const std::string &name, const std::string &by) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name))
      text.replace(at, name.size(), by);
  };
  replace("{d}", call.target.text);
  replace("{n}", call.count);
  for (auto [i, input] : llvm::enumerate(call.inputs))
    replace(fmt::format("{{{}}}", i),
            input.isTile ? input.text : scalarOf(input, call.target.element));
  return text + ";";
}

Calls VectorCallWriter::arithmetic() {
  const llvm::StringRef name = op.getInstruction();
  mlir::Type element = call.target.element;
  const bool hasIntegers = llvm::is_contained({"add", "sub", "mul", "max", "min"}, name);
  if (!element.isF32() && !element.isF16() && !(element.isInteger(32) && hasIntegers))
    return refuse(fmt::format(" of {}", std::string(spelling(*elementTypeOf(element)))));
  if (call.inputs.size() < 2)
    return fromTable();
  const VectorOperand &left = call.inputs[0], &right = call.inputs[1];
  const std::string &to = call.target.text;
  if (left.isTile && (right.isTile || (name != "sub" && name != "div")))
    return fromTable();
  if (name == "sub" && left.isTile)
    return fmt::format("Adds({}, {}, {}, {});", to, left.text,
                       scalarOf({"-" + right.text, right.element, false}, element), call.count);
  if (name == "sub") // the same rounding: c - x is -x + c
    return barriers(
        {fmt::format("Muls({}, {}, static_cast<{}>(-1), {});", to, right.text, deviceType(element),
                     call.count),
         fmt::format("Adds({0}, {0}, {1}, {2});", to, scalarOf(left, element), call.count)});
  const std::string all = spare(element, call.spare);
  return barriers({duplicate(all, left.isTile ? right : left, element, call.count),
                   fmt::format("Div({}, {}, {}, {});", to, left.isTile ? left.text : all,
                               left.isTile ? all : right.text, call.count)});
}

Calls VectorCallWriter::write() {
  const llvm::StringRef name = op.getInstruction();
  if (name == "compare")
    return mlir::isa<mlir::FloatType>(call.inputs[0].element) ? compareFloats() : compareIntegers();
  if (name == "select")
    return select();
  if (name == "and" || name == "or" || name == "xor")
    return combineMasks();
  if (name == "cast" || name == "cast_narrow")
    return convert();
  if (name == "floor" || name == "ceil" || name == "round")
    return roundOrRefuse();
  if (name == "copy" && call.inputs[0].isTile)
    return fmt::format("CopyAll({}, {}, {});", call.target.text, call.inputs[0].text, call.count);
  if (name == "copy" && call.target.element.isInteger(8)) {
    llvm::SmallVector<std::string> calls;
    const std::string wide = wideOf(call.inputs[0], call.spare, calls);
    calls.push_back(cast(call.target.text, wide, "RINT", call.count));
    return barriers(calls);
  }
  if (name == "copy")
    return duplicate(call.target.text, call.inputs[0], call.target.element, call.count);
  if (name == "erf" || name == "tanh")
    return fmt::format("{}({}, {}, {}, {});", name == "erf" ? "ErrorFunction" : "Tangent",
                       call.target.text, call.inputs[0].text, call.spare, call.count);
  return arithmetic();
}

} // namespace

bool isTile(mlir::Value value) { return mlir::isa<aicore::TileType>(value.getType()); }

mlir::Type elementIn(mlir::Value value) {
  auto tile = mlir::dyn_cast<aicore::TileType>(value.getType());
  return tile ? tile.getElement() : value.getType();
}

bool isArithmetic(mlir::Type element) {
  return element.isF32() || element.isF16() || element.isInteger(32);
}

unsigned sparesOf(aicore::VecOp op) {
  const llvm::StringRef name = op.getInstruction();
  const bool hasScalar = !llvm::all_of(op.getInputs(), isTile);
  if (name == "div")
    return hasScalar ? 1 : 0;
  if (name == "copy")
    return hasScalar && elementOf(op.getTarget()).isInteger(8) ? 1 : 0;
  if (name == "compare")
    return 2;
  if (name == "select")
    return 3;
  if (name == "and" || name == "or")
    return hasScalar ? 1 : 0;
  if (name == "xor")
    return 2;
  if (name == "erf" || name == "tanh")
    return 4;
  if (name == "cast" || name == "cast_narrow")
    return roundingOf(elementOf(op.getInputs()[0]), elementOf(op.getTarget())) ? 0 : 2;
  return 0;
}

Calls callsOf(const VectorCall &call) { return VectorCallWriter(call).write(); }

} // namespace mmk::ascendc
