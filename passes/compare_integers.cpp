#include "passes/compare_integers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <optional>
#include <utility>

using namespace mlir;

namespace mmk {
namespace {

std::optional<arith::CmpIPredicate> ofIntegers(arith::CmpFPredicate predicate) {
  using Float = arith::CmpFPredicate;
  switch (predicate) {
  case Float::OEQ:
  case Float::UEQ:
    return arith::CmpIPredicate::eq;
  case Float::ONE:
  case Float::UNE:
    return arith::CmpIPredicate::ne;
  case Float::OLT:
  case Float::ULT:
    return arith::CmpIPredicate::slt;
  case Float::OLE:
  case Float::ULE:
    return arith::CmpIPredicate::sle;
  case Float::OGT:
  case Float::UGT:
    return arith::CmpIPredicate::sgt;
  case Float::OGE:
  case Float::UGE:
    return arith::CmpIPredicate::sge;
  default:
    return std::nullopt;
  }
}

/// A float that is an integer plus a constant.
struct Sum {
  Value integer; ///< of i32 or i64, before its conversion; null: only the constant
  int64_t constant = 0;

  bool isPosition() const { return integer && integer.getType().isInteger(64); }
};

/// Larger constants are no offsets, and f32 does not hold all of them.
constexpr int64_t largestOffset = 1 << 24;

/// Nothing for another float.
std::optional<Sum> sumOf(Value value) {
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    const double number = constant.getValueAsDouble();
    if (number != std::floor(number) || std::abs(number) > 0x1p53)
      return std::nullopt;
    return Sum{{}, static_cast<int64_t>(number)};
  }
  if (auto conversion = value.getDefiningOp<arith::SIToFPOp>()) {
    const Type type = conversion.getIn().getType();
    if (!type.isInteger(32) && !type.isInteger(64))
      return std::nullopt;
    return Sum{conversion.getIn(), 0};
  }
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp>(op))
    return std::nullopt;
  const std::optional<Sum> x = sumOf(op->getOperand(0)), y = sumOf(op->getOperand(1));
  const bool subtracts = isa<arith::SubFOp>(op);
  if (!x || !y || (x->integer && y->integer) || (subtracts && y->integer))
    return std::nullopt;
  const Sum sum{x->integer ? x->integer : y->integer,
                x->constant + (subtracts ? -y->constant : y->constant)};
  return std::abs(sum.constant) <= largestOffset ? std::optional(sum) : std::nullopt;
}

/// As i64.
Value integerOf(OpBuilder &b, Location loc, const Sum &sum) {
  const Type wide = b.getI64Type();
  const auto constant = [&] {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(wide, sum.constant)).getResult();
  };
  if (!sum.integer)
    return constant();
  Value integer = sum.integer;
  if (integer.getType() != wide)
    integer = arith::ExtSIOp::create(b, loc, wide, integer);
  return sum.constant == 0 ? integer
                           : arith::AddIOp::create(b, loc, integer, constant()).getResult();
}

/// Compares positions in 64 bits, as they are computed, also with elements of i32.
void widenPositions(arith::CmpIOp compare) {
  const auto positionOf = [](Value value) -> Value {
    auto truncated = value.getDefiningOp<arith::TruncIOp>();
    return truncated && truncated.getIn().getType().isInteger(64) ? truncated.getIn() : Value();
  };
  Value x = positionOf(compare.getLhs()), y = positionOf(compare.getRhs());
  if (!x && !y)
    return;
  OpBuilder b(compare);
  const auto wide = [&](Value position, Value value) {
    return position
               ? position
               : arith::ExtSIOp::create(b, compare.getLoc(), b.getI64Type(), value).getResult();
  };
  compare.replaceAllUsesWith(arith::CmpIOp::create(b, compare.getLoc(), compare.getPredicate(),
                                                   wide(x, compare.getLhs()),
                                                   wide(y, compare.getRhs()))
                                 .getResult());
  compare.erase();
}

} // namespace

// A machine of 32 bits adds the constant to a position, which is far from their end: an element may
// be the least or the greatest number.
void compareIntegers(linalg::GenericOp op) {
  for (arith::CmpIOp compare : llvm::to_vector(op.getBody()->getOps<arith::CmpIOp>()))
    widenPositions(compare);
  SmallVector<arith::CmpFOp> compares(op.getBody()->getOps<arith::CmpFOp>());
  for (arith::CmpFOp compare : compares) {
    const std::optional<arith::CmpIPredicate> predicate = ofIntegers(compare.getPredicate());
    std::optional<Sum> x = sumOf(compare.getLhs()), y = sumOf(compare.getRhs());
    if (!predicate || !x || !y || (!x->integer && !y->integer))
      continue;
    if (x->constant != 0 || y->constant != 0) {
      const auto move = [](Sum &from, Sum &to) { to.constant -= std::exchange(from.constant, 0); };
      if (!y->integer || (x->integer && !x->isPosition() && y->isPosition()))
        move(*x, *y);
      else if (!x->integer || x->isPosition())
        move(*y, *x);
      else
        continue;
    }
    OpBuilder b(compare);
    compare.replaceAllUsesWith(arith::CmpIOp::create(b, compare.getLoc(), *predicate,
                                                     integerOf(b, compare.getLoc(), *x),
                                                     integerOf(b, compare.getLoc(), *y))
                                   .getResult());
    compare.erase();
  }
}

bool forEachComparison(Value condition,
                       llvm::function_ref<bool(Value large, Value small, bool isStrict)> part) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    const bool first = forEachComparison(both.getLhs(), part),
               second = forEachComparison(both.getRhs(), part);
    return first && second;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  Value x = compare.getLhs(), y = compare.getRhs();
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::slt:
    return part(y, x, compare.getPredicate() == arith::CmpIPredicate::slt);
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::sgt:
    return part(x, y, compare.getPredicate() == arith::CmpIPredicate::sgt);
  case arith::CmpIPredicate::eq: {
    const bool atLeast = part(x, y, false), atMost = part(y, x, false);
    return atLeast && atMost;
  }
  default:
    return false;
  }
}

} // namespace mmk
