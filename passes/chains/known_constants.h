// Constants that follow from others, such as what a row's values are where its reductions go over
// nothing.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"

namespace mmk {

class KnownConstants {
public:
  /// A value that is taken to be this; a null attribute: not known.
  void set(mlir::Value value, mlir::Attribute constant) { known_[value] = constant; }
  /// Null where the value depends on one that is not known.
  mlir::Attribute of(mlir::Value value);
  /// Whether it is known, and neither infinite nor NaN.
  bool isFinite(mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, mlir::Attribute> known_;
};

} // namespace mmk
