#include "cli/command_line.h"

#include "cli/ending.h"
#include "support/diagnostics.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mmk::driver {

struct CommandLine::Parts {
  struct Option {
    std::string name, value; ///< "--seed", "N"; no value for a flag
    std::vector<std::string> texts;
    bool once = false;
    std::optional<std::string> *text = nullptr;
    std::vector<std::string> *all = nullptr;
    bool *present = nullptr;
  };

  std::string command;
  bool help = false;
  std::vector<std::unique_ptr<Option>> options;
  std::map<std::string, std::string> shortNames; ///< "-o" -> "--output"

  Option *find(std::string name) {
    if (const auto found = shortNames.find(name); found != shortNames.end())
      name = found->second;
    for (const auto &option : options)
      if (option->name == name)
        return option.get();
    return nullptr;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto &option : options)
      result.push_back(option->name);
    std::ranges::sort(result);
    return result;
  }
  [[noreturn]] void unknown(const std::string &name) const {
    throw UserError(fmt::format("'mmk {}' has no option {}{}; options: {}", command, name,
                                didYouMean(name, names()), listOf(names(), "and")));
  }
  void checkWords(const std::vector<std::string> &words);
  void fillTargets();
};

CommandLine::CommandLine(std::string command) : parts_(std::make_unique<Parts>()) {
  parts_->command = std::move(command);
  flag("--help", parts_->help);
  shortName("-h", "--help");
}
CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string &name, bool &present) {
  auto &option = *parts_->options.emplace_back(std::make_unique<Parts::Option>());
  option.name = name;
  option.present = &present;
}

void CommandLine::option(const std::string &name, const std::string &value,
                         std::optional<std::string> &text) {
  auto &option = *parts_->options.emplace_back(std::make_unique<Parts::Option>());
  option.name = name;
  option.value = value;
  option.once = true;
  option.text = &text;
}

void CommandLine::repeated(const std::string &name, const std::string &value,
                           std::vector<std::string> &texts) {
  auto &option = *parts_->options.emplace_back(std::make_unique<Parts::Option>());
  option.name = name;
  option.value = value;
  option.all = &texts;
}

void CommandLine::shortName(const std::string &letter, const std::string &name) {
  parts_->shortNames[letter] = name;
}

// CLI11 would take `--json= FILE` for `--json FILE`, and read a truth value behind a flag.
void CommandLine::Parts::checkWords(const std::vector<std::string> &words) {
  for (const std::string &word : words) {
    const size_t equals = word.find('=');
    if (!word.starts_with("--") || equals == std::string::npos)
      continue;
    const std::string name = word.substr(0, equals);
    const Option *option = find(name);
    if (!option)
      unknown(name);
    if (option->value.empty())
      throw UserError(fmt::format("{} takes no value, found '{}'", name, word));
    if (equals + 1 == word.size())
      throw UserError(fmt::format("{} needs a value: {} {}", name, name, option->value));
  }
}

void CommandLine::Parts::fillTargets() {
  for (const auto &option : options) {
    if (option->once && option->texts.size() > 1)
      throw UserError(fmt::format("{} is given twice: {} and {}", option->name, option->texts[0],
                                  option->texts[1]));
    if (option->text && !option->texts.empty())
      *option->text = option->texts.front();
    if (option->all)
      *option->all = option->texts;
  }
}

std::vector<std::string> CommandLine::parse(const std::vector<std::string> &words) {
  parts_->checkWords(words);

  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  for (const auto &option : parts_->options) {
    std::string names = option->name;
    for (const auto &[letter, name] : parts_->shortNames)
      if (name == option->name)
        names += "," + letter;
    if (option->present)
      app.add_flag(names, *option->present);
    else
      app.add_option(names, option->texts)->expected(1)->take_all()->allow_extra_args(false);
  }
  std::vector<std::string> rest;
  app.add_option("words", rest)->expected(0, 1 << 20);

  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError &error) {
    // The only error left for CLI11: the last option lacks its value.
    const Parts::Option *last = words.empty() ? nullptr : parts_->find(words.back());
    if (!last)
      throw Bug(fmt::format("command line: {}", error.what()));
    throw UserError(fmt::format("{} needs a value: {} {}", last->name, last->name, last->value));
  }
  for (const std::string &extra : app.remaining())
    parts_->unknown(extra);
  parts_->fillTargets();
  return rest;
}

std::string didYouMean(std::string_view word, const std::vector<std::string> &legal) {
  const std::string_view near = nearestWord(word, legal);
  return near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near);
}

} // namespace mmk::driver
