// `mmk tune --guided`: hill climbing with a log. Each round finds the bottleneck of the variant,
// counts the changes of one directive, applies the one that saves most time, compares its results
// with the reference, and keeps or drops it.
#pragma once

#include "explain/diagnosis.h"
#include "explain/what_if.h"

#include <functional>
#include <set>

namespace mmk::tune {

struct GuidedTunerOptions {
  int rounds = 5; ///< at most
  Choices fixed;  ///< never changed
};

/// One round. `after` and what follows it only where a change was made.
struct Round {
  Diagnosis before;
  std::vector<WhatIf> tried; ///< single changes, as WhatIfs::alone
  /// Pairs of changes, counted where no single change saves time; only those that exist.
  size_t pairs = 0;
  std::optional<WhatIf> made;
  std::optional<Diagnosis> after;
  std::string failure; ///< the error that the check found; empty when it passed
  bool isKept() const { return after && failure.empty(); }
};

/// The rounds at one shape.
struct TuningTrace {
  std::string name; ///< of the case; may be empty
  std::vector<std::pair<std::string, int64_t>> dims;
  Diagnosis first, last;    ///< of the initial and the final variant
  std::string firstFailure; ///< the error that the check of the first found
  std::vector<Round> rounds;
  bool isAtItsBest = false; ///< no change and no pair of changes saves time
};

class GuidedTuner {
public:
  /// Compares a variant with the reference: the error, or nothing.
  using Check = std::function<std::string(const Choices &)>;
  using Watch = std::function<void(const std::string &doing)>;

  /// Both outlive it.
  GuidedTuner(const Program &program, const Kernel &kernel, const Machine &machine,
              GuidedTunerOptions options)
      : kernel_(kernel), machine_(machine), options_(std::move(options)),
        compiler_(program, machine) {}

  /// Starts from the variant of these choices, which must exist. `dims`: in the kernel's order. The
  /// error is a bug of mmk.
  llvm::Expected<TuningTrace> run(const Choices &start, const std::vector<int64_t> &dims,
                                  const Check &check, const Watch &watch);

private:
  struct Rounds;

  Lowering lower(const Choices &choices);

  const Kernel &kernel_;
  const Machine &machine_;
  GuidedTunerOptions options_;
  Compiler compiler_;
};

/// The optimization log of some traces, as Markdown. `command`: the one that wrote it.
std::string optimizationLog(const Kernel &kernel, const Machine &machine,
                            const std::vector<TuningTrace> &traces, const std::string &command);

} // namespace mmk::tune
