// GEMV: one row of floats times a matrix, which is bound by reading the matrix.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// Columns of a block of products of floats with few rows. Each broadcast element of A is used for
/// two vectors where the registers suffice.
int64_t columnsOfSkinnyBlock(const Emitter &e);

/// A function of the same type as `ofRows`, which is void(ptr a, ptr b, ptr sums, i64 aRow, i64
/// bRow, i64 m, i64 n, i64 k, i64 sumRow) and adds to f32 sums the product of m rows of f32 with B
/// in place, dense along its rows: the same for one row. The sums of the last columns are in the
/// last whole block.
llvm::Function *gemvSums(Emitter &e, llvm::Type *element, llvm::Function *ofRows);

} // namespace mmk
