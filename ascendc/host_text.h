// The texts beside the kernel: the host program, the registration with PyTorch, the build, the
// README.
#pragma once

#include "ascendc/architecture.h"
#include "ascendc/project.h"

namespace mmk::ascendc {

std::string hostProgram(aicore::KernelOp kernel, const ProjectFacts &facts);
std::string torchRegistration(aicore::KernelOp kernel, const Kernel &checked);
std::string buildFile(const Kernel &kernel, Architecture architecture);
std::string readme(const ProjectFacts &facts, Architecture architecture);

} // namespace mmk::ascendc
