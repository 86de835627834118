// exp, log, tanh and erf on vectors of f32, to at most 2 units in the last place; NaN stays NaN.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

llvm::Value *emitExp(Emitter &e, llvm::Value *x);
llvm::Value *emitLog(Emitter &e, llvm::Value *x);
llvm::Value *emitTanh(Emitter &e, llvm::Value *x);
llvm::Value *emitErf(Emitter &e, llvm::Value *x);

} // namespace mmk
