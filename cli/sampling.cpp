#include "cli/sampling.h"

#include "cli/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace mmk::driver {
namespace {

/// A sample lasts at least so long: a thousand times what reading the clock takes.
constexpr double shortestSampleMs = 0.05;

/// Mean, and sum of squares around it, of the samples so far.
struct Running {
  double count = 0, mean = 0, squares = 0;
  void add(double value) {
    const double before = value - mean;
    mean += before / ++count;
    squares += before * (value - mean);
  }
  double relativeDeviation() const {
    return count > 1 ? std::sqrt(squares / (count - 1)) / mean : 0;
  }
};

} // namespace

std::string_view nameOf(StoppedBy reason) {
  switch (reason) {
  case StoppedBy::deviation:
    return "deviation";
  case StoppedBy::samples:
    return "samples";
  case StoppedBy::seconds:
    return "seconds";
  }
  return "";
}

Series sample(const SamplingLimits &limits, llvm::function_ref<double()> run,
              llvm::function_ref<void(size_t)> onSample) {
  const Stopwatch stopwatch;
  double shortest = run();
  for (int64_t i = 1; i < limits.warmup; ++i)
    shortest = std::min(shortest, run());
  Series series;
  series.runsPerSample =
      static_cast<int64_t>(std::clamp(std::ceil(shortestSampleMs / shortest), 1.0, 1000.0));

  Running running;
  const auto most = static_cast<size_t>(limits.most),
             fewest = std::min(static_cast<size_t>(limits.fewest), most);
  while (true) {
    double sum = 0;
    for (int64_t i = 0; i < series.runsPerSample; ++i)
      sum += run();
    series.samples.push_back(sum / static_cast<double>(series.runsPerSample));
    running.add(series.samples.back());
    onSample(series.samples.size());
    if (series.samples.size() < fewest)
      continue;
    const bool isFull = series.samples.size() >= most;
    const double seconds = stopwatch.milliseconds() * 1e-3;
    if (running.relativeDeviation() < limits.deviation && (isFull || seconds >= limits.least))
      series.stoppedBy = StoppedBy::deviation;
    else if (isFull)
      series.stoppedBy = StoppedBy::samples;
    else if (seconds > limits.seconds)
      series.stoppedBy = StoppedBy::seconds;
    else
      continue;
    return series;
  }
}

} // namespace mmk::driver
