// What a reduction of a cpu.rows holds while it combines elements: one value for each lane.
#pragma once

#include "codegen/emitter.h"
#include "cpu/dialect.h"

namespace mmk {

/// The vectors of one state: the combined elements; of argmax and argmin, the positions too; of the
/// total of a sum of floats, what rounding has lost.
using Parts = llvm::SmallVector<llvm::Value *, 2>;

class Accumulator {
public:
  Accumulator(Emitter &e, cpu::ReduceOp op) : e(&e), b(&e.b), op(op) {}

  cpu::ReduceOp reduction() { return op; }
  bool hasPosition() { return op.getPosition() != nullptr; }
  /// The state of no elements.
  Parts start();
  /// Also of `element`, at `position` (i32; null where the reduction has none).
  Parts take(const Parts &before, llvm::Value *element, llvm::Value *position);
  Parts joined(const Parts &x, const Parts &y);
  /// `element` in the lanes of `mask`, else what changes nothing.
  llvm::Value *masked(llvm::Value *mask, llvm::Value *element);

  /// A total of many states. Floats are added to it without losing what rounding cuts off, so that
  /// the error of a sum is that of a state.
  Parts startTotal();
  Parts addToTotal(const Parts &total, const Parts &state);
  Parts ofTotal(const Parts &total);
  llvm::SmallVector<llvm::Type *, 2> typesOfTotal();

  /// The state of all lanes, in each lane.
  Parts acrossLanes(const Parts &state);

private:
  bool isFloat();
  bool isSumOfFloats();
  bool isLargest();
  llvm::Value *identity();
  llvm::Value *combined(llvm::Value *x, llvm::Value *y);
  /// Whether `x` takes the place of `best`, which precedes it.
  llvm::Value *isBeyond(llvm::Value *x, llvm::Value *best);

  Emitter *e;
  llvm::IRBuilder<> *b;
  cpu::ReduceOp op;
};

} // namespace mmk
