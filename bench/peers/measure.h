// Turn and turn about: all contenders of a row share whatever the machine does meanwhile.
#pragma once

#include "bench/peers/contenders.h"

namespace mmk::peers {

/// Of one quantity, over the rounds: the median and the quartiles.
struct Spread {
  double median = 0, low = 0, high = 0;
  size_t rounds = 0;
};
Spread spreadOf(std::vector<double> values);

struct Measured {
  std::string name;
  bool prepacked = false;
  Spread seconds;    ///< of one run
  std::string wrong; ///< what was wrong with the result; then there is no time
};

struct Row {
  Problem problem;
  double ceiling = 0;       ///< operations a second, on as many threads, in the median
  double readBandwidth = 0; ///< bytes a second, of b; for few rows only
  std::vector<Measured> contenders;
};

/// Whether a row is bound by reading b, and so is held against `readBandwidth`.
bool readsOnce(const Problem &problem);

/// Checks each contender, then times all in turns for about `seconds`, and at least five rounds.
/// One thread is timed by the time of the CPU that it uses, several by the clock on the wall.
Row measure(const Problem &problem, double seconds);

} // namespace mmk::peers
