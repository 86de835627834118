// A group of products that one loop computes (passes/chains/find.cpp): the first ones have the
// same rows and columns, what is computed from their elements, the weights, is multiplied by the
// second ones, which sum over those columns. Attention is one of each, with a softmax between them;
// its gradients have two first products.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <vector>

namespace mmk {

/// The operations of such a group in one block, on whole tensors or on a tile. Between the products
/// is a mmk.rows; the space of the group is the result of each first product, whose columns it
/// reduces.
struct Chain {
  /// A product of weights, its left operand.
  struct Second {
    mlir::linalg::ContractOp product;
    mlir::linalg::GenericOp epilogue; ///< elementwise, behind it; may be null

    mlir::Value weights() { return product.getInputs()[0]; }
    /// Its last operation.
    mlir::linalg::LinalgOp last() {
      return epilogue ? mlir::cast<mlir::linalg::LinalgOp>(epilogue.getOperation())
                      : mlir::cast<mlir::linalg::LinalgOp>(product.getOperation());
    }
  };

  llvm::SmallVector<mlir::linalg::ContractOp> firsts;
  std::vector<Second> seconds;

  bool isSimple() const { return firsts.size() == 1 && seconds.size() == 1; }
  bool isOfFirst(mlir::Value value) const {
    return llvm::is_contained(firsts, value.getDefiningOp());
  }
  /// The weights of all second products, each once.
  llvm::SmallVector<mlir::Value> weights();
  /// The second product, itself or by its epilogue, that has this result; null for another value.
  Second *secondOf(mlir::Value value);

  /// That of a group, from the block that has its operations; nothing for another group.
  static std::optional<Chain> of(ir::FusionGroupOp group, mlir::Block &operations);
  /// That of a group before it is tiled, whole or of parts of its columns.
  static std::optional<Chain> of(ir::FusionGroupOp group);
};

/// Lets second products read values in place whose condition excludes whole columns
/// (passes/chains/values.cpp). The loop then leaves these columns out.
void readChainValues(ir::KernelOp kernel);
/// The attribute of such a second product.
inline constexpr llvm::StringLiteral excludedAttr = "mmk.excluded";

/// Rows and columns of a tile of literal extents.
constexpr int64_t literalChainRows = 128, literalChainColumns = 256;

/// The part of mmk-tile-cores for such groups: tiles of rows, over all columns of the products.
mlir::LogicalResult tileChain(ir::KernelOp kernel, ir::FusionGroupOp group,
                              aicore::MachineAttr machine);

} // namespace mmk
