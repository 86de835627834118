// The passes that insert flags and prove them.
#pragma once

#include "ir/aicore.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mmk {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "sync/Passes.h.inc"

/// The message of aicore-verify-sync on a phase that takes too long to prove, with
/// DiagnosticCode::beyondProof. It is its only message that is no fault of the flags.
inline constexpr llvm::StringLiteral beyondProof =
    "the synchronisation of this phase has too many states to be followed; fewer copies (buffers) "
    "have fewer";

} // namespace mmk
