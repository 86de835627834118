// The rows between the two products of a chain (passes/chains/chain.h) as both back ends compute
// them: part by part along the columns of the first product, in one pass.
#pragma once

#include "passes/chains/chain.h"
#include "place/row_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mmk {

/// The chain that a tiled group computes, in its loop over tiles; nothing for another group.
std::optional<Chain> chainOf(ir::FusionGroupOp group);
mlir::scf::ForOp tileLoopOf(ir::FusionGroupOp group);

/// The program of a chain's tile in that form: its weights without what is the same for a whole
/// row, and sums rescaled while their maximum grows. An error, with what would be legal, where
/// something waits for a reduction in another way.
mlir::FailureOr<RowProgram> chainRows(ir::KernelOp kernel, ir::FusionGroupOp group, Chain &chain);

} // namespace mmk
