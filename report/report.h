// The contents of the report of a run or a search, as plain data, from which one HTML file is made.
// The caller fills it in; the report knows neither kernels nor the compiler.
#pragma once

#include "report/timeline.h"
#include "runtime/clock.h"
#include "runtime/critical_path.h"
#include "runtime/waits.h"

#include <optional>
#include <string>
#include <vector>

namespace mmk::report {

/// The roofs over a case, of the whole machine.
struct Roofs {
  double operations = 0;          ///< of the case
  double tensorBytes = 0;         ///< the least that it moves from and to HBM
  double operationsPerSecond = 0; ///< peak
  double hbmBytesPerSecond = 0;
  double portBytesPerSecond = 0; ///< of all cores that load most, from L2; 0: not known
};

/// One variant at one case.
struct Point {
  std::string label;   ///< "default schedule", "chosen"; empty for one of many
  std::string variant; ///< its printable name
  int64_t cycles = 0;
  double microseconds = 0;
  int64_t trafficBytes = 0;        ///< between global memory and all cores, in whole packets
  int64_t portBytes = 0;           ///< of it, what goes through the ports of `Roofs`
  int64_t memoryBytes = 0;         ///< on chip, of one core; 0 when it is not known
  std::optional<bool> passed = {}; ///< its check; nothing when it was not run
};

/// The effect of one directive alone.
struct Change {
  std::string directive; ///< "buffers.l1"
  std::string options;   ///< "--set buffers.l1=1"
  int64_t cycles = 0;    ///< with it; 0 when it is not legal
  double gain = 0;       ///< share of the time that it saves; negative when it costs
  std::string reason;    ///< why it is not legal
};

struct Case {
  std::string name; ///< empty when only dimensions were given
  std::vector<std::pair<std::string, int64_t>> dims;
  std::optional<bool> passed; ///< the check; nothing when it was not run
  std::string variant;
  ClockReport clock;
  Roofs roofs;
  Point chosen;
  std::optional<Point> before; ///< the default schedule, where another one was chosen
  std::vector<Point> variants; ///< seen by a search
  int64_t variantsInAll = 0;   ///< it may have seen more
  std::vector<Change> changes;
  PathReport path;
  std::vector<WaitReport> waits;
  Timeline timeline;
};

struct Report {
  std::string title; ///< "mmk run", "mmk tune"
  std::string kernel, file, machine, version;
  double megahertz = 0;
  int64_t cores = 0; ///< cube cores of the machine
  std::vector<Case> cases;
};

/// The whole file. The strings may hold any text; none of it becomes markup.
std::string htmlOf(const Report &report);

/// The data of the page, as JSON that is legal in a script element.
std::string documentOf(const Report &report);

} // namespace mmk::report
