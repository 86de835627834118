// Successive halving: the promising are timed often, the others seldom.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <vector>

namespace mmk::tune {

struct Timed {
  size_t candidate = 0;
  double microseconds = 0; ///< of its last round
};

/// Times candidates 0 to `count` - 1 in rounds, each with twice the runs of the one before; after a
/// round the slower half leaves, but for number 0, the reference, so that both ends of a comparison
/// are as exact, and for the last three. Returns those of the last round, the reference first, then
/// the fastest first; of those that were not timed before it was stopped, none. `time` gets the
/// number of runs; its error ends everything.
llvm::Expected<std::vector<Timed>>
halve(size_t count, llvm::function_ref<llvm::Expected<double>(size_t candidate, int runs)> time,
      llvm::function_ref<bool()> isStopped);

/// Two times of one moment: of the reference, and of another.
struct TimedPair {
  double reference = 0, other = 0;
};

/// The median of the other's part of the reference's time, if the pairs show that it is faster: by
/// one hundredth and more, and in so many of them as chance makes faster once in a hundred times.
std::optional<double> shownFaster(llvm::ArrayRef<TimedPair> pairs);

} // namespace mmk::tune
