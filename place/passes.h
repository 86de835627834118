// The passes that assign tiles to the memories of an AI core.
#pragma once

#include "ir/aicore.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mmk {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "place/Passes.h.inc"

} // namespace mmk
