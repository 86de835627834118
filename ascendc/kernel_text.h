// The function of a kernel as Ascend C: its buffers, loops and branches, and the instructions in
// them.
#pragma once

#include "ir/aicore.h"
#include "support/source.h"

#include <string>

namespace mmk::ascendc {

/// The `__global__` function. An operation that is not written as Ascend C is an error of the IR's
/// context, at its place in the user's text, `file`; then there is none.
mlir::FailureOr<std::string> kernelText(aicore::KernelOp kernel, const SourceFile &file);

/// The kinds of core that run a kernel.
enum class Cores { cube, vector, both };
Cores coresOf(aicore::KernelOp kernel);

/// The greatest number of a flag between cores, and what sets it; -1 without one.
std::pair<int64_t, aicore::SetCrossOp> lastCrossFlag(aicore::KernelOp kernel);
/// Of those that CANN 8.5 has, and CANN 9 beside SyncAll (asc-devkit: CrossCoreSetFlag).
inline constexpr int64_t mostCrossFlag = 10;

/// The name of the kernel's function: another than that of each tensor.
std::string functionOf(aicore::KernelOp kernel);

/// The name of a parameter of the kernel's function: "a_gm" for the address of the tensor a.
std::string addressOf(llvm::StringRef tensor);

/// Whether a text has this word outside of its comments.
bool mentions(llvm::StringRef text, llvm::StringRef word);

/// A parameter of a function: "int64_t M", or "int64_t /* M */" where its body does not mention it.
std::string parameterText(const std::string &type, const std::string &name, llvm::StringRef body);

} // namespace mmk::ascendc
