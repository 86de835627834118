// Guided tuning: the changes that it makes, fixed choices, and a variant that fails its check.
// Figures are the clock's; the check is simulated.
#include "frontend/compile.h"
#include "tune/guided_tuner.h"

#include <gtest/gtest.h>

namespace mmk::tune {
namespace {

const char *const text = R"(
kernel product(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile    M = 128 | 64, N = 128 | 256, K = 64;
    stage   K = 64 | 256;
    buffers l1 = 1 | 2, l0 = 1 | 2, acc = 1 | 2;
    order   = rows | swizzle(4);
  }
}
)";

struct Loop {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  Program program = std::move(*checkProgram("product.mmk", text, diagnostics, file));
  Machine machine = llvm::cantFail(loadMachine("ascend910b3"));
  const Kernel &kernel = *program.kernels.front();
  std::vector<std::string> checked;

  TuningTrace run(const GuidedTunerOptions &options, const GuidedTuner::Check &check = {}) {
    GuidedTuner tuner(program, kernel, machine, options);
    return llvm::cantFail(tuner.run(
        {}, {1024, 1024, 1024},
        [&](const Choices &choices) {
          checked.push_back(spelling(choices));
          return check ? check(choices) : "";
        },
        [](const std::string &) {}));
  }
};

std::string wordIn(const Choices &choices, const std::string &key) {
  for (const auto &[name, word] : choices)
    if (name == key)
      return word;
  return "";
}

TEST(GuidedTuner, EachVersionIsFasterAndChecked) {
  Loop loop;
  const TuningTrace trace = loop.run({3, {}});
  ASSERT_EQ(trace.rounds.size(), 3u);
  int64_t cycles = trace.first.clock.cycles;
  for (const Round &round : trace.rounds) {
    ASSERT_TRUE(round.isKept());
    EXPECT_EQ(round.before.clock.cycles, cycles);
    EXPECT_LT(round.after->clock.cycles, cycles);
    EXPECT_EQ(round.made->cycles, round.after->clock.cycles);
    // No other counted change saves more.
    for (const WhatIf &change : round.tried)
      if (change.exists)
        EXPECT_GE(change.cycles, round.made->cycles) << spelling(change.choices);
    EXPECT_FALSE(round.before.symptoms.empty());
    cycles = round.after->clock.cycles;
  }
  EXPECT_EQ(trace.last.clock.cycles, cycles);
  EXPECT_EQ(loop.checked.size(), 4u);
}

TEST(GuidedTuner, GoesOnUntilNothingHelps) {
  Loop loop;
  const TuningTrace trace = loop.run({50, {}});
  EXPECT_TRUE(trace.isAtItsBest);
  const Round &last = trace.rounds.back();
  EXPECT_FALSE(last.made);
  EXPECT_GT(last.pairs, 0u);
  for (const WhatIf &change : last.tried)
    if (change.exists)
      EXPECT_GT(change.cycles, 0.999 * trace.last.clock.cycles) << spelling(change.choices);
  EXPECT_LT(2 * trace.last.clock.cycles, trace.first.clock.cycles);
}

TEST(GuidedTuner, LeavesWhatIsFixed) {
  Loop loop;
  const TuningTrace trace = loop.run({5, {{"buffers.l1", "1"}, {"order", "rows"}}});
  for (const Round &round : trace.rounds)
    for (const WhatIf &change : round.tried) {
      EXPECT_EQ(wordIn(change.choices, "buffers.l1"), "");
      EXPECT_EQ(wordIn(change.choices, "order"), "");
    }
}

TEST(GuidedTuner, DropsWhatFailsAndDoesNotTryItAgain) {
  Loop loop;
  // As if a second buffer in L1 computed nonsense.
  const TuningTrace trace = loop.run({6, {}}, [](const Choices &choices) {
    return wordIn(choices, "buffers.l1") == "1" ? "" : "half of it is wrong";
  });
  size_t failed = 0;
  std::set<std::string> dropped;
  for (const Round &round : trace.rounds)
    if (round.after && !round.isKept()) {
      ++failed;
      EXPECT_TRUE(dropped.insert(round.after->variant).second);
    }
  EXPECT_GT(failed, 0u);
  EXPECT_NE(trace.last.variant.find("l1=1"), std::string::npos);
  const std::string log = optimizationLog(loop.kernel, loop.machine, {trace}, "mmk tune");
  EXPECT_NE(log.find("| dropped | `"), std::string::npos);
  EXPECT_NE(log.find("a bug in mmk: dropped. half of it is wrong."), std::string::npos);
}

TEST(GuidedTuner, TheSameLogEachTime) {
  Loop one, other;
  EXPECT_EQ(optimizationLog(one.kernel, one.machine, {one.run({2, {}})}, "mmk tune"),
            optimizationLog(other.kernel, other.machine, {other.run({2, {}})}, "mmk tune"));
}

} // namespace
} // namespace mmk::tune
