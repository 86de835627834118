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

/// Whether it is a function of tens of instructions, such as exp.
bool isLongFunction(mlir::Operation *op);

} // namespace mmk::cpu
