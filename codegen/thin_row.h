// One row of floats times a matrix, which is bound by reading the matrix.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// Columns that are taken at a time of products of floats with few rows. Each element of A that is
/// spread out serves two vectors where there are registers for them.
int64_t columnsOfThinBlock(const Emitter &e);

/// Parts of B along k that are read side by side: with so many rows for each touch of the sums,
/// those are hardly seen.
constexpr unsigned partsOfThinRow = 8;

/// void(ptr a, ptr b, ptr sums, i64 bRow, i64 n, i64 k): adds the product of one row of f32 with B
/// as it lies, dense along its rows, to f32 sums. k is a multiple of the parts. The sums of the
/// last columns are in the last whole block.
llvm::Function *sumsOfThinRow(Emitter &e, llvm::Type *element);

} // namespace mmk
