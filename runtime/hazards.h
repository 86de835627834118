// Watches whether the instructions of a block are in order where they must be: a vector clock for
// each pipe, and for each byte who wrote and who read it last. Knows pipes, flags and bytes, and
// nothing of how the instructions came about. Instructions are given in program order; what it
// finds is what another order, that the flags allow as well, would break.
#pragma once

#include "machines/machine.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace mmk {

/// A memory of a block: of one of its units, or the block's own piece of global memory.
struct WatchedMemory {
  static constexpr unsigned global = ~0u;
  unsigned unit = 0;
  Memory memory = Memory::l1; ///< void of global memory
  auto operator<=>(const WatchedMemory &) const = default;
};

/// `rows` pieces of `length` bytes, `pitch` apart.
struct WatchedBytes {
  int64_t offset = 0, rows = 1, pitch = 0, length = 0;
};

struct Hazard {
  enum class What : uint8_t {
    race,        ///< `tag` may touch bytes while `other` is still at them
    unwritten,   ///< `tag` reads what nothing wrote
    endlessWait, ///< nothing sets the flag before
    setTwice,    ///< the flag is full
    setEarly,    ///< `other`, which makes room, may come too late
    unordered, ///< `other` takes the same end of the flag, on a pipe that is in no order with this
    leftSet,   ///< by `tag`
    noFlag     ///< the machine has no such flag
  } what = What::race;
  int64_t tag = 0, other = 0;         ///< as given with the instruction
  unsigned pipe = 0, otherPipe = 0;   ///< unit * pipes of a unit + pipe
  bool writes = false, wrote = false; ///< the accesses of a race
  WatchedMemory memory = {};
  int64_t offset = 0; ///< the first such byte
  int64_t flag = 0;
};

class HazardWatch {
public:
  explicit HazardWatch(const Machine &machine);

  /// `tag` names the instruction in what is found. Bytes that are both are read first.
  void access(unsigned unit, Pipe pipe, int64_t tag, WatchedMemory memory, WatchedBytes bytes,
              bool reads, bool writes);
  void setFlag(unsigned unit, Pipe from, Pipe to, int64_t event, int64_t tag);
  void waitFlag(unsigned unit, Pipe from, Pipe to, int64_t event, int64_t tag);
  /// As BlockClock has them: from the cube core to all vector cores, or from one of them back.
  void setCross(unsigned unit, Pipe pipe, int64_t flag, int64_t tag);
  void waitCross(unsigned unit, Pipe pipe, int64_t flag, int64_t tag);
  /// All flags are to be down.
  void finish();

  const std::vector<Hazard> &hazards() const { return hazards_; }

private:
  static constexpr size_t pipesOfUnit = allPipes.size();
  using Clock = std::vector<uint32_t>;
  /// An instruction: the tick of its pipe.
  struct Stamp {
    unsigned pipe = 0;
    uint32_t tick = 0; ///< 0: none
    int64_t tag = 0;
  };
  /// Bytes up to the next entry's with one history.
  struct Cell {
    int64_t end = 0;
    Stamp writer;
    std::vector<Stamp> readers; ///< since, the last of each pipe
  };
  struct Flag {
    std::deque<std::pair<Clock, Stamp>> up;
    std::vector<Stamp> waits;
    Stamp lastSet;
    size_t sets = 0;
  };

  unsigned pipeOf(unsigned unit, Pipe pipe) const {
    return unit * pipesOfUnit + static_cast<unsigned>(pipe);
  }
  Stamp tick(unsigned pipe, int64_t tag);
  bool isBefore(const Stamp &stamp, unsigned pipe) const {
    return clocks_[pipe][stamp.pipe] >= stamp.tick;
  }
  void accessPiece(const Stamp &stamp, WatchedMemory memory, int64_t begin, int64_t end, bool reads,
                   bool writes);
  void raceWith(const Stamp &other, const Stamp &stamp, WatchedMemory memory, int64_t offset,
                bool wrote, bool writes);
  void set(Flag &flag, size_t capacity, const Stamp &stamp, int64_t id);
  void wait(Flag &flag, const Stamp &stamp, int64_t id);
  void found(Hazard hazard) { hazards_.push_back(hazard); }

  const Machine &machine_;
  unsigned units_;
  std::vector<Clock> clocks_; ///< by pipe
  std::map<WatchedMemory, std::map<int64_t, Cell>> memories_;
  std::map<std::array<int64_t, 4>, Flag> flags_;      ///< unit, from, to, event
  std::map<std::array<int64_t, 3>, Flag> crossFlags_; ///< to the cube core, flag, vector core
  std::vector<Hazard> hazards_;
};

} // namespace mmk
