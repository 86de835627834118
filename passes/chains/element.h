// What operations on tensors, linalg.generics and mmk.rows, compute for one element, with the
// dimensions of all of them by common ids, so that the elements of two operations can be compared.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace mmk {

/// A value in the body of an operation, at an iteration of its loops. Loops that are the same for
/// the same dimension have the same id.
struct Element {
  mlir::Operation *op;
  mlir::Value value;
  llvm::SmallVector<int64_t> ids; ///< of the loops, or of the dimensions of the space

  mlir::Block *body() const { return &op->getRegion(0).front(); }

  Element at(mlir::Value other) const { return {op, other, ids}; }
  /// What a block argument reads; null for another value.
  mlir::OpOperand *read(mlir::Value x) const;
  /// The ids of the dimensions of what is read; nothing where one is no loop.
  std::optional<llvm::SmallVector<int64_t>> dimsOf(mlir::OpOperand *operand) const;
  /// Of a block argument that reads an elementwise operation: that operation's element, as often
  /// as there is one; itself otherwise.
  Element computed() const;
};

/// That of a result of an operation, whose dimensions have these ids. Loops that are reduced have
/// `reduced`.
Element elementOf(mlir::linalg::GenericOp op, llvm::ArrayRef<int64_t> dims, int64_t reduced);

/// Whether two elements are computed the same way from the same elements.
bool areSame(const Element &x, const Element &y);

} // namespace mmk
