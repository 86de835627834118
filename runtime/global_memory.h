// Global memory as the cores share it in one phase: HBM behind L2, reached through each core's own
// port. All effects on the time of a transfer belong here.
#pragma once

#include "runtime/cost.h"
#include "runtime/l2.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

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
  int64_t lines = 0;      ///< accesses to lines of global memory for all of them
  int32_t tensor = 0;
  bool isLoad = false;
  int64_t extent = 0; ///< of the places; 0: all begin at the same one
  /// Of a tensor of which cores move parts that overlap, the bytes of this part; else nothing.
  int64_t begin = 0, end = 0;

  bool isRange() const { return end > begin; }
};

/// Whose transfers a round has, and what a transfer of a vector core waits for beside memory: its
/// loads and stores share a port.
struct RoundOf {
  bool vectorCores = false;
  double storeCyclesPerByte = 0; ///< of stores, for each byte that the same core loads
};

/// Cores have similar work, so it is divided into rounds: all transfers of a round happen at the
/// same time. Each core's port takes its time for them. Beyond that,
/// - data that is not in L2 is fetched from HBM, once for all cores that read it in this round;
///   these fetches share HBM with the write-backs that make room for them in L2; and the requests
///   that one core has under way limit its own rate. Cores that begin at several places of the same
///   data wait for the one that is the first to read the largest part of it. Of parts that overlap,
///   each line is fetched once;
/// - cores that read the same line at once are served one after the other, an access a time;
///   those that begin elsewhere in the same piece always read other lines;
/// - all vector cores together load at a limited rate, and each waits while it stores itself.
/// These overlap: a core waits for the slowest. All loads of a tensor are charged the mean of
/// what its cores waited, so that a transfer costs the same in every round. Stores end in L2; where
/// no load fetches, they wait for what earlier ones have evicted. A workspace that fits into L2
/// causes no HBM traffic.
class GlobalMemory {
public:
  explicit GlobalMemory(const Machine &machine);

  /// What all cores move of one tensor at the same time: all load it, or all store it.
  void addRound(llvm::ArrayRef<Piece> pieces, bool staysInL2 = false, RoundOf of = {});
  /// The same task begins again: L2 stays as it is, and what was waited for no longer counts.
  void beginAgain();

  /// The cost at the port alone: of a transfer without contention.
  Cost port(const Link &link) const;
  /// Cost of a load or store of a tensor, by its rows and its bytes.
  Cost load(const Link &link, size_t tensor) const { return cost(link, loads_, tensor); }
  Cost store(const Link &link, size_t tensor) const { return cost(link, stores_, tensor); }

private:
  struct Waiting {
    int64_t bytes = 0, cycles = 0;
  };
  using WaitingByTensor = std::vector<Waiting>;
  /// Pieces that are the same and begin at the same place.
  struct Shared {
    const Piece *piece;
    int64_t sharers;
    bool isFetched;
    double fetches;  ///< the part of it that a core is the first to read
    int64_t fetched; ///< bytes, beside what the pieces before it fetch
  };
  using Sorted = llvm::SmallVector<const Piece *, 64>;

  static double largestPart(llvm::ArrayRef<Shared> same);
  llvm::SmallVector<Shared, 64> use(const Sorted &sorted, bool staysInL2);
  void useNamed(llvm::MutableArrayRef<Shared> same, bool staysInL2);
  void useRanges(llvm::MutableArrayRef<Shared> same, bool staysInL2);
  void load(const Sorted &sorted, llvm::ArrayRef<Shared> shared, RoundOf of);
  /// `earlier`: the backlog before this round.
  void store(const Sorted &sorted, int64_t earlier);
  Cost cost(const Link &link, const WaitingByTensor &waiting, size_t tensor) const;

  const Machine &machine_;
  Cost fetch_, ofCore_, writeBack_, line_, vectors_; ///< by bytes; a line by its accesses
  L2 cache_;
  llvm::DenseSet<uint64_t> fetchedNow_; ///< sections of ranges, in this round
  int64_t backlog_ = 0;                 ///< bytes that HBM still has to take from L2
  bool fetched_ = false;                ///< a load since the last store did
  WaitingByTensor loads_, stores_;
};

} // namespace mmk
