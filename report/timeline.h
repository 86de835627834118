// The events of a run, compressed for a report: a few bytes each, so that hundreds of thousands of
// events make a file of moderate size.
#pragma once

#include "runtime/recording.h"

#include <string>
#include <vector>

namespace mmk::report {

/// The description of an event, shared by many events. Texts are numbers of `Timeline::texts`, -1:
/// none.
struct Symbol {
  Work work = Work::issue;
  Cause cause = Cause::nothing;
  int64_t text = -1, file = -1, line = 0, buffers = -1;
  int64_t bytes = 0;
  /// Of a wait that took time: the core and the pipe of its block that ended it.
  int64_t byUnit = -1, byPipe = -1;
  auto operator<=>(const Symbol &) const = default;
};

/// A pipe of a core, with as many events as its columns hold.
struct Lane {
  int64_t block = 0;
  unsigned unit = 0; ///< as Event::unit
  Pipe pipe = Pipe::scalar;
  int64_t events = 0;
};

struct Timeline {
  int64_t end = 0;   ///< cycles of the instructions
  int64_t task = 0;  ///< cycles after them: the fixed cost of the task
  std::string kinds; ///< of core that the task uses: "cube and vector cores"; empty: one kind
  std::vector<std::pair<int64_t, int64_t>> phases; ///< from, to
  std::string shown; ///< "12 of 20 blocks, the slowest among them"; empty when it is all
  std::vector<std::string> texts;
  std::vector<Symbol> symbols;
  std::vector<Lane> lanes; ///< by block, core and pipe
  /// The lanes one after the other, each four columns of numbers: cycles from the end of the
  /// previous event to its begin, cycles of its wait, cycles of its work, and twice the number of
  /// its symbol, plus one when it is on the critical path. Numbers are unsigned LEB128; all of it
  /// compressed with zlib, in base 64.
  std::string data;
};

/// `about` names what was left out if the phases do not show it.
Timeline timelineOf(const std::deque<PhaseRecording> &phases);

} // namespace mmk::report
