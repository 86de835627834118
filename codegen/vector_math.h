// exp, log, log(1 + x), exp(x) - 1, tanh and erf on vectors of f32, to at most 2 units in the last
// place; NaN stays NaN.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

llvm::Value *emitExp(Emitter &e, llvm::Value *x);
llvm::Value *emitLog(Emitter &e, llvm::Value *x);
/// log(1 + x) and exp(x) - 1, as exact near 0 as elsewhere.
llvm::Value *emitLog1p(Emitter &e, llvm::Value *x);
llvm::Value *emitExpM1(Emitter &e, llvm::Value *x);
llvm::Value *emitTanh(Emitter &e, llvm::Value *x);
llvm::Value *emitErf(Emitter &e, llvm::Value *x);

/// log(1 + exp(-|x|)).
llvm::Value *emitSoftplusTail(Emitter &e, llvm::Value *x);

/// x/2 (1 + erf(x / sqrt(2))), and with `isApproximate` the form with tanh, as one function: within
/// 2.5 units in the last place of the result from -1 on, and of 0.3 x below. The results for
/// infinities are those of the formulas. Null where the CPU has no permutation of lanes.
llvm::Value *emitGelu(Emitter &e, llvm::Value *x, bool isApproximate);

} // namespace mmk
