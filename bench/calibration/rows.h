// What was measured on ascend910b1 and published, and how each row is read as a program of ours.
#pragma once

#include "compiler/pipeline.h"
#include "machines/machine.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mmk::calibration {

struct Row {
  std::string name;
  std::string file;           ///< beside this one: a .mmk kernel or a .mlir one
  Choices choices;            ///< of the schedule
  std::vector<int64_t> dims;  ///< in the kernel's order
  std::optional<double> task; ///< microseconds
  std::map<Pipe, double> pipes;
  std::string reading; ///< what of the row had to be interpreted
};

const std::vector<Row> &rows();

inline constexpr const char *machineName = "ascend910b1";

} // namespace mmk::calibration
