// A group of two products: the rows of the first are reduced, and what is computed from them, the
// weights, is multiplied by the second (passes/product_chains.cpp). Attention is one, with a
// softmax between its products.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace mmk {

/// The operations of such a group in one block, on whole tensors or on a tile. Those on rows,
/// between the products, have `mmk.loops`; the space of the group is the result of the first
/// product, whose columns it reduces.
struct Chain {
  mlir::linalg::ContractOp first, second;
  mlir::linalg::GenericOp epilogue; ///< elementwise, behind the second product; may be null

  mlir::Value weights() { return second.getInputs()[0]; }
  /// Its last operation.
  mlir::linalg::LinalgOp last() {
    return epilogue ? mlir::cast<mlir::linalg::LinalgOp>(epilogue.getOperation())
                    : mlir::cast<mlir::linalg::LinalgOp>(second.getOperation());
  }

  /// That of a group, from the block that has its operations; nothing for another group.
  static std::optional<Chain> of(ir::FusionGroupOp group, mlir::Block &operations);
};

/// Lets second products read values in place whose condition excludes whole columns
/// (passes/chain_values.cpp). The loop then leaves these columns out.
void readChainValues(ir::KernelOp kernel);
/// The attribute of such a second product.
inline constexpr llvm::StringLiteral excludedAttr = "mmk.excluded";

/// The part of mmk-tile-cores for such groups: tiles of rows, over all columns of both products.
mlir::LogicalResult tileChain(ir::KernelOp kernel, ir::FusionGroupOp group,
                              aicore::MachineAttr machine);

} // namespace mmk
