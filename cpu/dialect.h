// The cpu dialect: the work of a thread of the host CPU. See Cpu.td, from which its reference is
// generated.
#pragma once

#include "ir/aicore.h"

#include "cpu/CpuDialect.h.inc"

#define GET_OP_CLASSES
#include "cpu/CpuOps.h.inc"

namespace mmk::cpu {

/// Whether it is a function of tens of instructions, such as exp.
bool isLongFunction(mlir::Operation *op);

} // namespace mmk::cpu
