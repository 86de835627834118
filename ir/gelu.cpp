#include "ir/gelu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using mlir::Value;
namespace arith = mlir::arith;

namespace mmk {
namespace {

std::optional<double> constantOf(Value value) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (auto number = mlir::dyn_cast<mlir::FloatAttr>(constant.getValue()))
      return number.getValueAsDouble();
  return std::nullopt;
}

/// A value as a product of a constant and other factors.
struct Product {
  explicit Product(Value value) { add(value); }

  void add(Value value) {
    if (factors.size() > 3)
      return; // no form has as many, and repeated squares have 2^n
    if (std::optional<double> number = constantOf(value)) {
      constant *= *number;
    } else if (auto product = value.getDefiningOp<arith::MulFOp>()) {
      add(product.getLhs());
      add(product.getRhs());
    } else {
      factors.push_back(value);
    }
  }
  /// `number` times `count` times `x`
  bool is(double number, Value x, size_t count) const {
    return hasConstant(number) && factors.size() == count && llvm::all_equal(factors) &&
           factors[0] == x;
  }
  /// Equality within the precision of f32.
  bool hasConstant(double number) const { return std::abs(constant - number) <= 0x1p-23 * number; }

  double constant = 1;
  llvm::SmallVector<Value> factors;
};

/// The term that is added to 1, or null.
Value besideOne(Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  if (!sum)
    return nullptr;
  if (constantOf(sum.getLhs()) == 1)
    return sum.getRhs();
  return constantOf(sum.getRhs()) == 1 ? sum.getLhs() : nullptr;
}

/// Whether `value` is sqrt(2 / pi) (x + 0.044715 x^3).
bool isBentForTanh(Value value, Value x) {
  const Product bent(value);
  if (bent.factors.size() != 1 || !bent.hasConstant(std::sqrt(2 / M_PI)))
    return false;
  auto sum = bent.factors[0].getDefiningOp<arith::AddFOp>();
  if (!sum || (sum.getLhs() != x && sum.getRhs() != x))
    return false;
  return Product(sum.getLhs() == x ? sum.getRhs() : sum.getLhs()).is(0.044715, x, 3);
}

} // namespace

std::optional<Gelu> geluOf(mlir::Operation *op) {
  if (!mlir::isa<arith::MulFOp>(op) || !op->getResult(0).getType().isF32())
    return std::nullopt;
  const Product all(op->getResult(0));
  if (all.factors.size() != 2 || !all.hasConstant(0.5))
    return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    Value x = all.factors[i], inner = besideOne(all.factors[1 - i]);
    if (!inner)
      continue;
    if (auto erf = inner.getDefiningOp<mlir::math::ErfOp>();
        erf && Product(erf.getOperand()).is(M_SQRT1_2, x, 1))
      return Gelu{x, false};
    if (auto tanh = inner.getDefiningOp<mlir::math::TanhOp>();
        tanh && isBentForTanh(tanh.getOperand(), x))
      return Gelu{x, true};
  }
  return std::nullopt;
}

} // namespace mmk
