// The C header of a kernel that was compiled ahead of time.
#pragma once

#include "ir/aicore.h"
#include "machines/machine.h"

#include "llvm/IR/Module.h"

#include <string>

namespace mmk {

/// A header for C and C++ with one inline function, named as the kernel: it lays out the arguments
/// and the on-chip memories as the object expects them, and runs the cores one after the other in
/// the caller's thread. It needs the object and the C library, nothing of mmk. `variant` and `cpu`
/// are for its comment.
std::string cHeader(aicore::KernelOp kernel, const Machine &machine, const std::string &variant,
                    const std::string &cpu);

/// Makes the names of the functions that the header calls unique to the kernel: "gemm_mmk_phase_0"
/// for "mmk_phase_0".
void nameAfterKernel(llvm::Module &module, aicore::KernelOp kernel);

} // namespace mmk
