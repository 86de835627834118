// What earlier commands have kept of a kernel, for its report: runs, searches and measurements.
#pragma once

#include "driver/bench/history.h"
#include "machines/machine.h"
#include "print/saved_run.h"
#include "print/saved_tune.h"

#include <string>
#include <vector>

namespace mmk::driver {

template <typename Result> struct FromFile {
  std::string file;
  Result result;
};

struct KeptResults {
  std::vector<FromFile<SavedCase>> runs;
  std::vector<FromFile<SavedTune>> tunes;
  std::vector<FromFile<SavedGuided>> guided;
  std::vector<FromFile<BenchReport>> benches;
  std::vector<FromFile<HistoryRow>> histories;
  std::vector<std::string> files;   ///< that were read
  std::vector<std::string> skipped; ///< of folders, each with the reason
};

/// What a kept result has to be about.
struct ReportSubject {
  std::string kernel;
  const Machine *machine = nullptr;
  std::vector<std::string> machineSets;               ///< of the command line
  std::vector<std::map<std::string, int64_t>> shapes; ///< of the cases
  std::vector<std::string> titles;                    ///< of the cases: "S4", "M=3 N=4 K=5"
  std::vector<std::string> kernels;                   ///< of the program
};

/// Reads the files, and of the folders all files that end in .json. A file that is named and is not
/// about the subject is a UserError; one of a folder is skipped.
KeptResults readKept(const std::vector<std::string> &paths, const ReportSubject &subject);

} // namespace mmk::driver
