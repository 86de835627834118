#include "bench/peers/measure.h"

#include "bench/ceilings.h"
#include "runtime/threads.h"

#include <algorithm>
#include <chrono>

namespace mmk::peers {
namespace {

constexpr size_t fewestRounds = 5, mostRounds = 41;
constexpr double burstSeconds = 1.5e-3;

double wallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One contender's turn: a run to warm up, then as many as fill a burst. Seconds of one run.
double turn(Contender &contender, unsigned threads, int runs) {
  const auto now = [&] { return threads == 1 ? threadSeconds() : wallSeconds(); };
  contender.run();
  const double begin = now();
  for (int i = 0; i < runs; ++i)
    contender.run();
  return (now() - begin) / runs;
}

Unit unitOf(ElementType type) { return type == ElementType::i8 ? Unit::i8 : Unit::f32; }

/// Bytes a second of threads that read all of `tensor`.
double readRate(const Tensor &tensor, unsigned threads) {
  const auto *words = static_cast<const uint64_t *>(tensor.data());
  const auto count = static_cast<int64_t>(tensor.bytes() / sizeof(uint64_t));
  const double begin = threads == 1 ? threadSeconds() : wallSeconds();
  parallelFor(threads, threads, [&](int64_t i, unsigned) {
    uint64_t sum = 0;
    for (int64_t j = i * count / threads, end = (i + 1) * count / threads; j < end; ++j)
      sum += words[j];
    asm volatile("" : : "r"(sum));
  });
  const double end = threads == 1 ? threadSeconds() : wallSeconds();
  return static_cast<double>(tensor.bytes()) / (end - begin);
}

} // namespace

bool readsOnce(const Problem &problem) { return !problem.batch && problem.m <= 16; }

Spread spreadOf(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return values.empty() ? Spread() : Spread{at(0.5), at(0.25), at(0.75), values.size()};
}

Row measure(const Problem &problem, double seconds) {
  const Operands operands(problem);
  Contenders contenders;
  for (auto *of : {ofMmk, ofOneDnn, ofOpenBlas, ofBlis, ofEigen, ofLibxsmm, ofHalide})
    for (Contender &contender : of(problem, operands))
      contenders.push_back(std::move(contender));

  struct State {
    std::string wrong;
    int runs = 1;
    double spent = 0;
    std::vector<double> times;
  };
  std::vector<State> states(contenders.size());
  Tensor none;
  for (size_t i = 0; i < contenders.size(); ++i) {
    contenders[i].result.poison();
    contenders[i].run();
    states[i].wrong =
        whatIsWrong(problem, operands, contenders[i].result, i == 0 ? none : contenders[0].result);
    const double once = turn(contenders[i], problem.threads, 1);
    states[i].runs = static_cast<int>(std::clamp(burstSeconds / once, 1.0, 10000.0));
  }

  std::vector<double> ceilings, reads;
  const double begin = wallSeconds(), share = seconds / static_cast<double>(contenders.size());
  for (size_t round = 0; round < mostRounds; ++round) {
    if (round >= fewestRounds && wallSeconds() - begin > seconds)
      break;
    for (size_t turns = 0; turns < contenders.size(); ++turns) {
      // Who comes after whom changes from round to round.
      const size_t i = (turns + round) % contenders.size();
      State &state = states[i];
      if (!state.wrong.empty() || (round >= fewestRounds && state.spent > share))
        continue;
      // Also gives the threads of the last one the time to fall asleep.
      ceilings.push_back(measureCeiling(unitOf(problem.type), problem.threads));
      const double before = wallSeconds();
      state.times.push_back(turn(contenders[i], problem.threads, state.runs));
      state.spent += wallSeconds() - before;
    }
    if (readsOnce(problem))
      reads.push_back(readRate(operands.b, problem.threads));
  }

  Row row{problem, 1e9 * spreadOf(ceilings).median, spreadOf(reads).median, {}};
  for (size_t i = 0; i < contenders.size(); ++i)
    row.contenders.push_back(
        {contenders[i].name, contenders[i].prepacked, spreadOf(states[i].times), states[i].wrong});
  return row;
}

} // namespace mmk::peers
