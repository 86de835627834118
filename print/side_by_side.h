// Two variants, machines or saved runs side by side: the figures, and their two forms.
#pragma once

#include "executable/executable.h"
#include "ir/ir_diff.h"
#include "print/placed_flags.h"
#include "runtime/clock.h"

#include <map>
#include <optional>

namespace mmk::driver {

/// The figures of one side at one case, as in the report of a run.
struct SideFigures {
  std::optional<bool> passed; ///< the check; nothing without one
  std::optional<ClockReport> clock;
  std::optional<double> hostMs; ///< median of a run on the host
};

struct CasePair {
  std::string name; ///< as RunCase
  std::vector<std::pair<std::string, int64_t>> dims;
  SideFigures a, b;
};

/// The data of one side that all its cases share.
struct Side {
  std::string machine, variant;
  std::vector<MemoryUse> memory;
  /// Nothing where it is not known.
  std::optional<PlacedFlags> flags;
  /// Figures that --machine-set changed, of a saved run.
  std::map<std::string, std::string> machineSet = {};
};

/// "l1": 2 on one side, 1 on the other.
struct Change {
  std::string name, a, b;
};

struct SideBySide {
  std::string kernel;
  Side a, b;
  std::vector<Change> changes;
  std::vector<CasePair> cases;
  std::optional<IrDiff> ir;         ///< nothing for saved runs
  std::vector<std::string> remarks; ///< missing figures, and why they are missing
};

/// The words of two variants' names that differ, and the machines if they do.
std::vector<Change> changesBetween(const Side &a, const Side &b);

/// The time that b saves, in percent of a's; negative when it takes longer.
double gainPercent(double a, double b);

/// For people. `wholeIr`: all lines of the diff, uncut.
std::string textOf(const SideBySide &pair, bool wholeIr);
/// For programs: an array with an object for each case.
std::string jsonOf(const std::vector<SideBySide> &pairs, bool wholeIr);

} // namespace mmk::driver
