// What the verifiers of instructions have in common; for dialects.
#pragma once

#include "ir/aicore.h"

namespace mmk::aicore {

/// Effects of an instruction on its buffers and on its pipe's queue.
void effectsOf(
    Instruction op,
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);

Access reading(mlir::Value buffer, mlir::Value slot = {}, std::optional<int64_t> part = {});
Access writing(mlir::Value buffer, mlir::Value slot = {});

llvm::LogicalResult expectSpace(mlir::Operation *op, llvm::StringRef role, mlir::Value buffer,
                                llvm::ArrayRef<Space> legal);
llvm::LogicalResult expectBuffer(mlir::Operation *op, llvm::StringRef role, mlir::Value buffer,
                                 llvm::ArrayRef<Space> legal);
llvm::LogicalResult expectOnCubeCore(mlir::Operation *op, Pipe pipe);
llvm::LogicalResult expectAlong(mlir::Operation *op, mlir::Value tensor, mlir::OperandRange offsets,
                                llvm::ArrayRef<int64_t> along);
llvm::LogicalResult expectSameElements(mlir::Operation *op, mlir::Value from, mlir::Value to);
llvm::LogicalResult expectPart(mlir::Operation *op, mlir::Value buffer,
                               std::optional<int64_t> part);

#define MMK_EFFECTS(OP)                                                                            \
  void OP::getEffects(                                                                             \
      llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>        \
          &effects) {                                                                              \
    effectsOf(*this, effects);                                                                     \
  }

} // namespace mmk::aicore
