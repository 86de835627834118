// Which vector instructions the region of an aicore.vector stands for: one for each operation,
// but the chip has relu and leaky relu as one instruction.
#include "count/program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mmk::count {
namespace {

/// Instructions of one operation each. What has none of its own costs as much as an `exp`: the
/// chip makes it of several.
const char *instructionOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, const char *>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return "add"; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return "sub"; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return "mul"; })
      .Case([](arith::DivFOp) { return "div"; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>([](auto) { return "max"; })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>([](auto) { return "min"; })
      .Case([](arith::NegFOp) { return "neg"; })
      .Case<arith::CmpFOp, arith::CmpIOp>([](auto) { return "compare"; })
      .Case([](arith::SelectOp) { return "select"; })
      // Masks are bits: a combination of them is a short instruction.
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>([](auto) { return "copy"; })
      .Case<arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp, arith::ExtSIOp, arith::ExtUIOp>(
          [](auto) { return "cast"; })
      .Case<arith::TruncFOp, arith::FPToSIOp, arith::FPToUIOp, arith::TruncIOp>(
          [](auto) { return "cast_narrow"; })
      .Case([](math::AbsFOp) { return "abs"; })
      .Case<math::ExpOp, math::Exp2Op>([](auto) { return "exp"; })
      .Case<math::LogOp, math::Log2Op>([](auto) { return "log"; })
      .Case([](math::SqrtOp) { return "sqrt"; })
      .Case([](math::TanhOp) { return "tanh"; })
      .Case([](math::ErfOp) { return "erf"; })
      .Case<math::FloorOp, math::RoundEvenOp>([](auto) { return "floor"; })
      .Case([](math::CeilOp) { return "ceil"; })
      .Default([](Operation *) { return "exp"; });
}

bool isZero(Value value) { return matchPattern(value, m_AnyZeroFloat()); }

/// x >= 0 ? x : a * x, and with > : one leaky relu. The product and the comparison go with it
/// unless something else uses them.
bool isLeakyRelu(arith::SelectOp select, llvm::DenseSet<Operation *> &covered) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  auto product = select.getFalseValue().getDefiningOp<arith::MulFOp>();
  Value x = select.getTrueValue();
  if (!compare || !product || compare.getLhs() != x || !isZero(compare.getRhs()))
    return false;
  using Predicate = arith::CmpFPredicate;
  if (compare.getPredicate() != Predicate::OGE && compare.getPredicate() != Predicate::OGT)
    return false;
  Value slope = product.getLhs() == x   ? product.getRhs()
                : product.getRhs() == x ? product.getLhs()
                                        : Value();
  // The instruction takes one slope for all elements.
  const bool isOneSlope = slope && (slope.getParentRegion() != select->getParentRegion() ||
                                    matchPattern(slope, m_Constant()));
  if (!isOneSlope)
    return false;
  if (compare->hasOneUse())
    covered.insert(compare);
  if (product->hasOneUse())
    covered.insert(product);
  return true;
}

} // namespace

std::vector<std::string> vectorInstructions(aicore::VectorOp vector) {
  Block &body = vector.getBody().front();
  llvm::DenseSet<Operation *> covered;
  std::vector<std::string> names;
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (covered.contains(&op) || op.hasTrait<OpTrait::ConstantLike>())
      continue;
    auto select = dyn_cast<arith::SelectOp>(op);
    auto max = dyn_cast<arith::MaximumFOp>(op);
    if (select && isLeakyRelu(select, covered))
      names.push_back("leaky_relu");
    else if (max && (isZero(max.getLhs()) || isZero(max.getRhs())))
      names.push_back("relu");
    else
      names.push_back(instructionOf(&op));
  }
  std::reverse(names.begin(), names.end());
  // Values that only pass through are copied.
  if (names.empty())
    names.push_back("copy");
  return names;
}

} // namespace mmk::count
