// The variant that a command uses for a case, where the author and the user leave directives open.
#pragma once

#include "cli/run_case.h"
#include "driver/session.h"

#include <optional>

namespace mmk::driver {

/// A variant that was chosen for the shape of a case, and what the choice was made from.
struct ShapeVariant {
  std::string variant;                   ///< its choices: "tile.M=64,order=rows"; empty: the default
  std::string dims;                      ///< "M=2048,N=1024,K=512"
  int64_t cycles = 0, defaultCycles = 0; ///< of it, and of the machine's default
  int64_t counted = 0, considered = 0;
  bool operator==(const ShapeVariant &) const = default;
};

/// Nothing where nothing is open, or where the machine's code fits itself to the shape.
/// `remembers`: whether choices are looked up in the cache of the user, and kept there.
std::optional<ShapeVariant> chooseVariant(Session &session, const Kernel &kernel,
                                          const RunCase &run, bool remembers);

/// "tile of 128 x 256 ..., 1.22 times as fast as the default": one line.
std::string reasonOf(const ShapeVariant &chosen, const Machine &machine);

/// The folder of remembered choices; empty where there is none.
std::string choiceFolder();

} // namespace mmk::driver
