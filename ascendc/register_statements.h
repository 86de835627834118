// The work of the vector cores of dav-3510 as functions on registers. Loops that follow each other
// without a flag between are one function, as for the clock; each loads its operands once and
// stores its results once.
#pragma once

#include "ascendc/vector_statements.h"

namespace mmk::ascendc {

/// The functions of a kernel: their definitions, and the call of each.
class RegisterFunctions {
public:
  /// Whether an operation is a loop of such a function. Of the others some have tensors in UB as
  /// operands, as on dav-2201.
  static bool takes(mlir::Operation *op);

  /// Defines a function of some loops; its call.
  Statement call(llvm::ArrayRef<mlir::Operation *> loops, Expressions &expressions,
                 const NameTile &nameTile, VariableNames &names);

  const std::string &definitions() const { return definitions_; }

private:
  std::string definitions_;
  unsigned count_ = 0;
};

} // namespace mmk::ascendc
