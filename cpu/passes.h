// The passes of the CPU.
#pragma once

#include "cpu/dialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mmk {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "cpu/Passes.h.inc"

} // namespace mmk
