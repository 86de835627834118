// Packs operands of a product into the layout of the micro-kernel: A row by row, B in panels.
#pragma once

#include "codegen/micro_kernel.h"

namespace mmk {

/// void(ptr to, ptr from, i64 toRow, i64 fromRow, i64 fromColumn, i64 rows, i64 columns): elements
/// of any strides (in bytes) into dense rows, converted to `to`. A source that is dense along rows
/// or columns is read in vectors.
llvm::Function *moveElements(Emitter &e, llvm::Type *from, llvm::Type *to);

/// void(ptr to, ptr from, i64 fromK, i64 fromN, i64 columnBytes, i64 k, i64 n): k x n elements of
/// any strides into panels (forEachPanel) of `columnBytes` bytes a column; the last panel is padded
/// with zeros, and panels for tile registers up to whole tiles along k. Bytes are offset by 128 to
/// be unsigned, except for tiles.
llvm::Function *packPanels(Emitter &e, Multiply multiply, llvm::Type *from);

} // namespace mmk
