// The events on the pipes of a block, one for each instruction: when it starts, why not earlier,
// and its origin in the caller's program. Every report on time is a view over these.
#pragma once

#include "machines/machine.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mmk {

/// What a pipe is busy with. `issue`: the scalar unit hands an instruction to its pipe.
enum class Work : uint8_t {
  load,
  store,
  loadL0,
  mmad,
  fixpipe,
  spill,
  fetch,
  drain,
  vector,
  scalar, ///< of the scalar unit itself
  set,
  wait,
  barrier,
  issue
};
std::string_view spelling(Work work);

/// What held an instruction back longest.
enum class Cause : uint8_t {
  nothing, ///< it starts with its phase
  pipe,    ///< the instruction before it on its pipe
  issue,   ///< it was issued only then
  queue,   ///< of an issue: the pipe's queue was full until an earlier instruction started
  flag     ///< of a wait: the flag was set only then
};
inline constexpr std::array<Cause, 5> allCauses = {Cause::nothing, Cause::pipe, Cause::issue,
                                                   Cause::queue, Cause::flag};
std::string_view spelling(Cause cause);

/// One instruction on one pipe, from when it starts to when it is done. `unit` 0 is the cube core
/// (on a coupled chip the whole core), 1 and up are the vector cores of the block.
///
/// Events of a block in one phase are numbered from 0 in program order, which is the order in time
/// on each pipe only.
struct Event {
  int64_t block = 0;
  unsigned unit = 0;
  Pipe pipe = Pipe::scalar;
  Work work = Work::issue;
  int64_t start = 0, end = 0;

  int64_t number = 0;
  Cause cause = Cause::nothing;
  int64_t after = -1;  ///< number of the event that held it; -1 for Cause::nothing
  int64_t waited = 0;  ///< of a wait: cycles for which only the flag held it
  int64_t origin = -1; ///< number of the caller's instruction
  int64_t bytes = 0;   ///< that it moves from or to global memory, in whole packets
  /// Of a wait: the numbers of the sets that it takes. Valid while the event is being seen.
  std::span<const int64_t> sets = {};
  /// The copy of each of its origin's buffers; -1 where there is but one. Valid as `sets` is.
  std::span<const int64_t> slots = {};
};

/// An instruction of the clock's caller; for a flag also the buffers that it guards.
struct Origin {
  std::string text; ///< "load a", "wait for a, b in L1 to be filled"
  std::string file; ///< empty when the place is unknown
  int64_t line = 0, column = 0;
  struct Buffer {
    std::string name, memory; ///< "a" in "L1"
  };
  std::vector<Buffer> buffers;
  bool isFill = false; ///< of a flag: the buffers are filled; else they are free
};
/// The buffers of an event, with their copies: "a[1] in L1, b[1] in L1".
std::string spellBuffers(const Event &event, const Origin &origin);

/// A phase whose time is known.
struct CountedPhase {
  int64_t number = 0;
  int64_t blocks = 0; ///< that had work
  int64_t start = 0, end = 0;
  int64_t slowest = 0; ///< the first of the blocks that end last
  std::span<const Origin> origins;
};

/// Receives events, block by block, once the time of their phase is known.
class EventSink {
public:
  virtual ~EventSink() = default;
  virtual void enter(const CountedPhase &) {}
  /// Called for each block that had work, the slowest first, then in order.
  virtual bool accepts(int64_t /*block*/) { return true; }
  virtual void see(const Event &event) = 0;
};

} // namespace mmk
