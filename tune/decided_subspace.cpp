#include "tune/decided_subspace.h"

#include <algorithm>

namespace mmk::tune {
namespace {

/// The times of the points at each shape, and the points that are measured at none.
struct Figures {
  std::vector<Decision::AtShape> shapes;
  std::vector<bool> isMeasured;
};

Figures figuresOf(const std::vector<Point> &points, Evaluator &evaluator, const Known &known) {
  Figures figures{std::vector<Decision::AtShape>(known.measures.size()),
                  std::vector<bool>(points.size())};
  for (size_t i = 0; i < points.size(); ++i)
    for (size_t shape = 0; shape < figures.shapes.size(); ++shape) {
      const auto answer = evaluator.at(points[i], shape);
      if (!answer)
        continue;
      figures.isMeasured[i] = true;
      Decision::AtShape &at = figures.shapes[shape];
      ++at.measured;
      if (!known.isWrong(answer->variant, shape) &&
          (at.best == 0 || answer->measure->cycles < at.best))
        at.best = answer->measure->cycles;
    }
  return figures;
}

std::optional<DecidedSubspace> recall(const Decision &decision, Subspace subspace,
                                      Evaluator &evaluator, const Known &known) {
  DecidedSubspace decided{
      std::move(subspace), decision.points, decision.refused, decision.bounded, {}};
  std::vector<Point> points;
  for (uint64_t number : decision.measured)
    if (auto point = decided.space.at(number))
      points.push_back(std::move(*point));
  evaluator.recall(points);
  const Figures figures = figuresOf(points, evaluator, known);
  const bool holds =
      std::ranges::equal(figures.shapes, decision.shapes, [](const auto &now, const auto &then) {
        return now.measured == then.measured && now.best == then.best;
      });
  if (!holds)
    return std::nullopt;
  for (size_t i = 0; i < points.size(); ++i)
    if (figures.isMeasured[i])
      decided.measured.push_back(std::move(points[i]));
  // Those that were counted for other shapes alone cannot win at these.
  decided.bounded = decided.points - decided.refused - std::ssize(decided.measured);
  return decided;
}

} // namespace

std::optional<DecidedSubspace> recallDecided(const Space &space, Evaluator &evaluator,
                                             const Known &known) {
  std::vector<const Decision *> largestFirst;
  for (const Decision &decision : known.decisions)
    largestFirst.push_back(&decision);
  std::ranges::stable_sort(largestFirst, std::greater(), &Decision::points);
  for (const Decision *decision : largestFirst)
    if (auto subspace = Subspace::of(space, decision->space))
      if (auto decided = recall(*decision, std::move(*subspace), evaluator, known))
        return decided;
  return std::nullopt;
}

Decision decisionOf(const Space &space, Evaluator &evaluator, const Known &known,
                    const DecidedSubspace &decided) {
  const Figures figures = figuresOf(decided.measured, evaluator, known);
  Decision decision{space.spelling(), decided.points, decided.refused, decided.bounded, {},
                    figures.shapes};
  for (const Point &point : decided.measured)
    decision.measured.push_back(decided.space.numberOf(point));
  return decision;
}

} // namespace mmk::tune
