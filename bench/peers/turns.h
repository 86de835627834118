// Interleaved timing: all contenders of a row share the conditions of the machine.
#pragma once

#include "bench/peers/problem.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mmk::peers {

/// The median and the quartiles of one quantity over the rounds.
struct Spread {
  double median = 0, low = 0, high = 0;
  size_t rounds = 0;
};
Spread spreadOf(std::vector<double> values);

struct Measured {
  std::string name;
  bool prepacked = false;
  Spread seconds;    ///< of one run
  std::string wrong; ///< the error of the result; then there is no time
};

/// Checks each contender by `whatIsWrong`, then times all of them interleaved for about `seconds`,
/// and for at least five rounds. One thread is timed by its CPU time, several by wall-clock time.
/// `between` is called before each burst: it measures a ceiling, for long enough that the threads
/// of the previous library fall asleep.
std::vector<Measured> takeTurns(std::vector<Contender> &contenders, unsigned threads,
                                double seconds,
                                llvm::function_ref<std::string(const Tensor &result)> whatIsWrong,
                                llvm::function_ref<void()> between);

/// Seconds of `body`: CPU time for one thread, wall-clock time for several.
double timeOf(unsigned threads, llvm::function_ref<void()> body);

/// Waits until the threads of OpenMP sleep, which spin for some milliseconds behind a run.
void letOthersSleep();

/// Restarts the program when the threads of OpenMP would spin for longer than the pause before the
/// next library's burst (300000 times, 7 ms on Zen 4) and take a CPU from it: OpenMP reads the
/// count before main. With 60000 they stay awake between the runs of their own library; with 20000
/// they sometimes do not, and are slower by half.
void keepOpenMpShort(char **argv);

} // namespace mmk::peers
