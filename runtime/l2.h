// Decides which reads hit L2. That depends on how much was moved since a piece was last read, and
// so on the order of the tiles.
#pragma once

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <vector>

namespace mmk {

/// Keeps the pieces that were used last, as many as fit. Cores that use the same data at the same
/// time use the same pieces.
class L2 {
public:
  explicit L2(int64_t capacity) : capacity_(capacity) { pieces_.push_back({}); }

  /// Uses a piece; whether it was there.
  bool use(uint64_t key, int64_t bytes) {
    const auto [entry, isNew] = index_.try_emplace(key, pieces_.size());
    const uint32_t piece = entry->second;
    if (isNew)
      pieces_.push_back({});
    const bool hit = pieces_[piece].held > 0;
    if (hit)
      leave(piece);
    else
      used_ += pieces_[piece].held = bytes;
    enter(piece);
    while (used_ > capacity_)
      drop(pieces_[ends].next);
    return hit;
  }

private:
  /// In a ring from the oldest to the newest, which piece 0 closes.
  struct Piece {
    uint32_t before = 0, next = 0;
    int64_t held = 0; ///< bytes; 0: not in the cache
  };
  static constexpr uint32_t ends = 0;

  void drop(uint32_t piece) {
    used_ -= pieces_[piece].held;
    pieces_[piece].held = 0;
    leave(piece);
  }
  void leave(uint32_t piece) {
    pieces_[pieces_[piece].before].next = pieces_[piece].next;
    pieces_[pieces_[piece].next].before = pieces_[piece].before;
  }
  void enter(uint32_t piece) {
    pieces_[piece].before = pieces_[ends].before;
    pieces_[piece].next = ends;
    pieces_[pieces_[ends].before].next = piece;
    pieces_[ends].before = piece;
  }

  int64_t capacity_, used_ = 0;
  llvm::DenseMap<uint64_t, uint32_t> index_;
  std::vector<Piece> pieces_;
};

} // namespace mmk
