// Data movement between memories: rows copied, padded, converted.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// void(ptr to, ptr from, i64 toRow, i64 fromRow, i64 rows, i64 columns): rows of elements, strides
/// in bytes; converts from one element type to the other, with `relu` what is at least 0.
llvm::Function *copyRows(Emitter &e, llvm::Type *from, llvm::Type *to, bool relu = false);

/// void(ptr to, ptr from, i64 toRow, i64 fromRow, i64 fromColumn, i64 rows, i64 columns,
/// i64 paddedRows, i64 paddedColumns): the same without conversion, from a tensor whose columns may
/// be any distance apart; the rest of the padded rectangle becomes zero.
llvm::Function *loadPadded(Emitter &e, llvm::Type *element);

/// void(ptr from, i64 row, i64 rows, i64 bytes): prefetches `bytes` of each row into L2.
llvm::Function *prefetchRows(Emitter &e);

} // namespace mmk
