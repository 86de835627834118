// Lines and columns of a text, found by offset: lines from a table made once, columns by counting
// the characters of one line.
#include "support/source.h"

#include <algorithm>

namespace mmk {
namespace {

/// In UTF-8 every byte but these begins a character.
bool continuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

} // namespace

SourceFile::SourceFile(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)), lineStarts_{0} {
  for (size_t i = 0; i < text_.size(); ++i) {
    const bool bareReturn = text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
    if (text_[i] == '\n' || bareReturn)
      lineStarts_.push_back(static_cast<uint32_t>(i + 1));
  }
}

SourceFile::Position SourceFile::position(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  const auto next = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  const uint32_t start = *(next - 1);
  Position result;
  result.line = static_cast<unsigned>(next - lineStarts_.begin());
  result.column +=
      static_cast<unsigned>(std::count_if(text_.begin() + start, text_.begin() + offset,
                                          [](char byte) { return !continuesCharacter(byte); }));
  return result;
}

std::string_view SourceFile::line(unsigned number) const {
  if (number < 1 || number > lineStarts_.size())
    return {};
  const size_t begin = lineStarts_[number - 1];
  size_t end = number < lineStarts_.size() ? lineStarts_[number] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r'))
    --end;
  return text().substr(begin, end - begin);
}

uint32_t SourceFile::offset(Position position) const {
  if (position.line > lineStarts_.size())
    return static_cast<uint32_t>(text_.size());
  const std::string_view text = line(position.line);
  size_t at = 0;
  for (unsigned column = 1; column < position.column && at < text.size(); ++column) {
    ++at;
    while (at < text.size() && continuesCharacter(text[at]))
      ++at;
  }
  return lineStarts_[std::max(position.line, 1u) - 1] + static_cast<uint32_t>(at);
}

} // namespace mmk
