// The report of `mmk bench`: text, JSON, and a report read back.
#pragma once

#include "cli/run_case.h"
#include "cli/sampling.h"
#include "executable/executable.h"
#include "machines/machine.h"

#include "llvm/Support/JSON.h"

#include <optional>

namespace mmk::driver {

struct BenchCase {
  std::string name; ///< empty when the command line alone binds the dimensions
  std::map<std::string, int64_t> dims;
  std::optional<bool> passed;
  std::optional<int64_t> cycles; ///< of an emulated machine: the same at every run
  double microseconds = 0;       ///< the time of these cycles
  double operations = 0;         ///< of one run
  std::optional<Series> kernel;  ///< the kernel alone
  std::optional<Series> command; ///< `mmk run`, from the start of its process to its end
  std::vector<std::string> notes;

  std::string title() const; ///< "S4", "M=3 N=4 K=5"
};

struct BenchReport {
  std::string kernel, machine, variant;
  std::vector<std::string> machineSets; ///< changes of the machine
  std::vector<std::string> dimensions;  ///< names, in the order in which they are shown
  std::vector<std::pair<std::string, std::string>> fingerprint;
  std::vector<BenchCase> cases;
  std::vector<ConstantLayout> constants = {};
};

std::string text(const BenchReport &report);
/// An array with one object for each case.
std::string json(const BenchReport &report);
/// A UserError when the file is no such report.
BenchReport readBenchReport(const std::string &file);

/// "1.234", "0.01234", "123.4": four significant digits.
std::string fourDigits(double value);

} // namespace mmk::driver
