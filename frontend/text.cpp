#include "frontend/text.h"

#include <cstring>
#include <fmt/format.h>

namespace mmk {
namespace {

/// Bytes of the UTF-8 character at `text[i]`; 0 for a byte that begins none.
size_t characterLength(std::string_view text, size_t i) {
  const auto byte = [&](size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
  };
  const auto follows = [&](size_t at, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(at) >= low && byte(at) <= high;
  };
  const unsigned first = byte(i);
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first <= 0xDF)
    return follows(i + 1) ? 2 : 0;
  // The bounds of the second byte rule out overlong forms, surrogates and what is beyond Unicode.
  if (first >= 0xE0 && first <= 0xEF)
    return follows(i + 1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) &&
                   follows(i + 2)
               ? 3
               : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return follows(i + 1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) &&
                   follows(i + 2) && follows(i + 3)
               ? 4
               : 0;
  return 0;
}

class Scan {
public:
  Scan(const SourceFile &file, Diagnostics &diagnostics)
      : file_(file), text_(file.text()), diagnostics_(diagnostics) {}

  bool isText() {
    const size_t begin = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    if (text_.find_first_not_of(" \t\r\n\f", begin) == std::string_view::npos)
      return refuse(0, 0, "the file is empty; expected a kernel");
    for (size_t i = 0; i < text_.size();) {
      if (text_[i] == '\0')
        return refuse(i, i + 1, "this is not a text file: it holds a zero byte");
      const size_t length = characterLength(text_, i);
      if (length == 0)
        return refuse(i, i + 1,
                      fmt::format("this is not a text file in UTF-8: found the byte 0x{:02x}",
                                  static_cast<unsigned char>(text_[i])));
      i += length;
    }
    return true;
  }

  bool isShallow() {
    unsigned depth = 0, operators = 0;
    for (size_t i = 0; i < text_.size(); ++i) {
      const std::string_view rest = text_.substr(i);
      if (rest.starts_with("//")) {
        i = std::min(text_.find_first_of("\r\n", i), text_.size());
      } else if (rest.starts_with("/*")) {
        const size_t end = text_.find("*/", i + 2);
        if (end == std::string_view::npos)
          return refuse(i, i + 2, "this comment does not end; expected '*/'");
        i = end + 1;
      } else if (std::strchr("([{", text_[i])) {
        if (++depth > maximumNesting)
          return refuse(i, i + 1,
                        fmt::format("nested more than {} brackets deep; split it with let or fn",
                                    maximumNesting));
      } else if (std::strchr(")]}", text_[i])) {
        depth -= depth > 0;
      } else if (std::strchr("+-*/%@<>!&", text_[i])) {
        if (++operators > maximumOperators)
          return refuse(
              i, i + 1,
              fmt::format("more than {} operators in one statement; split it with let or fn",
                          maximumOperators));
      }
      if (i < text_.size() && std::strchr(";{}", text_[i]))
        operators = 0;
    }
    return true;
  }

private:
  bool refuse(size_t begin, size_t end, std::string message) {
    diagnostics_.error({&file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)},
                       std::move(message));
    return false;
  }

  const SourceFile &file_;
  std::string_view text_;
  Diagnostics &diagnostics_;
};

} // namespace

std::unique_ptr<SourceFile> fileOf(std::string path, std::string text, Diagnostics &diagnostics) {
  const size_t size = text.size();
  const bool isTooLarge = size > maximumTextBytes;
  auto file =
      std::make_unique<SourceFile>(std::move(path), isTooLarge ? std::string() : std::move(text));
  if (isTooLarge)
    diagnostics.error({file.get(), 0, 0},
                      fmt::format("the file has {} bytes; at most {} (1 MiB) are allowed", size,
                                  maximumTextBytes));
  return file;
}

bool isParsable(const SourceFile &file, Diagnostics &diagnostics) {
  Scan scan(file, diagnostics);
  return scan.isText() && scan.isShallow();
}

} // namespace mmk
