// The clock's result for a row, and its error against the measurement.
#pragma once

#include "bench/calibration/rows.h"

#include "llvm/Support/Error.h"

#include <cmath>

namespace mmk::calibration {

struct Value {
  double measured = 0, modelled = 0; ///< microseconds
  double error() const { return modelled / measured - 1; }
};

struct Result {
  const Row *row = nullptr;
  std::optional<Value> task;
  std::map<Pipe, Value> pipes;
  bool isTransfer() const { return !task; }
};

/// Counts every row; the same on every host.
llvm::Expected<std::vector<Result>> model();

/// Mean absolute errors by category: "task", "cube", "mte1", "mte2" and "fixpipe" of the
/// products, "transfers" for the MTE2 of pure transfers.
std::map<std::string, double> meanErrors(const std::vector<Result> &results);

} // namespace mmk::calibration
