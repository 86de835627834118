// The bottleneck of a variant: the part of the core or of the schedule that limits the kernel, with
// the figures that show it.
#pragma once

#include "compiler/compiler.h"
#include "count/call.h"
#include "explain/roofline.h"
#include "runtime/clock.h"
#include "runtime/critical_path.h"
#include "runtime/traffic.h"
#include "runtime/waits.h"
#include "schedule/directive.h"

#include "llvm/Support/Error.h"

namespace mmk::tune {

struct Symptom {
  Bottleneck bottleneck;
  std::string text; ///< a sentence with the figures
};

/// The counted figures of one variant at one shape.
struct Diagnosis {
  std::string variant;
  Choices choices; ///< all of the variant
  ClockReport clock;
  TrafficReport traffic;
  Roofline roof;
  PathReport path;
  std::vector<WaitReport> waits; ///< those of busy pipes first
  std::vector<Symptom> symptoms; ///< at least one, the first to look at first
};

/// Counts a variant with all of its events. `parameters`: as of a Call. The error is that of
/// countCall.
llvm::Expected<Diagnosis> diagnose(Lowering &lowering, const Kernel &kernel, const Machine &machine,
                                   const std::vector<int64_t> &dims,
                                   llvm::ArrayRef<KnownParameter> parameters = {});

} // namespace mmk::tune
