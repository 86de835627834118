// Successive halving with a clock of the test's own.
#include "tune/halving.h"

#include <gtest/gtest.h>

#include <map>

namespace mmk::tune {
namespace {

struct Race {
  std::vector<double> times;  ///< of each candidate
  std::map<size_t, int> runs; ///< that each has had
  std::map<size_t, int> last; ///< in its last round
  int stopAfter = INT_MAX, timed = 0;
  double noise = 0; ///< of a single run: every other candidate seems faster by this

  std::vector<Timed> run() {
    return llvm::cantFail(halve(
        times.size(),
        [&](size_t candidate, int count) -> llvm::Expected<double> {
          runs[candidate] += count;
          last[candidate] = count;
          ++timed;
          return times[candidate] - (candidate % 2 ? noise / count : 0);
        },
        [&] { return timed >= stopAfter; }));
  }
};

std::vector<size_t> candidatesOf(const std::vector<Timed> &timed) {
  std::vector<size_t> candidates;
  for (const Timed &each : timed)
    candidates.push_back(each.candidate);
  return candidates;
}

TEST(TuneHalving, TheFastestAreLeftBehindTheReference) {
  Race race;
  for (int i = 0; i < 64; ++i)
    race.times.push_back(100 + (i * 37) % 64);
  race.times[0] = 1000; // the slowest of all stays
  const auto left = race.run();
  EXPECT_EQ(candidatesOf(left), (std::vector<size_t>{0, 45, 26, 7, 52})); // 37 * 45 is 1 of 64
  EXPECT_EQ(left[1].microseconds, 101);
  for (size_t candidate : candidatesOf(left))
    EXPECT_EQ(race.last[candidate], 16);
}

TEST(TuneHalving, TheSlowAreTimedSeldom) {
  Race race;
  for (int i = 0; i < 64; ++i)
    race.times.push_back(100 + i);
  race.run();
  int all = 0;
  for (const auto &[candidate, runs] : race.runs)
    all += runs;
  EXPECT_EQ(race.runs[63], 1);
  EXPECT_EQ(race.runs[33], 1);
  EXPECT_EQ(race.runs[32], 3);
  EXPECT_EQ(race.runs[1], 31);
  EXPECT_LE(all, 6 * 64); // as much in each of the rounds as in the first
}

// A lucky run keeps a slow candidate for a round, not to the end.
TEST(TuneHalving, NoiseOfSingleRunsDoesNotDecide) {
  Race race;
  for (int i = 0; i < 16; ++i)
    race.times.push_back(100 + i);
  race.noise = 8;
  EXPECT_EQ(race.run()[1].candidate, 1u);
  race.times[2] = 98.9;
  race.noise = 4;
  race.runs.clear();
  EXPECT_EQ(race.run()[1].candidate, 2u);
}

TEST(TuneHalving, FewCandidatesHaveTheirLastRoundAtOnce) {
  for (size_t count : {1, 2, 4}) {
    Race race;
    for (size_t i = 0; i < count; ++i)
      race.times.push_back(100 - static_cast<double>(i));
    EXPECT_EQ(race.run().size(), count);
    EXPECT_EQ(race.runs[0], 17);
  }
  Race none;
  EXPECT_TRUE(none.run().empty());
}

TEST(TuneHalving, AStopKeepsWhatWasTimed) {
  Race race;
  race.times = {5, 4, 3, 2, 1};
  race.stopAfter = 3;
  EXPECT_EQ(candidatesOf(race.run()), (std::vector<size_t>{0, 2, 1}));
}

TEST(TuneHalving, AnErrorEndsIt) {
  auto left = halve(
      4,
      [](size_t candidate, int) -> llvm::Expected<double> {
        if (candidate == 2)
          return llvm::createStringError("no memory");
        return 1;
      },
      [] { return false; });
  ASSERT_FALSE(left);
  EXPECT_EQ(llvm::toString(left.takeError()), "no memory");
}

/// Pairs of which every `slowEach`-th shows the opposite.
std::vector<TimedPair> pairsOf(size_t count, double part, size_t slowEach) {
  std::vector<TimedPair> pairs;
  for (size_t i = 0; i < count; ++i)
    pairs.push_back({100, i % slowEach == slowEach - 1 ? 100 / part : 100 * part});
  return pairs;
}

TEST(TuneHalving, FasterIsWhatMostPairsShow) {
  EXPECT_FALSE(shownFaster({}));
  EXPECT_DOUBLE_EQ(*shownFaster(pairsOf(24, 0.8, 100)), 0.8);
  // 18 of 24 are beyond chance, 16 are not.
  EXPECT_DOUBLE_EQ(*shownFaster(pairsOf(24, 0.8, 4)), 0.8);
  EXPECT_FALSE(shownFaster(pairsOf(24, 0.8, 3)));
  // One pair proves nothing.
  EXPECT_FALSE(shownFaster(pairsOf(1, 0.5, 100)));
}

TEST(TuneHalving, FasterByLessThanAHundredthIsNotFaster) {
  EXPECT_FALSE(shownFaster(pairsOf(24, 0.995, 100)));
  EXPECT_TRUE(shownFaster(pairsOf(24, 0.985, 100)));
  EXPECT_FALSE(shownFaster(pairsOf(24, 1.1, 100)));
}

} // namespace
} // namespace mmk::tune
