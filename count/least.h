// A lower bound on the time of a block, shared by variants that do the same work: its instructions
// limited only by data dependences. Every buffer has unlimited copies, so that only flags from the
// write of a generation to its use delay an instruction; flags and issuing take no time.
#pragma once

#include "count/run.h"

#include <deque>
#include <map>

namespace mmk::count {

class LeastCore {
public:
  explicit LeastCore(const Machine &machine)
      : units_(machine.topology == Topology::split ? 1 + machine.vectorCoresPerCube : 1) {}

  bool execute(unsigned unit, Pipe pipe, const Instruction &it, Cost cost, Amount amount) {
    const int64_t cycles = cost.cycles(amount.rows, amount.amount);
    Queue &queue = at(unit, pipe);
    queue.free.time += cycles;
    queue.free.behind += cycles;
    queue.work += cycles;
    if (it.work == Work::mmad) {
      multiplied_ = queue.free.time;
      queue.free.behind = 0;
      queue.free.product = ++products_;
    }
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
  /// Vector cores wait for the cube core; their flags to it only free buffers.
  bool setCross(unsigned unit, Pipe pipe, int64_t flag) {
    if (unit == 0)
      for (unsigned core = 1; core < units_.size(); ++core)
        crossFlags_[{core, flag}].push_back(at(unit, pipe).free);
    return true;
  }
  bool waitCross(unsigned unit, Pipe pipe, int64_t flag) {
    std::deque<Moment> &up = crossFlags_[{unit, flag}];
    if (unit > 0 && !up.empty()) {
      hold(unit, pipe, up.front());
      up.pop_front();
    }
    return true;
  }
  bool barrier(unsigned, std::optional<Pipe>) { return true; }

  LeastTime time() const {
    LeastTime time;
    for (size_t unit = 0; unit < units_.size(); ++unit)
      for (size_t pipe = 0; pipe < allPipes.size(); ++pipe) {
        const auto &[free, done] = units_[unit][pipe];
        time.cycles = std::max(time.cycles, free.time);
        if (products_ > 0 && free.product == products_)
          time.drain = std::max(time.drain, free.behind);
        int64_t &work = (unit == 0 ? time.cubeWork : time.vectorWork)[pipe];
        work = std::max(work, done);
      }
    (products_ > 0 ? time.multiplied : time.rest) = products_ > 0 ? multiplied_ : time.cycles;
    return time;
  }

private:
  /// A time of completion. If it depends on the last product so far, `product` is that product's
  /// number, and `behind` the least distance from it.
  struct Moment {
    int64_t time = 0, behind = 0, product = 0;
  };
  struct Queue {
    Moment free;
    int64_t work = 0;
  };

  Queue &at(unsigned unit, Pipe pipe) { return units_[unit][static_cast<size_t>(pipe)]; }
  void hold(unsigned unit, Pipe pipe, const Moment &until) {
    Moment &free = at(unit, pipe).free;
    free.time = std::max(free.time, until.time);
    if (until.product > free.product)
      free.behind = until.behind;
    else if (until.product == free.product)
      free.behind = std::max(free.behind, until.behind);
    free.product = std::max(free.product, until.product);
  }

  /// The direction of data; a flag in the other direction frees a buffer.
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
  std::map<std::pair<unsigned, int64_t>, std::deque<Moment>> crossFlags_;
  int64_t products_ = 0,
          multiplied_ = 0; ///< their number so far, and when the last of them is done
};

} // namespace mmk::count
