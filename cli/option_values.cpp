#include "cli/option_values.h"

#include "cli/ending.h"
#include "frontend/numbers.h"
#include "runtime/threads.h"
#include "support/diagnostics.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {

constexpr int64_t maximumRuns = 1000000, maximumThreads = 1024;

int64_t wholeNumber(const std::string &option, const std::string &text, int64_t minimum,
                    int64_t maximum) {
  const std::optional<int64_t> number = parseInteger(text);
  if (!number || *number < minimum || *number > maximum)
    throw UserError(fmt::format("{} is a whole number from {} to {}, found {}", option, minimum,
                                maximum, text.empty() ? "nothing" : text));
  return *number;
}

std::pair<std::string, std::string> nameAndValue(const std::string &text,
                                                 const std::string &expected) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UserError(fmt::format("expected {}, found '{}'", expected, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void refuseWord(const std::string &option, const std::string &text,
                const std::vector<std::string> &legal) {
  throw UserError(
      fmt::format("{} is {}, found '{}'{}", option, listOf(legal), text, didYouMean(text, legal)));
}

const std::string &oneOf(const std::string &option, const std::string &text,
                         const std::vector<std::string> &legal) {
  if (std::ranges::find(legal, text) == legal.end())
    refuseWord(option, text, legal);
  return text;
}

int64_t threadsFrom(const std::optional<std::string> &text) {
  return text ? wholeNumber("--threads", *text, 1, maximumThreads) : availableThreads();
}

int64_t seedFrom(const std::optional<std::string> &text, int64_t otherwise) {
  return text ? wholeNumber("--seed", *text, 0, INT64_MAX) : otherwise;
}

int64_t warmupFrom(const std::optional<std::string> &text, int64_t otherwise) {
  return text ? wholeNumber("--warmup", *text, 0, maximumRuns) : otherwise;
}

int64_t repeatFrom(const std::optional<std::string> &text, int64_t otherwise) {
  return text ? wholeNumber("--repeat", *text, 1, maximumRuns) : otherwise;
}

const char *firstGiven(std::initializer_list<std::pair<bool, const char *>> options) {
  for (const auto &[given, option] : options)
    if (given)
      return option;
  return nullptr;
}

} // namespace mmk::driver
