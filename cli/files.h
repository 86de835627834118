// Files that the command line names, read and written whole.
#pragma once

#include <string>
#include <string_view>

namespace mmk::driver {

/// The text of a program; "-" is standard input. A UserError when it cannot be read.
std::string readProgram(const std::string &path);
/// The text of a report that `--json` wrote.
std::string readReport(const std::string &path);
/// The name of the file in messages.
std::string nameOfProgram(const std::string &path);

/// Writes beside `path` and renames, so that it never holds half a text; "-" is standard output.
void writeFile(const std::string &path, std::string_view bytes);

/// A UserError when a file could not be made at `path`: reported before the work, not after it.
void expectWritable(const std::string &path);

/// Makes a folder, and those above it, unless it is there; a UserError when it cannot be, or when
/// no file could be made in it.
void makeFolder(const std::string &path);

} // namespace mmk::driver
