// One vector instruction of the plan as calls of Ascend C, on tensors in UB or on registers. What
// both have in common is decided once: the steps of a conversion, the modes of a comparison, which
// operands are filled.
#pragma once

#include "ir/aicore.h"

#include <functional>
#include <string>
#include <vector>

namespace mmk::ascendc {

/// An operand at its place: a tensor, a register, a mask, or a scalar.
struct VectorOperand {
  std::string text;
  mlir::Type element; ///< i1 of a mask, and of a condition that is a scalar
  bool isTile = true;
};

struct VectorCall {
  aicore::VecOp op; ///< where an instruction that has no call is reported
  VectorOperand target;
  llvm::SmallVector<VectorOperand> inputs;
};

struct VectorCalls {
  std::vector<std::string> once; ///< on registers: in front of the loop
  std::vector<std::string> calls;
  /// Pieces of spare room (vector_room.h) that calls on tensors use. With one or more, or with
  /// masks, an instruction works on parts of no more elements than a piece has.
  unsigned pieces = 0;
};

/// The calls on `count` elements of tensors in UB, in count form, with the pieces of spare room
/// from `spare` on. What the interface has no instruction for is reported, here and below.
mlir::FailureOr<VectorCalls> callsOnTensors(const VectorCall &call, const std::string &count,
                                            unsigned spare);
/// The calls on registers. `nameOf` gives further registers a name.
mlir::FailureOr<VectorCalls>
callsOnRegisters(const VectorCall &call,
                 const std::function<std::string(const std::string &)> &nameOf);

bool isTile(mlir::Value value);

/// Whether the interface computes with elements of this type: f32, f16, and i32 in part.
bool isArithmetic(mlir::Type element);

} // namespace mmk::ascendc
