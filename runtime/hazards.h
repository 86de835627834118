// Checks the happens-before order of a block's accesses: a vector clock for each pipe, and for each
// byte its last writer and readers. Knows pipes, flags and bytes, and not the IR. Instructions are
// given in program order; a hazard is what another order that the flags allow would break.
#pragma once

#include "machines/machine.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace mmk {

/// A memory that a block touches.
struct WatchedMemory {
  enum class Kind : uint8_t {
    core,  ///< `memory` of unit `number` of the block
    block, ///< the block's own piece of global memory
    tensor ///< tensor `number`, which all blocks share
  } kind = Kind::core;
  unsigned number = 0;
  Memory memory = Memory::l1;
  auto operator<=>(const WatchedMemory &) const = default;
};

/// `rows` pieces of `length` bytes, `pitch` apart.
struct WatchedBytes {
  int64_t offset = 0, rows = 1, pitch = 0, length = 0;
};

struct Hazard {
  enum class What : uint8_t {
    race,        ///< `tag` may access bytes while `other` still accesses them
    unwritten,   ///< `tag` reads what nothing wrote
    outOfBounds, ///< `tag` accesses bytes beyond its buffer or tensor
    argument,    ///< `tag` writes a tensor that is read only
    unfinished,  ///< the kernel has ended, and a part of a result is not written
    endlessWait, ///< nothing sets the flag before
    setTwice,    ///< the flag is full
    setEarly,    ///< `other`, which frees the flag, may come too late
    unordered, ///< `other` sets or waits for the same flag on a pipe that is not ordered with this
               ///< one
    leftSet,   ///< by `tag`
    noFlag     ///< the machine has no such flag
  } what = What::race;
  int64_t tag = 0, other = -1;        ///< as given with the instruction; -1: none
  unsigned pipe = 0, otherPipe = 0;   ///< unit * pipes of a unit + pipe
  bool writes = false, wrote = false; ///< the accesses of a race
  WatchedMemory memory = {};
  int64_t begin = 0, end = 0; ///< the bytes, from the first to behind the last
  int64_t flag = 0;
};

class HazardWatch {
public:
  explicit HazardWatch(const Machine &machine);

  /// `tag` names the instruction in a hazard. Bytes that are both are read first.
  void access(unsigned unit, Pipe pipe, int64_t tag, WatchedMemory memory, WatchedBytes bytes,
              bool reads, bool writes);
  void setFlag(unsigned unit, Pipe from, Pipe to, int64_t event, int64_t tag);
  void waitFlag(unsigned unit, Pipe from, Pipe to, int64_t event, int64_t tag);
  /// As in BlockClock: from the cube core to all vector cores, or from one of them back. A wait
  /// orders `pipe` alone, also on a machine where it holds the core: what is in order only there is
  /// a hazard. A wait needs a set before it in program order, so that in this order no core waits,
  /// whatever a wait holds.
  void setCross(unsigned unit, Pipe pipe, int64_t flag, int64_t tag);
  void waitCross(unsigned unit, Pipe pipe, int64_t flag, int64_t tag);
  /// All pipes of the unit, or of a coupled core, continue when all of them are done.
  void barrierOfAll(unsigned unit);
  /// Checks that all flags are down.
  void finish();

  /// The hazards found by the last calls.
  std::vector<Hazard> takeHazards() { return std::exchange(hazards_, {}); }

  /// Bytes of a tensor, and the pipes that accessed them.
  struct Piece {
    int64_t begin = 0, end = 0, tag = 0;
  };
  /// The bytes of a tensor that this block has written, by place, and those that it has read
  /// without having written them.
  std::vector<Piece> written(unsigned tensor) const;
  const std::vector<Piece> &readFromOthers(unsigned tensor) { return readFromOthers_[tensor]; }

private:
  static constexpr size_t pipesOfUnit = allPipes.size();
  using Clock = std::vector<uint32_t>;
  /// An instruction, as a tick of its pipe.
  struct Stamp {
    unsigned pipe = 0;
    uint32_t tick = 0; ///< 0: none
    int64_t tag = 0;
  };
  /// Bytes up to the next entry's with one history.
  struct Cell {
    int64_t end = 0;
    Stamp writer;                        ///< bytes of a tensor may have none in this block
    llvm::SmallVector<Stamp, 2> readers; ///< since, the last of each pipe
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
  using Cells = std::map<int64_t, Cell>;
  struct Access {
    Stamp stamp;
    WatchedMemory memory;
    bool reads = false, writes = false;
  };
  void accessPiece(const Access &access, Cells &cells, int64_t begin, int64_t end);
  void touch(const Access &access, Cell &cell, int64_t begin);
  void touchUnwritten(const Access &access, Cells &cells, int64_t begin, int64_t end);
  void raceWith(const Stamp &other, const Access &access, int64_t begin, int64_t end, bool wrote);
  void set(Flag &flag, size_t capacity, const Stamp &stamp, int64_t id);
  void wait(Flag &flag, const Stamp &stamp, int64_t id);
  void found(Hazard hazard);

  const Machine &machine_;
  unsigned units_;
  std::vector<Clock> clocks_; ///< by pipe
  std::map<WatchedMemory, Cells> memories_;
  std::map<unsigned, std::vector<Piece>> readFromOthers_;
  std::map<std::array<int64_t, 4>, Flag> flags_;      ///< unit, from, to, event
  std::map<std::array<int64_t, 3>, Flag> crossFlags_; ///< to the cube core, flag, vector core
  std::vector<Hazard> hazards_;
};

} // namespace mmk
