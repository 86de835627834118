// Converts ANTLR's places, which count characters, to source ranges, which count bytes.
#pragma once

#include "support/source.h"

#include <Token.h>
#include <vector>

namespace mmk {

class TokenPlaces {
public:
  explicit TokenPlaces(const SourceFile &file) : file_(file) {
    const std::string_view text = file.text();
    for (size_t i = 0; i < text.size(); ++i)
      if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
        bytes_.push_back(static_cast<uint32_t>(i));
    bytes_.push_back(static_cast<uint32_t>(text.size()));
  }

  /// From the first character of `first` to the last of `last`. The end of the file is empty.
  SourceRange operator()(const antlr4::Token *first, const antlr4::Token *last) const {
    const uint32_t begin = byteOf(first->getStartIndex());
    const uint32_t end =
        last->getType() == antlr4::Token::EOF ? begin : byteOf(last->getStopIndex() + 1);
    return {&file_, begin, std::max(begin, end)};
  }
  SourceRange operator()(const antlr4::Token *token) const { return (*this)(token, token); }

  /// The place right behind a token.
  SourceRange behind(const antlr4::Token *token) const {
    const uint32_t end = byteOf(token->getStopIndex() + 1);
    return {&file_, end, end};
  }

private:
  uint32_t byteOf(size_t character) const { return bytes_[std::min(character, bytes_.size() - 1)]; }

  const SourceFile &file_;
  std::vector<uint32_t> bytes_; ///< offset of each character
};

} // namespace mmk
