#include "bench/reductions/turns.h"

#include "bench/ceilings.h"
#include "bench/peers/turns.h"
#include "bench/stream.h"
#include "runtime/threads.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sys/resource.h>

namespace mmk::reductions {
namespace {

constexpr size_t fewestRounds = 5, mostRounds = 61;
/// The time of a burst, and of the runs before it, after which the caches hold what it needs.
constexpr double burstSeconds = 1e-3, warmSeconds = 3e-4;
/// A library that takes so much longer than the fastest one takes no further part: it would leave
/// fewer rounds to the others.
constexpr double tooSlow = 4;
/// Tensors of more bytes come from memory: twice what a large cache has.
constexpr int64_t bytesOfMemory = int64_t(64) << 20;
/// How often a burst is repeated that another program has interrupted.
constexpr int mostAttempts = 4;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The threads of OpenMP spin for some milliseconds behind a run.
void letOthersSleep() {
  for (const auto begin = Clock::now(); since(begin) < 4e-3;) {
  }
}

long interruptions() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

/// A stream of the bytes of the problem, each thread a part: half of them written by non-temporal
/// stores, where the result is large; else all are read.
Contender streamOf(const Problem &problem) {
  const int64_t bytes = problem.isLarge() ? problem.bytes() : 2 * problem.bytes();
  const unsigned threads = problem.threads;
  const bool writes = problem.isLarge();
  static Tensor from, to;
  const int64_t each = bytes / 2 / threads / 64 * 64, elements = each * threads;
  if (from.elements() < elements)
    for (Tensor *tensor : {&from, &to}) {
      *tensor = llvm::cantFail(Tensor::allocate(ElementType::i8, {elements}));
      tensor->poison();
    }
  return {"stream", [each, threads, writes] {
            parallelFor(threads, threads, [each, writes](int64_t part, unsigned) {
              const char *begin = from.as<char>() + part * each;
              if (writes)
                copyPastCaches(to.as<char>() + part * each, begin, each);
              else
                readAll(begin, each);
            });
          }};
}

struct Turns {
  Contender contender;
  int runs = 1;
  std::vector<double> seconds; ///< by round
};

double burst(Turns &turns, unsigned threads) {
  double seconds = 0;
  for (int attempt = 0; attempt < mostAttempts; ++attempt) {
    if (threads > 1)
      letOthersSleep();
    for (const auto begin = Clock::now(); since(begin) < warmSeconds;)
      turns.contender.run();
    const long before = interruptions();
    seconds = peers::timeOf(threads,
                            [&] {
                              for (int i = 0; i < turns.runs; ++i)
                                turns.contender.run();
                            }) /
              turns.runs;
    if (interruptions() == before)
      break;
  }
  return seconds;
}

/// All contenders, of which mmk is the first; false where a result is wrong.
bool gather(const Problem &problem, const Problem &ofPeers, Operands &operands,
            Operands &operandsOfPeers, Tensor &result, Tensor &resultOfPeers,
            std::vector<Turns> &all) {
  auto add = [&](Contenders contenders, const Problem &of, const Operands &with, Tensor &into) {
    for (Contender &each : contenders) {
      into.poison();
      each.show ? each.show() : each.run();
      if (const std::string wrong = whatIsWrong(of, with, into); !wrong.empty()) {
        fmt::print("{} of {}: {}\n", each.name, of.name(), wrong);
        return false;
      }
      all.push_back({std::move(each), 1, {}});
    }
    return true;
  };
  return add(ofMmk(problem, operands, result), problem, operands, result) &&
         add(ofPyTorch(ofPeers, operandsOfPeers, resultOfPeers), ofPeers, operandsOfPeers,
             resultOfPeers) &&
         add(ofOneDnn(ofPeers, operandsOfPeers, resultOfPeers), ofPeers, operandsOfPeers,
             resultOfPeers);
}

// A thread that waits for a CPU shows in the wall-clock time of all: with several threads the least
// counts, which they take when each has one.
double secondsOf(const Turns &turns, unsigned threads) {
  return threads > 1 ? *std::ranges::min_element(turns.seconds)
                     : peers::spreadOf(turns.seconds).median;
}

double ratioOf(const Turns &of, const Turns &to, unsigned threads) {
  if (threads > 1)
    return secondsOf(of, threads) / secondsOf(to, threads);
  std::vector<double> ratios;
  for (size_t round = 0; round < of.seconds.size(); ++round)
    ratios.push_back(of.seconds[round] / to.seconds[round]);
  return peers::spreadOf(ratios).median;
}

} // namespace

std::optional<Figures> measure(const Problem &problem, double seconds) {
  // f16 is compared with bf16, which reads and writes as much.
  Problem ofPeers = problem;
  const bool isF16 = problem.type == ElementType::f16;
  if (isF16)
    ofPeers.type = ElementType::bf16;
  Operands operands(problem);
  Tensor result = llvm::cantFail(Tensor::allocate(problem.resultType(), problem.resultShape()));
  std::optional<Operands> others;
  Tensor resultOfOthers;
  if (isF16) {
    others.emplace(ofPeers);
    resultOfOthers = llvm::cantFail(Tensor::allocate(ofPeers.resultType(), ofPeers.resultShape()));
  }
  std::vector<Turns> all;
  if (!gather(problem, ofPeers, operands, isF16 ? *others : operands, result,
              isF16 ? resultOfOthers : result, all))
    return std::nullopt;
  if (problem.bytes() > bytesOfMemory)
    all.push_back({streamOf(problem), 1, {}});

  double fastest = 0;
  std::vector<double> once;
  for (Turns &turns : all) {
    once.push_back(burst(turns, problem.threads));
    turns.runs = static_cast<int>(std::clamp(burstSeconds / once.back(), 1.0, 10000.0));
    const bool isPeer = once.size() > 1 && turns.contender.name != "stream";
    if (isPeer && (fastest == 0 || once.back() < fastest))
      fastest = once.back();
  }
  for (size_t i = all.size(); i-- > 1;)
    if (once[i] > tooSlow * fastest && all[i].contender.name != "stream")
      all.erase(all.begin() + static_cast<long>(i));
  const auto begin = Clock::now();
  for (size_t round = 0; round < mostRounds; ++round) {
    if (round >= fewestRounds && since(begin) > seconds)
      break;
    for (size_t i = 0; i < all.size(); ++i) // the order rotates
      all[(i + round) % all.size()].seconds.push_back(
          burst(all[(i + round) % all.size()], problem.threads));
  }

  Figures figures;
  figures.seconds = secondsOf(all[0], problem.threads);
  for (size_t i = 1; i < all.size(); ++i) {
    const double ratio = ratioOf(all[i], all[0], problem.threads);
    if (all[i].contender.name == "stream")
      figures.ofStream = ratio;
    else if (figures.ratio == 0 || ratio < figures.ratio)
      figures.ratio = ratio, figures.fastest = all[i].contender.name;
  }
  return figures;
}

} // namespace mmk::reductions
