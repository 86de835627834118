// Random numbers of a position: Philox4x32-10, as reference/random.h has it.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// The f32 in [0, 1) of a seed, an i32, and of each position, a vector of i64.
llvm::Value *emitRandom(Emitter &e, llvm::Value *seed, llvm::Value *positions);

/// Those of `lanes` positions from `first` on, an i64: a block of Philox has four, so a run of them
/// is computed at once and kept in the frame of the function for the next vectors. `number` tells
/// the sequences of a function apart.
llvm::Value *emitRandomRun(Emitter &e, llvm::Value *seed, llvm::Value *first, unsigned lanes,
                           unsigned number);

} // namespace mmk
