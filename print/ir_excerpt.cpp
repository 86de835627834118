#include "print/ir_excerpt.h"

#include "cli/terminal.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

constexpr size_t excerptLines = 24, excerptWidth = 100;

std::string colouredLine(const std::string &line) {
  return line.starts_with('-')   ? coloured("31", line)
         : line.starts_with('+') ? coloured("32", line)
         : line.starts_with('@') ? coloured("36", line)
                                 : line;
}

/// The column where a removed line begins to differ from the added line that replaces it, or the
/// reverse; 0 when no line replaces it.
size_t differsAt(const std::vector<std::string> &lines, size_t at) {
  const auto run = [&](size_t begin, char sign) {
    size_t end = begin;
    while (end < lines.size() && lines[end][0] == sign)
      ++end;
    return end;
  };
  if (lines[at][0] != '-' && lines[at][0] != '+')
    return 0;
  size_t removed = at;
  while (removed > 0 && (lines[removed - 1][0] == '-' || lines[removed - 1][0] == lines[at][0]))
    --removed;
  const size_t added = run(removed, '-'), end = run(added, '+');
  const size_t partner = lines[at][0] == '-' ? added + (at - removed) : removed + (at - added);
  if (lines[at][0] == '-' ? partner >= end : partner >= added)
    return 0;
  const std::string_view line = lines[at], other = lines[partner];
  return std::ranges::mismatch(line.substr(1), other.substr(1)).in1 - line.begin();
}

/// A long line, cut to its beginning, or to the place where it differs if that comes later.
std::string cut(const std::string &line, size_t differsAt) {
  constexpr size_t beginning = excerptWidth / 2, before = 12;
  constexpr std::string_view gap = " ... ";
  if (line.size() <= excerptWidth)
    return line;
  if (differsAt + before < excerptWidth)
    return line.substr(0, excerptWidth - gap.size()) + " ...";
  const std::string rest = line.substr(differsAt - before);
  const size_t room = excerptWidth - beginning - gap.size();
  return line.substr(0, beginning) + std::string(gap) +
         (rest.size() <= room ? rest : rest.substr(0, room - gap.size()) + " ...");
}

} // namespace

std::string textOf(const IrDiff &diff, bool whole) {
  if (diff.lines.empty())
    return "\nir: the same\n";
  std::string text =
      fmt::format("\nir: {} lines of a, {} of b are not in the other\n", diff.removed, diff.added);
  const size_t shown = whole ? diff.lines.size() : std::min(diff.lines.size(), excerptLines);
  for (size_t i = 0; i < shown; ++i) {
    const std::string &line = diff.lines[i];
    text += colouredLine(whole ? line : cut(line, differsAt(diff.lines, i))) + "\n";
  }
  if (shown < diff.lines.size())
    text += fmt::format("... {} more lines with --ir\n", diff.lines.size() - shown);
  return text;
}

} // namespace mmk::driver
