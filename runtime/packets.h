// Global memory moves in packets, lines of it that are aligned to their own size; what a transfer
// moves is therefore more than what it asks for. A row that starts inside of a packet touches one
// more, which is what unaligned matrices pay for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace mmk {

/// Bytes that a piece of contiguous memory, which starts at byte `start`, is charged as: all the
/// packets that it touches, of which the first and the last may be a half or a quarter of one.
inline int64_t chargedBytes(int64_t start, int64_t bytes, int64_t packet) {
  const int64_t quarter = std::max<int64_t>(1, packet / 4);
  auto part = [&](int64_t from, int64_t to) {
    const int64_t touched = (to + quarter - 1) / quarter - from / quarter;
    return touched <= 0 ? 0 : touched == 1 ? quarter : touched == 2 ? 2 * quarter : packet;
  };
  const int64_t from = start % packet, to = from + bytes;
  if (bytes <= 0)
    return 0;
  if (to <= packet)
    return part(from, to);
  return part(from, packet) + (to / packet - 1) * packet + part(0, to % packet);
}

/// The same for many rows at a constant distance. Where that is no multiple of a packet, the rows
/// start everywhere in turn, and each is charged the mean over one such turn. Transfers of one
/// instruction are mostly alike, so the last answer is kept.
class RowCharge {
public:
  int64_t bytes(int64_t rows, int64_t start, int64_t distance, int64_t bytes, int64_t packet) {
    distance %= packet;
    start %= packet;
    if (start != start_ || distance != distance_ || bytes != bytes_) {
      start_ = start, distance_ = distance, bytes_ = bytes;
      turn_ = distance == 0 ? 1 : packet / std::gcd(distance, packet);
      charged_ = 0;
      for (int64_t row = 0; row < turn_; ++row)
        charged_ += chargedBytes((start + row * distance) % packet, bytes, packet);
    }
    return rows * charged_ / turn_;
  }

private:
  int64_t start_ = -1, distance_ = 0, bytes_ = 0;
  int64_t turn_ = 1, charged_ = 0;
};

} // namespace mmk
