// The tile that a schedule leaves to the shape on a CPU, where a tile is the share of a thread.
#pragma once

#include "backend/backend.h"
#include "cpu/tuning.h"

namespace mmk::cpu {

/// Rows and columns of a tile of a product, or of elementwise work of depth 1, for the threads of a
/// call (cpu.threads). Work too small to be shared is one tile.
std::pair<mlir::Value, mlir::Value> fitProductTile(mlir::OpBuilder &builder, mlir::Location loc,
                                                   FittedOutput output, const FittedTile &tile,
                                                   const CpuTuning &tuning);

/// Rows and columns of a tile of elementwise work, at most those of `largest`, balanced over the
/// threads. Work too small to be shared is one tile.
std::pair<mlir::Value, mlir::Value> fitElementwiseTile(mlir::OpBuilder &builder, mlir::Location loc,
                                                       FittedOutput output,
                                                       std::pair<mlir::Value, mlir::Value> largest,
                                                       const CpuTuning &tuning);

/// Rows or columns of a tile with reductions, balanced over the threads. Work too small to be
/// shared is one tile.
mlir::Value fitReduction(mlir::OpBuilder &builder, mlir::Location loc,
                         const FittedReduction &reduction, int64_t largest,
                         const CpuTuning &tuning);
mlir::Value fitBatches(mlir::OpBuilder &b, mlir::Location loc, const FittedReduction &reduction,
                       mlir::Value tile, const CpuTuning &tuning);
mlir::Value fitChain(mlir::OpBuilder &b, mlir::Location loc, const FittedReduction &reduction,
                     int64_t largest, const CpuTuning &tuning);

} // namespace mmk::cpu
