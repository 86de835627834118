#include "ascendc/code_text.h"

#include <algorithm>

namespace mmk::ascendc {

static constexpr size_t longestLine = 100;

/// Where to break a line that is too long: behind the last comma or operator that fits, outside of
/// strings and braces; of a comment, behind the last word. 0: nowhere.
static size_t breakOf(const std::string &line, size_t indentation, bool isComment) {
  size_t found = 0, braces = 0;
  bool isInString = false;
  for (size_t i = indentation; i < std::min(line.size(), longestLine); ++i) {
    isInString ^= line[i] == '"' && line[i - 1] != '\\';
    braces += line[i] == '{';
    braces -= line[i] == '}' && braces > 0;
    if (line[i] == ' ' && !isInString && braces == 0 &&
        (isComment || line[i - 1] == ',' || line[i - 1] == '&'))
      found = i;
  }
  return found;
}

void CodeText::add(const std::string &text) {
  const size_t own = std::min(text.find_first_not_of(' '), text.size());
  const std::string indentation(2 * depth_ + own, ' ');
  const bool isComment = text.substr(own).starts_with("//");
  std::string line = text.empty() ? "" : indentation + text.substr(own);
  while (line.size() > longestLine) {
    const size_t at = breakOf(line, line.find_first_not_of(' ') + (isComment ? 3 : 1), isComment);
    if (at == 0)
      break;
    text_ += line.substr(0, at) + "\n";
    line = indentation + (isComment ? "// " : "    ") + line.substr(at + 1);
  }
  text_ += line + "\n";
}

} // namespace mmk::ascendc
