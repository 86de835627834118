#include "tune/refusals.h"

#include <algorithm>

namespace mmk::tune {

Refusals::Refusals(const Space &space) {
  using enum DiagnosticCode;
  const auto add = [&](DiagnosticCode overflow, std::initializer_list<std::string_view> irrelevant,
                       bool ofDepth) {
    const Projection key(space, [&](std::string_view directive) {
      const bool isStage = directive.starts_with("stage.");
      const bool isDepth = directive.starts_with("tile.") &&
                           space.axisOf("stage." + std::string(directive.substr(5)));
      if (directive == "cores" || directive == "order")
        return false;
      if (isDepth || isStage)
        return ofDepth && (overflow == overflowsL1 ? isStage : isDepth);
      return std::ranges::none_of(
          irrelevant, [&](std::string_view prefix) { return directive.starts_with(prefix); });
    });
    byMemory_.emplace(overflow, key);
  };
  constexpr std::string_view l1 = "buffers.l1", l0 = "buffers.l0", acc = "buffers.acc",
                             out = "buffers.out", ub = "buffers.ub", keep = "keep";
  add(overflowsL1, {l0, acc, out, ub, "store"}, /*ofDepth=*/true);
  for (DiagnosticCode overflow : {overflowsL0a, overflowsL0b})
    add(overflow, {l1, acc, out, ub, keep}, /*ofDepth=*/true);
  add(overflowsL0c, {l1, l0, out, ub, keep}, /*ofDepth=*/false);
  add(overflowsUb, {l1, l0, keep}, /*ofDepth=*/false);
}

void Refusals::learn(const Point &point, DiagnosticCode reason) {
  if (const auto sizes = byMemory_.find(reason); sizes != byMemory_.end())
    sizes->second.refused.insert(sizes->second.key.of(point));
}

std::optional<DiagnosticCode> Refusals::reasonFor(const Point &point) const {
  for (const auto &[reason, sizes] : byMemory_)
    if (sizes.refused.contains(sizes.key.of(point)))
      return reason;
  return std::nullopt;
}

} // namespace mmk::tune
