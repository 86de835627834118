// The events of a run in the form in which a report carries them: a few bytes each, so that the
// hundreds of thousands that a run has make a file of ordinary size.
#pragma once

#include "runtime/recording.h"

#include <string>
#include <vector>

namespace mmk::report {

/// What an event was; many events share one. Texts are numbers of `Timeline::texts`, -1: none.
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
  int64_t end = 0;                                 ///< cycles of the whole run
  std::vector<std::pair<int64_t, int64_t>> phases; ///< from, to
  std::string shown; ///< "12 of 20 blocks, the slowest among them"; empty when it is all
  std::vector<std::string> texts;
  std::vector<Symbol> symbols;
  std::vector<Lane> lanes; ///< by block, core and pipe
  /// The lanes one after the other, each four columns of numbers: cycles from the end of the event
  /// before to where this one begins, cycles that it waited first, cycles that it then took, and
  /// twice the number of its symbol, plus one when it is on the critical path. Numbers are unsigned
  /// LEB128; all of it compressed with zlib, in base 64.
  std::string data;
};

/// `about` says what was left out when that is not known from the phases.
Timeline timelineOf(const std::deque<PhaseRecording> &phases);

} // namespace mmk::report
