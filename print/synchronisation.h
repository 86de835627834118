// What `mmk explain` says of flags and barriers: how many there are, which events they take, what
// they cost, and whether any could go.
#pragma once

#include "machines/machine.h"
#include "print/placed_flags.h"
#include "runtime/critical_path.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace mmk::driver {

struct Synchronisation {
  PlacedFlags placed;
  TakenEvents taken;
  int64_t events = 0, crossFlags = 0; ///< that each pair of pipes has, and each direction of cores
  int64_t onPath = 0;                 ///< instructions on the critical path
  int64_t cyclesOnPath = 0;           ///< that they take there, beside what they wait for
  /// A flag or a barrier that orders more than the hazards need.
  struct Needless {
    std::string text, file;
    int64_t line = 0;
    std::optional<int64_t>
        cycles; ///< that it costs; nothing where there are too few events for less
  };
  std::vector<Needless> needless;

  int64_t instructions() const;
};

/// Of a kernel at these dimensions, whose critical path is `path`.
Synchronisation synchronisationOf(aicore::KernelOp kernel, const Machine &machine,
                                  llvm::ArrayRef<int64_t> dims, const PathReport &path);

/// For people, below a heading that says the main thing.
std::string textOf(const Synchronisation &sync, int64_t cycles);
/// "synchronisation": {...}
void write(llvm::json::OStream &out, const Synchronisation &sync);

} // namespace mmk::driver
