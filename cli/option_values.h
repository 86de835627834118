// The values of options, read in the same way for every command. An illegal value is a UserError
// that lists the legal ones.
#pragma once

#include "cli/command_line.h"

#include <cstdint>
#include <initializer_list>
#include <utility>

namespace mmk::driver {

/// A whole number.
int64_t wholeNumber(const std::string &option, const std::string &text, int64_t minimum,
                    int64_t maximum);

/// "NAME=VALUE" in two; `expected` is the legal form: "--set DIRECTIVE=VALUE".
std::pair<std::string, std::string> nameAndValue(const std::string &text,
                                                 const std::string &expected);

[[noreturn]] void refuseWord(const std::string &option, const std::string &text,
                             const std::vector<std::string> &legal);

/// One of the legal words.
const std::string &oneOf(const std::string &option, const std::string &text,
                         const std::vector<std::string> &legal);

/// The meaning of one of the legal words.
template <typename Value>
Value oneOf(const std::string &option, const std::string &text,
            const std::vector<std::pair<std::string, Value>> &legal) {
  std::vector<std::string> names;
  for (const auto &[name, value] : legal) {
    if (name == text)
      return value;
    names.push_back(name);
  }
  refuseWord(option, text, names);
}

/// `--threads N`; when it is not given, one for each CPU.
int64_t threadsFrom(const std::optional<std::string> &text);
/// `--seed N`, `--warmup N`, `--repeat N`; `otherwise` when it is not given.
int64_t seedFrom(const std::optional<std::string> &text, int64_t otherwise);
int64_t warmupFrom(const std::optional<std::string> &text, int64_t otherwise);
int64_t repeatFrom(const std::optional<std::string> &text, int64_t otherwise);

/// The first given option among those that have no meaning beside another one; or null.
const char *firstGiven(std::initializer_list<std::pair<bool, const char *>> options);

} // namespace mmk::driver
