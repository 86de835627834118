// The cpu dialect: what a thread of the host CPU does. See Cpu.td, from which its reference is
// generated.
#pragma once

#include "ir/aicore.h"

#include "cpu/CpuDialect.h.inc"

#define GET_OP_CLASSES
#include "cpu/CpuOps.h.inc"
