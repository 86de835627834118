// The bottleneck of a variant: the part of the core or of the schedule that limits the kernel, with
// the figures that show it.
#pragma once

#include "compiler/compiler.h"
#include "explain/roofline.h"
#include "runtime/clock.h"
#include "runtime/critical_path.h"
#include "runtime/traffic.h"
#include "runtime/waits.h"

#include "llvm/Support/Error.h"

namespace mmk::tune {

/// What holds a kernel, the first that applies being the one to look at first.
enum class Trouble {
  idleCores, ///< fewer cores have work than the machine has
  imbalance, ///< most cores are done long before the slowest
  turns,     ///< the critical path goes from pipe to pipe: they wait for each other
  loads,     ///< from global memory
  stages,    ///< from L1 to L0A and L0B
  products,  ///< on the cube
  results,   ///< on their way out: fixpipe, vector core, stores
  issue      ///< the scalar unit
};

struct Symptom {
  Trouble trouble;
  std::string text; ///< a sentence with the figures
};

/// All that is counted of one variant at one shape.
struct Diagnosis {
  std::string variant;
  ClockReport clock;
  TrafficReport traffic;
  Roofline roof;
  PathReport path;
  std::vector<WaitReport> waits; ///< those of busy pipes first
  std::vector<Symptom> symptoms; ///< at least one, the first to look at first
};

/// Counts a variant with all of its events. The error is that of countKernel.
llvm::Expected<Diagnosis> diagnose(Lowering &lowering, const Kernel &kernel, const Machine &machine,
                                   const std::vector<int64_t> &dims);

} // namespace mmk::tune
