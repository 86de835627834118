// The chain of instructions that the time of a kernel is made of: from its last one back, each to
// the one that held it. Making an instruction faster that is not on it saves no time.
#pragma once

#include "runtime/recording.h"

#include <map>

namespace mmk {

/// Numbers of the events on the critical path of a block, from first to last. Their times follow
/// one another without a gap, so that they add up to the time of the block in its phase.
std::vector<int64_t> criticalPath(const BlockRecording &block);

/// The critical path of a whole kernel, through the slowest block of each phase.
struct PathReport {
  /// Instructions of one kind at one place.
  struct Part {
    bool onVectorCore = false;
    Pipe pipe = Pipe::scalar;
    Work work = Work::issue;
    Origin origin;
    int64_t count = 0, cycles = 0;
  };
  int64_t cycles = 0;
  /// False when a block was too long to be recorded whole: then the path is that of its beginning.
  bool isWhole = true;
  std::map<std::pair<bool, Pipe>, int64_t> byPipe; ///< cycles; the first is `onVectorCore`
  std::map<Cause, int64_t> byCause;                ///< cycles, by why each started no earlier
  std::vector<Part> parts;                         ///< the longest first
};
PathReport pathReport(const std::deque<PhaseRecording> &phases);

} // namespace mmk
