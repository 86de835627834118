#include "runtime/global_memory.h"

#include <algorithm>
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

GlobalMemory::GlobalMemory(const Machine &machine)
    : machine_(machine), fetch_(atRate(machine, machine.hbmBytesPerSecond)),
      ofCore_(0, 0, machine.hbmCoreBytesPerCycle > 0 ? 1 / machine.hbmCoreBytesPerCycle : 0),
      writeBack_(atRate(machine, writeRate(machine))), line_(0, 0, machine.l2LineCycles),
      vectors_(atRate(machine, machine.l2VectorBytesPerSecond)), cache_(machine.l2Bytes) {}

void GlobalMemory::beginAgain() {
  loads_.clear();
  stores_.clear();
}

void GlobalMemory::addRound(llvm::ArrayRef<Piece> pieces, bool staysInL2, RoundOf of) {
  Sorted sorted;
  for (const Piece &piece : pieces)
    sorted.push_back(&piece);
  // By address where the names are equal: the same order on every host. The longest of ranges with
  // one beginning has the others.
  std::ranges::sort(sorted, {},
                    [](const Piece *it) { return std::tuple(it->name, it->place, -it->end, it); });
  const bool isLoad = !pieces.empty() && pieces.front().isLoad;
  const int64_t before = cache_.writtenBack(), earlier = backlog_;
  const llvm::SmallVector<Shared, 64> shared = use(sorted, staysInL2);
  backlog_ += cache_.writtenBack() - before;
  if (isLoad)
    load(sorted, shared, of);
  else
    store(sorted, earlier);
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
llvm::SmallVector<GlobalMemory::Shared, 64> GlobalMemory::use(const Sorted &sorted,
                                                              bool staysInL2) {
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
      useRanges(same, staysInL2);
    else
      useNamed(same, staysInL2);
  }
  return shared;
}

// The first core that reads a line fetches it for all, wherever they begin.
void GlobalMemory::useNamed(llvm::MutableArrayRef<Shared> same, bool staysInL2) {
  const Piece &piece = *same.front().piece;
  const bool hit = cache_.use(piece.name, piece.distinct, !piece.isLoad && !staysInL2);
  if (!piece.isLoad || staysInL2 || hit)
    return;
  same.front().fetched = piece.distinct;
  const double part = largestPart(same);
  for (Shared &one : same) {
    one.isFetched = true;
    one.fetches = part;
  }
}

// By sections of the tensor: pieces have some of them in common.
void GlobalMemory::useRanges(llvm::MutableArrayRef<Shared> same, bool staysInL2) {
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
      const int64_t own =
          std::min(piece.end, (number + 1) * section) - std::max(piece.begin, number * section);
      if (cache_.use(key, section, !piece.isLoad && !staysInL2) || !piece.isLoad || staysInL2) {
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

void GlobalMemory::load(const Sorted &sorted, llvm::ArrayRef<Shared> shared, RoundOf of) {
  int64_t fetched = 0, all = 0, longest = 0;
  for (const Shared &one : shared)
    fetched += one.fetched;
  for (const Piece *piece : sorted)
    all += piece->bytes;
  fetched_ |= fetched > 0;
  const int64_t fetchCycles = fetch_.cycles(0, fetched);
  const int64_t hbmCycles = fetchCycles + (fetched > 0 ? writeBack_.cycles(0, backlog_) : 0);
  const int64_t vectorCycles = of.vectorCores ? vectors_.cycles(0, all) : 0;

  const Piece *const *piece = sorted.begin();
  for (const Shared &one : shared)
    for (int64_t i = 0; i < one.sharers; ++i, ++piece) {
      const Piece &it = **piece;
      const double once = static_cast<double>(it.distinct) / std::max<int64_t>(1, it.bytes);
      const int64_t lineCycles =
          one.sharers > 1 ? line_.cycles(0, one.sharers * static_cast<int64_t>(it.lines * once))
                          : 0;
      const int64_t port = it.portCycles * once;
      const int64_t alone = ofCore_.cycles(0, it.distinct),
                    ownFetches = port + static_cast<int64_t>(std::max<int64_t>(0, alone - port) *
                                                             one.fetches);
      const int64_t fetchedFor = std::max(hbmCycles, ownFetches);
      const int64_t needed = std::max(lineCycles, one.isFetched ? fetchedFor : 0);
      const int64_t own = std::max(it.portCycles, vectorCycles) +
                          static_cast<int64_t>(it.bytes * of.storeCyclesPerByte);
      const int64_t taken = std::max(std::max(needed, port) + it.portCycles - port, own);
      if (loads_.size() <= static_cast<size_t>(it.tensor))
        loads_.resize(it.tensor + 1);
      loads_[it.tensor].bytes += it.bytes;
      loads_[it.tensor].cycles += taken - it.portCycles;
      longest = std::max(longest, taken);
    }
  // HBM drains its backlog while no core waits for it.
  const int64_t spare = std::max<int64_t>(0, longest - fetchCycles);
  const double perCycle = writeRate(machine_) / (machine_.megahertz * 1e6);
  backlog_ = std::max<int64_t>(0, backlog_ - spare * static_cast<int64_t>(perCycle));
}

void GlobalMemory::store(const Sorted &sorted, int64_t earlier) {
  const int64_t waitsFor = fetched_ ? 0 : earlier;
  const int64_t needed = writeBack_.cycles(0, waitsFor);
  backlog_ -= waitsFor;
  fetched_ = false;
  for (const Piece *piece : sorted) {
    if (stores_.size() <= static_cast<size_t>(piece->tensor))
      stores_.resize(piece->tensor + 1);
    stores_[piece->tensor].bytes += piece->bytes;
    stores_[piece->tensor].cycles += std::max<int64_t>(0, needed - piece->portCycles);
  }
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
