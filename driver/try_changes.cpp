#include "driver/try_changes.h"

#include "driver/count_case.h"

#include <fmt/format.h>

namespace mmk::driver {

tune::WhatIfs tryChanges(Session &session, const Kernel &kernel, const RunCase &run, int64_t cycles,
                         Progress &progress) {
  const tune::TrialWays ways = {
      [&](const Choices &choices) { return session.tryLower(kernel, choices); },
      [&](Lowering &lowering) { return countCase(lowering, session.machine(), kernel, run); },
      [&](const Choices &choices) {
        progress.show(fmt::format("{}: {}", run.title(), spelling(choices)));
      },
      [&](Lowering &lowering) { return limitProblem(lowering, kernel, run); }};
  const Lowering now = session.tryLower(kernel, {}, LoweringLevel::mmk);
  return tune::tryChanges(tune::neighboursOf(kernel, session.machine(), now.choices), now.variant,
                          cycles, ways);
}

} // namespace mmk::driver
