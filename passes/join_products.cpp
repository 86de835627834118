// Products that one group computes side by side: those of the taps of a pooling, whose elements at
// one place are combined while they are on the chip. Their windows lie in the same lines of an
// image, and they multiply them with the same matrix. Products that share nothing would need the
// buffers and the flags of several, and are groups of their own.
#include "passes/dimensions.h"
#include "passes/fuser.h"
#include "passes/variant.h"
#include "passes/windows/image_operand.h"

using namespace mlir;

namespace mmk {

/// Whether two products have the same rows, columns, depth and types, so that one tile suits both.
static bool areAlike(linalg::ContractOp x, linalg::ContractOp y) {
  const ProductNames first = productNames(x), second = productNames(y);
  return first.rows == second.rows && first.columns == second.columns &&
         first.reduction == second.reduction && x.getResultTypes() == y.getResultTypes() &&
         operandType(x) == operandType(y);
}

// Each is read at the same place, and nowhere else.
Operation *Fuser::joinProducts(Value value, ArrayRef<Use> leaves) {
  if (!joinsTaps)
    return nullptr;
  llvm::SetVector<Operation *> products;
  for (const auto &[leaf, map] : leaves)
    if (linalg::ContractOp product = productOf(leaf)) {
      if (!map || !map.isIdentity() || kept.contains(leaf) || joined.contains(product))
        return nullptr;
      products.insert(product);
    }
  if (products.size() < 2)
    return nullptr;
  auto first = cast<linalg::ContractOp>(products.front());
  Operation *last = first;
  SmallVector<linalg::ContractOp> contracts;
  for (Operation *product : products) {
    contracts.push_back(cast<linalg::ContractOp>(product));
    if (!areAlike(first, contracts.back()))
      return nullptr;
    last = last->isBeforeInBlock(product) ? product : last;
  }
  if (!sharedLines(contracts))
    return nullptr;
  for (Operation *product : products)
    joined[product] = last;
  return last;
}

} // namespace mmk
