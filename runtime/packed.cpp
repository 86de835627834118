#include "runtime/packed.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

namespace mmk {
namespace {

// Whole large pages: a panel of B runs through memory faster than a small page table follows.
constexpr size_t page = size_t(2) << 20;
constexpr size_t chunkBytes = 4 * page;
/// Beyond this, cores pack for themselves, tile by tile.
constexpr size_t mostBytes = size_t(2) << 30;

} // namespace

char *PackedOperands::allocate(size_t bytes) {
  bytes = (bytes + 127) / 128 * 128;
  for (; chunk_ < chunks_.size(); ++chunk_, used_ = 0)
    if (used_ + bytes <= chunks_[chunk_].bytes) {
      char *at = chunks_[chunk_].memory.get() + used_;
      used_ += bytes;
      return at;
    }
  const size_t wanted = (std::max(bytes, chunkBytes) + page - 1) / page * page;
  if (total_ + wanted > mostBytes)
    return nullptr;
  char *memory = static_cast<char *>(std::aligned_alloc(page, wanted));
  if (!memory)
    return nullptr;
  madvise(memory, wanted, MADV_HUGEPAGE); // a wish; small pages work too
  chunks_.push_back({{memory, &std::free}, wanted});
  total_ += wanted;
  used_ = bytes;
  return memory;
}

char *PackedOperands::find(const void *source, int64_t kind, int64_t bytes, int64_t &mine) {
  std::lock_guard lock(mutex_);
  const auto [entry, isNew] = entries_.try_emplace({source, kind, bytes});
  Entry &found = entry->second;
  mine = isNew ? 1 : 0;
  if (!isNew)
    return found.ready ? found.data : nullptr;
  found.data = allocate(static_cast<size_t>(bytes));
  if (found.data)
    byData_[found.data] = &found;
  return found.data;
}

void PackedOperands::keep(char *data) {
  std::lock_guard lock(mutex_);
  byData_.at(data)->ready = true;
}

void PackedOperands::clear() {
  std::lock_guard lock(mutex_);
  entries_.clear();
  byData_.clear();
  chunk_ = used_ = 0;
}

} // namespace mmk
