#include "passes/comparisons.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

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
