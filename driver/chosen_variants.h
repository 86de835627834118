// The variant that a command uses for a case, where the author and the user leave directives open.
#pragma once

#include "cli/run_case.h"
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

/// What the choice was made from, one line: "M=2048,N=2048,K=2048: the best of 831 by a closed form
/// and 9 counted; the default takes 85.24 us, 1.22 times as long". Empty for the default of a
/// kernel with a schedule, which its author chose.
std::string reasonOf(const ShapeVariant &chosen, const Kernel &kernel, const Machine &machine);

/// The options of the command line with the variant that is chosen for a case, and its reason; as
/// they are where they name a variant.
Target withVariantOf(Session &session, const Target &target, const Kernel &kernel,
                     const RunCase &run, std::string &reason);

/// The folder of remembered choices; empty where there is none.
std::string choiceFolder();

} // namespace mmk::driver
