// Runs one case of a compiled kernel on this computer: data, runs, comparison with the reference.
#pragma once

#include "cli/run_options.h"
#include "cli/terminal.h"
#include "print/run_report.h"
#include "runtime/tensor.h"

namespace mmk::driver {

class CaseRunner {
public:
  /// `code` is the IR of the executable, for a watched run.
  CaseRunner(const Kernel &kernel, const RunOptions &options, Executable &executable,
             aicore::KernelOp code, const Machine &machine);

  /// Reads the tensors of `--input`; a UserError when one does not fit a case of `runs`.
  void readInputs(const std::vector<RunCase> &runs);

  /// Fills the check and the times of `report`; writes the tensors of `--output`.
  void run(CaseReport &report, Progress &progress);

  /// The elements of the i32 tensors of the case that ran last, by parameter, on which the time of
  /// a kernel may depend (count/call.h).
  std::vector<const int32_t *> knownElements() const;

  /// The same step by step, for callers that measure the time themselves: makes the tensors of a
  /// case,
  void prepare(const RunCase &run);
  /// runs it once; milliseconds,
  double runOnce(RunWatch *watch = nullptr);
  /// fills the results with poison,
  void poison();
  /// and compares the results of the last run with the reference.
  CheckReport check();

private:
  std::vector<const Tensor *> makeInputs(const RunCase &run);
  void packConstants();
  void makeResults(const RunCase &run);
  llvm::Error call(RunWatch *watch);
  void expectAllIntact() const;
  std::vector<double> timeRuns(RunWatch *watch, Progress &progress);
  std::unique_ptr<KernelWatch> makeWatch(const RunCase &run);
  std::vector<int64_t> dimsOf(const RunCase &run) const;

  const Kernel &kernel_;
  const RunOptions &options_;
  Executable &executable_;
  aicore::KernelOp code_;
  const Machine &machine_;
  std::map<std::string, Tensor> given_; ///< by parameter, of `--input`
  std::vector<Tensor> made_, results_;  ///< of the case that runs
  RunCase run_;
  std::vector<const Tensor *> inputs_; ///< by parameter
  Arguments arguments_;
  std::vector<PackedConstant> packed_; ///< of the case that runs
};

/// Multiplications and additions of the products; of a kernel without any, its elementwise
/// operations.
double floatingPointOperations(const Kernel &kernel, const RunCase &run);

} // namespace mmk::driver
