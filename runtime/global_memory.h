// Global memory as the cores share it in one phase: HBM behind L2, reached through each core's own
// port. All effects on the time of a transfer belong here.
#pragma once

#include "runtime/cost.h"
#include "runtime/l2.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>
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
  int32_t core = 0; ///< numbered over all cores, cube and vector cores apart
  bool ofVectorCore = false;
  bool staysInL2 = false; ///< of a workspace that fits

  bool isRange() const { return end > begin; }
};

/// The part of its stores that a task, while it runs, makes HBM take: none if all that it moves
/// fits into L2, all from twice that on, and linear in between. A task is one of many, so L2 is
/// full of what was stored before it: what its own stores leave there at the end, others wrote back
/// during it. Read data is of no use to the next task; published times of repeated tasks read 33 to
/// 67 MB at HBM's rate. Between the two limits: rms_norm of 4096x8192 f32 on 910b2, 268 MB in 146
/// us, beside 360 us for 537 MB (sigmoid) and 30 us for 50 MB (maximum), all of cann-bench.
double writtenBack(const Machine &machine, double loadedBytes, double storedBytes);

/// The time that HBM takes for loads and write-backs of so many bytes, in cycles.
double hbmCycles(const Machine &machine, double loadedBytes, double writtenBytes);

/// Cores have similar work, so it is divided into rounds: all transfers of a round, of all tensors
/// and of both kinds of cores, happen at the same time. Each core's port takes its time for them.
/// Beyond that,
/// - data that is not in L2 is fetched from HBM, once for all cores that read it in this round, and
///   the requests that one core has under way limit its own rate. Cores that begin at several
///   places of the same data wait for the one that is the first to read the largest part of it. Of
///   parts that overlap, each line is fetched once;
/// - all fetches of a round share HBM with its write-backs, which are a part of its stores;
/// - cores that read the same line at once are served one after the other, an access a time;
///   those that begin elsewhere in the same piece always read other lines;
/// - all vector cores together load at a limited rate, and the loads and stores of each share a
///   port.
/// These overlap: a core waits for the slowest. All loads of a tensor are charged the mean of
/// what its cores waited, so that a transfer costs the same in every round. Stores end in L2, and
/// wait for write-backs only where no core fetches. Where cores fetch little and much in turn, or
/// store without fetching, both would be less than HBM takes: see `settle`. A workspace that fits
/// into L2 causes no HBM traffic.
class GlobalMemory {
public:
  /// `writtenBack`: of stores, see above.
  explicit GlobalMemory(const Machine &machine, double writtenBack = 0);

  /// What all cores move at the same time.
  void addRound(llvm::ArrayRef<Piece> pieces);
  /// Behind the last round: that no core takes less, for its loads or for its stores, than HBM for
  /// all rounds.
  void settle();
  /// Of HBM, for all that it moves: nothing that moves it ends earlier.
  int64_t hbmCycles() const { return hbmCycles_; }
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
  /// What one core loads or stores of one tensor, in all rounds.
  struct Moved {
    int64_t bytes = 0, portCycles = 0;
    int64_t ofHbm = 0; ///< bytes of loads that wait for HBM, and of stores that it takes
  };
  using MovedByTensor = std::vector<Moved>;
  /// All cores' loads or stores beside the time of HBM.
  struct Shortage {
    double cycles = std::numeric_limits<double>::infinity();  ///< of the core that lacks least
    double perByte = std::numeric_limits<double>::infinity(); ///< least, of bytes that HBM moves
  };
  /// Pieces of one tensor in one direction, by name and place.
  using Sorted = llvm::ArrayRef<const Piece *>;
  /// The transfers of one core in a round.
  struct OfCore {
    int64_t loads = 0;        ///< cycles of its loads, one after the other
    int64_t port = 0;         ///< cycles of its port for them, at the rate of all vector cores
    int64_t loaded = 0;       ///< bytes
    int64_t fetched = 0;      ///< of them, bytes of loads that wait for HBM
    int64_t stored = 0;       ///< bytes
    int64_t storedCycles = 0; ///< of its port for them
    bool ofVectorCore = false;
  };

  static double largestPart(llvm::ArrayRef<Shared> same);
  llvm::SmallVector<Shared, 64> use(Sorted sorted);
  void useNamed(llvm::MutableArrayRef<Shared> same);
  void useRanges(llvm::MutableArrayRef<Shared> same);
  /// Returns the bytes that HBM gives; adds what each core takes for its own loads.
  int64_t load(Sorted sorted, llvm::SmallVectorImpl<std::pair<const Piece *, bool>> &loads);
  Cost cost(const Link &link, const WaitingByTensor &waiting, size_t tensor) const;

  static void wait(WaitingByTensor &waiting, const Piece &piece, int64_t cycles);
  void count(std::vector<MovedByTensor> &byCore, const Piece &piece, bool isOfHbm) const;
  Shortage shortage(llvm::ArrayRef<MovedByTensor> byCore, const WaitingByTensor &waiting) const;

  const Machine &machine_;
  double writtenBack_;
  Cost fetch_, ofCore_, writeBack_, line_, vectors_; ///< by bytes; a line by its accesses
  L2 cache_;
  llvm::DenseSet<uint64_t> fetchedNow_; ///< sections of ranges, in this round
  llvm::DenseMap<uint64_t, std::pair<int64_t, int64_t>> held_; ///< bytes of a section, in L2
  std::vector<OfCore> cores_;                                  ///< in this round
  WaitingByTensor loads_, stores_;
  std::vector<MovedByTensor> loaded_, stored_; ///< by core
  int64_t hbmCycles_ = 0;                      ///< of all rounds
};

} // namespace mmk
