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

UserError::UserError(const std::string &message) : UserError(oneForEachLine(message)) {}

UserError::UserError(const Diagnostics &diagnostics)
    : std::runtime_error(diagnostics.render(showsColours(Stream::error))) {}

UserError UserError::withText(const std::string &text) { return {Whole(), text}; }

} // namespace mmk::driver
