// Random numbers of a position: Philox4x32-10, as reference/random.h has it.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// The f32 in [0, 1) of a seed, an i32, and of each position, a vector of i64.
llvm::Value *emitRandom(Emitter &e, llvm::Value *seed, llvm::Value *positions);

} // namespace mmk
