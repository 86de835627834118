#include "result_memory.h"

#include <cstdlib>

namespace mmk::python {
namespace {

/// The size of a block for these bytes: eight steps an octave, so that arrays of nearly the same
/// size share blocks, and at most an eighth of one is unused.
size_t blockBytes(size_t bytes) {
  size_t step = 64;
  while (bytes > 16 * step)
    step *= 2;
  return (bytes + step - 1) / step * step;
}

} // namespace

ResultMemory &ResultMemory::shared() {
  static auto *memory = new ResultMemory; // arrays may be freed after static objects
  return *memory;
}

void *ResultMemory::take(size_t bytes) {
  const size_t size = blockBytes(bytes ? bytes : 1);
  {
    const std::lock_guard guard(lock_);
    // The newest is the likeliest to be in a cache.
    if (auto found = bySize_.upper_bound(size);
        found != bySize_.begin() && (--found)->first == size) {
      void *memory = found->second->memory;
      blocks_.erase(found->second);
      bySize_.erase(found);
      kept_ -= size;
      return memory;
    }
  }
  if (void *memory = std::aligned_alloc(64, size))
    return memory;
  const std::lock_guard guard(lock_);
  shrink(0);
  return std::aligned_alloc(64, size);
}

void ResultMemory::give(void *memory, size_t bytes) noexcept {
  const size_t size = blockBytes(bytes ? bytes : 1);
  const std::lock_guard guard(lock_);
  try {
    blocks_.push_back({memory, size});
    bySize_.emplace(size, std::prev(blocks_.end()));
  } catch (...) { // no room for the note
    if (!blocks_.empty() && blocks_.back().memory == memory)
      blocks_.pop_back();
    std::free(memory);
    return;
  }
  kept_ += size;
  shrink(limit_);
}

void ResultMemory::setLimit(size_t bytes) {
  const std::lock_guard guard(lock_);
  limit_ = bytes;
  shrink(bytes);
}

void ResultMemory::shrink(size_t limit) {
  while (kept_ > limit && !blocks_.empty()) {
    const Block oldest = blocks_.front();
    for (auto each = bySize_.lower_bound(oldest.bytes); each != bySize_.end(); ++each)
      if (each->second == blocks_.begin()) {
        bySize_.erase(each);
        break;
      }
    blocks_.pop_front();
    kept_ -= oldest.bytes;
    std::free(oldest.memory);
  }
}

} // namespace mmk::python
