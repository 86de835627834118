#include "lower/index_map.h"

#include "llvm/Support/ErrorHandling.h"

#include <vector>

namespace mmk {

// The quotient and the remainder of a map round down, and take divisors above zero alone:
// x / -2 is -x / 2, and x % -2 is -(-x % 2).
mlir::AffineExpr affineOf(const Rule &rule, mlir::MLIRContext *context,
                          llvm::function_ref<mlir::AffineExpr(const std::string &name)> read) {
  using Kind = Rule::Kind;
  std::vector<mlir::AffineExpr> operands;
  for (const auto &operand : rule.operands)
    operands.push_back(affineOf(*operand, context, read));
  const auto divisor = [&] {
    auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(operands[1]);
    return constant ? constant.getValue() : 1;
  };
  switch (rule.kind) {
  case Kind::number:
    return mlir::getAffineConstantExpr(rule.number, context);
  case Kind::choice:
    return read(rule.choice);
  case Kind::add:
    return operands[0] + operands[1];
  case Kind::subtract:
    return operands[0] - operands[1];
  case Kind::multiply:
    return operands[0] * operands[1];
  case Kind::floorDivide:
    return divisor() < 0 ? (-operands[0]).floorDiv(-divisor()) : operands[0].floorDiv(operands[1]);
  case Kind::floorRemainder:
    return divisor() < 0 ? -(-operands[0] % -divisor()) : operands[0] % operands[1];
  default:
    llvm_unreachable("rule");
  }
}

} // namespace mmk
