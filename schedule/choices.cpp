#include "schedule/choices.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

namespace mmk {

const std::string *wordOf(const Choices &choices, std::string_view key) {
  for (const auto &[each, word] : std::views::reverse(choices))
    if (each == key)
      return &word;
  return nullptr;
}

Choices both(Choices choices, const Choices &others) {
  choices.insert(choices.end(), others.begin(), others.end());
  return choices;
}

bool shareDirective(const Choices &one, const Choices &other) {
  return std::ranges::any_of(one, [&](const auto &choice) { return wordOf(other, choice.first); });
}

std::string variantText(const Choices &choices) {
  std::string text;
  for (const auto &[key, word] : choices)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, word);
  return text;
}

Choices choicesFrom(std::string_view text) {
  Choices choices;
  while (!text.empty()) {
    const std::string_view choice = text.substr(0, text.find(','));
    const size_t equals = std::min(choice.find('='), choice.size() - 1);
    choices.emplace_back(choice.substr(0, equals), choice.substr(equals + 1));
    text.remove_prefix(std::min(text.size(), choice.size() + 1));
  }
  return choices;
}

std::string spelling(const Choices &choices) {
  std::string text;
  for (const auto &[key, word] : choices)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, word);
  return text;
}

std::string optionsOf(const Choices &choices) {
  std::string text;
  for (const auto &[key, word] : choices) {
    const std::string choice = key + "=" + word;
    const bool isPlain = choice.find_first_of("()*") == std::string::npos;
    text +=
        fmt::format("{}--set {}", text.empty() ? "" : " ", isPlain ? choice : "'" + choice + "'");
  }
  return text;
}

} // namespace mmk
