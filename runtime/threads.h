// The threads of the host: one pool for the whole program, at no cost for small problems.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace mmk {

/// At this distance in bytes, two threads share no cache line: two lines, as some CPUs prefetch
/// them in pairs.
constexpr size_t falseSharingDistance = 128;

/// For values that helpers read in each of many small jobs: a line that is not written stays in
/// their caches.
template <typename T> void storeIfChanged(T &place, std::type_identity_t<T> value) {
  if (std::memcmp(&place, &value, sizeof(T)) != 0)
    place = value;
}

/// CPUs that this process may use.
unsigned availableThreads();

/// Calls `body(index, worker)` for every index below `count`, distributed one by one over at most
/// `threads` threads, the caller among them. `worker` is below `threads` and differs between calls
/// that run at the same time, for scratch memory. Returns when all calls have. A call from within a
/// body, or while another thread has the pool, runs in the caller alone. If the system starts fewer
/// threads, those do the work. An exception of a body is rethrown in the caller; some calls are
/// then missing. `isSmall`: the whole work takes less than waking a thread, some 50 us, so that
/// sleeping threads are not woken unless such calls follow each other for longer.
void parallelFor(int64_t count, unsigned threads,
                 llvm::function_ref<void(int64_t index, unsigned worker)> body,
                 bool isSmall = false);

} // namespace mmk
