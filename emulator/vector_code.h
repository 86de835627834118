// LLVM IR of each vector instruction: the functional code of the table of vector instructions
// (machines/vector_instructions.h).
#pragma once

#include "codegen/emitter.h"
#include "ir/aicore.h"

namespace mmk {

/// The result of `instruction` on vectors of its operands; numbers are LLVM vectors of their type,
/// masks vectors of i1.
llvm::Value *emitVectorInstruction(Emitter &e, aicore::VecOp instruction,
                                   llvm::ArrayRef<llvm::Value *> operands);

/// Whether the instruction of that name has code.
bool hasVectorCode(std::string_view name);

} // namespace mmk
