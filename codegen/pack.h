// Operands of a product, laid out as the micro-kernel reads them: A row by row, B in panels.
#pragma once

#include "codegen/micro_kernel.h"

namespace mmk {

/// void(ptr to, ptr from, i64 toRow, i64 fromRow, i64 fromColumn, i64 rows, i64 columns): elements
/// of any strides (in bytes) into dense rows, converted to `to`. Whichever side the source is dense
/// along, it is read in vectors.
llvm::Function *moveElements(Emitter &e, llvm::Type *from, llvm::Type *to);

/// void(ptr to, ptr from, i64 fromK, i64 fromN, i64 columnBytes, i64 k, i64 n): k x n elements of
/// any strides into panels (forEachPanel) of `columnBytes` bytes a column; the last panel is filled
/// up with zeros, and so are panels for tiles up to whole tiles along k. Bytes are offset by 128,
/// which takes their sign, but for tiles.
llvm::Function *packPanels(Emitter &e, Multiply multiply, llvm::Type *from);

} // namespace mmk
