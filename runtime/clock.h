// The clock of the emulated AI core: instructions in, time out. Knows pipes, flags and links, and
// nothing of how the instructions came about.
#pragma once

#include "machines/machine.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mmk {

/// Time of a kernel on an emulated machine. All from integer cycles, so it is the same everywhere.
struct ClockReport {
  int64_t cycles = 0;       ///< of the slowest core, all phases
  double microseconds = 0;  ///< the kernel alone
  double launchMicroseconds = 0;
  int64_t cores = 0;        ///< blocks that had work
  struct PipeTime {
    int64_t busyCycles = 0; ///< mean over the cores that have work
    double busyMicroseconds = 0, ratio = 0;
  };
  std::array<PipeTime, allPipes.size()> pipes;
  Pipe bound = Pipe::cube;  ///< the busiest pipe
  double boundMicroseconds = 0;
};

} // namespace mmk
