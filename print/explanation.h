// The explanation of one case by `mmk explain`, as text and as JSON.
#pragma once

#include "explain/roofline.h"
#include "explain/what_if.h"
#include "print/run_report.h"
#include "print/synchronisation.h"
#include "runtime/critical_path.h"
#include "runtime/waits.h"

namespace mmk::driver {

/// The case on the machine with a figure changed that is off by default.
struct MachineChange {
  std::string set;   ///< of --machine-set
  std::string what;  ///< "leaky ReLU in the fixpipe"
  std::string trust; ///< why it is off
  std::string variant;
  int64_t cycles = 0;
  double microseconds = 0;
};

struct Explanation {
  CaseReport report; ///< with a clock
  tune::Roofline roofline;
  PathReport path;
  std::vector<WaitReport> waits;
  std::vector<int64_t> slowest; ///< block of each phase; path and waits are of these
  Synchronisation sync;
  tune::WhatIfs changes;
  std::optional<MachineChange> fixpipe; ///< where the kernel would use it
};

/// For people.
std::string textOf(const RunHeader &header, const Explanation &explanation);
/// The fields of the object of a case.
void write(llvm::json::OStream &out, const RunHeader &header, const Explanation &explanation);

/// The share of the time that a change saves; negative when it costs some.
double gainOf(const tune::WhatIf &change, const Explanation &explanation);

} // namespace mmk::driver
