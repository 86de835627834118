// Turn and turn about: all contenders of a row share whatever the machine does meanwhile.
#pragma once

#include "bench/peers/problem.h"

#include "llvm/ADT/STLFunctionalExtras.h"

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

/// Checks each contender by `whatIsWrong`, then times all in turns for about `seconds`, and at
/// least five rounds. One thread is timed by the time of the CPU that it uses, several by the clock
/// on the wall. `between` is called before each turn: to measure a ceiling, and for so long that
/// the threads of the last library fall asleep.
std::vector<Measured> takeTurns(std::vector<Contender> &contenders, unsigned threads,
                                double seconds,
                                llvm::function_ref<std::string(const Tensor &result)> whatIsWrong,
                                llvm::function_ref<void()> between);

/// Seconds that `body` takes, by the clock for that many threads.
double timeOf(unsigned threads, llvm::function_ref<void()> body);

} // namespace mmk::peers
