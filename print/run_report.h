// The report of the run of one case, in two forms: a row of the table, and a JSON object.
#pragma once

#include "cli/run_case.h"
#include "cli/run_options.h"
#include "executable/executable.h"
#include "print/placed_flags.h"
#include "runtime/clock.h"
#include "runtime/compare.h"
#include "support/timing.h"
#include "watch/watch.h"

#include "llvm/Support/JSON.h"

namespace mmk::driver {

/// The comparison of all results of a case with the reference.
struct CheckReport {
  bool passed = true;
  int64_t elements = 0, wrong = 0;
  double maxAbs = 0, maxRel = 0;
  int64_t sampled = 0, unexplained = 0;                    ///< see Comparison
  std::vector<std::pair<std::string, Comparison>> results; ///< by name

  void add(const std::string &result, const Comparison &comparison);
};

/// Running on this computer.
struct HostReport {
  unsigned threads = 1;
  double compileMs = 0; ///< from checked text to code in memory; once for all cases
  bool cached = false;
  std::vector<double> runMs; ///< ascending
  double gflops = 0;         ///< of the fastest run

  double median() const;
  double ninetieth() const;
};

struct CaseReport {
  RunCase run;
  std::optional<CheckReport> check;
  std::optional<ClockReport> clock;
  std::optional<HostReport> host;
  std::optional<WatchReport> watch;
  std::map<std::string, int64_t> packedBytes = {}; ///< of the constants that were packed, by name

  /// Whether no fault was found.
  bool passed() const { return (!check || check->passed) && (!watch || watch->faults.empty()); }
};

/// The data that all cases of a report share.
struct RunHeader {
  const Kernel *kernel = nullptr;
  const Machine *machine = nullptr;
  std::string variant;
  std::vector<MemoryUse> memory;
  const SourceFile *file = nullptr;      ///< the kernel's file, for the hazards of a watched run
  std::optional<PlacedFlags> flags = {}; ///< nothing where no AI core runs it
  /// For a variant from the store: the dimensions that it was tuned for.
  std::string tunedFor = {};
  /// For a variant that was chosen: why, a line for each case.
  std::vector<std::string> reasons = {};
  /// Of a faster variant that mmk tune has counted but not checked; 0: none is known.
  double uncheckedUs = 0;
  const Timing::Part *timing = nullptr; ///< null without --timing
  std::vector<ConstantLayout> constants = {};
};

/// Where a variant comes from, a line for each thing to know; empty for the default.
std::string originOf(const std::string &tunedFor, const std::vector<std::string> &reasons);

/// The table, row by row as cases end, and the failures below it.
class RunTable {
public:
  RunTable(const RunHeader &header, const std::vector<RunCase> &runs, const RunOptions &options);

  void printHead() const;
  void printRow(const CaseReport &report) const;
  void printNotes(const std::vector<CaseReport> &reports) const;

private:
  const RunHeader &header_;
  bool checks_, clocks_, runsOnHost_, watches_;
  size_t nameWidth_ = 4, dimsWidth_ = 4;
};

/// "flags": {"mte2 -> mte1": ...}
void writeFlags(llvm::json::OStream &out, const PlacedFlags &flags);
/// The part of the time that belongs to one case.
std::string timedAs(const Kernel &kernel, const RunCase &run);
/// "timing": the tree, without the parts that belong to other cases.
void writeTiming(llvm::json::OStream &out, const Timing::Part &total, const std::string &ofCase);

/// The figures of a machine that --machine-set changed, as they stand now.
std::map<std::string, std::string> changedFigures(const Machine &machine);
/// "machine_set" and "environment", which has these fields.
void writeEnvironment(llvm::json::OStream &out, const Machine &machine,
                      const std::vector<std::pair<std::string, std::string>> &fields);
/// The fields of "clock".
void write(llvm::json::OStream &out, const ClockReport &clock);
/// The fields of the object of a case.
void write(llvm::json::OStream &out, const RunHeader &header, const CaseReport &report);

} // namespace mmk::driver
