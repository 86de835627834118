// The clock compared with published measurements. The bounds are the present errors, rounded up;
// docs/calibration.md has the rows and says what is missing.
#include "bench/calibration/model.h"

#include <gtest/gtest.h>

namespace mmk::calibration {
namespace {

const std::vector<Result> &results() {
  static const std::vector<Result> all = llvm::cantFail(model());
  return all;
}

TEST(Calibration, MeanErrors) {
  const std::map<Kind, std::pair<double, double>> bounds = {{Kind::product, {0.06, 0.04}},
                                                            {Kind::smallProduct, {0.06, 0.01}},
                                                            {Kind::mixed, {0.04, 0.04}},
                                                            {Kind::transfer, {0.05, 0.03}},
                                                            {Kind::elementwise, {0.08, 0.02}}};
  for (const auto &[kind, bound] : bounds) {
    const Errors errors = errorsOf(results(), kind);
    EXPECT_LE(errors.absolute, bound.first) << nameOf(kind);
    EXPECT_LE(std::abs(errors.bias), bound.second) << nameOf(kind);
  }
  const std::map<std::string, double> pipes = pipeErrors(results());
  EXPECT_LE(pipes.at("cube"), 0.08);
  EXPECT_LE(pipes.at("mte1"), 0.06);
  EXPECT_LE(pipes.at("mte2"), 0.05);
}

TEST(Calibration, NoTaskIsFarOff) {
  for (const Result &result : results())
    if (result.task)
      EXPECT_LT(std::abs(result.task->error()), 0.36) << result.row->name;
}

// Each of the effects is one that published times have, but for those known from elsewhere.
TEST(Calibration, EveryEffectThatIsSeenLowersTheErrorOfAClass) {
  for (const Effect &effect : effects()) {
    if (!effect.isSeen)
      continue;
    const std::vector<Result> without = llvm::cantFail(model(effect.without));
    EXPECT_TRUE(std::ranges::any_of(allKinds, [&](Kind kind) {
      return errorsOf(without, kind).absolute > errorsOf(results(), kind).absolute + 0.001;
    })) << effect.name;
  }
}

// Each step of the published improvement is one in the model too.
TEST(Calibration, WhatWasFasterIsFaster) {
  for (size_t i = 1; i < 6; ++i)
    EXPECT_LE(results()[i].task->modelled, results()[i - 1].task->modelled * 1.01)
        << results()[i].row->name;
}

// One description for all rows, and one value for each of its figures.
TEST(Calibration, EachFigureHasOneValue) {
  const Machine machine = llvm::cantFail(loadMachine("ascend910b1"));
  std::map<std::string, std::string> values;
  for (const auto &[path, value] : machine.figures)
    EXPECT_TRUE(values.emplace(path, value).second) << path;
  EXPECT_TRUE(values.count("links.gm_l1.row_cycles"));
}

TEST(Calibration, TheSameEveryTime) {
  const std::vector<Result> again = llvm::cantFail(model());
  for (size_t i = 0; i < again.size(); ++i)
    for (const auto &[pipe, value] : again[i].pipes)
      EXPECT_EQ(value.modelled, results()[i].pipes.at(pipe).modelled);
}

} // namespace
} // namespace mmk::calibration
