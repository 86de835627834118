// Operands of a product, laid out as the micro-kernel reads them: A row by row, B in panels.
#pragma once

#include "codegen/micro_kernel.h"

namespace mmk {

/// void(ptr to, ptr from, i64 toRow, i64 fromRow, i64 fromColumn, i64 rows, i64 columns): elements
/// of any strides (in bytes) into dense rows, converted to `to`; `flip` inverts the first bit of
/// each, which adds 128 to an i8 and takes its sign. Whichever side the source is dense along, it
/// is read in vectors.
llvm::Function *moveElements(Emitter &e, llvm::Type *from, llvm::Type *to, bool flip = false);

/// void(ptr to, ptr from, i64 fromK, i64 fromN, i64 columnBytes, i64 k, i64 n): k x n elements of
/// any strides into panels (forEachPanel) of `columnBytes` bytes a column; the last panel is filled
/// up with zeros. Panels of bytes begin with a row of what the offset of A adds to their sums,
/// negated;
/// panels for tiles end with zeros up to whole tiles along k.
llvm::Function *packPanels(Emitter &e, Multiply multiply, llvm::Type *from);

} // namespace mmk
