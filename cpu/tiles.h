// Register tiles of a product in the tile registers of AMX: eight of 16 rows of 64 bytes, which
// multiply a row of steps along k by as many steps of 16 columns at once.
#pragma once

#include "codegen/micro_kernel.h"

namespace mmk {

/// Rows of sums in a register tile: two tiles, so that each tile of B is used twice.
constexpr int64_t rowsInTiles = 32;

/// Adds to the sums of `rowsInTiles` rows in memory, or writes them: as emitSums, over whole tiles
/// along k. A panel of three vectors uses all tile registers.
void emitTileSums(Emitter &e, const MicroKernel &kernel, llvm::Value *a, llvm::Value *rowBytes,
                  llvm::Value *panel, llvm::Value *stride, llvm::Value *bytes, const Sums &initial);

} // namespace mmk
