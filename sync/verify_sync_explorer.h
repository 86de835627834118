// Follows a phase along every path that its control flow can take.
//
// What decides about control is not known to the compiler: extents, and with them how often a loop
// runs. So the walk goes through the program once for each way in which these can matter, with all
// states of the synchronisation that can stand at a point:
//
// - A value that ends a loop and is also compared with (the loop's transfers run ahead of it) is
//   split where it is defined, by the number of iterations that it means: 0, 1, ... up to the
//   farthest look ahead, and beyond that by its remainder modulo what slots go round with. Two
//   numbers of iterations of one such class differ by whole rounds, and every comparison with them
//   comes out the same until the last iterations, which are walked one by one.
// - A loop is followed from head to head until no state comes up that was not there before. States
//   are finitely many, so this ends, and what it has then seen is every number of iterations: the
//   repetition is found, not assumed.
// - A slot or a branch that remains open is walked with each of its outcomes.
//
// The numbers are over-approximated where the interval and the congruence of a value do not say
// more; so a program may be refused that never goes wrong, but none is accepted that does.
#pragma once

#include "sync/verify_sync_model.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace mmk::sync {

struct Fault {
  enum class What : uint8_t {
    race, ///< `op` touches what `other` may still be at
    endlessWait,
    leftSet,   ///< at the end of the phase
    setTwice,  ///< `other` has set it, too
    setEarly,  ///< `other` may not have waited yet
    overflow,  ///< of a cross-core flag
    unordered, ///< `op` and `other` set, or wait for, one cross-core flag in no order
    noFlag,    ///< `number`; the machine has fewer
    badSlot,   ///< beyond the buffer's copies
    tooMany,   ///< states to follow
  } what = What::race;
  mlir::Operation *op = nullptr, *other = nullptr;
  unsigned event = 0, otherEvent = 0, flag = 0; ///< of a race the accesses
  unsigned pipe = 0;                            ///< of `op`
  int64_t number = 0;
};

/// The first thing that goes wrong on some path. Ops in `without` are left out.
std::optional<Fault> findFault(const PhaseModel &program,
                               const llvm::DenseSet<mlir::Operation *> &without = {});

enum class Verdict : uint8_t {
  holds,
  breaks,
  unknown, ///< more states than are followed
};

/// Whether anything goes wrong: the same answer, sooner when it does.
Verdict breaksWithout(const PhaseModel &program, const llvm::DenseSet<mlir::Operation *> &without);

} // namespace mmk::sync
