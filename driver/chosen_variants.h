// The variant that a command uses for a case, where the author and the user leave directives open.
#pragma once

#include "cli/run_case.h"
#include "driver/known_variants.h"
#include "driver/session.h"
#include "store/choice_memory.h"

#include <optional>

namespace mmk::driver {

/// A variant that was chosen for the shape of a case, and what the choice was made from.
struct ShapeVariant : tune::RememberedChoice {
  std::string dims; ///< "M=2048,N=1024,K=512"
};

/// Nothing where nothing is open, or where the machine's code fits itself to the shape.
/// `remembers`: whether choices are looked up in the cache of the user, and kept there.
std::optional<ShapeVariant> chooseVariant(Session &session, const Kernel &kernel,
                                          const RunCase &run, bool remembers);

/// Where the machine's code fits itself to the shape: the dimensions that a legal variant for this
/// case leaves out (Chooser::unitsOf).
Choices unitsOf(Session &session, const Kernel &kernel, const RunCase &run);

/// What the choice was made from, one line: "M=2048,N=2048,K=2048: the best of 831 by a closed form
/// and 9 counted; the default takes 85.24 us, 1.22 times as long". Empty for the default of a
/// kernel with a schedule, which its author chose.
std::string reasonOf(const ShapeVariant &chosen, const Kernel &kernel, const Machine &machine);

/// What a case runs as.
struct CaseVariant {
  KnownVariant known;               ///< from the store
  Choices choices;                  ///< beside those of the command line; none: the default
  std::vector<std::string> reasons; ///< of what was chosen, a line for each case
  bool isSameAs(const CaseVariant &other) const {
    return known == other.known && choices == other.choices &&
           reasons.empty() == other.reasons.empty();
  }
};

/// The variant of each case: the best one that the store knows, where it is not fixed, else the one
/// chosen for its shape. `remembers`: whether the cache of the user is used.
std::vector<CaseVariant> variantsOf(Session &session, const Target &target, const Kernel &kernel,
                                    const std::vector<RunCase> &runs, bool remembers);

/// The folder of remembered choices; empty where there is none.
std::string choiceFolder();

} // namespace mmk::driver
