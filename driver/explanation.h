// What `mmk explain` says of one case, and its two forms.
#pragma once

#include "driver/roofline.h"
#include "driver/run_report.h"
#include "driver/what_if.h"
#include "runtime/critical_path.h"
#include "runtime/waits.h"

namespace mmk::driver {

struct Explanation {
  CaseReport report; ///< with a clock
  Roofline roofline;
  PathReport path;
  std::vector<WaitReport> waits;
  std::vector<int64_t> slowest; ///< block of each phase, which the path and the waits are of
  WhatIfs changes;
};

/// For people.
std::string textOf(const RunHeader &header, const Explanation &explanation);
/// The fields of the object of a case.
void write(llvm::json::OStream &out, const RunHeader &header, const Explanation &explanation);

/// "--set tile.M=64 --set 'order=swizzle(4)'", as it can be given to a shell.
std::string asOptions(const Choices &choices);
/// The share of the time that a change saves; negative when it costs some.
double gainOf(const WhatIf &change, const Explanation &explanation);

} // namespace mmk::driver
