// erf and tanh as the instructions of which a vector core makes them: there is none for either.
// They are the same to the bit as those of the kernel that `--emit=ascendc` writes
// (ascendc/vector_functions.cpp), up to the bits of Exp.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

llvm::Value *emitErfOfInstructions(Emitter &e, llvm::Value *x);
llvm::Value *emitTanhOfInstructions(Emitter &e, llvm::Value *x);

} // namespace mmk
