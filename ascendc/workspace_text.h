// Global memory that a kernel needs beside its tensors: a piece of each block, in which its cores
// meet, and behind these the tensors that one pass leaves for the next.
#pragma once

#include "frontend/kernel.h"
#include "ir/aicore.h"

#include <string>

namespace mmk::ascendc {

/// Bytes of the pieces of all blocks; 0: none.
int64_t meetingBytes(aicore::KernelOp kernel);
/// Bytes of the piece of one.
int64_t meetingBytesOfBlock(aicore::KernelOp kernel);

/// Whether a launch takes an address of such memory.
bool hasWorkspace(aicore::KernelOp kernel);

/// C++ functions of the host: NAME_workspace_bytes(dimensions that follow from no other), and those
/// that it calls. Nothing for a kernel without such memory.
std::string workspaceFunctions(aicore::KernelOp kernel, const Kernel &checked);

/// Statements of the launch: a variable with the address of each tensor between passes.
std::string workspaceAddresses(aicore::KernelOp kernel);

} // namespace mmk::ascendc
