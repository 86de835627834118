// The search: counted variants, equivalent variants, and the best one.
#include "tests/unit/tuned.h"
#include "tune/bound.h"
#include "tune/tuner.h"

namespace mmk::tune {
namespace {

/// A search over the fused kernel, with a store in this process only.
class Searched {
public:
  Searched(std::vector<RunShape> shapes, TuneOptions options, SpaceOptions space = {},
           Known *known = nullptr, const std::string &text = fusedText)
      : checked(text), own(shapes.size()), machine(machineOf()),
        made(spaceOf(checked.kernel(), machine, space)) {
    auto team = threadTeam(checked.program, checked.kernel(), machine, 2);
    Verifier verifier(checked.program, checked.kernel(), machine, 2, "");
    for (RunShape &shape : shapes)
      shape.scalars.resize(checked.kernel().parameters.size());
    std::vector<Dims> dims;
    for (const RunShape &shape : shapes)
      dims.push_back(shape.dims);
    const Floors floors(checked.program, checked.kernel(), machine, made, dims);
    Tuner tuner(checked.kernel(), machine, made, shapes, options, known ? *known : own, nullptr,
                floors, *team, verifier, stop);
    result = tuner.run({});
    EXPECT_TRUE(tuner.bugs().empty()) << tuner.bugs().front();
  }
  const CaseResult &only() const { return result.cases.front(); }

  Checked checked;
  Known own;
  Machine machine;
  Space made;
  std::atomic<bool> stop = false;
  TuneResult result;
};

TuneOptions unchecked(CheckMode check = CheckMode::none) {
  TuneOptions options;
  options.check = check;
  return options;
}

TuneOptions pareto() {
  TuneOptions options = unchecked();
  options.objective.isPareto = true;
  return options;
}

const RunShape small{"", {200, 192, 100}, {}}; // M, K, N

TEST(TuneSearch, ExhaustiveLooksAtAll) {
  const Searched searched({small}, pareto());
  const TuneResult &result = searched.result;
  EXPECT_TRUE(result.isExhaustive);
  EXPECT_EQ(result.space, 288);
  EXPECT_EQ(result.bounded, 0);
  int64_t mayExist = 0;
  for (uint64_t i = 0; i < result.space; ++i)
    mayExist += searched.made.mayExist(searched.made.at(i));
  EXPECT_EQ(result.counted + result.refused + result.remembered, mayExist);
  EXPECT_EQ(static_cast<int64_t>(searched.only().variants.size()) + searched.only().merged,
            mayExist - result.refused);
}

// 200 x 100 in tiles of 64 x 64 are 8 tiles; of 128 x 128 two, and six cores become two.
TEST(TuneSearch, CoresWithoutWorkAreLeftOut) {
  SpaceOptions space;
  space.fixed = {{"tile.M", "128"},  {"tile.N", "128"},   {"tile.K", "64"},
                 {"stage.K", "128"}, {"buffers.l1", "2"}, {"order", "rows"}};
  const Searched searched({small}, pareto(), space);
  ASSERT_EQ(searched.only().variants.size(), 1u);
  EXPECT_TRUE(searched.only().variants[0].variant.starts_with("cores=2,tile=128x128x64,"));
  EXPECT_EQ(searched.only().merged, 2);
}

// The reported variant compiles to the same time as the requested ones.
TEST(TuneSearch, AVariantWithFewerCoresTakesTheSameTime) {
  SpaceOptions space;
  space.fixed = {{"buffers.l1", "2"}, {"stage.K", "128"}};
  for (const RunShape &shape : {small, RunShape{"", {300, 64, 300}, {}}}) {
    const Searched searched({shape}, pareto(), space);
    Counter counter(searched.checked.program, searched.checked.kernel(), searched.machine);
    Verifier names(searched.checked.program, searched.checked.kernel(), searched.machine, 1, "");
    for (const VariantResult &variant : searched.only().variants) {
      const Counted counted = counter.count(names.choicesOf(variant.variant), shape.dims);
      ASSERT_TRUE(counted.exists()) << counted.reason;
      EXPECT_EQ(counted.variant, variant.variant);
      EXPECT_EQ(counted.measures[0]->cycles, variant.measure.cycles) << variant.variant;
      EXPECT_EQ(counted.measures[0]->trafficBytes, variant.measure.trafficBytes);
    }
  }
}

TEST(TuneSearch, LeavingOutWhatCannotWinChangesNoWinner) {
  for (const RunShape &shape :
       {small, RunShape{"", {1000, 128, 700}, {}}, RunShape{"", {1, 64, 640}, {}}}) {
    const Searched all({shape}, pareto()), pruned({shape}, unchecked());
    EXPECT_EQ(all.only().variants[0].variant, pruned.only().variants[0].variant);
    EXPECT_EQ(all.only().variants[0].measure.cycles, pruned.only().variants[0].measure.cycles);
  }
  const Searched large({RunShape{"", {1000, 128, 700}, {}}}, unchecked());
  EXPECT_GT(large.result.bounded, 0);
}

TEST(TuneSearch, TheBoundHolds) {
  const RunShape shape{"", {777, 128, 600}, {}};
  const Searched all({shape}, pareto());
  Bounds bound(all.made);
  std::vector<std::pair<Point, int64_t>> counted;
  Known known(1);
  std::atomic<bool> stop = false;
  auto team = threadTeam(all.checked.program, all.checked.kernel(), all.machine, 2);
  Evaluator evaluator(all.made, {shape.dims}, known, nullptr, *team, stop);
  for (uint64_t i = 0; i < all.made.size(); ++i) {
    const Point point = all.made.at(i);
    if (!all.made.mayExist(point))
      continue;
    evaluator.evaluate({point}, Evaluator::Shapes{0});
    const auto answer = evaluator.at(point, 0);
    if (!answer)
      continue;
    EXPECT_EQ(bound.within(point, {answer->measure->cycles}).size(), 1U);
    bound.learn(point, evaluator.nameOf(*answer), *answer->measure);
  }
}

TEST(TuneSearch, WhatIsKnownIsNotCountedAgain) {
  Known known(1);
  const Searched first({small}, pareto(), {}, &known), second({small}, pareto(), {}, &known);
  EXPECT_GT(first.result.counted, 0);
  EXPECT_EQ(second.result.counted, 0);
  ASSERT_EQ(first.only().variants.size(), second.only().variants.size());
  for (size_t i = 0; i < first.only().variants.size(); ++i)
    EXPECT_EQ(first.only().variants[i].variant, second.only().variants[i].variant);
}

using Figures = std::vector<std::tuple<std::string, int64_t, int64_t>>;
Figures figuresOf(const TuneResult &result) {
  Figures figures;
  for (const CaseResult &each : result.cases)
    for (const VariantResult &variant : each.variants)
      figures.emplace_back(variant.variant, variant.measure.cycles, each.merged);
  return figures;
}

class TuneDecided : public testing::Test {
protected:
  TuneDecided() {
    const TuneResult first = search().result;
    EXPECT_EQ(first.decidedBefore, 0);
    expectSum(first);
    figures = figuresOf(first);
    counted = first.counted;
    points = first.points;
  }
  Searched search(const std::string &text = fusedText, const TuneOptions &options = unchecked()) {
    return Searched(shapes, options, {}, &known, text);
  }
  static void expectSum(const TuneResult &result) {
    EXPECT_TRUE(result.isExhaustive);
    EXPECT_EQ(result.counted + result.remembered + result.refused + result.bounded, result.points);
  }
  /// Everything is evaluated again.
  void expectUndecided(const Searched &searched) {
    EXPECT_EQ(searched.result.decidedBefore, 0);
    EXPECT_TRUE(searched.result.isExhaustive);
  }
  static std::string with(const std::string &before, const std::string &now) {
    std::string text = fusedText;
    return text.replace(text.find(before), before.size(), now);
  }

  const std::vector<RunShape> shapes = {RunShape{"", {1000, 128, 700}, {}},
                                        RunShape{"", {200, 192, 100}, {}}};
  Known known{2};
  Figures figures;
  int64_t counted = 0, points = 0;
};

TEST_F(TuneDecided, TheSameSpaceIsNotLookedAtAgain) {
  const TuneResult again = search().result;
  EXPECT_EQ(again.counted, 0);
  EXPECT_EQ(again.decidedBefore, points);
  EXPECT_EQ(figuresOf(again), figures);
  expectSum(again);
  EXPECT_GE(again.remembered, counted);
}

TEST_F(TuneDecided, OfAWiderSpaceTheNewPointsAlone) {
  std::set<std::string> before;
  for (const auto &[request, code] : known.codes)
    before.insert(request);
  const std::string wider = with("96;", "96 | 64;");
  const TuneResult found = search(wider).result;
  EXPECT_EQ(found.decidedBefore, points);
  EXPECT_GT(found.points, points);
  EXPECT_GT(found.counted, 0);
  expectSum(found);
  for (const auto &[request, code] : known.codes)
    if (!before.contains(request)) {
      EXPECT_NE(request.find("stage.K=64"), std::string::npos) << request;
    }
  const Searched alone(shapes, unchecked(), {}, nullptr, wider);
  for (size_t i = 0; i < shapes.size(); ++i)
    EXPECT_EQ(found.cases[i].variants[0].variant, alone.result.cases[i].variants[0].variant);
  EXPECT_EQ(search(wider).result.decidedBefore, found.points);
}

TEST_F(TuneDecided, ANewDefaultIsShown) {
  const TuneResult found = search(with("64 | 128 | 256", "256 | 128 | 64")).result;
  EXPECT_EQ(found.decidedBefore, points);
  EXPECT_LE(found.counted, 1);
  expectSum(found);
  EXPECT_EQ(std::get<0>(figuresOf(found)[0]), std::get<0>(figures[0]));
  ASSERT_TRUE(found.cases[0].byDefault);
  EXPECT_NE(found.cases[0].byDefault->variant.find("tile=256x"), std::string::npos);
}

TEST_F(TuneDecided, OtherRulesAreAnotherSpace) {
  expectUndecided(search(with("<= 16384", "<= 8192")));
  expectUndecided(search(with("<= 16384", "<= 32768")));
}

TEST_F(TuneDecided, FewerAlternativesAreAnotherSpace) {
  expectUndecided(search(with("128 | 96;", "128;")));
}

TEST_F(TuneDecided, AnotherObjectiveIsDecidedByItself) {
  const TuneResult found = search(fusedText, pareto()).result;
  EXPECT_EQ(found.decidedBefore, 0);
  EXPECT_EQ(found.bounded, 0);
  EXPECT_GT(found.cases[0].variants.size(), 100u);
}

TEST_F(TuneDecided, ItHoldsOnlyWithAllThatItRestsOn) {
  const Known whole = known;
  // One that lost.
  auto &measures = known.measures[0];
  const auto worst =
      std::ranges::max_element(measures, {}, [](const auto &entry) { return entry.second.cycles; });
  measures.erase(worst);
  expectUndecided(search());
  // All of one shape.
  known = whole;
  known.measures[1].clear();
  const Searched searched = search();
  expectUndecided(searched);
  EXPECT_GT(searched.result.counted, 0);
  EXPECT_EQ(figuresOf(searched.result)[0], figures[0]);
}

TEST_F(TuneDecided, WhatAWrongVariantHadBoundedIsLookedAtAgain) {
  known.checks[0][known.numberOf(std::get<0>(figures[0]))] = {CheckState::failed, "integers", 1, 1};
  const Searched again = search();
  expectUndecided(again);
  Known nothing(2);
  nothing.checks[0][nothing.numberOf(std::get<0>(figures[0]))] = {CheckState::failed, "", 1, 1};
  const Searched fresh(shapes, unchecked(), {}, &nothing);
  EXPECT_EQ(again.only().variants[0].variant, fresh.only().variants[0].variant);
  // The space is now decided without that one.
  EXPECT_EQ(search().result.decidedBefore, points);
}

TEST(TuneSearch, AGuidedSearchIsRepeatableAndKeepsToItsBudget) {
  TuneOptions options = unchecked();
  options.budget.variants = 40;
  Known known(1);
  const Searched first({small}, options), second({small}, options, {}, &known),
      warm({small}, options, {}, &known);
  EXPECT_FALSE(first.result.isExhaustive);
  EXPECT_LE(first.result.counted + first.result.refused, 40);
  for (const Searched *other : {&second, &warm}) {
    ASSERT_EQ(first.only().variants.size(), other->only().variants.size());
    for (size_t i = 0; i < first.only().variants.size(); ++i)
      EXPECT_EQ(first.only().variants[i].variant, other->only().variants[i].variant);
  }
  EXPECT_EQ(warm.result.counted, 0);
}

TEST(TuneSearch, EveryVariantOfASmallSpaceIsRight) {
  SpaceOptions space;
  space.fixed = {{"tile.M", "64"}, {"tile.N", "64"}, {"cores", "4"}, {"order", "rows"}};
  const Searched searched({small}, unchecked(CheckMode::all), space);
  EXPECT_TRUE(searched.only().failed.empty());
  for (const VariantResult &variant : searched.only().variants)
    EXPECT_EQ(variant.check.state, CheckState::passed) << variant.variant;
}

TEST(TuneSearch, AVariantThatIsKnownToBeWrongDoesNotWin) {
  Known known(1);
  const Searched first({small}, unchecked(), {}, &known);
  const std::string best = first.only().variants[0].variant;
  known.checks[0][known.numberOf(best)] = {CheckState::failed, "integers", 0.5, 1};
  const Searched second({small}, unchecked(CheckMode::winner), {}, &known);
  EXPECT_EQ(second.only().variants[0].variant, first.only().variants[1].variant);
  EXPECT_EQ(second.only().variants[0].check.state, CheckState::passed);
  ASSERT_EQ(second.only().failed.size(), 1u);
  EXPECT_EQ(second.only().failed[0].variant, best);
}

// f32 sums of fractions differ from the reference in their last bits.
TEST(TuneSearch, AWrongVariantIsFoundOut) {
  const std::string strict =
      fusedText.substr(0, fusedText.rfind('}')) + "check { rtol = 0; atol = 0; rounding = 0; } }";
  SpaceOptions space;
  space.fixed = {{"tile.M", "64"}, {"tile.N", "64"}, {"tile.K", "64"}, {"order", "rows"}};
  const Searched searched({small}, unchecked(CheckMode::winner), space, nullptr, strict);
  EXPECT_TRUE(searched.only().variants.empty());
  ASSERT_FALSE(searched.only().failed.empty());
  EXPECT_EQ(searched.only().failed[0].check.data, "uniform");
  EXPECT_GT(searched.only().failed[0].check.errorRatio, 0);
}

TEST(TuneSearch, TheFrontIsOfThoseThatNoOtherBeats) {
  const Searched searched({small}, pareto());
  const auto &all = searched.only().variants;
  EXPECT_TRUE(all.front().isOnFront || all.size() > 1);
  for (const VariantResult &one : all) {
    const bool beaten = std::ranges::any_of(all, [&](const VariantResult &other) {
      const Measure &a = other.measure, &b = one.measure;
      const bool noWorse = a.cycles <= b.cycles && a.onChipBytes() <= b.onChipBytes() &&
                           a.trafficBytes <= b.trafficBytes;
      return noWorse && (a.cycles < b.cycles || a.onChipBytes() < b.onChipBytes() ||
                         a.trafficBytes < b.trafficBytes);
    });
    if (beaten) {
      EXPECT_FALSE(one.isOnFront) << one.variant;
    }
  }
  EXPECT_TRUE(std::ranges::any_of(all, &VariantResult::isOnFront));
}

TEST(TuneObjective, Weights) {
  Measure reference, half;
  reference.microseconds = 2;
  reference.memoryBytes[0] = 100;
  reference.trafficBytes = 1000;
  half = reference;
  half.microseconds = 1;
  half.memoryBytes[0] = 400;
  const auto score = [&](const char *text) {
    return llvm::cantFail(Objective::parse(text)).score(half, reference);
  };
  EXPECT_DOUBLE_EQ(score("time"), 0.5);
  EXPECT_DOUBLE_EQ(score("memory"), 4);
  EXPECT_DOUBLE_EQ(score("traffic"), 1);
  EXPECT_DOUBLE_EQ(score("time=1,memory=0.5"), 1);
  const auto error = [](const char *text) {
    auto objective = Objective::parse(text);
    return objective ? std::string() : llvm::toString(objective.takeError());
  };
  EXPECT_EQ(error("speed"), "--objective is pareto, or goals with their weights, such as "
                            "time=1,memory=0.2; goals: time, memory and traffic; found 'speed'");
  EXPECT_EQ(error("time=0"), "--objective: the weight of time is a number above 0 and up to 1000, "
                             "found '0'");
  EXPECT_EQ(error("time,time"), "--objective gives time twice: time,time");
}

} // namespace
} // namespace mmk::tune
