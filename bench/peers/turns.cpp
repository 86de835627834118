#include "bench/peers/turns.h"

#include "bench/ceilings.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <unistd.h>

namespace mmk::peers {
namespace {

constexpr size_t fewestRounds = 5, mostRounds = 41;
constexpr double burstSeconds = 1.5e-3;

double wallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One warm-up run, then as many runs as fill a burst. Seconds of one run.
double turn(Contender &contender, unsigned threads, int runs) {
  contender.run();
  return timeOf(threads,
                [&] {
                  for (int i = 0; i < runs; ++i)
                    contender.run();
                }) /
         runs;
}

} // namespace

double timeOf(unsigned threads, llvm::function_ref<void()> body) {
  const auto now = [&] { return threads == 1 ? threadSeconds() : wallSeconds(); };
  const double begin = now();
  body();
  return now() - begin;
}

Spread spreadOf(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return values.empty() ? Spread() : Spread{at(0.5), at(0.25), at(0.75), values.size()};
}

std::vector<Measured> takeTurns(std::vector<Contender> &contenders, unsigned threads,
                                double seconds,
                                llvm::function_ref<std::string(const Tensor &result)> whatIsWrong,
                                llvm::function_ref<void()> between) {
  struct State {
    std::string wrong;
    int runs = 1;
    double spent = 0;
    std::vector<double> times;
  };
  std::vector<State> states(contenders.size());
  for (size_t i = 0; i < contenders.size(); ++i) {
    contenders[i].result.poison();
    contenders[i].run();
    states[i].wrong = whatIsWrong(contenders[i].result);
    const double once = turn(contenders[i], threads, 1);
    states[i].runs = static_cast<int>(std::clamp(burstSeconds / once, 1.0, 10000.0));
  }

  const double begin = wallSeconds(), share = seconds / static_cast<double>(contenders.size());
  for (size_t round = 0; round < mostRounds; ++round) {
    if (round >= fewestRounds && wallSeconds() - begin > seconds)
      break;
    for (size_t turns = 0; turns < contenders.size(); ++turns) {
      // The order rotates from round to round.
      const size_t i = (turns + round) % contenders.size();
      State &state = states[i];
      if (!state.wrong.empty() || (round >= fewestRounds && state.spent > share))
        continue;
      between();
      const double before = wallSeconds();
      state.times.push_back(turn(contenders[i], threads, state.runs));
      state.spent += wallSeconds() - before;
    }
  }

  std::vector<Measured> measured;
  for (size_t i = 0; i < contenders.size(); ++i)
    measured.push_back(
        {contenders[i].name, contenders[i].prepacked, spreadOf(states[i].times), states[i].wrong});
  return measured;
}

void letOthersSleep() {
  const double until = wallSeconds() + 8e-3;
  while (wallSeconds() < until) {
  }
}

void keepOpenMpShort(char **argv) {
  constexpr const char *name = "GOMP_SPINCOUNT";
  if (getenv(name))
    return;
  setenv(name, "60000", /*overwrite=*/0);
  execv("/proc/self/exe", argv);
}

} // namespace mmk::peers
