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
};

/// Counts every row, on its machine with the overrides; the same on every host.
llvm::Expected<std::vector<Result>> model(const std::vector<MachineOverride> &overrides = {});

/// Something that takes time, and the figures of a machine on which it takes none.
struct Effect {
  const char *name;
  std::vector<MachineOverride> without;
  bool isSeen = true; ///< in a published time; else it is known from the chip's own sources
};
const std::vector<Effect> &effects();

/// The errors of a class: of tasks, or of the MTE2 of pure transfers.
struct Errors {
  int64_t rows = 0;
  double absolute = 0, bias = 0; ///< means of |error| and of the error
};
Errors errorsOf(const std::vector<Result> &results, Kind kind);

/// Mean absolute errors of the pipes of the products.
std::map<std::string, double> pipeErrors(const std::vector<Result> &results);

} // namespace mmk::calibration
