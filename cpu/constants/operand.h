// A constant operand B of a product, in panels (support/panel_layout.h): the parameters that have
// this layout (cpu-pack-constants), and where the vectors of one are.
#pragma once

#include "cpu/product.h"
#include "support/panel_layout.h"

namespace mmk {

/// The layout of an operand for this target.
PanelLayout panelLayoutOf(const CodeTarget &target, mlir::Type element);

/// The operand of a product that it reads from panels on this target: A is 0, B is 1.
std::optional<unsigned> packedSideOf(cpu::ProductOp product, const CodeTarget &target);

/// That operand.
PackedOperand packedOperandOf(cpu::ProductOp product, const CodeTarget &target);

/// The parameters of a kernel whose uses all are packed operands.
std::vector<PackedOperand> packedOperandsOf(aicore::KernelOp kernel, const CodeTarget &target);

/// The multiplication of such an operand, by `multiply`. `element`: of the operands.
MicroKernel kernelOfPanels(const PanelLayout &layout, Multiply multiply, llvm::Type *element);

/// Adjacent panels with the same number of vectors, and their steps along k from a given one on.
struct ConstantRun {
  PanelRun panels; ///< columns of the product
  llvm::Value *start = nullptr;
  llvm::Value *step = nullptr;   ///< bytes from step to step
  llvm::Value *vector = nullptr; ///< bytes from panel to panel, for each of its vectors
};

/// Calls `body` for each run of the columns from `column` to `end` of a product, from row `k` of B
/// on.
void forEachConstantRun(Emitter &e, const ProductOperands &operands, const PanelLayout &layout,
                        llvm::Value *column, llvm::Value *end, llvm::Value *k,
                        llvm::function_ref<void(const ConstantRun &)> body);

/// void(ptr to, ptr from, i64 step, i64 vector, i64 columnBytes, i64 vectors, i64 panels, i64 k): a
/// run of panels of pairs of bf16 as panels of f32, for the fallback for denormals. `columnBytes`:
/// of a column of `to`.
llvm::Function *widenPanels(Emitter &e);

} // namespace mmk
