// A bug in mmk ends with exit code 3 and a line that says how to reproduce it, however it shows:
// as an exception, as a failed check of LLVM, or as a signal.
#pragma once

#include <string_view>

namespace mmk::driver {

/// From here on every crash of the process is reported so. Also keeps signals that are no bugs,
/// such as that of a broken pipe, from ending it.
void reportCrashesOf(int argc, char **argv);

/// Says what went wrong and how to reproduce it.
void reportBug(std::string_view what);

} // namespace mmk::driver
