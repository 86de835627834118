// The stalls of pipes: the waits of a kernel by pipe, buffer and direction.
#pragma once

#include "runtime/clock.h"
#include "runtime/recording.h"

namespace mmk {

/// All waits of a pipe for the same buffers to be filled, or to be free again.
struct WaitReport {
  bool onVectorCore = false;
  Pipe pipe = Pipe::scalar; ///< that waits
  Pipe from = Pipe::scalar; ///< that fills or frees
  bool isFill = false;
  std::vector<Origin::Buffer> buffers; ///< empty when nothing is known of the flag
  /// Of one core: on vector cores the mean over those of the block, rounded to the nearest.
  int64_t count = 0, cycles = 0;

  int64_t longest = 0; ///< cycles of the longest one
  int64_t longestEnd = 0;
  int64_t slot = -1; ///< that the wait was for
  /// The last work before the flag that ended it.
  std::string file;
  int64_t line = 0;
};

/// The waits of the slowest block of each phase that took time and delayed work; sorted by total
/// time, the longest first.
std::vector<WaitReport> waitReport(const std::deque<PhaseRecording> &phases);

/// A pipe with little work waits most of the time at no loss. So the waits of busy pipes come
/// first, the longest of each pipe.
std::vector<WaitReport> busyFirst(std::vector<WaitReport> waits, const ClockReport &clock);

/// "cube", "vector"; on a coupled chip there is one kind of core, "AI", which has both units.
std::string nameOfCore(Topology topology, bool onVectorCore);

/// "cube mte1 waits for a, b in L1 to be filled by mte2"; a coupled chip has AI cores only.
std::string sentenceOf(const WaitReport &wait, Topology topology = Topology::split);

} // namespace mmk
