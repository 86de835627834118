// `mmk tune --guided`: the way an engineer tunes by hand. Each round reads what holds the kernel,
// counts the changes around the variant at hand, makes the one that saves most, runs it against the
// reference, and keeps it or drops it; and all of it is written down.
#pragma once

#include "explain/diagnosis.h"
#include "explain/what_if.h"

#include <functional>
#include <set>

namespace mmk::tune {

struct EngineerOptions {
  int rounds = 5; ///< at most
  Choices fixed;  ///< never changed
};

/// One round. `after` and what follows it only where a change was made.
struct Round {
  Diagnosis before;
  Choices choices;           ///< of the variant before
  std::vector<WhatIf> tried; ///< changes of one thing, as WhatIfs::alone
  /// Of two things at once, counted where no change of one saves time; only those that exist.
  size_t pairs = 0;
  std::optional<WhatIf> made;
  std::optional<Diagnosis> after;
  std::string failure; ///< what the check found; empty when it passed
  bool isKept() const { return after && failure.empty(); }
};

/// The rounds at one shape.
struct Journey {
  std::string name; ///< of the case; may be empty
  std::vector<std::pair<std::string, int64_t>> dims;
  Diagnosis first, last;    ///< the variants that it began and ended with
  std::string firstFailure; ///< what the check of the first found
  std::vector<Round> rounds;
  bool isAtItsBest = false; ///< no change of one or two things saves time any more
};

class Engineer {
public:
  /// Runs a variant against the reference: what was wrong, or nothing.
  using Check = std::function<std::string(const Choices &)>;
  using Watch = std::function<void(const std::string &doing)>;

  /// Both outlive it.
  Engineer(const Program &program, const Kernel &kernel, const Machine &machine,
           EngineerOptions options)
      : kernel_(kernel), machine_(machine), options_(std::move(options)),
        compiler_(program, machine) {}

  /// Begins with the variant of these choices, which must exist. `dims`: in the kernel's order. The
  /// error is a bug of mmk.
  llvm::Expected<Journey> run(const Choices &start, const std::vector<int64_t> &dims,
                              const Check &check, const Watch &watch);

private:
  struct Walk;

  Lowering lower(const Choices &choices);
  Choices choicesOf(const std::string &variant);

  const Kernel &kernel_;
  const Machine &machine_;
  EngineerOptions options_;
  Compiler compiler_;
};

/// The optimization log of some journeys, as Markdown. `command`: that wrote it.
std::string optimizationLog(const Kernel &kernel, const Machine &machine,
                            const std::vector<Journey> &journeys, const std::string &command);

} // namespace mmk::tune
