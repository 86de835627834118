#include "lower/elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

// The bounds of i8 are numbers of f32, and those of i32 are not.
mlir::Value floatToByte(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value) {
  value = arith::MaximumFOp::create(b, loc, value, constant(b, loc, -128));
  value = arith::MinimumFOp::create(b, loc, value, constant(b, loc, 127));
  mlir::Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  value = arith::SelectOp::create(b, loc, isNan, constant(b, loc, 0), value);
  mlir::Value rounded = math::RoundEvenOp::create(b, loc, value);
  // Through i32: vector conversions to narrower integers are not native anywhere.
  mlir::Value wide = arith::FPToSIOp::create(b, loc, b.getI32Type(), rounded);
  return arith::TruncIOp::create(b, loc, b.getI8Type(), wide);
}

// LLVM's fptosi is undefined beyond the target's range, so values are clamped first.
mlir::Value floatToInt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                       mlir::IntegerType to) {
  const unsigned bits = to.getWidth();
  if (bits == 8)
    return floatToByte(b, loc, value);
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
  mlir::Type i32 = b.getI32Type();
  mlir::Value wide = arith::FPToSIOp::create(b, loc, i32, inside);
  const int64_t high = (int64_t(1) << (bits - 1)) - 1, low = -high - 1;
  wide = arith::SelectOp::create(b, loc, tooHigh, constantInt(b, loc, i32, high), wide);
  wide = arith::SelectOp::create(b, loc, tooLow, constantInt(b, loc, i32, low), wide);
  return wide;
}

mlir::Value toF32(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value) {
  return emitConversion(b, loc, value, b.getF32Type());
}

bool isInteger(mlir::Type type) { return type.isInteger() && !type.isInteger(1); }

// By -1, 0 and 1 it is 0; for their sake a quotient has a divisor that is none of them, so that it
// neither overflows nor divides by 0.
mlir::Value emitRemainder(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y) {
  const auto number = [&](int64_t value) { return constantInt(b, loc, x.getType(), value); };
  mlir::Value near = arith::MinSIOp::create(
      b, loc, arith::MaxSIOp::create(b, loc, y, number(-1)).getResult(), number(1));
  mlir::Value isUnit = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, y, near);
  mlir::Value divisor = arith::SelectOp::create(b, loc, isUnit, number(2), y);
  mlir::Value quotient = arith::FloorDivSIOp::create(b, loc, x, divisor);
  mlir::Value rest = arith::SubIOp::create(
      b, loc, x, arith::MulIOp::create(b, loc, quotient, divisor).getResult());
  return arith::SelectOp::create(b, loc, isUnit, number(0), rest);
}

/// An operation on i32.
mlir::Value emitInteger(mlir::OpBuilder &b, mlir::Location loc, Operation operation,
                        mlir::ValueRange operands) {
  mlir::Value x = operands[0], y = operands.back();
  const auto negative = [&]() -> mlir::Value {
    return arith::MulIOp::create(b, loc, x, constantInt(b, loc, x.getType(), -1));
  };
  const auto compare = [&](arith::CmpIPredicate predicate) -> mlir::Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  switch (operation) {
  case Operation::negate:
    return negative();
  case Operation::abs:
    return arith::MaxSIOp::create(b, loc, x, negative());
  case Operation::add:
    return arith::AddIOp::create(b, loc, x, y);
  case Operation::subtract:
    return arith::SubIOp::create(b, loc, x, y);
  case Operation::multiply:
    return arith::MulIOp::create(b, loc, x, y);
  case Operation::remainder:
    return emitRemainder(b, loc, x, y);
  case Operation::minimum:
    return arith::MinSIOp::create(b, loc, x, y);
  case Operation::maximum:
    return arith::MaxSIOp::create(b, loc, x, y);
  case Operation::equal:
    return compare(arith::CmpIPredicate::eq);
  case Operation::notEqual:
    return compare(arith::CmpIPredicate::ne);
  case Operation::less:
    return compare(arith::CmpIPredicate::slt);
  case Operation::lessEqual:
    return compare(arith::CmpIPredicate::sle);
  case Operation::greater:
    return compare(arith::CmpIPredicate::sgt);
  case Operation::greaterEqual:
    return compare(arith::CmpIPredicate::sge);
  case Operation::select:
    return arith::SelectOp::create(b, loc, x, operands[1], y);
  default:
    llvm_unreachable("no operation on integers");
  }
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

// Long: one case for each operation.
mlir::Value emitElement(mlir::OpBuilder &b, mlir::Location loc, Operation operation,
                        mlir::ValueRange operands) {
  if (operation == Operation::logicalAnd)
    return arith::AndIOp::create(b, loc, operands[0], operands[1]);
  if (operation == Operation::logicalOr)
    return arith::OrIOp::create(b, loc, operands[0], operands[1]);
  if (operation == Operation::logicalNot)
    return arith::XOrIOp::create(b, loc, operands[0],
                                 constantInt(b, loc, operands[0].getType(), 1));
  if (isInteger(operands.back().getType()))
    return emitInteger(b, loc, operation, operands);
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
  case Operation::log1p:
    return math::Log1pOp::create(b, loc, x);
  case Operation::expm1:
    return math::ExpM1Op::create(b, loc, x);
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
  case Operation::remainder: // of integers alone
  case Operation::cast:
  case Operation::product:
  case Operation::transpose:
  case Operation::logicalAnd:
  case Operation::logicalOr:
  case Operation::logicalNot:
  case Operation::reduce:
  case Operation::cumulate:
  case Operation::extent:
  case Operation::squeeze:
  case Operation::reshape:
  case Operation::access:
  case Operation::position:
  case Operation::random:
    break;
  }
  llvm_unreachable("not an elementwise operation");
}

mlir::TypedAttr identityOf(mlir::OpBuilder &b, Reduction reduction, mlir::Type element) {
  const auto number = [&](double ofFloats, int64_t ofIntegers) -> mlir::TypedAttr {
    if (mlir::isa<mlir::FloatType>(element))
      return b.getFloatAttr(element, ofFloats);
    return b.getIntegerAttr(element, ofIntegers);
  };
  const unsigned bits = element.getIntOrFloatBitWidth();
  const double infinity = std::numeric_limits<double>::infinity();
  switch (reduction) {
  case Reduction::sum:
  case Reduction::any:
    return number(0, 0);
  case Reduction::product:
  case Reduction::all:
    return number(1, 1);
  case Reduction::maximum:
  case Reduction::argmax:
    return number(-infinity, llvm::minIntN(bits));
  case Reduction::minimum:
  case Reduction::argmin:
    return number(infinity, llvm::maxIntN(bits));
  }
  llvm_unreachable("reduction");
}

namespace {

/// An element takes the place of the best if it is beyond it, or is the first NaN.
mlir::Value isBeyond(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value best,
                     bool isMaximum) {
  if (!mlir::isa<mlir::FloatType>(x.getType()))
    return arith::CmpIOp::create(
        b, loc, isMaximum ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, x, best);
  // True also where one of them is NaN.
  mlir::Value beyond = arith::CmpFOp::create(
      b, loc, isMaximum ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT, x, best);
  mlir::Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
  return arith::AndIOp::create(b, loc, beyond, isNumber);
}

} // namespace

llvm::SmallVector<mlir::Value, 2> emitReduction(mlir::OpBuilder &b, mlir::Location loc,
                                                Reduction reduction, mlir::ValueRange arguments,
                                                unsigned dimension) {
  mlir::Value x = arguments[0], before = arguments[1];
  const bool isFloat = mlir::isa<mlir::FloatType>(x.getType());
  switch (reduction) {
  case Reduction::sum:
    if (isFloat)
      return {arith::AddFOp::create(b, loc, before, x)};
    return {arith::AddIOp::create(b, loc, before, x)};
  case Reduction::product:
    if (isFloat)
      return {arith::MulFOp::create(b, loc, before, x)};
    return {arith::MulIOp::create(b, loc, before, x)};
  case Reduction::maximum:
    if (isFloat)
      return {arith::MaximumFOp::create(b, loc, before, x)};
    return {arith::MaxSIOp::create(b, loc, before, x)};
  case Reduction::minimum:
    if (isFloat)
      return {arith::MinimumFOp::create(b, loc, before, x)};
    return {arith::MinSIOp::create(b, loc, before, x)};
  case Reduction::any:
    return {arith::OrIOp::create(b, loc, before, x)};
  case Reduction::all:
    return {arith::AndIOp::create(b, loc, before, x)};
  case Reduction::argmax:
  case Reduction::argmin: {
    mlir::Value takes = isBeyond(b, loc, x, before, reduction == Reduction::argmax);
    mlir::Value index = arith::IndexCastOp::create(
        b, loc, b.getI32Type(), mlir::linalg::IndexOp::create(b, loc, dimension));
    return {arith::SelectOp::create(b, loc, takes, x, before),
            arith::SelectOp::create(b, loc, takes, index, arguments[2])};
  }
  }
  llvm_unreachable("reduction");
}

mlir::Value numberOfCondition(mlir::OpBuilder &b, mlir::Location loc, mlir::Value condition) {
  mlir::Value one = constant(b, loc, 1), zero = constant(b, loc, 0);
  return arith::SelectOp::create(b, loc, condition, one, zero);
}

mlir::Value conditionOfNumber(mlir::OpBuilder &b, mlir::Location loc, mlir::Value number) {
  mlir::Value zero = constant(b, loc, 0);
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, number, zero);
}

} // namespace mmk
