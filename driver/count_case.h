// The clock of a compiled kernel at a case.
#pragma once

#include "codegen/count.h"
#include "compiler/compiler.h"
#include "driver/ending.h"
#include "driver/run_case.h"

namespace mmk::driver {

/// A program that cannot be counted is a Bug.
inline ClockReport countCase(Lowering &lowering, const Machine &machine, const Kernel &kernel,
                             const RunCase &run, EventSink *events = nullptr) {
  std::vector<int64_t> dims;
  for (const std::string &dimension : kernel.dimensions)
    dims.push_back(run.dims.at(dimension));
  llvm::Expected<ClockReport> report = countKernel(lowering.kernel(), machine, dims, events);
  if (!report)
    throw Bug(llvm::toString(report.takeError()));
  return *report;
}

} // namespace mmk::driver
