// A text that is compiled, and places in it, to which every message about a user's program refers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mmk {

/// One file of source text, kept whole. Lines and columns count from 1; columns count characters
/// (code points), so that a caret is where an editor shows it.
class SourceFile {
public:
  SourceFile(std::string path, std::string text);

  const std::string &path() const { return path_; }
  std::string_view text() const { return text_; }

  struct Position {
    unsigned line = 1, column = 1;
  };
  Position position(uint32_t offset) const;
  /// Text of a line (from 1) without its end-of-line; empty beyond the last.
  std::string_view line(unsigned number) const;
  /// Offset of a line and column; clamped to the end of that line.
  uint32_t offset(Position position) const;

private:
  std::string path_, text_;
  std::vector<uint32_t> lineStarts_;
};

/// A half-open range of bytes of a file. A null file means "nowhere": a value of the command line.
struct SourceRange {
  const SourceFile *file = nullptr;
  uint32_t begin = 0, end = 0;
};

} // namespace mmk
