// Index arithmetic that reads like a formula.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

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
  /// condition ? x : y
  Value choose(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
};

} // namespace mmk
