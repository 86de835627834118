// Global memory moves in packets, lines of it that are aligned to their own size; a transfer
// therefore moves more bytes than it uses. A row that starts inside a packet touches one more,
// which is the cost of unaligned matrices.
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

/// The requests of a row, on a link that splits rows into requests of so many bytes, aligned to
/// them (0: it does not): one, or where the row begins inside of such a piece one for each that it
/// touches, and twice as many where it begins at no multiple of 16 bytes. Each takes what a row
/// takes. On 910B1 a row of 512 bytes takes 6.5 cycles where it is aligned, 19 at multiples of 64
/// and 36 at odd addresses; a row of 128 bytes, 144 apart, takes 8.
inline int64_t requestsOfRow(int64_t start, int64_t bytes, int64_t requestBytes) {
  constexpr int64_t unit = 16;
  if (requestBytes == 0 || start % requestBytes == 0 || bytes <= 0)
    return 1;
  const int64_t touched = (start + bytes + requestBytes - 1) / requestBytes - start / requestBytes;
  return start % unit == 0 ? touched : 2 * touched;
}

/// The same for many rows at a constant distance. Where that is no multiple of a packet, the
/// offsets of the rows in their packets repeat with a period, and each row is charged the mean over
/// one period. Transfers of one instruction are mostly equal, so the last result is cached.
class RowCharge {
public:
  int64_t bytes(int64_t rows, int64_t start, int64_t distance, int64_t bytes, int64_t packet) {
    take(start, distance, bytes, packet);
    return rows * charged_ * step_ / packet;
  }
  /// The requests of these rows. They are at their offsets in a packet, which `requestBytes`
  /// divides.
  int64_t requests(int64_t rows, int64_t start, int64_t distance, int64_t bytes, int64_t packet,
                   int64_t requestBytes) {
    if (requestBytes == 0)
      return rows;
    take(start, distance, bytes, packet);
    if (requests_ == 0)
      for (int64_t from = start_; from < packet; from += step_)
        requests_ += requestsOfRow(from, bytes_, requestBytes);
    return rows * requests_ * step_ / packet;
  }

private:
  void take(int64_t start, int64_t distance, int64_t bytes, int64_t packet) {
    if (distance != distance_) {
      distance_ = distance;
      step_ = std::gcd(distance, packet);
      bytes_ = -1;
    }
    // The offsets of a period are a step apart, so only the first one's place in a step matters.
    start %= step_;
    if (start == start_ && bytes == bytes_)
      return;
    start_ = start, bytes_ = bytes;
    charged_ = sumOfPeriod(packet);
    requests_ = 0;
  }

  /// Rows whose first and last bytes lie in the same quarters of packets are charged the same, so
  /// one of them is computed and counted for all.
  int64_t sumOfPeriod(int64_t packet) const {
    const bool hasQuarters = packet % 4 == 0;
    const int64_t quarter = hasQuarters ? packet / 4 : 1;
    int64_t sum = 0;
    for (int64_t from = start_, alike = 1; from < packet; from += alike * step_) {
      const int64_t toNextFirst = quarter - from % quarter,
                    inLast = (quarter - (from + bytes_) % quarter) % quarter;
      if (hasQuarters)
        alike = std::min((toNextFirst + step_ - 1) / step_, inLast / step_ + 1);
      sum += alike * chargedBytes(from, bytes_, packet);
    }
    return sum;
  }

  int64_t start_ = 0, distance_ = -1, bytes_ = -1;
  int64_t step_ = 1, charged_ = 0, requests_ = 0;
};

} // namespace mmk
