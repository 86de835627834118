// Follows a phase along every path that its control flow can take.
//
// Control flow depends on extents that the compiler does not know, and so do the numbers of
// iterations. So the program is explored once for each class of their values that behaves
// differently, with all states of the synchronisation that are possible at a point:
//
// - A value that ends a loop and is also compared with (the loop's transfers run ahead of it) is
//   split where it is defined, by the number of iterations that it means: 0, 1, ... up to the
//   farthest look ahead, and beyond that by its remainder modulo the period of the slots. Two
//   numbers of iterations of one such class differ by whole periods, and every comparison with them
//   has the same result until the last iterations, which are explored one by one.
// - A loop is followed from head to head until no new state appears. There are finitely many
//   states, so this ends, and then covers every number of iterations: the repetition is found, not
//   assumed.
// - A slot or a branch that remains open is explored with each of its outcomes.
//
// The program has the instructions of both kinds of core in one order, and each wait needs a set
// before it there. So this order, one instruction after the other, is an execution in which no core
// waits, also where a wait for the other kind of core holds the whole core (Machine::
// crossWaitHoldsCore). Which wait takes which set does not depend on time (Fault::unordered), so
// every other execution goes as far: none deadlocks, on machines of both kinds. What such a wait
// adds to the order of the core's other pipes is not counted: it orders the pipe that it names, and
// a program that is accepted is in order where only that pipe waits.
//
// The numbers are over-approximated where the interval and the congruence of a value do not say
// more; so a right program may be refused, but no wrong one is accepted.
#pragma once

#include "sync/verify_sync_model.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace mmk::sync {

struct Fault {
  enum class What : uint8_t {
    race, ///< `op` accesses bytes that `other` may still access
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

/// The first fault on some path. Ops in `without` are left out.
std::optional<Fault> findFault(const PhaseModel &program,
                               const llvm::DenseSet<mlir::Operation *> &without = {});

enum class Verdict : uint8_t {
  holds,
  breaks,
  unknown, ///< more states than are followed
};

/// Whether there is a fault on one of a few short paths. It costs little, and nearly every fault
/// occurs there.
bool breaksOnShortPath(const PhaseModel &program, const llvm::DenseSet<mlir::Operation *> &without);

/// Whether the common knowledge of all states, where paths meet, proves that there is no fault.
bool holdsMerged(const PhaseModel &program, const llvm::DenseSet<mlir::Operation *> &without);

/// Whether there is a fault, with separate states: exact, but slow.
Verdict explore(const PhaseModel &program, const llvm::DenseSet<mlir::Operation *> &without);

/// The answer of these three.
Verdict breaksWithout(const PhaseModel &program, const llvm::DenseSet<mlir::Operation *> &without);

} // namespace mmk::sync
