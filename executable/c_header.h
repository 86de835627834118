// The C header of a kernel that was compiled ahead of time.
#pragma once

#include "ir/aicore.h"
#include "machines/machine.h"

#include "llvm/IR/Module.h"

#include <string>

namespace mmk {

/// Dimensions that follow from others, each behind those that it reads.
struct DerivedInC {
  struct Dimension {
    std::string name;
    std::string meaning; ///< "(H - 1) / 2 + 1"
    std::string value;   ///< the same in C, where dimensions have the names of dimensionInC
  };
  std::vector<Dimension> dimensions;
  std::string functions; ///< that values call
};

/// A header for C and C++ with one inline function, named as the kernel: it lays out the arguments
/// and the on-chip memories as the object expects them, and runs the cores one after the other in
/// the caller's thread. It needs the object and the C library, nothing of mmk. `variant` and `cpu`
/// are for its comment. A dimension of `derived` that the caller leaves 0 is computed; each stands
/// behind those that it reads.
std::string cHeader(aicore::KernelOp kernel, const Machine &machine, const std::string &variant,
                    const std::string &cpu, const DerivedInC &derived);

/// The variable of the header's function that has the extent of a dimension.
std::string dimensionInC(llvm::StringRef name);

/// Makes the names of the functions that the header calls unique to the kernel: "gemm_mmk_phase_0"
/// for "mmk_phase_0".
void nameAfterKernel(llvm::Module &module, aicore::KernelOp kernel);

} // namespace mmk
