// The depth of a product under a condition. In
//
//   sum[j | j <= i && j < n](a[i, j] * v[j, d])
//
// the operand a is read as 0 where the condition does not hold, and v as it is: 0 times infinity or
// NaN is NaN. So a tile of the product goes over the part of the depth alone that holds all j for
// which the condition holds in some of its rows. Where there is no such j, one is left, and the
// other operand, v, begins behind its tensor there and counts as 0.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"
#include "passes/conditions/form.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mmk {

/// On a product whose depth a condition bounds: the number of the operand that may begin behind its
/// tensor.
inline constexpr llvm::StringLiteral boundedAttr = "mmk.bounded";
std::optional<unsigned> boundedOperand(mlir::linalg::ContractOp product);

/// Whether an operand of a product is computed as 0 where a condition of its sum does not hold.
bool isMasked(mlir::Value operand);

/// A condition on what a product sums over. Positions are those along loops of the product.
struct DepthCondition {
  /// A parameter of i32 that is read: for each of its dimensions the loop, not that of the depth.
  /// Where some of its dimensions are joined, how, and their names.
  struct Input {
    mlir::Value tensor;
    llvm::SmallVector<unsigned> loops;
    llvm::SmallVector<mlir::ReassociationIndices> joined;
    mlir::Attribute names;
  };
  LinearCondition linear;
  std::vector<Input> inputs;
  unsigned masked = 0; ///< operand of the product that is 0 where it does not hold
};

/// The conditions of a kernel's products, but for those in the loop of two products, which bounds
/// itself.
class ProductDepths {
public:
  /// Of a kernel before its groups are tiled: what writes an operand is found no more then.
  ProductDepths(ir::KernelOp kernel, aicore::MachineAttr machine);

  /// Cuts the depth of the products of a group that has been tiled.
  void cut(ir::FusionGroupOp group);

private:
  void cut(mlir::linalg::ContractOp product, const DepthCondition &condition);

  ir::KernelOp kernel;
  aicore::MachineAttr machine;
  std::vector<DepthCondition> conditions;
};

} // namespace mmk
