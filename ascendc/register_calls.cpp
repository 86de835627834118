// The calls of vector instructions on registers of dav-3510.
#include "ascendc/element_names.h"
#include "ascendc/vector_call_writer.h"
#include "ascendc/vector_calls.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

namespace mmk::ascendc {
namespace {

class RegisterCallWriter : public VectorCallWriter {
public:
  RegisterCallWriter(const VectorCall &call,
                     const std::function<std::string(const std::string &)> &nameOf)
      : VectorCallWriter(call), nameOf(nameOf) {}

private:
  std::string room(mlir::Type element) override {
    const std::string name = nameOf("other");
    if (element.isInteger(1))
      add("Reg::MaskReg {};", name);
    else
      add("Reg::RegTensor<{}> {};", deviceType(element), name);
    return name;
  }
  /// In front of the loop; a mask has all lanes or none.
  std::string filled(const Operand &scalar, mlir::Type element) override;
  std::string argument(const Operand &scalar, mlir::Type) override { return scalar.text; }
  void addCall(std::string_view function, llvm::ArrayRef<std::string> operands) override {
    add("Reg::{}({}, {}, mask);", function, call.target.text, llvm::join(operands, ", "));
  }
  void compare(const std::string &to, llvm::StringRef mode, const Operand &left,
               const Operand &right) override {
    add("Reg::Compare{}<{}, CMPMODE::{}>({}, {}, {}, mask);", right.isTile ? "" : "s",
        deviceType(left.element), mode.str(), to, left.text, right.text);
  }
  void combine(std::string_view function, const std::string &to,
               llvm::ArrayRef<std::string> masks) override {
    add("Reg::{}({}, {}, mask);", function, to, llvm::join(masks, ", "));
  }
  void combineExclusively(const std::string &to, const std::string &left,
                          const std::string &right) override {
    combine("Xor", to, {left, right});
  }
  void select() override {
    const std::string mask = tileOf(call.inputs[0], call.inputs[0].element),
                      first = tileOf(call.inputs[1], call.target.element),
                      second = tileOf(call.inputs[2], call.target.element);
    add("Reg::Select({}, {}, {}, {});", call.target.text, first, second, mask);
  }
  void copy() override {
    add("Reg::Move({}, {}, mask);", call.target.text, tileOf(call.inputs[0], call.target.element));
  }
  void addFunction(std::string_view name) override {
    add("{}({}, {}, mask);", name, call.target.text, call.inputs[0].text);
  }
  bool hasConversion(const Conversion &conversion) override { return conversion.trait; }
  void convert(const std::string &to, const std::string &from,
               const Conversion &conversion) override {
    add("Convert<{}>({}, {}, mask);", conversion.trait, to, from);
  }
  void round(const std::string &to, const std::string &from, std::string_view rounding) override {
    add("Reg::Truncate<float, RoundMode::CAST_{}, Reg::MaskMergeMode::ZEROING>({}, {}, mask);",
        rounding, to, from);
  }
  void shift(const char *direction, const std::string &to, const std::string &from) override {
    add("Reg::Shift{}s({}, {}, static_cast<int16_t>(24), mask);", direction, to, from);
  }

  const std::function<std::string(const std::string &)> &nameOf;
};

std::string RegisterCallWriter::filled(const Operand &scalar, mlir::Type element) {
  const bool isMask = element.isInteger(1);
  const std::string name = nameOf(isMask ? "same" : "filled");
  auto once = [&](const std::string &line) { lines.once.push_back(line); };
  if (isMask) {
    const std::string lanes = nameOf("sameLanes");
    once(fmt::format("uint32_t {} = {};", lanes, scalar.text));
    once(fmt::format("Reg::MaskReg {} = Reg::UpdateMask<float>({});", name, lanes));
  } else {
    once(fmt::format("Reg::RegTensor<{}> {};", deviceType(element), name));
    once(fmt::format("Reg::Duplicate({}, {});", name, scalar.text));
  }
  return name;
}

} // namespace

mlir::FailureOr<VectorCalls>
callsOnRegisters(const VectorCall &call,
                 const std::function<std::string(const std::string &)> &nameOf) {
  return RegisterCallWriter(call, nameOf).write();
}

} // namespace mmk::ascendc
