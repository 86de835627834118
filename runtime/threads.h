// The threads of the host: one pool for the whole program, which small problems do not pay for.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace mmk {

/// Apart by this many bytes, what one thread writes is on no line that another one reads: two
/// lines, for some CPUs fetch them in pairs.
constexpr size_t falseSharingDistance = 128;

/// Of what helpers read in each of many small jobs: a line that is not written, though to the same
/// value, stays in their caches, and is there at once.
template <typename T> void storeIfChanged(T &place, std::type_identity_t<T> value) {
  if (std::memcmp(&place, &value, sizeof(T)) != 0)
    place = value;
}

/// CPUs that this process may use.
unsigned availableThreads();

/// Calls `body(index, worker)` for every index below `count`, distributed one by one over at most
/// `threads` threads, the caller among them. `worker` is below `threads` and differs between calls
/// that run at the same time, for scratch memory. Returns when all calls have. A call from within a
/// body, or while another thread has the pool, runs in the caller alone. Where the system gives
/// fewer threads, those do it. An exception of a body reaches the caller, and then not all have
/// been called. `isSmall`: all of it is over in the time that it takes to wake a thread, some 50
/// us, so that threads which sleep are left alone unless such calls follow each other for longer.
void parallelFor(int64_t count, unsigned threads,
                 llvm::function_ref<void(int64_t index, unsigned worker)> body,
                 bool isSmall = false);

} // namespace mmk
