#include "runtime/hazards.h"

#include <algorithm>

namespace mmk {
namespace {
constexpr size_t crossCapacity = 15;
} // namespace

HazardWatch::HazardWatch(const Machine &machine)
    : machine_(machine),
      units_(machine.topology == Topology::split ? 1 + machine.vectorCoresPerCube : 1),
      clocks_(units_ * pipesOfUnit, Clock(units_ * pipesOfUnit, 0)) {}

HazardWatch::Stamp HazardWatch::tick(unsigned pipe, int64_t tag) {
  return {pipe, ++clocks_[pipe][pipe], tag};
}

//===--- bytes ----------------------------------------------------------------------------===//

void HazardWatch::access(unsigned unit, Pipe pipe, int64_t tag, WatchedMemory memory,
                         WatchedBytes bytes, bool reads, bool writes) {
  if (bytes.rows <= 0 || bytes.length <= 0)
    return;
  const Stamp stamp = tick(pipeOf(unit, pipe), tag);
  if (bytes.pitch == bytes.length)
    return accessPiece(stamp, memory, bytes.offset, bytes.offset + bytes.rows * bytes.length, reads,
                       writes);
  for (int64_t row = 0; row < bytes.rows; ++row) {
    const int64_t begin = bytes.offset + row * bytes.pitch;
    accessPiece(stamp, memory, begin, begin + bytes.length, reads, writes);
  }
}

// One fault of an instruction is enough to say what is wrong with it.
void HazardWatch::raceWith(const Stamp &other, const Stamp &stamp, WatchedMemory memory,
                           int64_t offset, bool wrote, bool writes) {
  if (!other.tick || isBefore(other, stamp.pipe))
    return;
  if (!hazards_.empty() && hazards_.back().what == Hazard::What::race &&
      hazards_.back().tag == stamp.tag && hazards_.back().other == other.tag)
    return;
  found({.what = Hazard::What::race,
         .tag = stamp.tag,
         .other = other.tag,
         .pipe = stamp.pipe,
         .otherPipe = other.pipe,
         .writes = writes,
         .wrote = wrote,
         .memory = memory,
         .offset = offset});
}

void HazardWatch::accessPiece(const Stamp &stamp, WatchedMemory memory, int64_t begin, int64_t end,
                              bool reads, bool writes) {
  std::map<int64_t, Cell> &cells = memories_[memory];
  // Cut the cells that reach over the ends, so that those between are whole.
  auto cut = [&](int64_t at) {
    auto next = cells.upper_bound(at);
    if (next == cells.begin())
      return;
    auto &[start, cell] = *std::prev(next);
    if (start < at && at < cell.end) {
      cells.emplace(at, cell);
      cell.end = at;
    }
  };
  cut(begin);
  cut(end);
  int64_t covered = begin;
  bool isWhole = true;
  for (auto it = cells.lower_bound(begin); it != cells.end() && it->first < end; ++it) {
    auto &[start, cell] = *it;
    isWhole &= start == covered;
    covered = cell.end;
    raceWith(cell.writer, stamp, memory, start, /*wrote=*/true, writes);
    if (writes)
      for (const Stamp &reader : cell.readers)
        raceWith(reader, stamp, memory, start, /*wrote=*/false, writes);
    else {
      auto own = std::find_if(cell.readers.begin(), cell.readers.end(),
                              [&](const Stamp &reader) { return reader.pipe == stamp.pipe; });
      if (own != cell.readers.end())
        *own = stamp;
      else
        cell.readers.push_back(stamp);
    }
  }
  if (reads && !(isWhole && covered == end))
    found({.what = Hazard::What::unwritten,
           .tag = stamp.tag,
           .pipe = stamp.pipe,
           .memory = memory,
           .offset = isWhole ? covered : begin});
  if (writes) {
    cells.erase(cells.lower_bound(begin), cells.lower_bound(end));
    cells[begin] = {end, stamp, {}};
  }
}

//===--- flags ----------------------------------------------------------------------------===//

// The n-th set needs room: the wait that is `capacity` sets behind must have come before it.
void HazardWatch::set(Flag &flag, size_t capacity, const Stamp &stamp, int64_t id) {
  Hazard hazard{.tag = stamp.tag, .pipe = stamp.pipe, .flag = id};
  auto wrong = [&](Hazard::What what, const Stamp &other) {
    hazard.what = what;
    hazard.other = other.tag;
    hazard.otherPipe = other.pipe;
    found(hazard);
  };
  if (!isBefore(flag.lastSet, stamp.pipe))
    wrong(Hazard::What::unordered, flag.lastSet);
  if (flag.up.size() >= capacity)
    return wrong(Hazard::What::setTwice, flag.up.front().second);
  if (flag.sets >= capacity)
    if (const Stamp &room = flag.waits[flag.sets - capacity]; !isBefore(room, stamp.pipe))
      wrong(Hazard::What::setEarly, room);
  ++flag.sets;
  flag.lastSet = stamp;
  flag.up.emplace_back(clocks_[stamp.pipe], stamp);
}

void HazardWatch::wait(Flag &flag, const Stamp &stamp, int64_t id) {
  if (flag.up.empty())
    return found({.what = Hazard::What::endlessWait,
                  .tag = stamp.tag,
                  .other = flag.lastSet.tag,
                  .pipe = stamp.pipe,
                  .flag = id});
  if (!flag.waits.empty() && !isBefore(flag.waits.back(), stamp.pipe))
    found({.what = Hazard::What::unordered,
           .tag = stamp.tag,
           .other = flag.waits.back().tag,
           .pipe = stamp.pipe,
           .otherPipe = flag.waits.back().pipe,
           .flag = id});
  Clock &clock = clocks_[stamp.pipe];
  const Clock &carried = flag.up.front().first;
  for (size_t pipe = 0; pipe < clock.size(); ++pipe)
    clock[pipe] = std::max(clock[pipe], carried[pipe]);
  flag.up.pop_front();
  flag.waits.push_back(stamp);
}

void HazardWatch::setFlag(unsigned unit, Pipe from, Pipe to, int64_t event, int64_t tag) {
  const Stamp stamp = tick(pipeOf(unit, from), tag);
  if (event < 0 || event >= machine_.eventIds)
    return found({.what = Hazard::What::noFlag, .tag = tag, .pipe = stamp.pipe, .flag = event});
  set(flags_[{unit, static_cast<int64_t>(from), static_cast<int64_t>(to), event}], 1, stamp, event);
}

void HazardWatch::waitFlag(unsigned unit, Pipe from, Pipe to, int64_t event, int64_t tag) {
  const Stamp stamp = tick(pipeOf(unit, to), tag);
  if (event < 0 || event >= machine_.eventIds)
    return found({.what = Hazard::What::noFlag, .tag = tag, .pipe = stamp.pipe, .flag = event});
  wait(flags_[{unit, static_cast<int64_t>(from), static_cast<int64_t>(to), event}], stamp, event);
}

void HazardWatch::setCross(unsigned unit, Pipe pipe, int64_t flag, int64_t tag) {
  const Stamp stamp = tick(pipeOf(unit, pipe), tag);
  if (units_ == 1 || flag < 0 || flag >= machine_.crossFlags)
    return found({.what = Hazard::What::noFlag, .tag = tag, .pipe = stamp.pipe, .flag = flag});
  for (unsigned core = 1; core < units_; ++core)
    if (unit == 0 || unit == core)
      set(crossFlags_[{unit != 0, flag, core}], crossCapacity, stamp, flag);
}

void HazardWatch::waitCross(unsigned unit, Pipe pipe, int64_t flag, int64_t tag) {
  const Stamp stamp = tick(pipeOf(unit, pipe), tag);
  if (units_ == 1 || flag < 0 || flag >= machine_.crossFlags)
    return found({.what = Hazard::What::noFlag, .tag = tag, .pipe = stamp.pipe, .flag = flag});
  for (unsigned core = 1; core < units_; ++core)
    if (unit == 0 || unit == core)
      wait(crossFlags_[{unit == 0, flag, core}], stamp, flag);
}

void HazardWatch::finish() {
  auto leftSet = [&](const Flag &flag, int64_t id) {
    if (!flag.up.empty())
      found({.what = Hazard::What::leftSet,
             .tag = flag.up.back().second.tag,
             .pipe = flag.up.back().second.pipe,
             .flag = id});
  };
  for (const auto &[key, flag] : flags_)
    leftSet(flag, key[3]);
  for (const auto &[key, flag] : crossFlags_)
    leftSet(flag, key[1]);
}

} // namespace mmk
