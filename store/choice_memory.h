// Remembers the variants that were chosen for shapes: a small file for each, written whole, so that
// a run finds its variant without opening the database of `mmk tune`.
#pragma once

#include "schedule/choices.h"
#include "store/identity.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace mmk::tune {

/// What a choice depends on.
struct ChoiceKey {
  Identity identity;
  std::string dims;  ///< "M=2048,N=1024,K=512"
  std::string fixed; ///< "tile.M=64,order=rows": what the author and the user chose
};

/// What was chosen, or with zeros that no candidate is legal.
struct RememberedChoice {
  Choices choices;                       ///< none: the machine's default
  int64_t cycles = 0, defaultCycles = 0; ///< of it, and of that default; 0: not counted
  int64_t counted = 0, considered = 0;   ///< variants, by the clock and by a closed form

  bool isFound() const { return cycles > 0; }
};

class ChoiceMemory {
public:
  /// An empty folder remembers nothing.
  explicit ChoiceMemory(std::string folder) : folder_(std::move(folder)) {}

  /// Nothing from a file that is not as it was written.
  std::optional<RememberedChoice> find(const ChoiceKey &key) const;
  /// Replaces what was remembered for the key.
  llvm::Error add(const ChoiceKey &key, const RememberedChoice &choice) const;
  /// Forgets the choices of all builds of mmk but `build`, or without one all; how many they were.
  int64_t prune(const std::string &build) const;

private:
  std::string pathOf(const ChoiceKey &key) const;
  std::string folder_;
};

} // namespace mmk::tune
