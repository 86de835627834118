// Data movement between memories: rows copied, padded, converted.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// What is done with elements on the way.
enum class OnTheWay { nothing, relu, leakyRelu };

/// void(ptr to, ptr from, i64 toRow, i64 fromRow, i64 rows, i64 columns): rows of elements, strides
/// in bytes; converts from one element type to the other. With leaky ReLU an f32 follows: its
/// slope.
llvm::Function *copyRows(Emitter &e, llvm::Type *from, llvm::Type *to,
                         OnTheWay onTheWay = OnTheWay::nothing);

/// void(ptr to, ptr from, i64 toRow, i64 fromRow, i64 fromColumn, i64 rows, i64 columns,
/// i64 paddedRows, i64 paddedColumns): the same without conversion, from a tensor whose columns may
/// be any distance apart; the rest of the padded rectangle becomes zero.
llvm::Function *loadPadded(Emitter &e, llvm::Type *element);

/// void(ptr from, i64 row, i64 rows, i64 bytes): prefetches `bytes` of each row into L2.
llvm::Function *prefetchRows(Emitter &e);

} // namespace mmk
