// Standard output and standard error: what may be shown on them, and what becomes of text that
// nobody can take any more.
#pragma once

#include <string>
#include <string_view>

namespace mmk::driver {

enum class Stream { output = 1, error = 2 };

bool isTerminal(Stream stream);
/// A terminal, or the user asks for colours by CLICOLOR_FORCE; not where NO_COLOR is set.
bool showsColours(Stream stream);

/// Writes to standard output. When its reader has gone (`mmk run ... | head`), the text is dropped
/// without a word; any other failure, such as a full disk, is a UserError.
void print(std::string_view text);
/// Whether standard output has lost its reader: no reason to go on only for its sake.
bool readerIsGone();

/// Writes to standard error, where a failure could not be reported anyway.
void printError(std::string_view text);

/// The text in a colour ("1;31" is bold red), when standard output shows colours.
std::string coloured(std::string_view code, std::string_view text);

/// What a long command is doing, on one line of the terminal that disappears again; nothing when
/// standard error is no terminal.
class Progress {
public:
  ~Progress() { clear(); }
  void show(std::string_view text);
  void clear();

private:
  bool shown_ = false;
};

} // namespace mmk::driver
