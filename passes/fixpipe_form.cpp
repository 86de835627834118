#include "passes/fixpipe_form.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {

std::optional<LeakyRelu> leakyReluOf(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  auto product = select.getFalseValue().getDefiningOp<arith::MulFOp>();
  Value x = select.getTrueValue();
  using Predicate = arith::CmpFPredicate;
  if (!compare || !product || compare.getLhs() != x ||
      !matchPattern(compare.getRhs(), m_AnyZeroFloat()) ||
      (compare.getPredicate() != Predicate::OGE && compare.getPredicate() != Predicate::OGT))
    return std::nullopt;
  if (product.getLhs() == x)
    return LeakyRelu{x, product.getRhs()};
  if (product.getRhs() == x)
    return LeakyRelu{x, product.getLhs()};
  return std::nullopt;
}

bool FixpipeSlopes::has(Value slope, arith::SelectOp select) const {
  if (bits == 0)
    return false;
  const bool mayHaveAnyBits = bits >= 32 || mayRound;
  llvm::APFloat constant(0.0F);
  if (!matchPattern(slope, m_ConstantFloat(&constant)))
    return mayHaveAnyBits && slope.getParentBlock() != select->getBlock();
  return mayHaveAnyBits || constant.bitcastToAPInt().countr_zero() >= 32 - bits;
}

FixpipeForm fixpipeFormOf(Value element, const FixpipeSlopes &slopes) {
  const bool isHalf = element.getType().isF16();
  while (auto narrowed = element.getDefiningOp<arith::TruncFOp>())
    element = narrowed.getIn();
  if (!element.getType().isF32())
    return {element};
  if (auto max = element.getDefiningOp<arith::MaximumFOp>())
    for (auto [x, zero] : {std::pair(max.getLhs(), max.getRhs()), {max.getRhs(), max.getLhs()}})
      if (matchPattern(zero, m_PosZeroFloat()))
        return {x, /*relu=*/true};
  if (auto select = element.getDefiningOp<arith::SelectOp>(); select && isHalf)
    if (auto found = leakyReluOf(select))
      if (slopes.has(found->slope, select))
        return {found->x, /*relu=*/false, found->slope};
  return {element};
}

} // namespace mmk
