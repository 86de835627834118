// Positions of the language server protocol, which count UTF-16 units in a line, and offsets, which
// count the bytes of a UTF-8 text.
#pragma once

#include "llvm/Support/LSP/Protocol.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mmk::lsp {

/// The lines of a text, which outlives them. They end with "\n", "\r\n" or "\r".
class TextLines {
public:
  explicit TextLines(std::string_view text);

  llvm::lsp::Position position(uint32_t offset) const;
  llvm::lsp::Range range(uint32_t begin, uint32_t end) const {
    return {position(begin), position(end)};
  }
  /// Clamped to the line, and to the text.
  uint32_t offset(llvm::lsp::Position position) const;

private:
  std::string_view text_;
  std::vector<uint32_t> starts_;
};

} // namespace mmk::lsp
