#include "cli/ending.h"

#include "cli/terminal.h"

#include <sstream>

namespace mmk::driver {
namespace {

Diagnostics oneForEachLine(const std::string &message) {
  Diagnostics diagnostics;
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);)
    diagnostics.error({}, line);
  return diagnostics;
}

} // namespace

Mistake::Mistake(const std::string &message) : Mistake(oneForEachLine(message)) {}

Mistake::Mistake(const Diagnostics &diagnostics)
    : std::runtime_error(diagnostics.render(showsColours(Stream::error))) {}

Mistake Mistake::withText(const std::string &text) { return {Whole(), text}; }

} // namespace mmk::driver
