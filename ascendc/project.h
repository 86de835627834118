// A kernel's variant as a project for the real chip: the kernel in Ascend C, a host program that
// makes data, runs, checks and times it, the registration with PyTorch, and how it is built.
#pragma once

#include "frontend/kernel.h"
#include "ir/aicore.h"

#include <string>
#include <vector>

namespace mmk::ascendc {

struct ProjectFile {
  std::string name, text;
};

/// What the project states about its variant, and what its host program checks.
struct ProjectFacts {
  const SourceFile &file; ///< the user's text
  const Kernel &kernel;
  std::string variant;
  /// The clock's prediction, one line for each shape; empty where no shape is named.
  std::vector<std::string> predictions;
  /// The dimensions of the host program's run where its command line names none, by name.
  std::vector<std::pair<std::string, int64_t>> shape;
};

/// The files of the project. What cannot be written is an error of the IR's context, at its place
/// in the user's text; then there are none.
mlir::FailureOr<std::vector<ProjectFile>> projectOf(aicore::KernelOp kernel,
                                                    const ProjectFacts &facts);

} // namespace mmk::ascendc
