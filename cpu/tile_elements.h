// Elements of a tile that come from no tensor of their own: positions, random numbers, and elements
// at computed indices.
#pragma once

#include "codegen/emitter.h"
#include "cpu/dialect.h"

#include "llvm/ADT/DenseMap.h"

namespace mmk {

/// Adds the positions in `region` of some lanes to `known`, which holds its scalars. `indices`: the
/// place in the tile along each size, that of the first lane along the last one.
void addPositions(Emitter &e, mlir::Block &region, llvm::ArrayRef<llvm::Value *> indices,
                  llvm::DenseMap<mlir::Value, llvm::Value *> &known);

/// The code of cpu.random, cpu.gather and cpu.gather_run; null for another operation.
llvm::Value *emitTileElement(Emitter &e, mlir::Operation *op,
                             llvm::ArrayRef<llvm::Value *> operands);

/// Whether an argument of a region is the source of elements at computed indices: it stands for its
/// address.
bool isSource(mlir::Value argument);

} // namespace mmk
