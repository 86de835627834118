#include "driver/dispatch.h"

#include "cli/command_line.h"
#include "cli/ending.h"
#include "cli/help_pages.h"
#include "cli/terminal.h"
#include "driver/bug.h"
#include "driver/command.h"

#include <algorithm>
#include <fmt/format.h>
#include <malloc.h>
#include <new>

namespace mmk::driver {
namespace {

int dispatch(const std::vector<std::string> &words) {
  if (words.empty())
    throw UserError(fmt::format("expected a command: {}; see mmk help", listOf(commandNames())));
  const std::string &first = words.front();
  if (first == "--version") {
    print(versionLine());
    return success;
  }
  if (first == "--help" || first == "-h") {
    print(overviewPage);
    return success;
  }
  if (first.starts_with("-"))
    throw UserError("mmk has no option " + first + didYouMean(first, {"--help", "--version"}) +
                    "; options: --help and --version");
  const Command &chosen = command(first);
  const auto isHelp = [](const std::string &word) { return word == "--help" || word == "-h"; };
  if (std::any_of(words.begin() + 1, words.end(), isHelp)) {
    print(chosen.help);
    return success;
  }
  return chosen.run({words.begin() + 1, words.end()});
}

/// Keeps freed memory for the next tensor, pass or state: mapping it anew costs a page fault for
/// every 4 KiB, which on a virtual machine was a fifth of the time of choosing a variant.
void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20); // the most that glibc takes
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

} // namespace

void startProcess() {
  keepFreedMemory();
  reportCrashes();
}

int runCommandLine(int argc, char **argv) {
  reproduceWith(argc, argv);
  try {
    return dispatch({argv + std::min(argc, 1), argv + argc});
  } catch (const UserError &mistake) {
    printError(mistake.what());
    return userError;
  } catch (const std::bad_alloc &) {
    printError("error: out of memory\n");
    return userError;
  } catch (const std::exception &error) {
    reportBug(error.what());
    return bugInMmk;
  }
}

} // namespace mmk::driver
