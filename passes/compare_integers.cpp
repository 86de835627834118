#include "passes/compare_integers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {
namespace {

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

void compareIntegers(linalg::GenericOp op) {
  for (arith::CmpIOp compare : llvm::to_vector(op.getBody()->getOps<arith::CmpIOp>()))
    widenPositions(compare);
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
