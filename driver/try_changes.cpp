#include "driver/try_changes.h"

#include "driver/count_case.h"

#include <fmt/format.h>

namespace mmk::driver {

tune::WhatIfs tryChanges(Session &session, const Kernel &kernel, const RunCase &run,
                         const std::string &variant, int64_t cycles, Progress &progress) {
  const tune::TrialWays ways = {
      [&](const Choices &choices) { return session.tryLower(kernel, choices); },
      [&](Lowering &lowering) { return countCase(lowering, session.machine(), kernel, run); },
      [&](const Choices &choices) {
        progress.show(fmt::format("{}: {}", run.title(), spelling(choices)));
      },
      [&](Lowering &lowering) { return limitProblem(lowering, kernel, run); }};
  const std::vector<Choices> changes =
      tune::neighboursOf(kernel, session.machine(), session.choicesOf(kernel, variant));
  return tune::tryChanges(changes, variant, cycles, ways);
}

} // namespace mmk::driver
