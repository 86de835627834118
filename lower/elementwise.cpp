#include "lower/elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/ErrorHandling.h"

namespace arith = mlir::arith;
namespace math = mlir::math;

namespace mmk {
namespace {

mlir::Value constant(mlir::OpBuilder &b, mlir::Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
}

mlir::Value constantInt(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

// LLVM's fptosi is undefined beyond the target's range, so values are clamped first.
mlir::Value floatToInt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                       mlir::IntegerType to) {
  const unsigned bits = to.getWidth();
  const double limit = static_cast<double>(int64_t(1) << (bits - 1));
  mlir::Value rounded = math::RoundEvenOp::create(b, loc, value);
  auto compare = [&](arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y) -> mlir::Value {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  };
  mlir::Value tooHigh = compare(arith::CmpFPredicate::OGE, rounded, constant(b, loc, limit));
  mlir::Value tooLow = compare(arith::CmpFPredicate::OLE, rounded, constant(b, loc, -limit));
  mlir::Value isNan = compare(arith::CmpFPredicate::UNO, rounded, rounded);
  mlir::Value outside =
      arith::OrIOp::create(b, loc, arith::OrIOp::create(b, loc, tooHigh, tooLow), isNan);
  mlir::Value inside = arith::SelectOp::create(b, loc, outside, constant(b, loc, 0), rounded);
  // Through i32 even for i8: vector conversions to narrower integers are not native anywhere.
  mlir::Type i32 = b.getI32Type();
  mlir::Value wide = arith::FPToSIOp::create(b, loc, i32, inside);
  const int64_t high = (int64_t(1) << (bits - 1)) - 1, low = -high - 1;
  wide = arith::SelectOp::create(b, loc, tooHigh, constantInt(b, loc, i32, high), wide);
  wide = arith::SelectOp::create(b, loc, tooLow, constantInt(b, loc, i32, low), wide);
  return bits == 32 ? wide : arith::TruncIOp::create(b, loc, to, wide).getResult();
}

mlir::Value toF32(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value) {
  return emitConversion(b, loc, value, b.getF32Type());
}

} // namespace

mlir::Value emitConversion(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                           mlir::Type to) {
  mlir::Type from = value.getType();
  if (from == to)
    return value;
  const bool fromFloat = mlir::isa<mlir::FloatType>(from), toFloat = mlir::isa<mlir::FloatType>(to);
  mlir::Type f32 = b.getF32Type();
  if (fromFloat && toFloat) {
    mlir::Value wide = from == f32 ? value : arith::ExtFOp::create(b, loc, f32, value).getResult();
    return to == f32 ? wide : arith::TruncFOp::create(b, loc, to, wide).getResult();
  }
  if (toFloat) {
    mlir::Value wide = arith::SIToFPOp::create(b, loc, f32, value);
    return emitConversion(b, loc, wide, to);
  }
  if (fromFloat)
    return floatToInt(b, loc, toF32(b, loc, value), mlir::cast<mlir::IntegerType>(to));
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(b, loc, to, value);
  const int64_t high = (int64_t(1) << (to.getIntOrFloatBitWidth() - 1)) - 1;
  value = arith::MinSIOp::create(b, loc, value, constantInt(b, loc, from, high));
  value = arith::MaxSIOp::create(b, loc, value, constantInt(b, loc, from, -high - 1));
  return arith::TruncIOp::create(b, loc, to, value);
}

mlir::Value emitElement(mlir::OpBuilder &b, mlir::Location loc, Operation operation,
                        mlir::ValueRange operands) {
  if (operation == Operation::select)
    return arith::SelectOp::create(b, loc, operands[0], toF32(b, loc, operands[1]),
                                   toF32(b, loc, operands[2]));

  mlir::Value x = toF32(b, loc, operands[0]);
  mlir::Value y = operands.size() > 1 ? toF32(b, loc, operands[1]) : mlir::Value();
  auto compare = [&](arith::CmpFPredicate predicate) -> mlir::Value {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  };
  switch (operation) {
  case Operation::negate:
    return arith::NegFOp::create(b, loc, x);
  case Operation::abs:
    return math::AbsFOp::create(b, loc, x);
  case Operation::exp:
    return math::ExpOp::create(b, loc, x);
  case Operation::log:
    return math::LogOp::create(b, loc, x);
  case Operation::sqrt:
    return math::SqrtOp::create(b, loc, x);
  case Operation::tanh:
    return math::TanhOp::create(b, loc, x);
  case Operation::erf:
    return math::ErfOp::create(b, loc, x);
  case Operation::floor:
    return math::FloorOp::create(b, loc, x);
  case Operation::ceil:
    return math::CeilOp::create(b, loc, x);
  case Operation::add:
    return arith::AddFOp::create(b, loc, x, y);
  case Operation::subtract:
    return arith::SubFOp::create(b, loc, x, y);
  case Operation::multiply:
    return arith::MulFOp::create(b, loc, x, y);
  case Operation::divide:
    return arith::DivFOp::create(b, loc, x, y);
  case Operation::minimum:
    return arith::MinimumFOp::create(b, loc, x, y);
  case Operation::maximum:
    return arith::MaximumFOp::create(b, loc, x, y);
  case Operation::equal:
    return compare(arith::CmpFPredicate::OEQ);
  case Operation::notEqual:
    return compare(arith::CmpFPredicate::UNE);
  case Operation::less:
    return compare(arith::CmpFPredicate::OLT);
  case Operation::lessEqual:
    return compare(arith::CmpFPredicate::OLE);
  case Operation::greater:
    return compare(arith::CmpFPredicate::OGT);
  case Operation::greaterEqual:
    return compare(arith::CmpFPredicate::OGE);
  case Operation::parameter:
  case Operation::constant:
  case Operation::select:
  case Operation::cast:
  case Operation::product:
  case Operation::transpose:
    break;
  }
  llvm_unreachable("not an elementwise operation");
}

} // namespace mmk
