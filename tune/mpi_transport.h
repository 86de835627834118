// The interface to MPI for the ranks of `mpirun mmk tune`. It is loaded only when a process is one
// of several, so that other runs of mmk do not start MPI.
#pragma once

#include <cstddef>

namespace mmk::tune {

/// Messages of bytes between ranks. For one thread at a time.
struct MpiTransport {
  int rank = 0, size = 1;
  /// Does not wait: a message to a lost rank is lost, too.
  void (*send)(int to, const char *bytes, size_t count) = nullptr;
  /// Receives a message when there is one. Returns its sender, or -1. The bytes stay until the next
  /// call.
  int (*take)(const char **bytes, size_t *count) = nullptr;
  /// Called at the end by all remaining ranks. `isWhole`: none is missing.
  void (*finish)(bool isWhole) = nullptr;
};

/// The one function of the loaded module, by this name: starts MPI. Null when that fails.
using StartMpi = const MpiTransport *(*)();
inline constexpr const char *startMpiName = "mmkStartMpi";
inline constexpr const char *mpiModuleName = "mmk-mpi.so"; ///< beside the program

} // namespace mmk::tune
