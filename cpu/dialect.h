// The cpu dialect: the work of a thread of the host CPU. See Cpu.td, from which its reference is
// generated.
#pragma once

#include "ir/aicore.h"

#include "cpu/CpuDialect.h.inc"

#define GET_OP_CLASSES
#include "cpu/CpuOps.h.inc"

namespace mmk::cpu {

/// Calls `body` with each of some tensors, its offsets, and its dimensions along each size of a
/// tile; those of all tensors are one after the other.
template <typename Offsets, typename Body>
void forEachView(mlir::OperandRange tensors, const Offsets &offsets, llvm::ArrayRef<int64_t> along,
                 Body body) {
  unsigned first = 0;
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    const unsigned rank = mlir::cast<mlir::MemRefType>(tensor.getType()).getRank();
    const size_t dims = along.size() / tensors.size();
    body(tensor, offsets.slice(first, rank), along.slice(i * dims, dims));
    first += rank;
  }
}

/// The tensors that a region of a tile stands for: its last arguments are elements of the inputs,
/// and the last values that it yields those of the outputs. Each has its dimension along each one
/// of the space, -1 where it has none. The scores of a chain are inputs in its scratch.
struct TileTensors {
  llvm::SmallVector<mlir::Value> inputs, outputs;
  llvm::SmallVector<int64_t> inputAlong, outputAlong;
  size_t dims = 2;

  int64_t inputAt(size_t input, int64_t dim) const { return inputAlong[input * dims + dim]; }
  int64_t outputAt(size_t output, int64_t dim) const { return outputAlong[output * dims + dim]; }
};
TileTensors tensorsOf(mlir::Block &region);
template <typename Op> TileTensors tensorsOf(Op op, size_t dims = 2) {
  return {llvm::to_vector_of<mlir::Value>(op.getInputs()),
          llvm::to_vector_of<mlir::Value>(op.getOutputs()),
          llvm::SmallVector<int64_t>(op.getInputAlong()),
          llvm::SmallVector<int64_t>(op.getOutputAlong()), dims};
}

/// Whether it is a function of tens of instructions, such as exp.
bool isLongFunction(mlir::Operation *op);

} // namespace mmk::cpu
