// Whether an operand can be multiplied by instructions that take subnormal numbers for zero. One
// of them times a number large enough would be missed, or make NaN of an infinity.
#pragma once

#include "codegen/emitter.h"
#include "codegen/epilogue.h"

namespace mmk {

/// i1: none of rows x columns bf16 is subnormal. An operand that is dense neither along its rows
/// nor along its columns is not searched, and counts as if one were. It is read once, which for a
/// product of some hundred rows takes a hundredth of its time.
llvm::Value *hasNoSubnormals(Emitter &e, const Plane &plane, llvm::Value *rows,
                             llvm::Value *columns);

} // namespace mmk
