// The scalar code of a kernel as C++ expressions. A value that is used once, in the block in which
// it is computed, is written where it is used; others are variables.
#pragma once

#include "ascendc/side.h"
#include "ascendc/variable_names.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>

namespace mmk::ascendc {

class Expressions {
public:
  Expressions(VariableNames &names, Side &side) : names_(names), side_(side) {}

  /// The text of a value, in parentheses where it is not of the given precedence or higher.
  std::string of(mlir::Value value, unsigned precedence = 0);
  /// The declaration of the variable of an operation's result; empty when it is written where it
  /// is used. Nothing for an operation that is no scalar code.
  std::optional<std::string> declaration(mlir::Operation *op);
  /// Whether what these cores run reads a value.
  bool isRead(mlir::Value value);
  /// left + right, without a zero.
  std::string sum(const std::string &left, const std::string &right);

  // Precedences of C++: the higher binds the tighter.
  static constexpr unsigned comparison = 1, additive = 2, multiplicative = 3, primary = 4;

private:
  struct Text {
    std::string text;
    unsigned precedence = primary;
  };
  std::optional<Text> computed(mlir::Operation *op);
  static Text textOf(double number);
  Text binary(mlir::Operation *op, const char *symbol, unsigned precedence);
  Text integral(mlir::Operation *op, const char *symbol, unsigned precedence);
  Text call(mlir::Operation *op, const char *function);
  Text logical(mlir::Operation *op, const char *symbol);

  /// Whether the kernel's text needs the result.
  bool isWritten(mlir::Operation *op);

  VariableNames &names_;
  Side &side_;
  llvm::DenseMap<mlir::Operation *, bool> written_;
  llvm::DenseSet<mlir::Operation *> variables_;
};

} // namespace mmk::ascendc
