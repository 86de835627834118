#include "passes/compare_integers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

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

/// The integer that a float was, as i64; null for another float.
Value integerOf(OpBuilder &b, Location loc, Value value) {
  const Type wide = b.getI64Type();
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    const double number = constant.getValueAsDouble();
    if (number != std::floor(number) || std::abs(number) > 0x1p53)
      return {};
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(wide, static_cast<int64_t>(number)));
  }
  auto conversion = value.getDefiningOp<arith::SIToFPOp>();
  if (!conversion)
    return {};
  Value integer = conversion.getIn();
  if (integer.getType() == wide)
    return integer;
  return integer.getType().isInteger(32) ? arith::ExtSIOp::create(b, loc, wide, integer).getResult()
                                         : Value();
}

bool isInteger(Value value) { return value.getDefiningOp<arith::SIToFPOp>() != nullptr; }

} // namespace

void compareIntegers(linalg::GenericOp op) {
  SmallVector<arith::CmpFOp> compares(op.getBody()->getOps<arith::CmpFOp>());
  for (arith::CmpFOp compare : compares) {
    const std::optional<arith::CmpIPredicate> predicate = ofIntegers(compare.getPredicate());
    if (!predicate || (!isInteger(compare.getLhs()) && !isInteger(compare.getRhs())))
      continue;
    OpBuilder b(compare);
    Value x = integerOf(b, compare.getLoc(), compare.getLhs()),
          y = x ? integerOf(b, compare.getLoc(), compare.getRhs()) : Value();
    if (!x || !y)
      continue;
    compare.replaceAllUsesWith(
        arith::CmpIOp::create(b, compare.getLoc(), *predicate, x, y).getResult());
    compare.erase();
  }
}

} // namespace mmk
