// Gives commands access to the store of tuning results. They work without it, but slower.
#pragma once

#include "cli/environment.h"
#include "cli/run_case.h"
#include "driver/session.h"
#include "store/store.h"
#include "tune/verifier.h"

namespace mmk::driver {

std::vector<tune::RunShape> runShapes(const Kernel &kernel, const std::vector<RunCase> &runs);

/// Folder of the store, below that of compiled code; empty when it cannot be made.
std::string memoryFolder();

/// Opens the store and reads the entries of these shapes. Null, with a warning, where it cannot be
/// used.
std::unique_ptr<tune::Store> openMemory(const Kernel &kernel, const Machine &machine,
                                        const std::vector<tune::RunShape> &shapes,
                                        tune::Known &known);

/// The best known variant of a case.
struct KnownVariant {
  Choices choices;      ///< none where none is better than the chosen one
  std::string tunedFor; ///< the dimensions where it is the best: "M=2048,N=1024,K=512"
  /// Microseconds of a faster one that was never checked; 0: none is known.
  double uncheckedUs = 0;
  bool operator==(const KnownVariant &) const = default;
};

/// For each run the best checked variant in the store for its dimensions. Where there is none, the
/// clock chooses among the best ones at the nearest dimensions, and those of another build, another
/// user or other figures of the machine; one has to take fewer than `cycles`, what the case takes
/// otherwise (0: not known). Empty when the store has none.
std::vector<KnownVariant> knownVariants(Session &session, const Kernel &kernel,
                                        const std::vector<RunCase> &runs,
                                        const std::vector<int64_t> &cycles);

} // namespace mmk::driver
