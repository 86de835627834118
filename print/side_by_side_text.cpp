// Two sides for people.
#include "cli/table.h"
#include "cli/terminal.h"
#include "print/ir_excerpt.h"
#include "print/side_by_side.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace mmk::driver {
namespace {

std::string nameOf(const CasePair &pair) { return pair.name.empty() ? "-" : pair.name; }

std::string dimsOf(const CasePair &pair) {
  std::string text;
  for (const auto &[name, size] : pair.dims)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, size);
  return text;
}

std::string gain(double a, double b) { return fmt::format("{:+.1f} %", gainPercent(a, b)); }

std::string valueOf(const std::string &value) { return value.empty() ? "none" : value; }

std::string changes(const std::vector<Change> &changes) {
  std::string text;
  for (const Change &change : changes)
    text += fmt::format("{}{} = {} -> {}", text.empty() ? "" : ", ", change.name, valueOf(change.a),
                        valueOf(change.b));
  return text.empty() ? "nothing" : text;
}

/// "20", or "20 -> 4".
template <typename Value> std::string oneOrTwo(const Value &a, const Value &b) {
  return a == b ? fmt::format("{}", a) : fmt::format("{} -> {}", a, b);
}

std::string times(const std::vector<CasePair> &cases) {
  Table table("<<>>>>>><");
  table.add({"case", "dims", "cycles a", "cycles b", "us a", "us b", "gain", "cores", "bound"});
  bool any = false;
  for (const CasePair &pair : cases)
    if (const auto &a = pair.a.clock, &b = pair.b.clock; a && b) {
      any = true;
      table.add({nameOf(pair), dimsOf(pair), fmt::format("{}", a->cycles),
                 fmt::format("{}", b->cycles), fmt::format("{:.2f}", a->microseconds),
                 fmt::format("{:.2f}", b->microseconds), gain(a->microseconds, b->microseconds),
                 oneOrTwo(a->cores, b->cores), oneOrTwo(spelling(a->bound), spelling(b->bound))});
    }
  return any ? "\n" + table.text() : "";
}

std::string hostTimes(const std::vector<CasePair> &cases) {
  Table table("<<>>>");
  table.add({"case", "dims", "host ms a", "host ms b", "gain"});
  bool any = false;
  for (const CasePair &pair : cases)
    if (pair.a.hostMs && pair.b.hostMs) {
      any = true;
      table.add({nameOf(pair), dimsOf(pair), fmt::format("{:.3f}", *pair.a.hostMs),
                 fmt::format("{:.3f}", *pair.b.hostMs), gain(*pair.a.hostMs, *pair.b.hostMs)});
    }
  return any ? "\n" + table.text() : "";
}

/// The pipes that are busy in any case; grouped by case, below its name.
std::string pipes(const std::vector<CasePair> &cases) {
  Table table("<<>>>>");
  table.add({"case", "pipe", "busy us a", "busy us b", "ratio a", "ratio b"});
  bool any = false;
  for (const CasePair &pair : cases) {
    if (!pair.a.clock || !pair.b.clock)
      continue;
    std::string name = nameOf(pair);
    for (size_t i = 0; i < allPipes.size(); ++i) {
      const ClockReport::PipeTime &a = pair.a.clock->pipes[i], &b = pair.b.clock->pipes[i];
      if (a.busyMicroseconds == 0 && b.busyMicroseconds == 0)
        continue;
      any = true;
      table.add({name, std::string(spelling(allPipes[i])),
                 fmt::format("{:.2f}", a.busyMicroseconds),
                 fmt::format("{:.2f}", b.busyMicroseconds), fmt::format("{:.1f} %", 100 * a.ratio),
                 fmt::format("{:.1f} %", 100 * b.ratio)});
      name.clear();
    }
  }
  return any ? "\n" + table.text() : "";
}

std::string memory(const Side &a, const Side &b) {
  Table table("<>>>");
  table.add({"memory", "bytes a", "bytes b", "of"});
  for (const MemoryUse &use : a.memory) {
    const auto other = std::ranges::find(b.memory, use.memory, &MemoryUse::memory);
    if (other == b.memory.end() || (use.used == 0 && other->used == 0))
      continue;
    table.add({use.memory, fmt::format("{}", use.used), fmt::format("{}", other->used),
               oneOrTwo(use.capacity, other->capacity)});
  }
  return "\n" + table.text();
}

std::string flags(const PlacedFlags &a, const PlacedFlags &b) {
  Table table("<>>");
  table.add({"flags placed", "a", "b"});
  std::set<std::string> names;
  int64_t allA = 0, allB = 0;
  for (const auto *each : {&a, &b})
    for (const auto &[name, count] : *each)
      names.insert(name);
  for (const std::string &name : names) {
    const auto count = [&](const PlacedFlags &of) {
      const auto found = of.find(name);
      return found == of.end() ? 0 : found->second;
    };
    allA += count(a);
    allB += count(b);
    table.add({name, fmt::format("{}", count(a)), fmt::format("{}", count(b))});
  }
  table.add({"all", fmt::format("{}", allA), fmt::format("{}", allB)});
  return "\n" + table.text();
}

std::string checks(const std::vector<CasePair> &cases) {
  std::string text;
  for (const CasePair &pair : cases)
    for (const auto &[side, figures] : {std::pair("a", &pair.a), std::pair("b", &pair.b)})
      if (!figures->passed.value_or(true))
        text += fmt::format("{}: the result of {} is {}\n", nameOf(pair), side,
                            coloured("1;31", "wrong"));
  return text;
}

} // namespace

std::string textOf(const SideBySide &pair, bool wholeIr) {
  const std::string where = pair.a.machine == pair.b.machine ? " on " + pair.a.machine : "";
  std::string text = fmt::format("{}{}: {}\na: {}\nb: {}\n", coloured("1", pair.kernel), where,
                                 changes(pair.changes), pair.a.variant, pair.b.variant);
  for (const std::string &remark : pair.remarks)
    text += remark + "\n";
  text += checks(pair.cases) + times(pair.cases) + hostTimes(pair.cases) + pipes(pair.cases) +
          memory(pair.a, pair.b);
  if (pair.a.flags && pair.b.flags)
    text += flags(*pair.a.flags, *pair.b.flags);
  if (pair.ir)
    text += textOf(*pair.ir, wholeIr);
  return text;
}

} // namespace mmk::driver
