// What the ranks of `mpirun mmk tune` need of MPI. It is loaded when a process is one of several,
// so that no other run of mmk pays for MPI's start.
#pragma once

#include <cstddef>

namespace mmk::tune {

/// Messages of bytes between ranks. For one thread at a time.
struct MpiTransport {
  int rank = 0, size = 1;
  /// Does not wait: a message to a rank that is gone is lost.
  void (*send)(int to, const char *bytes, size_t count) = nullptr;
  /// Takes a message when there is one. Returns its sender, or -1. The bytes stay until the next
  /// call.
  int (*take)(const char **bytes, size_t *count) = nullptr;
  /// At the end, when all ranks that are left come here. `isWhole`: none is missing.
  void (*finish)(bool isWhole) = nullptr;
};

/// The one function of the loaded module, by this name: starts MPI. Null when that fails.
using StartMpi = const MpiTransport *(*)();
inline constexpr const char *startMpiName = "mmkStartMpi";
inline constexpr const char *mpiModuleName = "mmk-mpi.so"; ///< beside the program

} // namespace mmk::tune
