// Loops over elements side by side, a vector of lanes after the other: several vectors at a time
// that need not wait for each other, then fewer, and what is left of a last one.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// Elements from `first` to `end`. `steps`: vectors at a time, of each kind of step as many as
/// there are whole ones; the rest is computed a vector at a time, of which some lanes count.
struct LaneLoop {
  llvm::Value *first, *end;
  llvm::SmallVector<int64_t, 2> steps;
};

/// A vector of a step.
struct LaneStep {
  llvm::Value *at;    ///< its first element
  llvm::Value *count; ///< elements from there on, of which it may have some only; null: it has all
  int64_t number, together; ///< of the vectors of its step
};

using Carried = llvm::SmallVector<llvm::Value *>;
using LaneBody = llvm::function_ref<Carried(const LaneStep &, llvm::ArrayRef<llvm::Value *>)>;

/// Carries values from vector to vector, which begin as `start`. Each vector of a step has its own,
/// of which `join` makes one at the end.
Carried emitLoop(Emitter &e, const LaneLoop &loop, llvm::ArrayRef<llvm::Value *> start,
                 llvm::function_ref<Carried(llvm::ArrayRef<llvm::Value *>, int64_t together)> join,
                 LaneBody body);
/// The same where steps have one vector.
Carried emitLoop(Emitter &e, const LaneLoop &loop, llvm::ArrayRef<llvm::Value *> start,
                 LaneBody body);
void emitLoop(Emitter &e, const LaneLoop &loop, llvm::function_ref<void(const LaneStep &)> body);

} // namespace mmk
