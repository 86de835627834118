// Lines of C++ with their indentation.
#pragma once

#include <fmt/format.h>
#include <string>

namespace mmk::ascendc {

class CodeText {
public:
  explicit CodeText(unsigned depth = 0) : depth_(depth) {}

  template <typename... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
    add(fmt::format(format, std::forward<Args>(args)...));
  }
  /// A line; one that is too long is continued, behind a comma, on the next. An empty one has no
  /// indentation.
  void add(const std::string &text);
  /// A line that ends with " {": what follows is indented up to `close`.
  void open(const std::string &text) {
    add(text.empty() ? "{" : text + " {");
    ++depth_;
  }
  void close() {
    --depth_;
    add("}");
  }
  /// Whole lines as they are.
  void paste(const std::string &lines) { text_ += lines; }
  const std::string &text() const { return text_; }

private:
  std::string text_;
  unsigned depth_;
};

} // namespace mmk::ascendc
