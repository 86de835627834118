// A bug in mmk ends with exit code 3 and a line that says how to reproduce it, however it shows:
// as an exception, as a failed check of LLVM, or as a signal.
#pragma once

#include <string_view>

namespace mmk::driver {

/// From here on every crash of the process is reported in this way. Signals that are no bugs, such
/// as that of a broken pipe, no longer end the process.
void reportCrashes();

/// The command line that a report names from here on.
void reproduceWith(int argc, char **argv);

/// Prints the fault and how to reproduce it.
void reportBug(std::string_view what);

} // namespace mmk::driver
