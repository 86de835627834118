#include "runtime/global_memory.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace mmk {

GlobalMemory::GlobalMemory(const Machine &machine)
    : machine_(machine), hbm_(0, 0, machine.megahertz * 1e6 / machine.hbmBytesPerSecond),
      line_(0, 0, machine.l2LineBytesPerCycle > 0 ? 1 / machine.l2LineBytesPerCycle : 0),
      cache_(machine.l2Bytes) {}

void GlobalMemory::addRound(llvm::ArrayRef<Piece> pieces, bool staysInL2) {
  struct Shared {
    const Piece *piece;
    int64_t sharers;
    bool isFetched;
  };
  llvm::SmallVector<const Piece *, 64> sorted;
  for (const Piece &piece : pieces)
    sorted.push_back(&piece);
  // By address where the names are equal: the same order on every host.
  std::ranges::sort(sorted, {},
                    [](const Piece *it) { return std::tuple(it->name, it->place, it); });
  llvm::SmallVector<Shared, 64> shared;
  for (const Piece *piece : sorted)
    if (!shared.empty() && shared.back().piece->name == piece->name &&
        shared.back().piece->place == piece->place)
      ++shared.back().sharers;
    else
      shared.push_back({piece, 1, false});

  const bool isLoad = !pieces.empty() && pieces.front().isLoad;
  int64_t fetched = 0, longest = 0;
  const int64_t before = cache_.writtenBack();
  for (size_t i = 0; i < shared.size(); ++i) {
    Shared &one = shared[i];
    // The first core that reads a line fetches it for all, wherever they begin.
    if (i > 0 && shared[i - 1].piece->name == one.piece->name) {
      one.isFetched = shared[i - 1].isFetched;
      continue;
    }
    const bool hit = cache_.use(one.piece->name, one.piece->distinct, !isLoad && !staysInL2);
    one.isFetched = isLoad && !staysInL2 && !hit;
    fetched += one.isFetched ? one.piece->distinct : 0;
  }
  backlog_ += cache_.writtenBack() - before;
  if (!isLoad)
    return;

  const int64_t hbmCycles = hbm_.cycles(0, fetched + (fetched > 0 ? backlog_ : 0));
  const Piece *const *piece = sorted.begin();
  for (const Shared &one : shared) {
    const int64_t lineCycles =
        one.sharers > 1 ? line_.cycles(0, one.sharers * one.piece->distinct) : 0;
    const int64_t needed = std::max(lineCycles, one.isFetched ? hbmCycles : 0);
    for (int64_t i = 0; i < one.sharers; ++i, ++piece) {
      const Piece &it = **piece;
      if (waiting_.size() <= static_cast<size_t>(it.tensor))
        waiting_.resize(it.tensor + 1);
      const double once = static_cast<double>(it.distinct) / std::max<int64_t>(1, it.bytes);
      const int64_t port = it.portCycles * once;
      waiting_[it.tensor].bytes += it.bytes;
      waiting_[it.tensor].cycles += std::max<int64_t>(0, needed - port);
      longest = std::max(longest, std::max(needed, port));
    }
  }
  // HBM drains its backlog while no core waits for it.
  const int64_t spare = longest - hbm_.cycles(0, fetched);
  const double perCycle = machine_.hbmBytesPerSecond / (machine_.megahertz * 1e6);
  backlog_ =
      std::max<int64_t>(0, backlog_ - std::max<int64_t>(0, spare) * static_cast<int64_t>(perCycle));
}

Cost GlobalMemory::port(const Link &link) const {
  const double rate = std::min(link.bytesPerCycle, machine_.l2BytesPerCycle);
  return Cost(link.startupCycles, link.rowCycles, 1 / rate);
}

Cost GlobalMemory::load(const Link &link, size_t tensor) const {
  const Waiting waiting = tensor < waiting_.size() ? waiting_[tensor] : Waiting();
  const double rate = std::min(link.bytesPerCycle, machine_.l2BytesPerCycle);
  return Cost(link.startupCycles, link.rowCycles, 1 / rate,
              static_cast<double>(waiting.cycles) / std::max<int64_t>(1, waiting.bytes));
}

} // namespace mmk
