// Room of vector work in UB: padded rows of its buffers, and the scratch of its instructions.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mmk {

/// Tiles of f32 to keep free for aicore-select-vector. It may need fewer, where one instruction
/// covers several operations. Zero without an operation.
int64_t scratchTiles(mlir::linalg::GenericOp generic);
/// The same for masks, of one bit for each element.
int64_t maskTiles(mlir::linalg::GenericOp generic);

/// Columns that a row of a UB buffer is rounded up to, of elements of so many bytes: whole blocks
/// of `alignment` bytes, and whole vectors of 16 elements of the CPU that emulates it, so that no
/// vector instruction needs a mask.
constexpr int64_t paddedColumns(int64_t columns, int64_t bytes, int64_t alignment) {
  constexpr int64_t lanes = 16;
  return llvm::alignTo(columns, std::max(lanes, alignment / bytes));
}

} // namespace mmk
