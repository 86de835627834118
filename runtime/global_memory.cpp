#include "runtime/global_memory.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace mmk {
namespace {

/// By bytes, of a rate that is given by the second.
Cost atRate(const Machine &machine, double bytesPerSecond) {
  return Cost(0, 0, bytesPerSecond > 0 ? machine.megahertz * 1e6 / bytesPerSecond : 0);
}

double writeRate(const Machine &machine) {
  return machine.hbmWriteBytesPerSecond > 0 ? machine.hbmWriteBytesPerSecond
                                            : machine.hbmBytesPerSecond;
}

} // namespace

double writtenBack(const Machine &machine, double loadedBytes, double storedBytes) {
  if (machine.l2Bytes <= 0)
    return 1;
  const auto l2 = static_cast<double>(machine.l2Bytes);
  return std::clamp((loadedBytes + storedBytes) / l2 - 1, 0.0, 1.0);
}

double hbmCycles(const Machine &machine, double loadedBytes, double writtenBytes) {
  const double perSecond = machine.megahertz * 1e6;
  return (loadedBytes / machine.hbmBytesPerSecond + writtenBytes / writeRate(machine)) * perSecond;
}

GlobalMemory::GlobalMemory(const Machine &machine, double writtenBack)
    : machine_(machine), writtenBack_(writtenBack),
      fetch_(atRate(machine, machine.hbmBytesPerSecond)),
      ofCore_(0, 0, machine.hbmCoreBytesPerCycle > 0 ? 1 / machine.hbmCoreBytesPerCycle : 0),
      writeBack_(atRate(machine, writeRate(machine))), line_(0, 0, machine.l2LineCycles),
      vectors_(atRate(machine, machine.l2VectorBytesPerSecond)), cache_(machine.l2Bytes) {}

void GlobalMemory::beginAgain() {
  loads_.clear();
  stores_.clear();
  loaded_.clear();
  stored_.clear();
  hbmCycles_ = 0;
}

GlobalMemory::Shortage GlobalMemory::shortage(llvm::ArrayRef<MovedByTensor> byCore,
                                              const WaitingByTensor &waiting) const {
  // All transfers of a tensor wait alike, whichever cores make HBM move it.
  std::vector<double> ofHbm(waiting.size());
  for (const MovedByTensor &core : byCore)
    for (auto [tensor, of] : llvm::enumerate(core))
      if (of.bytes > 0)
        ofHbm[tensor] += static_cast<double>(of.ofHbm) / static_cast<double>(waiting[tensor].bytes);
  Shortage least;
  for (const MovedByTensor &core : byCore) {
    double cycles = 0, moved = 0;
    for (auto [tensor, of] : llvm::enumerate(core)) {
      if (of.bytes == 0)
        continue;
      const auto bytes = static_cast<double>(of.bytes);
      cycles +=
          static_cast<double>(of.portCycles) + bytes * static_cast<double>(waiting[tensor].cycles) /
                                                   static_cast<double>(waiting[tensor].bytes);
      moved += bytes * ofHbm[tensor];
    }
    const double lacks = static_cast<double>(hbmCycles_) - cycles;
    least.cycles = std::min(least.cycles, lacks);
    if (moved > 0)
      least.perByte = std::min(least.perByte, lacks / moved);
  }
  return least;
}

// Of loads and stores, those that lack less: until one core reaches the time of HBM.
void GlobalMemory::settle() {
  const Shortage loads = shortage(loaded_, loads_), stores = shortage(stored_, stores_);
  const bool ofLoads =
      !std::isinf(loads.perByte) && (std::isinf(stores.perByte) || loads.cycles <= stores.cycles);
  const Shortage &less = ofLoads ? loads : stores;
  if (std::isinf(less.perByte) || std::min(loads.cycles, stores.cycles) <= 0)
    return;
  WaitingByTensor &waiting = ofLoads ? loads_ : stores_;
  for (const MovedByTensor &core : ofLoads ? loaded_ : stored_)
    for (auto [tensor, of] : llvm::enumerate(core))
      if (of.ofHbm > 0)
        waiting[tensor].cycles +=
            static_cast<int64_t>(less.perByte * static_cast<double>(of.ofHbm));
}

void GlobalMemory::count(std::vector<MovedByTensor> &byCore, const Piece &piece,
                         bool isOfHbm) const {
  if (byCore.size() < cores_.size())
    byCore.resize(cores_.size());
  MovedByTensor &ofTensors = byCore[piece.core];
  if (ofTensors.size() <= static_cast<size_t>(piece.tensor))
    ofTensors.resize(piece.tensor + 1);
  Moved &it = ofTensors[piece.tensor];
  it.bytes += piece.bytes;
  it.portCycles += piece.portCycles;
  it.ofHbm += isOfHbm ? piece.bytes : 0;
}

void GlobalMemory::wait(WaitingByTensor &waiting, const Piece &piece, int64_t cycles) {
  if (waiting.size() <= static_cast<size_t>(piece.tensor))
    waiting.resize(piece.tensor + 1);
  waiting[piece.tensor].bytes += piece.bytes;
  waiting[piece.tensor].cycles += cycles;
}

void GlobalMemory::addRound(llvm::ArrayRef<Piece> pieces) {
  llvm::SmallVector<const Piece *, 64> sorted;
  for (const Piece &piece : pieces)
    sorted.push_back(&piece);
  // Loads first. By address where the names are equal: the same order on every host. The longest of
  // ranges with one beginning has the others.
  std::ranges::sort(sorted, {}, [](const Piece *it) {
    return std::tuple(!it->isLoad, it->tensor, it->name, it->place, -it->end, it);
  });
  cores_.clear();
  int64_t fetched = 0, stored = 0;
  llvm::SmallVector<std::pair<const Piece *, bool>, 64> loads; ///< with whether it waits for HBM
  for (size_t i = 0, next; i < sorted.size(); i = next) {
    next = i + 1;
    while (next < sorted.size() && sorted[next]->tensor == sorted[i]->tensor &&
           sorted[next]->isLoad == sorted[i]->isLoad)
      ++next;
    const Sorted ofTensor = Sorted(sorted).slice(i, next - i);
    for (const Piece *piece : ofTensor)
      if (cores_.size() <= static_cast<size_t>(piece->core))
        cores_.resize(piece->core + 1);
    if (sorted[i]->isLoad) {
      fetched += load(ofTensor, loads);
      continue;
    }
    (void)use(ofTensor);
    for (const Piece *piece : ofTensor) {
      OfCore &core = cores_[piece->core];
      core.stored += piece->bytes;
      core.storedCycles += piece->portCycles;
      stored += piece->staysInL2 ? 0 : piece->bytes;
    }
  }
  const int64_t written = static_cast<int64_t>(static_cast<double>(stored) * writtenBack_),
                writeCycles = writeBack_.cycles(0, written),
                hbm = fetch_.cycles(0, fetched) + writeCycles;
  // Cores share HBM by what they fetch: one that fetches little is served early.
  int64_t mostFetched = 1;
  for (const OfCore &core : cores_)
    mostFetched = std::max(mostFetched, core.fetched);
  hbmCycles_ += hbm;
  for (auto [piece, isFetched] : loads) {
    count(loaded_, *piece, isFetched);
    const OfCore &core = cores_[piece->core];
    int64_t own = core.port;
    // Stores of more bytes than are loaded do not all meet loads.
    if (core.ofVectorCore)
      own += core.stored > core.loaded ? core.storedCycles * core.loaded / core.stored
                                       : core.storedCycles;
    // The rest of the time is that of the loads that wait for HBM, if there are any.
    const int64_t all = std::max(own, static_cast<int64_t>(static_cast<double>(hbm) * core.fetched /
                                                           mostFetched)),
                  rest = std::max<int64_t>(0, all - core.loads),
                  ofBytes = core.fetched > 0 ? core.fetched : core.loaded;
    if (isFetched || core.fetched == 0)
      loads_[piece->tensor].cycles += rest * piece->bytes / std::max<int64_t>(1, ofBytes);
  }
  for (const Piece *piece : sorted)
    if (!piece->isLoad) {
      count(stored_, *piece, !piece->staysInL2 && writtenBack_ > 0);
      const OfCore &core = cores_[piece->core];
      const int64_t rest = fetched > 0 || piece->staysInL2
                               ? 0
                               : std::max<int64_t>(0, writeCycles - core.storedCycles);
      wait(stores_, *piece, rest * piece->bytes / std::max<int64_t>(1, core.stored));
    }
}

// `same`: by place. The core with the longest way to where the next one began leads: those behind
// it catch up with what it fetches, and then wait for it.
double GlobalMemory::largestPart(llvm::ArrayRef<Shared> same) {
  const int64_t extent = same.front().piece->extent;
  if (same.size() == 1 || extent <= 0)
    return 1;
  int64_t largest = extent - same.back().piece->place + same.front().piece->place;
  for (size_t i = 1; i < same.size(); ++i)
    largest = std::max(largest, same[i].piece->place - same[i - 1].piece->place);
  return std::min(1.0, static_cast<double>(largest) / extent);
}

/// Groups the pieces, and takes each through L2.
llvm::SmallVector<GlobalMemory::Shared, 64> GlobalMemory::use(Sorted sorted) {
  llvm::SmallVector<Shared, 64> shared;
  for (const Piece *piece : sorted)
    if (!shared.empty() && shared.back().piece->name == piece->name &&
        shared.back().piece->place == piece->place)
      ++shared.back().sharers;
    else
      shared.push_back({piece, 1, false, 1.0, 0});
  fetchedNow_.clear();
  for (size_t i = 0, next; i < shared.size(); i = next) {
    next = i + 1;
    while (next < shared.size() && shared[next].piece->name == shared[i].piece->name)
      ++next;
    const auto same = llvm::MutableArrayRef(shared).slice(i, next - i);
    if (same.front().piece->isRange())
      useRanges(same);
    else
      useNamed(same);
  }
  return shared;
}

// The first core that reads a line fetches it for all, wherever they begin.
void GlobalMemory::useNamed(llvm::MutableArrayRef<Shared> same) {
  const Piece &piece = *same.front().piece;
  const bool hit = cache_.use(piece.name, piece.distinct);
  if (!piece.isLoad || piece.staysInL2 || hit)
    return;
  same.front().fetched = piece.distinct;
  const double part = largestPart(same);
  for (Shared &one : same) {
    one.isFetched = true;
    one.fetches = part;
  }
}

// By sections of the tensor: pieces have some of them in common.
void GlobalMemory::useRanges(llvm::MutableArrayRef<Shared> same) {
  constexpr int64_t section = 32768;
  constexpr uint64_t isSection = uint64_t(1) << 63; // no name has this bit
  constexpr unsigned tensorAt = 40;
  const double part = largestPart(same);
  int64_t fetched = 0, distinct = 1;
  for (Shared &one : same) {
    const Piece &piece = *one.piece;
    distinct = std::max(distinct, piece.distinct);
    for (int64_t number = piece.begin / section; number * section < piece.end; ++number) {
      const uint64_t key =
          isSection | uint64_t(piece.tensor) << tensorAt | static_cast<uint64_t>(number);
      // A section that L2 has may lack this part of it.
      const int64_t begin = std::max(piece.begin, number * section),
                    end = std::min(piece.end, (number + 1) * section);
      std::pair<int64_t, int64_t> &held = held_[key];
      if (!cache_.use(key, section))
        held = {begin, begin};
      const int64_t own =
          end - begin -
          std::max<int64_t>(0, std::min(end, held.second) - std::max(begin, held.first));
      held = {std::min(begin, held.first), std::max(end, held.second)};
      if (own == 0 || !piece.isLoad || piece.staysInL2) {
        one.isFetched |= fetchedNow_.contains(key);
        continue;
      }
      fetchedNow_.insert(key);
      one.isFetched = true;
      one.fetched += own;
      fetched += own;
    }
  }
  for (Shared &one : same)
    one.fetches = part * std::min(1.0, static_cast<double>(fetched) / distinct);
}

int64_t GlobalMemory::load(Sorted sorted,
                           llvm::SmallVectorImpl<std::pair<const Piece *, bool>> &loads) {
  const llvm::SmallVector<Shared, 64> shared = use(sorted);
  int64_t fetched = 0, byVectorCores = 0;
  for (const Shared &one : shared)
    fetched += one.fetched;
  for (const Piece *piece : sorted)
    byVectorCores += piece->ofVectorCore ? piece->bytes : 0;
  const int64_t fetchCycles = fetch_.cycles(0, fetched),
                vectorCycles = vectors_.cycles(0, byVectorCores);

  const Piece *const *piece = sorted.begin();
  for (const Shared &one : shared)
    for (int64_t i = 0; i < one.sharers; ++i, ++piece) {
      const Piece &it = **piece;
      const double once = static_cast<double>(it.distinct) / std::max<int64_t>(1, it.bytes);
      const int64_t waitedFor =
          machine_.l2LineSharers > 0 ? std::min(one.sharers, machine_.l2LineSharers) : one.sharers;
      const int64_t lineCycles =
          waitedFor > 1 ? line_.cycles(0, waitedFor * static_cast<int64_t>(it.lines * once)) : 0;
      const int64_t port = it.portCycles * once;
      const int64_t alone = ofCore_.cycles(0, it.distinct),
                    ownFetches = port + static_cast<int64_t>(std::max<int64_t>(0, alone - port) *
                                                             one.fetches);
      const int64_t needed =
          std::max(lineCycles, one.isFetched ? std::max(fetchCycles, ownFetches) : 0);
      const int64_t own = std::max(it.portCycles, it.ofVectorCore ? vectorCycles : 0);
      const int64_t taken = std::max(std::max(needed, port) + it.portCycles - port, own);
      OfCore &core = cores_[it.core];
      core.loads += taken;
      core.port += own;
      core.loaded += it.bytes;
      core.fetched += one.isFetched ? it.bytes : 0;
      core.ofVectorCore = it.ofVectorCore;
      loads.emplace_back(&it, one.isFetched);
      wait(loads_, it, taken - it.portCycles);
    }
  return fetched;
}

Cost GlobalMemory::port(const Link &link) const {
  const double rate = std::min(link.bytesPerCycle, machine_.l2BytesPerCycle);
  return Cost(link.startupCycles, link.rowCycles, 1 / rate);
}

Cost GlobalMemory::cost(const Link &link, const WaitingByTensor &waiting, size_t tensor) const {
  const Waiting it = tensor < waiting.size() ? waiting[tensor] : Waiting();
  const double rate = std::min(link.bytesPerCycle, machine_.l2BytesPerCycle);
  return Cost(link.startupCycles, link.rowCycles, 1 / rate,
              static_cast<double>(it.cycles) / std::max<int64_t>(1, it.bytes));
}

} // namespace mmk
