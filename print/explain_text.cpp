// `mmk explain` for people.
#include "cli/table.h"
#include "cli/terminal.h"
#include "print/explanation.h"
#include "support/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::driver {
namespace {

constexpr size_t waitsShown = 6, gainsShown = 10, othersShown = 6;
/// A smaller change is shown as no difference.
constexpr double leastGain = 0.0005;

double share(int64_t cycles, int64_t all) {
  return all > 0 ? static_cast<double>(cycles) / static_cast<double>(all) : 0;
}

std::string coreOf(const RunHeader &header, bool onVectorCore) {
  return nameOfCore(header.machine->topology, onVectorCore);
}

std::string heading(std::string_view text) { return "\n" + coloured("1", text) + "\n"; }

std::string title(const RunHeader &header, const Explanation &explanation) {
  const CaseReport &report = explanation.report;
  const ClockReport &clock = *report.clock;
  std::string dims;
  for (const std::string &name : header.kernel->shownDimensions())
    dims += fmt::format("{}{}={}", dims.empty() ? "" : " ", name, report.run.dims.at(name));
  std::string text = fmt::format("{}{} on {}: {}\n", coloured("1", header.kernel->name),
                                 report.run.name.empty() ? "" : " " + report.run.name,
                                 header.machine->name, header.variant);
  text += originOf(header.tunedFor, header.reasons);
  return text + fmt::format("{}: {} cycles, {:.2f} us, on {} of {} cores\n", dims, clock.cycles,
                            clock.microseconds, clock.cores, header.machine->cubeCores);
}

std::string roofline(const RunHeader &header, const Explanation &explanation) {
  const tune::Roofline &roof = explanation.roofline;
  const double time = explanation.report.clock->microseconds;
  auto reached = [&](double atLeast) { return percent(time > 0 ? atLeast / time : 0); };
  std::string text = heading(fmt::format("roofline: bound by {}, {} reached",
                                         roof.isBoundByCompute() ? "compute" : "memory",
                                         reached(roof.microseconds())));
  Table table("<>><");
  table.add({"", "at least", "of time", ""});
  auto row = [&](const char *name, double microseconds, const std::string &why) {
    table.add({name, fmt::format("{:.2f} us", microseconds), reached(microseconds), why});
  };
  row("compute", roof.computeMicroseconds,
      fmt::format("{} at {}", withUnit(roof.operations, "FLOP"),
                  withUnit(roof.peakOperations, "FLOP/s")));
  row("memory", roof.memoryMicroseconds,
      fmt::format("{}, each input once, at {}: {:.1f} FLOP a byte, where the roofs meet at {:.1f}",
                  withUnit(roof.tensorBytes, "B"), withUnit(roof.memoryBytes, "B/s"),
                  roof.intensity(), roof.ridge()));
  row("port", roof.portMicroseconds,
      fmt::format(
          "{} that the slowest {} core loads, tile by tile, at {}", withUnit(roof.portBytes, "B"),
          coreOf(header, roof.portIsOfVectorCore),
          withUnit(roof.portMicroseconds > 0 ? 1e6 * roof.portBytes / roof.portMicroseconds : 0,
                   "B/s")));
  return text + table.text("  ");
}

std::string criticalPath(const RunHeader &header, const Explanation &explanation) {
  const PathReport &path = explanation.path;
  const ClockReport &clock = *explanation.report.clock;
  if (path.byPipe.empty())
    return "";
  const auto longest =
      std::ranges::max_element(path.byPipe, {}, [](const auto &each) { return each.second; });
  std::vector<std::string> parts;
  for (const PathReport::Part &part : path.parts)
    if (std::pair(part.onVectorCore, part.pipe) == longest->first && parts.size() < 3 &&
        share(part.cycles, path.cycles) >= 0.01)
      parts.push_back(
          fmt::format("{} {}", part.origin.text, percent(share(part.cycles, path.cycles))));
  std::string text =
      heading(fmt::format("bound by {} of the {} core: {} of the critical path ({})",
                          spelling(longest->first.second), coreOf(header, longest->first.first),
                          percent(share(longest->second, path.cycles)), fmt::join(parts, ", ")));
  if (!path.isWhole)
    text += fmt::format("  (of the first {} cycles: the block is too long to be recorded whole)\n",
                        path.cycles);
  if (clock.taskMicroseconds > 0)
    text += fmt::format("  {:.2f} us of the time pass beside the instructions{}\n",
                        clock.taskMicroseconds,
                        clock.usesBothKinds ? ": a task of cube and vector cores" : "");
  Table table("<<>>>>");
  table.add({"core", "pipe", "critical path", "", "busy", ""});
  for (const bool onVector : {false, true})
    for (Pipe pipe : allPipes) {
      const auto found = path.byPipe.find({onVector, pipe});
      const int64_t cycles = found == path.byPipe.end() ? 0 : found->second;
      const ClockReport::PipeTime &busy =
          (onVector ? clock.vectorUnits : clock.cubeUnit)[static_cast<size_t>(pipe)];
      if (cycles == 0 && busy.busyCycles == 0)
        continue;
      table.add({coreOf(header, onVector), std::string(spelling(pipe)), std::to_string(cycles),
                 percent(share(cycles, path.cycles)), std::to_string(busy.busyCycles),
                 percent(busy.ratio)});
    }
  return text + table.text("  ");
}

std::string longestOf(const WaitReport &wait) {
  std::string text = fmt::format("longest: {} cycles", wait.longest);
  if (wait.slot >= 0)
    text += fmt::format(" for slot {}", wait.slot);
  if (!wait.file.empty())
    text += fmt::format(", {} at {}:{}", wait.isFill ? "filled" : "freed", wait.file, wait.line);
  return text + fmt::format(", until cycle {}", wait.longestEnd);
}

std::string andMore(size_t count, size_t shown) {
  return count > shown ? fmt::format("  and {} more, all in --json\n", count - shown) : "";
}

std::string waits(const RunHeader &header, const Explanation &explanation) {
  if (explanation.waits.empty())
    return "";
  const bool isOnePhase = explanation.slowest.size() == 1;
  std::string text =
      heading(fmt::format("waits of {} {}{}, those of busy pipes first",
                          isOnePhase ? "block" : "the slowest block of each phase,",
                          fmt::join(explanation.slowest, ", "), isOnePhase ? ", the slowest" : ""));
  Table table(">>><");
  table.add({"cycles", "of time", "times", ""});
  const std::vector<WaitReport> waits = busyFirst(explanation.waits, *explanation.report.clock);
  for (const WaitReport &wait : std::span(waits).first(std::min(waitsShown, waits.size()))) {
    table.add({std::to_string(wait.cycles),
               percent(share(wait.cycles, explanation.report.clock->cycles)),
               std::to_string(wait.count), sentenceOf(wait, header.machine->topology)});
    table.add({"", "", "", "  " + longestOf(wait)});
  }
  return text + table.text("  ") + andMore(waits.size(), waitsShown);
}

/// Words separated by commas, wrapped over lines.
std::string wrapped(const std::vector<std::string> &words) {
  constexpr size_t width = 96;
  std::string text, line;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? "," : "");
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      text += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return text + "  " + line + "\n";
}

std::string changes(const RunHeader &header, const Explanation &explanation) {
  std::vector<tune::WhatIf> better, worse, impossible;
  std::vector<std::string> equal;
  if (explanation.changes.together)
    better.push_back(*explanation.changes.together);
  for (const tune::WhatIf &change : explanation.changes.alone) {
    if (!change.exists)
      impossible.push_back(change);
    else if (std::abs(gainOf(change, explanation)) < leastGain)
      equal.push_back(optionsOf(change.choices));
    else
      (change.cycles < explanation.report.clock->cycles ? better : worse).push_back(change);
  }

  std::string text;
  auto list = [&](const std::string &name, const std::vector<tune::WhatIf> &changes, size_t most) {
    if (changes.empty())
      return;
    text += heading(name);
    Table table("<>>");
    table.add({"", "cycles", "gain"});
    for (const tune::WhatIf &change : std::span(changes).first(std::min(most, changes.size())))
      table.add({optionsOf(change.choices), std::to_string(change.cycles),
                 fmt::format("{:+.1f} %", 100 * gainOf(change, explanation))});
    text += table.text("  ") + andMore(changes.size(), most);
  };
  // A change alone would let mmk choose the rest anew.
  const bool isDefault = originOf(header.tunedFor, header.reasons).empty();
  const std::string beside = isDefault ? "" : ", beside --variant with the name above";
  list("what would help" + beside, better, gainsShown);
  list("what would cost" + beside, worse, othersShown);
  if (!equal.empty())
    text += heading("what makes no difference") + wrapped(equal);
  if (!impossible.empty()) {
    text += heading("what cannot be");
    const size_t shown = std::min(othersShown, impossible.size());
    for (const tune::WhatIf &change : std::span(impossible).first(shown))
      text += fmt::format("  {}: {}\n", optionsOf(change.choices), change.reason);
    text += andMore(impossible.size(), shown);
  }
  return text;
}

} // namespace

static std::string machineChange(const Explanation &explanation) {
  if (!explanation.fixpipe)
    return "";
  const MachineChange &change = *explanation.fixpipe;
  const auto now = static_cast<double>(explanation.report.clock->cycles);
  return heading(fmt::format("with {}: {:.2f} us, {:.2f} times as fast", change.what,
                             change.microseconds, now / static_cast<double>(change.cycles))) +
         fmt::format("  --machine-set {}; {}\n  {}\n", change.set, change.trust, change.variant);
}

double gainOf(const tune::WhatIf &change, const Explanation &explanation) {
  const int64_t now = explanation.report.clock->cycles;
  return share(now - change.cycles, now);
}

std::string textOf(const RunHeader &header, const Explanation &explanation) {
  return title(header, explanation) + roofline(header, explanation) +
         criticalPath(header, explanation) + waits(header, explanation) +
         textOf(explanation.sync, explanation.report.clock->cycles) + changes(header, explanation) +
         machineChange(explanation);
}

} // namespace mmk::driver
