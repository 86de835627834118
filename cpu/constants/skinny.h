// Skinny GEMM with a constant B: few rows, bound by reading B, which is one stream of panels.
#pragma once

#include "cpu/constants/operand.h"
#include "cpu/dots.h"

namespace mmk {

/// What it may use: elements along k of a pass, bytes of the scratch for A, elements for sums.
struct ConstantRoom {
  int64_t step, aBytes, accElements;
};

/// i1: whether these extents can be computed in this way.
llvm::Value *isConstantSkinny(Emitter &e, const ProductOperands &operands,
                              const ConstantRoom &room);

/// The product. `finish(sums, column, columns)` applies the epilogue to the sums of some columns.
void emitConstantSkinny(
    Emitter &e, const ProductOperands &operands, const PanelLayout &layout, Multiply multiply,
    llvm::Type *element, const ConstantRoom &room,
    llvm::function_ref<void(const SumsInMemory &, llvm::Value *, llvm::Value *)> finish);

} // namespace mmk
