// The times of one problem: all libraries, and a stream of as many bytes, in turns in one process.
#pragma once

#include "bench/reductions/problem.h"

#include <optional>

namespace mmk::reductions {

struct Figures {
  double seconds = 0;  ///< of mmk
  double ratio = 0;    ///< the time of the fastest library in that of mmk, 0: no library has it
  std::string fastest; ///< that library
  double ofStream = 0; ///< the rate of mmk in that of a stream, 0: the caches have the tensors
};

/// With one thread medians, also of the ratios, which are those of one round each; with several the
/// least times. Prints an error and gives
/// nothing where a result is wrong.
std::optional<Figures> measure(const Problem &problem, double seconds);

} // namespace mmk::reductions
