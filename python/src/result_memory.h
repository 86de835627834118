// The memory of results that mmk makes. It is kept when an array is freed, and given to the next of
// its size: the system takes longer to provide fresh pages than most kernels take to fill them.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <mutex>

namespace mmk::python {

class ResultMemory {
public:
  /// That of the process; it outlives every array.
  static ResultMemory &shared();

  /// Aligned to 64 bytes; null without memory.
  void *take(size_t bytes);
  /// Gives back what `take` returned for as many bytes.
  void give(void *memory, size_t bytes) noexcept;

  /// The most bytes that are kept; what is beyond goes back to the system, the oldest first.
  void setLimit(size_t bytes);
  size_t limit() const { return limit_; }
  /// Bytes that are kept now.
  size_t kept() const { return kept_; }

private:
  struct Block {
    void *memory;
    size_t bytes;
  };
  void shrink(size_t limit);

  std::mutex lock_;
  std::list<Block> blocks_; ///< the oldest first
  std::multimap<size_t, std::list<Block>::iterator> bySize_;
  size_t kept_ = 0, limit_ = size_t(1) << 30;
};

} // namespace mmk::python
