// What a reduction of a cpu.rows holds while it combines elements: one value for each lane.
#pragma once

#include "codegen/emitter.h"
#include "cpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mmk {

/// The vectors of one state: the combined elements; of argmax and argmin, the positions too; of the
/// total of a sum of floats, what rounding has lost; of a maximum or minimum of floats, its
/// extremes.
using Parts = llvm::SmallVector<llvm::Value *, 2>;

class Accumulator {
public:
  Accumulator(Emitter &e, cpu::ReduceOp op) : e(&e), b(&e.b), op(op) {}

  cpu::ReduceOp reduction() { return op; }
  /// What it takes: the element of the reduction; of its largest or smallest float, the one before
  /// it was widened, as that keeps the order.
  mlir::Value element();
  bool hasPosition() { return op.getPosition() != nullptr; }
  /// The state of no elements.
  Parts start();
  /// The state of `element`, at `position` (i32; null where the reduction has none).
  Parts ofElement(llvm::Value *element, llvm::Value *position);
  /// The product that a sum takes the elements from; null where there is none.
  mlir::arith::MulFOp product();
  /// Also of `x` times `y`, of a product.
  Parts takeProduct(const Parts &before, llvm::Value *x, llvm::Value *y);
  /// Also of `element`.
  Parts take(const Parts &before, llvm::Value *element, llvm::Value *position);
  Parts joined(const Parts &x, const Parts &y);
  /// `element` in the lanes of `mask`, else what changes nothing.
  llvm::Value *masked(llvm::Value *mask, llvm::Value *element);

  /// A total of many states. Floats are added to it without losing what rounding cuts off, so that
  /// the error of a sum is that of a state.
  Parts startTotal();
  Parts addToTotal(const Parts &total, const Parts &state);
  /// The result of each lane, and its position: of a state alone, and of a total.
  Parts ofState(const Parts &state);
  Parts ofTotal(const Parts &total);
  llvm::SmallVector<llvm::Type *, 2> typesOfTotal();

  /// The result of all lanes, in each lane.
  Parts acrossLanes(const Parts &result);

private:
  bool isFloat();
  bool isSumOfFloats();
  bool isLargest();
  /// Whether the state is the bits of floats as integers: the largest with a sign, the least and
  /// the largest without. Numbers without a sign bit are in order as integers, those with one in
  /// reverse order, and NaN is beyond the infinity of its sign. An instruction each, where a
  /// maximum that propagates NaN and orders zeros takes six.
  bool isOfExtremes();
  llvm::Value *ofExtremes(const Parts &extremes);
  llvm::Type *typeOfElement();
  /// The same in all lanes.
  llvm::Value *bits(const llvm::APInt &value);
  llvm::Value *identity();
  llvm::Value *combined(llvm::Value *x, llvm::Value *y);
  /// Whether `x` takes the place of `best`, which precedes it.
  llvm::Value *isBeyond(llvm::Value *x, llvm::Value *best);

  Emitter *e;
  llvm::IRBuilder<> *b;
  cpu::ReduceOp op;
};

} // namespace mmk
