// One vector instruction of the plan as calls of Ascend C in count form.
#pragma once

#include "ir/aicore.h"

#include <string>

namespace mmk::ascendc {

/// An operand at its place: a LocalTensor, or a scalar.
struct VectorOperand {
  std::string text;
  mlir::Type element; ///< i1 of a mask, and of a condition that is a scalar
  bool isTile = true;

  bool isMask() const { return isTile && element.isInteger(1); }
};

struct VectorCall {
  aicore::VecOp op; ///< where an instruction that has no call is reported
  VectorOperand target;
  llvm::SmallVector<VectorOperand> inputs;
  std::string count; ///< elements
  /// The first of the pieces of spare room (vector_room.h) that the calls may use.
  unsigned spare = 0;
};

/// Pieces of spare room that the calls of an instruction use. With one or more, or with masks, an
/// instruction works on parts of no more elements than a piece has.
unsigned sparesOf(aicore::VecOp op);

/// The calls, a line each, and the barriers between them. What the interface has no instruction for
/// is reported.
mlir::FailureOr<std::string> callsOf(const VectorCall &call);

bool isTile(mlir::Value value);
/// The element of a tile, or the type of a scalar.
mlir::Type elementIn(mlir::Value value);

/// Whether the interface computes with elements of this type: f32, f16, and i32 in part.
bool isArithmetic(mlir::Type element);

} // namespace mmk::ascendc
