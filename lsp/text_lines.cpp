#include "lsp/text_lines.h"

#include <algorithm>

namespace mmk::lsp {
namespace {

struct Character {
  uint32_t bytes, units;
};

/// The UTF-8 character that begins with `first`; a wrong byte is one of its own.
Character characterOf(unsigned char first) {
  if (first < 0xC0)
    return {1, 1};
  if (first < 0xE0)
    return {2, 1};
  if (first < 0xF0)
    return {3, 1};
  return {4, 2};
}

} // namespace

TextLines::TextLines(std::string_view text) : text_(text), starts_{0} {
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n' || (text[i] == '\r' && !text.substr(i).starts_with("\r\n")))
      starts_.push_back(static_cast<uint32_t>(i + 1));
}

llvm::lsp::Position TextLines::position(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  const auto next = std::ranges::upper_bound(starts_, offset);
  const auto line = static_cast<int>(next - starts_.begin()) - 1;
  uint32_t units = 0;
  for (uint32_t at = *(next - 1); at < offset;) {
    const Character character = characterOf(static_cast<unsigned char>(text_[at]));
    at += character.bytes;
    units += character.units;
  }
  return {line, static_cast<int>(units)};
}

uint32_t TextLines::offset(llvm::lsp::Position position) const {
  const auto size = static_cast<uint32_t>(text_.size());
  if (position.line < 0 || static_cast<size_t>(position.line) >= starts_.size())
    return position.line < 0 ? 0 : size;
  uint32_t at = starts_[static_cast<size_t>(position.line)];
  int units = 0;
  while (at < size && units < position.character && text_[at] != '\n' && text_[at] != '\r') {
    const Character character = characterOf(static_cast<unsigned char>(text_[at]));
    at = std::min(at + character.bytes, size);
    units += static_cast<int>(character.units);
  }
  return at;
}

} // namespace mmk::lsp
