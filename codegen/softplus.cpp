#include "codegen/softplus.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

namespace mmk {

mlir::Value softplusTailOf(mlir::Operation *op) {
  using namespace mlir;
  if (!isa<math::LogOp, math::Log1pOp>(op) || !op->getResult(0).getType().isF32())
    return nullptr;
  Value power = op->getOperand(0);
  if (isa<math::LogOp>(op)) {
    auto sum = power.getDefiningOp<arith::AddFOp>();
    if (!sum)
      return nullptr;
    const bool isFirst = matchPattern(sum.getLhs(), m_OneFloat());
    if (!isFirst && !matchPattern(sum.getRhs(), m_OneFloat()))
      return nullptr;
    power = isFirst ? sum.getRhs() : sum.getLhs();
  }
  auto exp = power.getDefiningOp<math::ExpOp>();
  auto negative = exp ? exp.getOperand().getDefiningOp<arith::NegFOp>() : nullptr;
  auto magnitude = negative ? negative.getOperand().getDefiningOp<math::AbsFOp>() : nullptr;
  return magnitude ? magnitude.getOperand() : nullptr;
}

} // namespace mmk
