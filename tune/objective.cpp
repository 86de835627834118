#include "tune/objective.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace mmk::tune {
namespace {

/// Figures that are 0 (nothing on the chip, no traffic) count as one byte.
double relative(double figure, double reference) {
  return std::max(figure, 1e-9) / std::max(reference, 1e-9);
}

auto goals(const Measure &measure) {
  return std::tuple(measure.microseconds, measure.onChipBytes(), measure.trafficBytes);
}

} // namespace

llvm::Expected<Objective> Objective::parse(const std::string &text) {
  Objective objective;
  if (text == "pareto") {
    objective.isPareto = true;
    return objective;
  }
  objective.time = 0;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ',');
  for (llvm::StringRef part : parts) {
    const auto [goal, weight] = part.split('=');
    double number = 1;
    const bool hasWeight = part.contains('=');
    double *target = goal == "time"      ? &objective.time
                     : goal == "memory"  ? &objective.memory
                     : goal == "traffic" ? &objective.traffic
                                         : nullptr;
    if (!target)
      return llvm::createStringError(fmt::format(
          "--objective is pareto, or goals with their weights, such as time=1,memory=0.2; goals: "
          "time, memory and traffic; found '{}'",
          text));
    if (hasWeight && (weight.getAsDouble(number) || !(number > 0) || number > 1000))
      return llvm::createStringError(
          fmt::format("--objective: the weight of {} is a number above 0 and up to 1000, found "
                      "'{}'",
                      goal.str(), weight.str()));
    if (*target != 0)
      return llvm::createStringError(
          fmt::format("--objective gives {} twice: {}", goal.str(), text));
    *target = number;
  }
  return objective;
}

double Objective::score(const Measure &measure, const Measure &reference) const {
  return std::pow(relative(measure.microseconds, reference.microseconds), time) *
         std::pow(relative(measure.onChipBytes(), reference.onChipBytes()), memory) *
         std::pow(relative(measure.trafficBytes, reference.trafficBytes), traffic);
}

// Sorted by time, a variant can only be dominated by an earlier one; comparing with those on the
// front is enough, and they are few.
void markFront(std::vector<VariantResult> &variants) {
  std::vector<VariantResult *> sorted;
  for (VariantResult &variant : variants)
    sorted.push_back(&variant);
  std::ranges::sort(sorted, {}, [](const VariantResult *it) {
    return std::tuple(goals(it->measure), it->variant);
  });
  std::vector<const VariantResult *> front;
  for (VariantResult *variant : sorted) {
    const bool isBeaten = std::ranges::any_of(front, [&](const VariantResult *other) {
      return other->measure.onChipBytes() <= variant->measure.onChipBytes() &&
             other->measure.trafficBytes <= variant->measure.trafficBytes;
    });
    variant->isOnFront = !isBeaten;
    if (!isBeaten)
      front.push_back(variant);
  }
}

} // namespace mmk::tune
