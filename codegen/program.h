// The program of a kernel -> LLVM IR: functions of the host CPU that compute its results.
#pragma once

#include "ir/aicore.h"
#include "jit/target.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace mmk {

/// Names of the functions of a compiled kernel: phases "mmk_phase_0", ..., their plans
/// ("mmk_plan_0"; codegen/plan.h), workspaces.
std::string phaseName(unsigned index);
std::string planName(unsigned index);
inline constexpr const char *workspacesName = "mmk_workspaces";

/// The program of each phase as a function of runtime/abi.h. Flags only order pipes in time, so
/// they are no code: instructions run in program order. The kernel has to be planned (byte
/// offsets). A `watched` program calls its watch before each of watchedOps()
/// (codegen/watch_calls.h).
llvm::Expected<std::unique_ptr<llvm::Module>> emitProgram(aicore::KernelOp kernel,
                                                          const CodeTarget &target,
                                                          llvm::LLVMContext &context,
                                                          bool watched = false);

} // namespace mmk
