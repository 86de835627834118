// The form of messages: place, severity, text, the source line, and a caret under the exact range.
#include "support/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tuple>

namespace mmk {
namespace {

constexpr unsigned maximumPrinted = 20;
constexpr size_t maximumColumns = 120;

struct Style {
  bool colour;

  std::string operator()(std::string_view code, std::string_view text) const {
    return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }
  std::string severity(Severity severity) const {
    switch (severity) {
    case Severity::error:
      return (*this)("1;31", "error:");
    case Severity::warning:
      return (*this)("1;35", "warning:");
    case Severity::remark:
      return (*this)("1;34", "remark:");
    case Severity::note:
      return (*this)("1;36", "note:");
    }
    return {};
  }
};

/// Bytes of the valid UTF-8 character that `text` begins with; 0 when it begins with none.
size_t characterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80           ? 1
                        : (byte(0) >> 5) == 0x06 ? 2
                        : (byte(0) >> 4) == 0x0E ? 3
                        : (byte(0) >> 3) == 0x1E ? 4
                                                 : 0;
  if (length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
  return length;
}

/// One printable text for each column; control characters become a question mark.
std::vector<std::string> columnsOf(std::string_view line) {
  std::vector<std::string> columns;
  while (!line.empty()) {
    const size_t length = characterLength(line);
    const auto first = static_cast<unsigned char>(line[0]);
    const bool control = first < 0x20 ? first != '\t' : first == 0x7F;
    columns.emplace_back(length == 0 || control ? "?" : line.substr(0, length));
    line.remove_prefix(std::max<size_t>(length, 1));
  }
  return columns;
}

std::string join(const std::vector<std::string> &columns, size_t begin, size_t end) {
  return std::accumulate(columns.begin() + begin, columns.begin() + end, std::string());
}

/// The line with a caret under the range; a long line is cut around the caret.
std::string excerpt(const SourceRange &where, const Style &style) {
  const SourceFile &file = *where.file;
  const auto begin = file.position(where.begin);
  const auto end = file.position(std::max(where.begin, where.end));
  const std::vector<std::string> columns = columnsOf(file.line(begin.line));

  const size_t first = std::min<size_t>(begin.column - 1, columns.size());
  size_t last = end.line == begin.line ? end.column - 1 : columns.size();
  last = std::clamp(last, first, columns.size());

  size_t shownBegin = 0, shownEnd = columns.size();
  if (columns.size() > maximumColumns) {
    shownBegin = first > maximumColumns / 3 ? first - maximumColumns / 3 : 0;
    shownEnd = std::min(columns.size(), shownBegin + maximumColumns);
  }
  last = std::min(last, shownEnd);
  const std::string before = shownBegin > 0 ? "..." : "";
  const std::string after = shownEnd < columns.size() ? "..." : "";

  // Tabs are kept, so that the caret is right whatever their width is.
  std::string indent(before.size(), ' ');
  for (size_t i = shownBegin; i < first; ++i)
    indent += columns[i] == "\t" ? '\t' : ' ';
  const std::string marks = "^" + std::string(last > first + 1 ? last - first - 1 : 0, '~');

  std::string text = fmt::format("{:5} | {}{}{}\n", begin.line, before,
                                 join(columns, shownBegin, shownEnd), after);
  text += fmt::format("{:5} | {}{}\n", "", indent, style("1;32", marks));
  return text;
}

void print(const Diagnostic &diagnostic, const Style &style, std::string &out) {
  const SourceRange &where = diagnostic.where;
  if (where.file) {
    const auto position = where.file->position(where.begin);
    out += style("1", fmt::format("{}:{}:{}:", where.file->path(), position.line, position.column));
    out += ' ';
  }
  out += fmt::format("{} {}\n", style.severity(diagnostic.severity), diagnostic.message);
  if (where.file && !where.file->text().empty())
    out += excerpt(where, style);
  for (const Diagnostic &note : diagnostic.notes)
    print(note, style, out);
}

std::string lowerCase(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Insertions, deletions, replacements, and swaps of neighbours.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> older, previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min(
          {previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], older[j - 2] + 1);
    }
    older = previous;
    std::swap(previous, current);
  }
  return previous[b.size()];
}

} // namespace

Diagnostic &Diagnostics::error(SourceRange where, std::string message) {
  add({Severity::error, where, std::move(message), {}});
  return all_.back();
}

Diagnostic &Diagnostics::warning(SourceRange where, std::string message) {
  add({Severity::warning, where, std::move(message), {}});
  return all_.back();
}

void Diagnostics::add(Diagnostic diagnostic) {
  errors_ += diagnostic.severity == Severity::error;
  all_.push_back(std::move(diagnostic));
}

std::string Diagnostics::render(bool colour) const {
  // Files in the order of their first message; messages without a place come first.
  std::map<const SourceFile *, size_t> fileOrder{{nullptr, 0}};
  using Place = std::tuple<size_t, uint32_t, size_t>;
  std::vector<Place> sorted;
  for (size_t i = 0; i < all_.size(); ++i) {
    const SourceRange &where = all_[i].where;
    const auto file = fileOrder.try_emplace(where.file, fileOrder.size()).first;
    sorted.emplace_back(file->second, where.begin, i);
  }
  std::ranges::sort(sorted);

  const Style style{colour};
  std::string out;
  std::map<bool, unsigned> count;
  for (const auto &[file, offset, index] : sorted)
    if (++count[all_[index].severity == Severity::error] <= maximumPrinted)
      print(all_[index], style, out);
  for (const auto &[isError, number] : count)
    if (number > maximumPrinted) {
      const unsigned rest = number - maximumPrinted;
      out += fmt::format("and {} more {}{}\n", rest, isError ? "error" : "warning",
                         rest == 1 ? "" : "s");
    }
  return out;
}

std::string_view nearestWord(std::string_view word, const std::vector<std::string> &candidates) {
  std::string_view best;
  size_t bestDistance = word.size() / 3 + 1;
  for (const std::string &candidate : candidates) {
    // Also avoids the quadratic comparison of long words.
    if (candidate == word || candidate.size() > 2 * word.size() + 1 ||
        word.size() > 2 * candidate.size() + 1)
      continue;
    const size_t distance = editDistance(lowerCase(word), lowerCase(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

std::string listOf(const std::vector<std::string> &words, std::string_view last) {
  // Further errors are only counted.
  constexpr size_t most = 60, ofMore = 40;
  const size_t shown = words.size() > most ? ofMore : words.size();
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0)
      text += i + 1 == words.size() ? fmt::format(" {} ", last) : ", ";
    text += words[i];
  }
  if (shown < words.size())
    text += fmt::format(" {} {} more", last, words.size() - shown);
  return text;
}

} // namespace mmk
