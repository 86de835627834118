// Arithmetic on values that reads like a formula: on indices, and on f32.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mmk {

struct Arithmetic {
  mlir::OpBuilder &b;
  mlir::Location loc;

  using Value = mlir::Value;
  Value number(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, Value y) { return mlir::arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulIOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivSIOp::create(b, loc, x, y); }
  Value rem(Value x, Value y) { return mlir::arith::RemSIOp::create(b, loc, x, y); }
  Value ceilDiv(Value x, Value y) { return mlir::arith::CeilDivSIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) { return mlir::arith::MinSIOp::create(b, loc, x, y); }
  Value max(Value x, Value y) { return mlir::arith::MaxSIOp::create(b, loc, x, y); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value isLess(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::slt, x, y); }
  Value isEqual(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::eq, x, y); }
  /// condition ? x : y
  Value choose(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
};

/// Elements of f32, computed in front of an operation.
struct FloatArithmetic {
  explicit FloatArithmetic(mlir::Operation &at) : b(&at), loc(at.getLoc()) {}

  using Value = mlir::Value;
  Value number(double value) {
    return mlir::arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value add(Value x, double y) { return mlir::arith::AddFOp::create(b, loc, x, number(y)); }
  Value mul(Value x, double y) { return mul(x, number(y)); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, loc, x, y); }
  Value min(Value x, double y) { return mlir::arith::MinimumFOp::create(b, loc, x, number(y)); }
  Value max(Value x, double y) { return mlir::arith::MaximumFOp::create(b, loc, x, number(y)); }
  Value exp(Value x) { return mlir::math::ExpOp::create(b, loc, x); }
  Value log(Value x) { return mlir::math::LogOp::create(b, loc, x); }

  mlir::OpBuilder b;
  mlir::Location loc;
};

} // namespace mmk
