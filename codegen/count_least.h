// A time that no clock comes below, and that variants share which do the same work: the
// instructions of a block as fast as data alone allows. Every buffer has as many copies as are
// wanted, so that only the flags from a filling to its use hold anybody up; flags themselves and
// issuing take no time.
#pragma once

#include "codegen/count_run.h"

#include <deque>
#include <map>

namespace mmk::count {

class LeastCore {
public:
  LeastCore(const Machine &machine)
      : units_(machine.topology == Topology::split ? 1 + machine.vectorCoresPerCube : 1) {}

  bool execute(unsigned unit, Pipe pipe, const Instruction &, Cost cost, Amount amount) {
    const int64_t cycles = cost.cycles(amount.rows, amount.amount);
    Queue &queue = at(unit, pipe);
    queue.free.add(cycles);
    queue.work += cycles;
    return true;
  }
  bool setFlag(unsigned unit, Pipe from, Pipe to, int64_t event) {
    if (isForward(from, to))
      flags_[{unit, from, to, event}] = at(unit, from).free;
    return true;
  }
  bool waitFlag(unsigned unit, Pipe from, Pipe to, int64_t event) {
    if (isForward(from, to))
      hold(unit, to, flags_[{unit, from, to, event}]);
    return true;
  }
  /// Vector cores wait for the cube core; what they tell it is that they have read a buffer.
  bool setCross(unsigned unit, Pipe pipe, int64_t flag) {
    if (unit == 0)
      for (unsigned core = 1; core < units_.size(); ++core)
        crossFlags_[{core, flag}].push_back(at(unit, pipe).free.time);
    return true;
  }
  bool waitCross(unsigned unit, Pipe pipe, int64_t flag) {
    std::deque<int64_t> &up = crossFlags_[{unit, flag}];
    if (unit > 0 && !up.empty()) {
      for (Queue &queue : units_[unit])
        queue.free.sinceFed = 0;
      for (auto &[flag, set] : flags_)
        if (std::get<unsigned>(flag) == unit)
          set.sinceFed = 0;
      fed_ = std::max(fed_, up.front());
      hold(unit, pipe, {up.front(), 0});
      up.pop_front();
    }
    return true;
  }
  bool barrier(unsigned, std::optional<Pipe>) { return true; }

  LeastTime time() const {
    LeastTime time;
    for (size_t unit = 0; unit < units_.size(); ++unit)
      for (size_t pipe = 0; pipe < allPipes.size(); ++pipe) {
        const Queue &queue = units_[unit][pipe];
        time.cycles = std::max(time.cycles, queue.free.time);
        if (unit > 0)
          time.tail = std::max(time.tail, queue.free.sinceFed);
        int64_t &work = (unit == 0 ? time.cubeWork : time.vectorWork)[pipe];
        work = std::max(work, queue.work);
      }
    const bool isOfVectorCores = *std::ranges::max_element(time.cubeWork) == 0 && units_.size() > 1;
    (fed_ > 0 ? time.fed : isOfVectorCores ? time.rest : time.fed) = fed_ > 0 ? fed_ : time.cycles;
    if (fed_ == 0)
      time.tail = 0;
    return time;
  }

private:
  /// From the start of the block, and from when the unit was last fed, by itself.
  struct Moment {
    int64_t time = 0, sinceFed = 0;
    void add(int64_t cycles) { time += cycles, sinceFed += cycles; }
  };
  struct Queue {
    Moment free;
    int64_t work = 0;
  };

  Queue &at(unsigned unit, Pipe pipe) { return units_[unit][static_cast<size_t>(pipe)]; }
  void hold(unsigned unit, Pipe pipe, Moment until) {
    Moment &free = at(unit, pipe).free;
    free = {std::max(free.time, until.time), std::max(free.sinceFed, until.sinceFed)};
  }

  /// The way of data; a flag against it says that a buffer is free again.
  static bool isForward(Pipe from, Pipe to) { return rank(from) < rank(to); }
  static int rank(Pipe pipe) {
    switch (pipe) {
    case Pipe::mte2:
      return 0;
    case Pipe::mte1:
      return 1;
    case Pipe::cube:
      return 2;
    case Pipe::fixpipe:
      return 3;
    case Pipe::vector:
      return 4;
    case Pipe::mte3:
      return 5;
    case Pipe::scalar:
      return 6;
    }
    return 6;
  }

  std::vector<std::array<Queue, allPipes.size()>> units_;
  std::map<std::tuple<unsigned, Pipe, Pipe, int64_t>, Moment> flags_;
  std::map<std::pair<unsigned, int64_t>, std::deque<int64_t>> crossFlags_;
  int64_t fed_ = 0; ///< when the cube core has given the vector cores the last of its results
};

} // namespace mmk::count
