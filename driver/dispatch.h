// One command line: from its words to an exit code.
#pragma once

namespace mmk::driver {

/// Sets up the process for commands: once, before the first.
void startProcess();

/// Runs the command that these words of a command line name, argv[0] being the program. Returns its
/// exit code, and prints what went wrong.
int runCommandLine(int argc, char **argv);

} // namespace mmk::driver
