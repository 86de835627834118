// Sums across the lanes of vectors.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// The lanes of each of up to four vectors, of f32 or i32, added up: a vector of four sums.
llvm::Value *horizontalSums(Emitter &e, llvm::ArrayRef<llvm::Value *> vectors);

} // namespace mmk
