// `mmk format`: writes files in the style of the language, or says which are not in it.
#include "cli/command_line.h"
#include "cli/ending.h"
#include "cli/files.h"
#include "cli/terminal.h"
#include "driver/command.h"
#include "format/format.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

/// The text of one file in the style; a UserError when it does not parse.
std::string formatted(const std::string &path, const std::string &text) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  std::optional<std::string> result = formatProgram(nameOfProgram(path), text, diagnostics, file);
  if (!result)
    throw UserError(diagnostics);
  return std::move(*result);
}

/// The first line, from 1, that two different texts do not share.
size_t firstDifference(const std::string &text, const std::string &other) {
  const auto end = std::ranges::mismatch(text, other).in1;
  return static_cast<size_t>(1 + std::count(text.begin(), end, '\n'));
}

/// Keeps what the file is beside its text: its permissions, and that others link to it.
void replace(const std::string &path, const std::string &text) {
  if (path == "-")
    return writeFile(path, text);
  const std::filesystem::path file = std::filesystem::canonical(path);
  const std::filesystem::perms permissions = std::filesystem::status(file).permissions();
  writeFile(file, text);
  std::error_code ignored; // of a file system without permissions
  std::filesystem::permissions(file, permissions, ignored);
}

} // namespace

int formatCommand(const std::vector<std::string> &words) {
  bool checksOnly = false;
  CommandLine commandLine("format");
  commandLine.flag("--check", checksOnly);
  const std::vector<std::string> paths = commandLine.parse(words);
  if (paths.empty())
    throw UserError("expected a file: mmk format FILE ...");

  // A file with an error does not keep the others from their style.
  std::string mistakes;
  bool differs = false;
  for (const std::string &path : paths)
    try {
      const std::string text = readProgram(path);
      const std::string result = formatted(path, text);
      if (checksOnly && result != text) {
        differs = true;
        printError(fmt::format("{}:{}: not formatted from this line on\n", nameOfProgram(path),
                               firstDifference(text, result)));
      } else if (!checksOnly && (result != text || path == "-")) {
        replace(path, result);
      }
    } catch (const UserError &mistake) {
      mistakes += mistake.what();
    }
  if (!mistakes.empty())
    throw UserError::withText(mistakes);
  return differs ? wrongResult : success;
}

} // namespace mmk::driver
