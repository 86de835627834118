// What decides which calls an instruction takes; how each is spelled is of tensors or of registers.
#pragma once

#include "ascendc/vector_calls.h"

#include <fmt/format.h>

namespace mmk::ascendc {

/// A conversion that is one instruction: its rounding on tensors, and its trait on registers
/// (register_functions.cpp: Convert). Null: it has none there.
struct Conversion {
  const char *rounding, *trait;
};
/// Without both where no instruction converts.
Conversion conversionOf(mlir::Type from, mlir::Type to);

class VectorCallWriter {
public:
  explicit VectorCallWriter(const VectorCall &call) : call(call), op(call.op) {}
  virtual ~VectorCallWriter() = default;

  mlir::FailureOr<VectorCalls> write();

protected:
  using Operand = VectorOperand;

  /// A further tile or mask.
  virtual std::string room(mlir::Type element) = 0;
  /// A tile or a mask that has a scalar in each element.
  virtual std::string filled(const Operand &scalar, mlir::Type element) = 0;
  /// A scalar as an argument beside elements of a type.
  virtual std::string argument(const Operand &scalar, mlir::Type element) = 0;
  /// A call of the table of instructions.
  virtual void addCall(std::string_view function, llvm::ArrayRef<std::string> operands) = 0;
  /// A mask of the tile `left` and a tile or a scalar.
  virtual void compare(const std::string &to, llvm::StringRef mode, const Operand &left,
                       const Operand &right) = 0;
  /// And, Or and Not of masks.
  virtual void combine(std::string_view function, const std::string &to,
                       llvm::ArrayRef<std::string> masks) = 0;
  virtual void combineExclusively(const std::string &to, const std::string &left,
                                  const std::string &right) = 0;
  virtual void select() = 0;
  virtual void copy() = 0;
  /// ErrorFunction and Tangent.
  virtual void addFunction(std::string_view name) = 0;
  /// Whether one instruction converts.
  virtual bool hasConversion(const Conversion &conversion) = 0;
  virtual void convert(const std::string &to, const std::string &from,
                       const Conversion &conversion) = 0;
  /// To a whole number in f32.
  virtual void round(const std::string &to, const std::string &from, std::string_view rounding) = 0;
  /// Of i32, by 24 bits.
  virtual void shift(const char *direction, const std::string &to, const std::string &from) = 0;
  /// An instruction that has another sequence of calls than that of the table; false for others.
  virtual bool addSequence() { return false; }

  template <typename... Args> void add(fmt::format_string<Args...> format, Args &&...args) {
    lines.calls.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  std::string tileOf(const Operand &operand, mlir::Type element) {
    return operand.isTile ? operand.text : filled(operand, element);
  }

  const VectorCall &call;
  aicore::VecOp op;
  VectorCalls lines;

private:
  mlir::LogicalResult compareAll();
  mlir::LogicalResult convertAll();
  mlir::LogicalResult compute();
  void combineMasks(std::string_view function);
  mlir::LogicalResult refuse(const llvm::Twine &why);
};

} // namespace mmk::ascendc
