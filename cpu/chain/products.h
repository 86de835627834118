// The products of a chain, of a group of rows: as many as a vector has lanes.
#pragma once

#include "codegen/micro_kernel.h"

namespace mmk {

/// void(ptr a, ptr panel, ptr sums, i64 aRow, i64 sumRow, i64 bytes, i1 first): the sums of a group
/// of rows by one panel of `vectors`, over `bytes` bytes of each row of A; added to those in memory
/// unless `first`.
llvm::Function *sumsOfGroup(Emitter &e, Multiply multiply, int64_t vectors);

/// The product of a group of rows with packed panels (codegen/pack.h).
struct GroupProduct {
  llvm::Value *a = nullptr, *aRow = nullptr;       ///< its rows
  llvm::Value *bytes = nullptr;                    ///< of each that are multiplied
  llvm::Value *panels = nullptr;                   ///< of B
  llvm::Value *columnBytes = nullptr;              ///< of each of its columns
  llvm::Value *packed = nullptr;                   ///< columns of the panels
  llvm::Value *from = nullptr, *columns = nullptr; ///< of these, those that are wanted
  llvm::Value *skipped = nullptr; ///< bytes of each column, before those that are multiplied
  llvm::Value *sums = nullptr, *sumRow = nullptr; ///< rows of the result
  llvm::Value *first = nullptr;                   ///< i1: nothing is added to what they have
};
void emitGroupProduct(Emitter &e, Multiply multiply, const GroupProduct &product);

/// void(ptr from, i64 stride, i64 bytes, i64 first, i64 end): prefetches so many bytes of each of
/// some rows into L2.
llvm::Function *prefetchLines(Emitter &e);

/// void(ptr isSome, ptr panels, i64 bytes): whether some element of packed panels is infinite or
/// NaN, as a byte.
llvm::Function *findNonFinite(Emitter &e, Multiply multiply);

/// void(ptr weights, ptr v, ptr sums, i64 weightRow, i64 vRow, i64 vColumn, i64 sumRow, i64 rows,
/// i64 n, i64 columns): adds the products of weights with V in place, without those of weights that
/// are negative zeros: these stand for elements that a condition excludes.
llvm::Function *addWithoutExcluded(Emitter &e, llvm::Type *weight, llvm::Type *element);

} // namespace mmk
