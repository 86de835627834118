// Data movement between memories: rows copied, padded, converted, packed for the multiplier.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// void(ptr to, ptr from, i64 toRow, i64 fromRow, i64 rows, i64 columns): rows of elements, strides
/// in bytes; converts from one element type to the other.
llvm::Function *copyRows(Emitter &e, llvm::Type *from, llvm::Type *to);

/// void(ptr to, ptr from, i64 toRow, i64 fromRow, i64 fromColumn, i64 rows, i64 columns,
/// i64 paddedRows, i64 paddedColumns): the same without conversion, from a tensor whose columns may
/// be any distance apart; the rest of the padded rectangle becomes zero.
llvm::Function *loadPadded(Emitter &e, llvm::Type *element);

/// void(ptr to, ptr from, i64 fromRow, i64 k, i64 n): k rows of n columns into panels of `panel`
/// columns, each tileK x panel, widened to `wide`.
llvm::Function *packPanels(Emitter &e, llvm::Type *from, llvm::Type *wide, int64_t panel,
                           int64_t tileK);

/// The same from n rows of k columns: transposed on the way, block by block in registers.
llvm::Function *packPanelsTransposed(Emitter &e, llvm::Type *from, llvm::Type *wide, int64_t panel,
                                     int64_t tileK);

} // namespace mmk
