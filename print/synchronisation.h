// The synchronisation part of `mmk explain`: the number of flags and barriers, their events, their
// cost, and which are redundant.
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
  int64_t events = 0,
          crossFlags = 0; ///< available to each pair of pipes, and to each direction between cores
  int64_t onPath = 0;     ///< instructions on the critical path
  int64_t cyclesOnPath = 0; ///< cycles of these instructions, without their waits
  /// A flag or a barrier that orders more than the hazards need.
  struct Needless {
    std::string text, file;
    int64_t line = 0;
    std::optional<int64_t>
        cycles; ///< its cost; nothing where there are too few events for a weaker one
  };
  std::vector<Needless> needless;

  int64_t instructions() const;
};

/// Of a kernel at these dimensions, whose critical path is `path`.
Synchronisation synchronisationOf(aicore::KernelOp kernel, const Machine &machine,
                                  llvm::ArrayRef<int64_t> dims, const PathReport &path);

/// As text, below a heading that sums it up.
std::string textOf(const Synchronisation &sync, int64_t cycles);
/// "synchronisation": {...}
void write(llvm::json::OStream &out, const Synchronisation &sync);

} // namespace mmk::driver
