// Splits the words after a subcommand into options and the rest. CLI11 does the splitting; the
// messages are mmk's own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mmk::driver {

class CommandLine {
public:
  explicit CommandLine(std::string command);
  ~CommandLine();

  /// `--name`
  void flag(const std::string &name, bool &present);
  /// `--name VALUE`, at most once; `value` names it in messages.
  void option(const std::string &name, const std::string &value, std::optional<std::string> &text);
  /// `--name VALUE`, any number of times.
  void repeated(const std::string &name, const std::string &value, std::vector<std::string> &texts);
  /// `-o` for `--output`. Every command has --help; main() answers it before the command runs.
  void shortName(const std::string &letter, const std::string &name);

  /// Fills the targets; returns the words that belong to no option. An unknown option is a
  /// UserError.
  std::vector<std::string> parse(const std::vector<std::string> &words);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// " (did you mean 'x'?)", or nothing.
std::string didYouMean(std::string_view word, const std::vector<std::string> &legal);

} // namespace mmk::driver
