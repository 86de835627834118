#include "tune/tuner.h"

#include "backend/backend.h"
#include "store/identity.h"
#include "tune/bounded_search.h"
#include "tune/host_search.h"
#include "tune/random_search.h"
#include "tune/ranked_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace mmk::tune {
namespace {

/// Above this number, points are not enumerated: they are too many in any case.
constexpr double mostEnumerated = 4e6;

/// Variants counted for each shape unless a budget is given.
constexpr int64_t fullBudget = 1500, quickBudget = 400;
/// Of a quick search: its effort, in steps that are counted, of which a thousand take about a
/// millisecond, the variants that it counts at the least, and the few that may take more.
constexpr double quickEffort = 5 << 19;
constexpr int64_t leastQuickBudget = 40, fewQuickBudget = 100;
/// Variants counted to start the search of a whole space.
constexpr int64_t firstBudget = 300;
/// Up to this number all are counted, also those that cannot win.
constexpr size_t fewPoints = 100;
/// Points of a whole space, for all shapes together.
constexpr int64_t mostCounted = 100000;
/// Variants that are drawn at random.
constexpr int64_t usualDraws = 20000;
/// The same for variants that are compiled and timed.
constexpr int64_t fullTimed = 64, quickTimed = 16;

double secondsSince(Evaluator::Clock::time_point start) {
  return std::chrono::duration<double>(Evaluator::Clock::now() - start).count();
}

} // namespace

Tuner::Tuner(const Kernel &kernel, const Machine &machine, const Space &space,
             std::vector<RunShape> shapes, const TuneOptions &options, Known &known, Store *store,
             const Floors &floors, Team &team, Verifier &verifier, const std::atomic<bool> &stop)
    : kernel_(kernel), machine_(machine), space_(space), shapes_(std::move(shapes)),
      options_(options), known_(known), store_(store), verifier_(verifier), floors_(floors),
      evaluator_(
          space,
          [&] {
            std::vector<Dims> dims;
            for (const RunShape &shape : shapes_)
              dims.push_back(shape.dims);
            return dims;
          }(),
          known, store, team, stop) {}

/// In the order of their numbers; nothing when there are more than `most`.
std::optional<std::vector<Point>> Tuner::pointsThatMayExist(size_t most) const {
  if (space_.size() > mostEnumerated)
    return std::nullopt;
  std::vector<Point> points;
  space_.forEach([&](const Point &point) {
    points.push_back(point);
    return points.size() <= most;
  });
  if (points.size() > most)
    return std::nullopt;
  return points;
}

/// Whether only the best is requested, so that variants which cannot win need not be counted.
bool Tuner::mayPrune() const {
  return options_.objective.isBestTime() && options_.check != CheckMode::all &&
         backendOf(machine_.kind).hasClock();
}

void Tuner::countAll(const std::vector<Point> &points) {
  progress_.all = points.size();
  std::vector<size_t> all(shapes_.size());
  std::iota(all.begin(), all.end(), 0);
  evaluator_.evaluate(points, all);
}

/// Points decided by earlier searches are skipped. The best of a quick search at each shape then
/// bounds the others.
void Tuner::searchWhole() {
  std::optional<DecidedSubspace> before = recallDecided(space_, evaluator_, known_);
  if (before) {
    countDefault(*before);
    evaluated_ = before->measured;
  } else {
    rank(firstBudget);
  }
  progress_ = {"counting", 0, 0, 0, 0};
  started_ = Clock::now();
  startDeadline(1);
  BoundedSearch search(space_, evaluator_, known_, shapes_.size(), floors_,
                       before ? &before->space : nullptr);
  search.learn(evaluated_);
  isWhole_ = true;
  isExhaustive_ = search.run(mostCounted, [&](int64_t done, int64_t all) {
    progress_.done = done;
    progress_.all = all;
  });
  isWhole_ = false;
  evaluator_.deadline = Clock::time_point::max();

  DecidedSubspace whole{
      Subspace::all(space_), search.points(), search.refused(), search.bounded(), {}};
  if (before) {
    decidedBefore_ = before->points;
    whole.points += before->points;
    whole.refused += before->refused;
    whole.bounded += before->bounded;
  }
  llvm::append_range(evaluated_, search.measured());
  std::set<uint64_t> seen;
  std::erase_if(evaluated_, [&](const Point &point) {
    return !seen.insert(whole.space.numberOf(point)).second;
  });
  whole.measured = evaluated_;
  keep(whole);
  whole_ = std::move(whole);
}

/// Those of all shapes, each once.
std::vector<Point> Tuner::defaultPoints() const {
  std::vector<Point> points;
  for (size_t shape = 0; shape < shapes_.size(); ++shape)
    if (const Point point = space_.defaultPoint(shape);
        std::ranges::find(points, point) == points.end())
      points.push_back(point);
  return points;
}

/// The default is shown beside the result, and another file may have another default.
void Tuner::countDefault(DecidedSubspace &decided) {
  for (const Point &point : defaultPoints()) {
    const bool isNew = decided.space.covers(point) &&
                       std::ranges::find(decided.measured, point) == decided.measured.end();
    countAll({point});
    if (!isNew || !evaluator_.isMeasured(point))
      continue;
    decided.measured.push_back(point);
    --decided.bounded;
  }
}

/// Stores the outcome, unless an earlier search stored the same.
void Tuner::keep(const DecidedSubspace &whole) {
  if (!isExhaustive_ || evaluator_.interrupted() || !evaluator_.bugs.empty() ||
      (decidedBefore_ == whole.points && evaluator_.counted == 0))
    return;
  known_.decisions.push_back(decisionOf(space_, evaluator_, known_, whole));
  if (store_ && evaluator_.storeError.empty())
    if (llvm::Error error = store_->addDecision(known_.decisions.back()))
      evaluator_.storeError = llvm::toString(std::move(error));
}

void Tuner::startDeadline(double share) {
  if (options_.budget.seconds)
    evaluator_.deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(*options_.budget.seconds * share));
}

void Tuner::searchEach(const std::string &doing, int64_t all,
                       llvm::function_ref<std::vector<Point>(size_t shape)> search) {
  for (size_t shape = 0; shape < shapes_.size() && !evaluator_.interrupted(); ++shape) {
    const std::string &name = shapes_[shape].name;
    progress_ = {doing + (name.empty() ? "" : " ") + name, 0, all, 0, 0};
    started_ = Clock::now();
    startDeadline(1 / static_cast<double>(shapes_.size()));
    llvm::append_range(evaluated_, search(shape));
    evaluator_.deadline = Clock::time_point::max();
  }
}

void Tuner::rank(int64_t most) {
  RankedSearch::Limits limits = {.variants = most, .effort = INFINITY};
  if (options_.effort == Effort::quick && !options_.budget.variants && !options_.budget.seconds)
    limits = {
        .variants = most, .effort = quickEffort, .fewest = leastQuickBudget, .few = fewQuickBudget};
  searchEach("counting", most, [&](size_t shape) {
    RankedSearch search(kernel_, space_, evaluator_, floors_, shapes_[shape].dims, shape,
                        options_.objective, options_.seed, limits);
    bestNow_ = [&] { return search.bestMicroseconds(); };
    std::vector<Point> points = search.run();
    bestNow_ = nullptr;
    return points;
  });
}

void Tuner::draw(int64_t draws) {
  searchEach("drawing", draws, [&](size_t shape) {
    RandomSearch search(kernel_, space_, evaluator_, floors_, shapes_[shape].dims, shape,
                        options_.seed);
    std::vector<Point> points = search.run(draws);
    points_ += search.drawn();
    bounded_ += search.bounded();
    return points;
  });
}

void Tuner::time(int64_t most) {
  searchEach("timing", 3 * most, [&](size_t shape) -> std::vector<Point> {
    HostSearch search(kernel_, space_, evaluator_, verifier_, known_, store_, shapes_[shape], shape,
                      options_.seed, most);
    auto points = search.run();
    if (points)
      return std::move(*points);
    bugs_.push_back(llvm::toString(points.takeError()));
    return {};
  });
}

void Tuner::search() {
  progress_.doing = "counting";
  started_ = Clock::now();
  const bool isQuick = options_.effort == Effort::quick;
  if (!backendOf(machine_.kind).hasClock()) {
    const int64_t usual = options_.effort == Effort::none ? 1 : isQuick ? quickTimed : fullTimed;
    return time(options_.budget.variants.value_or(usual));
  }
  if (options_.effort == Effort::none) {
    evaluated_ = defaultPoints();
    countAll(evaluated_);
    return;
  }
  if (options_.effort == Effort::random)
    return draw(options_.budget.variants.value_or(usualDraws));
  const int64_t most = options_.budget.variants.value_or(isQuick ? quickBudget : fullBudget);
  auto points = pointsThatMayExist(most);
  const bool isFew = points && points->size() <= fewPoints;
  if ((options_.effort == Effort::full || points) && !isFew && !options_.budget.variants &&
      !options_.budget.seconds && mayPrune() && space_.size() <= mostEnumerated)
    return searchWhole();
  if (points) {
    isExhaustive_ = true;
    points_ = static_cast<int64_t>(points->size());
    evaluated_ = std::move(*points);
    for (Point &point : defaultPoints())
      if (std::ranges::find(evaluated_, point) == evaluated_.end())
        evaluated_.push_back(std::move(point));
    countAll(evaluated_);
    return;
  }
  rank(options_.budget.seconds ? INT64_MAX : most);
}

CaseResult Tuner::resultOf(size_t shape) {
  CaseResult result;
  result.name = shapes_[shape].name;
  result.dims = shownDims(kernel_, shapes_[shape].dims);

  const auto resultAt = [&](const Evaluator::Answer &answer) {
    VariantResult variant{known_.nameOf(answer.variant), *answer.measure, {}, false};
    if (const auto check = known_.checks[shape].find(answer.variant);
        check != known_.checks[shape].end())
      variant.check = check->second;
    return variant;
  };
  if (const auto answer = evaluator_.at(space_.defaultPoint(shape), shape))
    result.byDefault = resultAt(*answer);

  std::set<int32_t> seen;
  std::set<std::string> requests;
  for (const Point &point : evaluated_) {
    const auto answer = evaluator_.at(point, shape);
    if (!answer || answer->measure->microseconds <= 0 ||
        !requests.insert(space_.request(point)).second)
      continue;
    if (!seen.insert(answer->variant).second) {
      ++result.merged;
      continue;
    }
    VariantResult variant = resultAt(*answer);
    (variant.check.state == CheckState::failed ? result.failed : result.variants)
        .push_back(std::move(variant));
  }
  if (result.variants.empty())
    return result;
  const Measure reference =
      result.byDefault ? result.byDefault->measure : result.variants.front().measure;
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < result.variants.size(); ++i)
    order.emplace_back(options_.objective.score(result.variants[i].measure, reference), i);
  std::ranges::sort(order, [&](const auto &a, const auto &b) {
    return std::tie(a.first, result.variants[a.second].variant) <
           std::tie(b.first, result.variants[b.second].variant);
  });
  std::vector<VariantResult> sorted;
  for (const auto &[score, i] : order)
    sorted.push_back(std::move(result.variants[i]));
  result.variants = std::move(sorted);
  markFront(result.variants);
  return result;
}

void Tuner::checkOne(VariantResult &variant, size_t shape) {
  if (variant.check.state != CheckState::unchecked)
    return;
  llvm::Expected<Check> check =
      verifier_.check(verifier_.choicesOf(variant.variant), shapes_[shape]);
  if (!check) {
    // A variant that cannot run counts as a wrong result.
    bugs_.push_back(variant.variant + ": " + llvm::toString(check.takeError()));
    variant.check = {CheckState::failed, "", 1, 0};
  } else {
    variant.check = *check;
  }
  known_.checks[shape][known_.numberOf(variant.variant)] = variant.check;
  if (!store_)
    return;
  // The counted request may have more cores than have work; its variant has another name.
  const Finding finding{"", variant.variant, "", {}, {{shape, variant.measure}}};
  llvm::Error error = store_->add(finding);
  if (!error)
    error = store_->addCheck(shape, variant.variant, variant.check);
  if (error && evaluator_.storeError.empty())
    evaluator_.storeError = llvm::toString(std::move(error));
  else
    llvm::consumeError(std::move(error));
}

/// Checks variants, the best first, until one is right; removes the wrong ones from the list.
void Tuner::check(CaseResult &result, size_t shape) {
  if (options_.check == CheckMode::none)
    return;
  progress_ = {fmt::format("checking {}", result.name), 0, 1, progress_.bestMicroseconds, 0};
  if (options_.check == CheckMode::all)
    progress_.all = result.variants.size();
  for (size_t i = 0; i < result.variants.size() && !evaluator_.interrupted();) {
    checkOne(result.variants[i], shape);
    ++progress_.done;
    if (watch_)
      watch_(progress_);
    if (result.variants[i].check.state == CheckState::failed) {
      result.failed.push_back(result.variants[i]);
      result.variants.erase(result.variants.begin() + i);
      continue;
    }
    if (options_.check == CheckMode::winner && !options_.objective.isPareto)
      break;
    ++i;
    // Every variant of a Pareto front is checked.
    if (options_.check == CheckMode::winner)
      while (i < result.variants.size() && !result.variants[i].isOnFront)
        ++i;
  }
}

TuneResult Tuner::run(const Watch &watch) {
  const Clock::time_point start = Clock::now();
  watch_ = watch;
  evaluator_.watch = [&] {
    if (!isWhole_)
      ++progress_.done;
    const double perVariant = secondsSince(started_) / static_cast<double>(progress_.done);
    progress_.secondsLeft =
        options_.budget.seconds
            ? std::chrono::duration<double>(evaluator_.deadline - Clock::now()).count()
            : perVariant *
                  static_cast<double>(std::max<int64_t>(0, progress_.all - progress_.done));
    if (bestNow_)
      progress_.bestMicroseconds = bestNow_();
    if (watch_)
      watch_(progress_);
  };
  search();
  TuneResult result;
  result.kernel = kernel_.name;
  result.machine = machine_.name;
  result.space = space_.size();
  for (size_t shape = 0; shape < shapes_.size(); ++shape) {
    result.cases.push_back(resultOf(shape));
    check(result.cases.back(), shape);
  }
  result.isInterrupted = evaluator_.interrupted();
  result.isExhaustive = isExhaustive_ && !result.isInterrupted;
  result.counted = evaluator_.counted;
  result.remembered = evaluator_.remembered;
  result.refused = evaluator_.refused;
  result.points = points_;
  result.bounded = bounded_;
  if (whole_) {
    result.remembered = std::ssize(whole_->measured) - evaluator_.counted;
    result.refused = whole_->refused;
    result.points = whole_->points;
    result.bounded = whole_->bounded;
    result.decidedBefore = decidedBefore_;
  }
  bugs_.insert(bugs_.begin(), evaluator_.bugs.begin(), evaluator_.bugs.end());
  result.seconds = secondsSince(start);
  return result;
}

} // namespace mmk::tune
