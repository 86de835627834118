// The clock of a compiled kernel at a case.
#pragma once

#include "backend/backend.h"
#include "cli/ending.h"
#include "cli/run_case.h"
#include "compiler/compiler.h"
#include "count/count.h"
#include "frontend/whole_range.h"
#include "support/timing.h"

namespace mmk::driver {

inline std::vector<int64_t> dimsOf(const Kernel &kernel, const RunCase &run) {
  std::vector<int64_t> dims;
  for (const std::string &dimension : kernel.dimensions)
    dims.push_back(run.dims.at(dimension));
  return dims;
}

/// Why a case is too large for the variant; empty when it is not.
inline std::string limitProblem(Lowering &lowering, const Kernel &kernel, const RunCase &run) {
  const auto machine = aicore::machineOf(lowering.kernel());
  if (machine && !backendOf(machine).hasWideIntegers())
    if (std::string problem = beyond32Bits(kernel, run.dims); !problem.empty())
      return problem;
  return lowering.kernel().limitProblem(dimsOf(kernel, run));
}

/// Such a case is a UserError.
inline void expectWithinLimits(Lowering &lowering, const Kernel &kernel, const RunCase &run) {
  if (const std::string problem = limitProblem(lowering, kernel, run); !problem.empty())
    throw UserError(run.title() + ": " + problem);
}

/// What a case binds, and with `tensors` of i32 also these: their elements by parameter, or null.
inline std::vector<KnownParameter> knownParameters(const Kernel &kernel, const RunCase &run,
                                                   llvm::ArrayRef<const int32_t *> tensors) {
  std::vector<KnownParameter> known(kernel.parameters.size());
  for (size_t i = 0; i < known.size(); ++i) {
    const Parameter &parameter = kernel.parameters[i];
    if (parameter.isScalar() && parameter.type == ElementType::i32)
      known[i].scalar = static_cast<int32_t>(run.scalars[i]);
    if (i < tensors.size())
      known[i].elements = tensors[i];
  }
  return known;
}

/// A program that cannot be counted is a Bug. `tensors`: as for knownParameters.
inline ClockReport countCase(Lowering &lowering, const Machine &machine, const Kernel &kernel,
                             const RunCase &run, EventSink *events = nullptr,
                             llvm::ArrayRef<const int32_t *> tensors = {}) {
  const TimedScope timed("count");
  expectWithinLimits(lowering, kernel, run);
  const std::vector<int64_t> dims = dimsOf(kernel, run);
  llvm::Expected<ClockReport> report =
      countCall(lowering.kernel(), machine, {dims, knownParameters(kernel, run, tensors)}, events);
  if (!report)
    throw Bug(llvm::toString(report.takeError()));
  return *report;
}

} // namespace mmk::driver
