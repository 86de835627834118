// Global memory as the cores share it in one phase: HBM behind L2, reached through each core's own
// port. All effects on the time of a transfer belong here.
#pragma once

#include "runtime/cost.h"
#include "runtime/l2.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace mmk {

/// What one core moves of one tensor in one round. Cores that move the same data have the same
/// `name`; if they also begin at the same place, they read the same lines at the same time.
struct Piece {
  uint64_t name = 0;
  int64_t place = 0; ///< where the core begins, from the start of what it moves
  int64_t bytes = 0;
  int64_t distinct = 0;   ///< of `bytes`; the others are read again in the same round
  int64_t portCycles = 0; ///< that the port of the core takes for all of them
  int32_t tensor = 0;
  bool isLoad = false;
};

/// Cores have similar work, so it is divided into rounds: all transfers of a round happen at the
/// same time. Each core's port takes its time for them. Beyond that,
/// - data that is not in L2 is fetched from HBM, once for all cores that read it in this round;
///   these fetches share HBM with the write-backs that make room for them in L2;
/// - cores that read the same line at once are served one after the other, at the line's rate;
///   those that begin elsewhere in the same piece always read other lines.
/// The three overlap: a core waits for the slowest. All loads of a tensor are charged the mean of
/// what its cores waited, so that a transfer costs the same in every round. Stores end in L2. A
/// workspace that fits into L2 causes no HBM traffic.
class GlobalMemory {
public:
  explicit GlobalMemory(const Machine &machine);

  /// What all cores move of one tensor at the same time: all load it, or all store it.
  void addRound(llvm::ArrayRef<Piece> pieces, bool staysInL2 = false);

  /// The cost at the port alone: of a transfer without contention.
  Cost port(const Link &link) const;
  /// Cost of a load of a tensor, by its rows and its bytes.
  Cost load(const Link &link, size_t tensor) const;

private:
  struct Waiting {
    int64_t bytes = 0, cycles = 0;
  };

  const Machine &machine_;
  Cost hbm_, line_; ///< by bytes
  L2 cache_;
  int64_t backlog_ = 0; ///< bytes that HBM still has to take from L2
  std::vector<Waiting> waiting_;
};

} // namespace mmk
