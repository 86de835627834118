// The memory of tuning, as the commands use it: without it everything works, only slower.
#pragma once

#include "cli/environment.h"
#include "cli/run_case.h"
#include "driver/session.h"
#include "store/store.h"
#include "tune/verifier.h"

namespace mmk::driver {

std::vector<tune::RunShape> runShapes(const Kernel &kernel, const std::vector<RunCase> &runs);

/// Folder of the memory, below that of compiled code; empty when there can be none.
std::string memoryFolder();

/// Opens the memory and reads what it knows of these shapes. Null, with a warning, where it cannot
/// be used.
std::unique_ptr<tune::Store> openMemory(const Kernel &kernel, const Machine &machine,
                                        const std::vector<tune::RunShape> &shapes,
                                        tune::Known &known);

/// What a case is best run as.
struct KnownVariant {
  std::string variant;  ///< empty: the default of the schedule
  std::string tunedFor; ///< the dimensions where it is the best: "M=2048,N=1024,K=512"
  bool operator==(const KnownVariant &) const = default;
};

/// For each run the best checked variant that is remembered for its dimensions. Where there is
/// none, the clock chooses among the default and those that are the best at the nearest dimensions,
/// or that another build or another user has found. Empty when nothing is remembered.
std::vector<KnownVariant> knownVariants(Session &session, const Kernel &kernel,
                                        const std::vector<RunCase> &runs);

} // namespace mmk::driver
