// Times a run repeatedly, until the times agree or a limit is reached.
#pragma once

#include "support/statistics.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mmk::driver {

struct SamplingLimits {
  int64_t warmup = 3;      ///< runs before the first sample
  int64_t fewest = 10;     ///< samples, before any other limit applies
  double least = 0.2;      ///< seconds, likewise: the clock of a CPU changes more slowly than that
  int64_t most = 1000;     ///< samples
  double seconds = 3;      ///< for all of it
  double deviation = 0.05; ///< relative standard deviation that is small enough
};

enum class StoppedBy { deviation, samples, seconds };
/// "deviation", "samples", "seconds"
std::string_view nameOf(StoppedBy reason);

struct Series {
  std::vector<double> samples; ///< milliseconds of one run, in the order in which they were taken
  int64_t runsPerSample = 1;   ///< a sample is the mean of so many: short runs are timed together
  StoppedBy stoppedBy = StoppedBy::deviation;

  Summary summary() const { return summarise(samples); }
};

/// `run` returns its time in milliseconds; `onSample` receives the number of samples.
Series sample(const SamplingLimits &limits, llvm::function_ref<double()> run,
              llvm::function_ref<void(size_t)> onSample);

} // namespace mmk::driver
