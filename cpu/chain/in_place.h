// The products of a chain with few rows, whose operands are used once: B and V are read where they
// are, as packing them would take longer than multiplying.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// void(ptr a, ptr b, ptr scores, i64 aRow, i64 bColumn, i64 scoreRow, i64 rows, i64 columns, i64
/// depth): the products of rows of A, which are f32, with columns of B, which are dense along the
/// depth. A has rows of zeros behind, up to a multiple of four, and each is followed by a vector of
/// zeros.
llvm::Function *scoresInPlace(Emitter &e, llvm::Type *element);

/// void(ptr weights, ptr v, ptr sums, i64 weightRow, i64 vRow, i64 sumRow, i64 rows, i64 depth, i64
/// columns): adds the products of weights, which are f32, with rows of V, which are dense. With
/// `excludes`, weights that are negative zeros stand for elements that a condition excludes, which
/// add nothing, whatever V has there.
llvm::Function *addInPlace(Emitter &e, llvm::Type *element, bool excludes);

} // namespace mmk
