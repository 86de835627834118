// Standard output and standard error: colours, progress, and writing after the reader has gone.
#pragma once

#include <string>
#include <string_view>

namespace mmk::driver {

enum class Stream { output = 1, error = 2 };

bool isTerminal(Stream stream);
/// Whether to show colours: on a terminal, or if CLICOLOR_FORCE is set; not where NO_COLOR is set.
bool showsColours(Stream stream);

/// Writes to standard output. When its reader has gone (`mmk run ... | head`), the text is dropped
/// without a word; any other failure, such as a full disk, is a UserError.
void print(std::string_view text);
/// Whether standard output has lost its reader: work for output alone can stop.
bool readerIsGone();

/// Writes to standard error, where a failure could not be reported anyway.
void printError(std::string_view text);

/// The text in a colour ("1;31" is bold red), when standard output shows colours.
std::string coloured(std::string_view code, std::string_view text);

/// The progress of a long command, on one line of the terminal that is erased at the end; nothing
/// when standard error is no terminal.
class Progress {
public:
  ~Progress() { clear(); }
  void show(std::string_view text);
  void clear();

private:
  bool shown_ = false;
};

} // namespace mmk::driver
