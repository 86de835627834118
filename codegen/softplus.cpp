#include "codegen/softplus.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

namespace mmk {

mlir::Value softplusTailOf(mlir::Operation *op) {
  using namespace mlir;
  auto log = dyn_cast<math::LogOp>(op);
  if (!log || !log.getType().isF32())
    return nullptr;
  auto sum = log.getOperand().getDefiningOp<arith::AddFOp>();
  if (!sum)
    return nullptr;
  const bool isFirst = matchPattern(sum.getLhs(), m_OneFloat());
  auto exp = (isFirst ? sum.getRhs() : sum.getLhs()).getDefiningOp<math::ExpOp>();
  if (!exp || (!isFirst && !matchPattern(sum.getRhs(), m_OneFloat())))
    return nullptr;
  auto negative = exp.getOperand().getDefiningOp<arith::NegFOp>();
  auto magnitude = negative ? negative.getOperand().getDefiningOp<math::AbsFOp>() : nullptr;
  return magnitude ? magnitude.getOperand() : nullptr;
}

} // namespace mmk
