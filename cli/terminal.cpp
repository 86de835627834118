#include "cli/terminal.h"

#include "cli/ending.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace mmk::driver {
namespace {

bool outputIsLost = false;

/// 0, or the errno that stopped the writing.
int writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value;
}

} // namespace

// mpirun gives each of its processes a pseudo-terminal and forwards the output.
bool isTerminal(Stream stream) {
  return isatty(static_cast<int>(stream)) == 1 && !isSet("OMPI_COMM_WORLD_SIZE");
}

bool showsColours(Stream stream) {
  return !isSet("NO_COLOR") && (isTerminal(stream) || isSet("CLICOLOR_FORCE"));
}

void print(std::string_view text) {
  if (outputIsLost)
    return;
  const int error = writeAll(STDOUT_FILENO, text);
  outputIsLost = error != 0;
  if (error != 0 && error != EPIPE)
    throw UserError(fmt::format("cannot write to standard output: {}", std::strerror(error)));
}

bool readerIsGone() { return outputIsLost; }

void printError(std::string_view text) { writeAll(STDERR_FILENO, text); }

std::string coloured(std::string_view code, std::string_view text) {
  return showsColours(Stream::output) ? fmt::format("\033[{}m{}\033[0m", code, text)
                                      : std::string(text);
}

void Progress::show(std::string_view text) {
  if (!isTerminal(Stream::error))
    return;
  printError(fmt::format("\r\033[K{}", text));
  shown_ = true;
}

void Progress::clear() {
  if (shown_)
    printError("\r\033[K");
  shown_ = false;
}

} // namespace mmk::driver
