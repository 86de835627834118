#include "ascendc/register_calls.h"

#include "ascendc/comparison.h"
#include "ascendc/element_names.h"
#include "ascendc/unwritten.h"
#include "ir/element_type.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

#include <fmt/format.h>

namespace mmk::ascendc {
namespace {

using Lines = mlir::FailureOr<RegisterLines>;

/// How Cast converts (register_functions.cpp: Convert); null where it takes several.
const char *traitOf(mlir::Type from, mlir::Type to) {
  const bool isHalf = from.isF16() || from.isBF16();
  if (to.isF32())
    return isHalf ? "widened" : from.isInteger(32) ? "wordToFloat" : nullptr;
  if (from.isF32())
    return to.isF16() || to.isBF16() ? "rounded" : to.isInteger(32) ? "floatToWord" : nullptr;
  if (from.isInteger(8))
    return to.isF16() || to.isInteger(32) ? "widened" : nullptr;
  if (from.isF16())
    return to.isInteger(8) ? "saturated" : to.isInteger(32) ? "halfToWord" : nullptr;
  return nullptr;
}

class RegisterCallWriter {
public:
  RegisterCallWriter(const RegisterCall &call,
                     const std::function<std::string(const std::string &)> &nameOf)
      : call(call), op(call.op), nameOf(nameOf) {}

  Lines write();

private:
  Lines compare();
  Lines combineMasks();
  Lines select();
  Lines convert();
  Lines arithmetic();

  Lines refuse(const llvm::Twine &why) {
    return reportUnwritten(op, "the vector instruction " + op.getInstruction() + why);
  }
  template <typename... Args> void add(fmt::format_string<Args...> format, Args &&...args) {
    lines.calls.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  std::string declared(mlir::Type element) {
    const std::string name = nameOf("other");
    add("Reg::RegTensor<{}> {};", deviceType(element), name);
    return name;
  }
  /// An operand as a register: that of a scalar is filled in front of the loop.
  std::string inRegister(const RegisterOperand &operand) {
    if (operand.isTile)
      return operand.text;
    const std::string name = nameOf("filled");
    lines.once.push_back(fmt::format("Reg::RegTensor<{}> {};", deviceType(operand.element), name));
    lines.once.push_back(fmt::format("Reg::Duplicate({}, {});", name, operand.text));
    return name;
  }
  /// A mask; that of a scalar has all lanes or none.
  std::string inMask(const RegisterOperand &operand) {
    if (operand.isTile)
      return operand.text;
    const std::string name = nameOf("same"), lanes = nameOf("sameLanes");
    lines.once.push_back(fmt::format("uint32_t {} = {};", lanes, operand.text));
    lines.once.push_back(fmt::format("Reg::MaskReg {} = Reg::UpdateMask<float>({});", name, lanes));
    return name;
  }
  void convertTo(const std::string &to, mlir::Type toType, const std::string &from,
                 mlir::Type fromType) {
    add("Convert<{}>({}, {}, mask);", traitOf(fromType, toType), to, from);
  }

  const RegisterCall &call;
  aicore::VecOp op;
  const std::function<std::string(const std::string &)> &nameOf;
  RegisterLines lines;
};

Lines RegisterCallWriter::compare() {
  const mlir::Type element =
      call.inputs[0].isTile ? call.inputs[0].element : call.inputs[1].element;
  const bool isFloat = mlir::isa<mlir::FloatType>(element);
  const Comparison by =
      isFloat ? comparisonOf(*mlir::arith::symbolizeCmpFPredicate(*op.getPredicate()))
              : comparisonOf(*mlir::arith::symbolizeCmpIPredicate(*op.getPredicate()));
  if (!by.mode)
    return refuse(" of this type");
  const std::string left = inRegister(call.inputs[0]);
  auto compared = [&](const std::string &to, const char *mode) {
    add("Reg::Compare{}<{}, CMPMODE::{}>({}, {}, {}, mask);", call.inputs[1].isTile ? "" : "s",
        deviceType(element), mode, to, left, call.inputs[1].text);
  };
  compared(call.target, by.mode);
  if (by.other) {
    const std::string other = nameOf("other");
    add("Reg::MaskReg {};", other);
    compared(other, by.other);
    add("Reg::Or({0}, {0}, {1}, mask);", call.target, other);
  }
  if (by.isNegated)
    add("Reg::Not({0}, {0}, mask);", call.target);
  return lines;
}

Lines RegisterCallWriter::combineMasks() {
  const llvm::StringRef name = op.getInstruction();
  if (name == "xor" && !call.inputs[1].isTile &&
      op.getInputs()[1].getDefiningOp<mlir::arith::ConstantOp>()) {
    add("Reg::Not({}, {}, mask);", call.target, call.inputs[0].text);
    return lines;
  }
  const std::string a = inMask(call.inputs[0]), b = inMask(call.inputs[1]);
  add("Reg::{}({}, {}, {}, mask);",
      name == "and"  ? "And"
      : name == "or" ? "Or"
                     : "Xor",
      call.target, a, b);
  return lines;
}

Lines RegisterCallWriter::select() {
  const std::string mask = inMask(call.inputs[0]), first = inRegister(call.inputs[1]),
                    second = inRegister(call.inputs[2]);
  add("Reg::Select({}, {}, {}, {});", call.target, first, second, mask);
  return lines;
}

// A float becomes the nearest integer in f32 before a conversion of fewer bits, or it would be
// rounded twice.
Lines RegisterCallWriter::convert() {
  const mlir::Type from = call.inputs[0].element, to = call.element;
  mlir::MLIRContext *context = from.getContext();
  const mlir::Type f16 = mlir::Float16Type::get(context), f32 = mlir::Float32Type::get(context);
  const std::string &source = call.inputs[0].text, &target = call.target;
  if (traitOf(from, to)) {
    convertTo(target, to, source, from);
    return lines;
  }
  if (from.isInteger(8)) { // to f32 and bf16
    const std::string half = declared(f16);
    convertTo(half, f16, source, from);
    const std::string wide = to.isF32() ? target : declared(f32);
    convertTo(wide, f32, half, f16);
    if (!to.isF32())
      convertTo(target, to, wide, f32);
    return lines;
  }
  std::string wide = source;
  if (to.isInteger(8) && from.isInteger(32)) { // the lower eight bits, with their sign
    const std::string number = declared(from);
    add("Reg::ShiftLefts({}, {}, static_cast<int16_t>(24), mask);", number, source);
    add("Reg::ShiftRights({0}, {0}, static_cast<int16_t>(24), mask);", number);
    wide = number;
  }
  if (!from.isF32()) {
    const std::string converted = declared(f32);
    convertTo(converted, f32, wide, from);
    wide = converted;
  }
  if (!to.isInteger(8)) {
    convertTo(target, to, wide, f32);
    return lines;
  }
  const std::string number = declared(f32), half = declared(f16);
  add("Reg::Truncate<float, RoundMode::CAST_RINT, Reg::MaskMergeMode::ZEROING>({}, {}, mask);",
      number, wide);
  convertTo(half, f16, number, f32);
  convertTo(target, to, half, f16);
  return lines;
}

Lines RegisterCallWriter::arithmetic() {
  const llvm::StringRef name = op.getInstruction();
  const mlir::Type element = call.element;
  const bool hasIntegers = llvm::is_contained({"add", "sub", "mul", "max", "min"}, name);
  if (!element.isF32() && !element.isF16() && !(element.isInteger(32) && hasIntegers))
    return refuse(fmt::format(" of {}", std::string(spelling(*elementTypeOf(element)))));
  const auto call1 = llvm::StringSwitch<const char *>(name)
                         .Case("add", "Add")
                         .Case("sub", "Sub")
                         .Case("mul", "Mul")
                         .Case("div", "Div")
                         .Case("max", "Max")
                         .Case("min", "Min")
                         .Case("leaky_relu", "LeakyRelu")
                         .Case("relu", "Relu")
                         .Case("abs", "Abs")
                         .Case("neg", "Neg")
                         .Case("exp", "Exp")
                         .Case("log", "Ln")
                         .Case("sqrt", "Sqrt")
                         .Default(nullptr);
  if (!call1)
    return refuse("");
  const RegisterOperand &left = call.inputs[0];
  if (call.inputs.size() == 1) {
    add("Reg::{}({}, {}, mask);", call1, call.target, inRegister(left));
    return lines;
  }
  const RegisterOperand &right = call.inputs[1];
  const bool takesScalar = llvm::is_contained({"add", "mul", "max", "min"}, name);
  if (left.isTile && !right.isTile && (takesScalar || name == "leaky_relu"))
    add("Reg::{}{}({}, {}, {}, mask);", call1, takesScalar ? "s" : "", call.target, left.text,
        right.text);
  else
    add("Reg::{}({}, {}, {}, mask);", call1, call.target, inRegister(left), inRegister(right));
  return lines;
}

Lines RegisterCallWriter::write() {
  const llvm::StringRef name = op.getInstruction();
  if (name == "compare")
    return compare();
  if (name == "select")
    return select();
  if (name == "and" || name == "or" || name == "xor")
    return combineMasks();
  if (name == "cast" || name == "cast_narrow")
    return convert();
  if (name == "copy") {
    add("Reg::Move({}, {}, mask);", call.target, inRegister(call.inputs[0]));
    return lines;
  }
  if (name == "floor" || name == "ceil" || name == "round" || name == "erf" || name == "tanh") {
    if (!call.element.isF32())
      return refuse(" of this type");
    if (name == "erf" || name == "tanh")
      add("{}({}, {}, mask);", name == "erf" ? "ErrorFunction" : "Tangent", call.target,
          call.inputs[0].text);
    else
      add("Reg::Truncate<float, RoundMode::CAST_{}, Reg::MaskMergeMode::ZEROING>({}, {}, mask);",
          name == "floor"  ? "FLOOR"
          : name == "ceil" ? "CEIL"
                           : "RINT",
          call.target, call.inputs[0].text);
    return lines;
  }
  return arithmetic();
}

} // namespace

mlir::Type scalarTypeIn(aicore::VecOp op) {
  for (mlir::Value input : op.getInputs())
    if (auto tile = mlir::dyn_cast<aicore::TileType>(input.getType()); tile && !tile.isMask())
      return tile.getElement();
  return mlir::cast<aicore::TileType>(op.getTarget().getType()).getElement();
}

Lines linesOf(const RegisterCall &call,
              const std::function<std::string(const std::string &)> &nameOf) {
  return RegisterCallWriter(call, nameOf).write();
}

} // namespace mmk::ascendc
