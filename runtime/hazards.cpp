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
  const Access access{tick(pipeOf(unit, pipe), tag), memory, reads, writes};
  Cells &cells = memories_[memory];
  if (bytes.pitch == bytes.length)
    return accessPiece(access, cells, bytes.offset, bytes.offset + bytes.rows * bytes.length);
  for (int64_t row = 0; row < bytes.rows; ++row) {
    const int64_t begin = bytes.offset + row * bytes.pitch;
    accessPiece(access, cells, begin, begin + bytes.length);
  }
}

// Rows of an access with the same fault are one hazard.
void HazardWatch::found(Hazard hazard) {
  for (Hazard &known : hazards_)
    if (known.what == hazard.what && known.tag == hazard.tag && known.other == hazard.other &&
        known.memory == hazard.memory && known.wrote == hazard.wrote && known.flag == hazard.flag &&
        known.pipe == hazard.pipe && known.otherPipe == hazard.otherPipe) {
      known.begin = std::min(known.begin, hazard.begin);
      known.end = std::max(known.end, hazard.end);
      return;
    }
  hazards_.push_back(hazard);
}

void HazardWatch::raceWith(const Stamp &other, const Access &access, int64_t begin, int64_t end,
                           bool wrote) {
  if (!other.tick || isBefore(other, access.stamp.pipe))
    return;
  found({.what = Hazard::What::race,
         .tag = access.stamp.tag,
         .other = other.tag,
         .pipe = access.stamp.pipe,
         .otherPipe = other.pipe,
         .writes = access.writes,
         .wrote = wrote,
         .memory = access.memory,
         .begin = begin,
         .end = end});
}

void HazardWatch::touch(const Access &access, Cell &cell, int64_t begin) {
  const Stamp &stamp = access.stamp;
  raceWith(cell.writer, access, begin, cell.end, /*wrote=*/true);
  if (access.writes) {
    for (const Stamp &reader : cell.readers)
      raceWith(reader, access, begin, cell.end, /*wrote=*/false);
    return;
  }
  auto own = std::find_if(cell.readers.begin(), cell.readers.end(),
                          [&](const Stamp &reader) { return reader.pipe == stamp.pipe; });
  if (own != cell.readers.end())
    *own = stamp;
  else
    cell.readers.push_back(stamp);
}

// Bytes of a tensor may come from another block; that is checked when all blocks are done.
void HazardWatch::touchUnwritten(const Access &access, Cells &cells, int64_t begin, int64_t end) {
  if (!access.reads || begin == end)
    return;
  if (access.memory.kind != WatchedMemory::Kind::tensor)
    return found({.what = Hazard::What::unwritten,
                  .tag = access.stamp.tag,
                  .pipe = access.stamp.pipe,
                  .memory = access.memory,
                  .begin = begin,
                  .end = end});
  readFromOthers_[access.memory.number].push_back({begin, end, access.stamp.tag});
  cells[begin] = {end, {}, {access.stamp}};
}

void HazardWatch::accessPiece(const Access &access, Cells &cells, int64_t begin, int64_t end) {
  // Splits the cells that reach over the ends.
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
  const auto first = cells.lower_bound(begin), last = cells.lower_bound(end);
  for (auto it = first; it != last; ++it) {
    touchUnwritten(access, cells, covered, it->first);
    touch(access, it->second, it->first);
    covered = it->second.end;
  }
  touchUnwritten(access, cells, covered, end);
  if (access.writes) {
    cells.erase(cells.lower_bound(begin), last);
    cells[begin] = {end, access.stamp, {}};
  }
}

std::vector<HazardWatch::Piece> HazardWatch::written(unsigned tensor) const {
  std::vector<Piece> pieces;
  auto found = memories_.find({WatchedMemory::Kind::tensor, tensor, {}});
  if (found == memories_.end())
    return pieces;
  for (const auto &[begin, cell] : found->second) {
    if (!cell.writer.tick)
      continue;
    if (!pieces.empty() && pieces.back().end == begin && pieces.back().tag == cell.writer.tag)
      pieces.back().end = cell.end;
    else
      pieces.push_back({begin, cell.end, cell.writer.tag});
  }
  return pieces;
}

//===--- flags ----------------------------------------------------------------------------===//

// The n-th set needs a free flag: the wait `capacity` sets earlier must happen before it.
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
    return found(
        {.what = Hazard::What::endlessWait, .tag = stamp.tag, .pipe = stamp.pipe, .flag = id});
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

void HazardWatch::barrierOfAll(unsigned unit) {
  const auto first = clocks_.begin() + pipeOf(unit, allPipes[0]);
  Clock all = *first;
  for (size_t i = 1; i < pipesOfUnit; ++i)
    for (size_t pipe = 0; pipe < all.size(); ++pipe)
      all[pipe] = std::max(all[pipe], first[i][pipe]);
  std::fill_n(first, pipesOfUnit, all);
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
