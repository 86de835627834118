// exp, log, tanh and erf on vectors of f32, to at most 2 units in the last place; NaN stays NaN.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

llvm::Value *emitExp(Emitter &e, llvm::Value *x);
llvm::Value *emitLog(Emitter &e, llvm::Value *x);
llvm::Value *emitTanh(Emitter &e, llvm::Value *x);
llvm::Value *emitErf(Emitter &e, llvm::Value *x);

/// x/2 (1 + erf(x / sqrt(2))), and with `isApproximate` the form with tanh, as one function: within
/// 2.5 units in the last place of the result from -1 on, and of 0.3 x below. What these formulas
/// give for infinities, it does. Null where the CPU has no tables.
llvm::Value *emitGelu(Emitter &e, llvm::Value *x, bool isApproximate);

/// log(1 + exp(-|x|)), to at most 2 units in the last place up to 17; from there on it is less than
/// 2^-24, and so is the error. Null where the CPU has no tables.
llvm::Value *emitSoftplusTail(Emitter &e, llvm::Value *x);

} // namespace mmk
