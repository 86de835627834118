#include "driver/choices.h"

#include "cli/ending.h"

#include <fmt/format.h>
#include <map>

namespace mmk::driver {

Choices choicesOf(Compiler &compiler, const Kernel &kernel, const std::string &option,
                  const std::string &text) {
  llvm::Expected<Choices> choices = compiler.choicesOf(kernel, text);
  if (!choices)
    throw UserError(option + llvm::toString(choices.takeError()));
  return std::move(*choices);
}

Choices chosen(Compiler &compiler, const Kernel &kernel, const Target &target) {
  Choices choices;
  if (target.variant)
    choices = choicesOf(compiler, kernel, "--variant", *target.variant);
  const auto addOnce = [&](const std::string &option, const std::vector<std::string> &texts) {
    std::map<std::string, std::string> seen;
    for (const std::string &text : texts)
      for (auto &[key, word] : choicesOf(compiler, kernel, option, text)) {
        const auto [first, isNew] = seen.try_emplace(key, word);
        if (!isNew)
          throw UserError(
              fmt::format("{} gives {} twice: {} and {}", option, key, first->second, word));
        choices.emplace_back(key, word);
      }
  };
  addOnce("--set", target.sets);
  if (target.side && !target.side->choices.empty())
    addOnce(target.side->option, {target.side->choices});
  return choices;
}

std::string asOptions(const Choices &choices, const Target &target) {
  std::string text;
  if (target.side) {
    text = fmt::format("{} {}", target.side->option, target.side->text);
    for (const auto &[key, word] : choices)
      text += fmt::format(",{}={}", key, word);
    return text;
  }
  for (const auto &[key, word] : choices)
    text += fmt::format("{}--set {}={}", text.empty() ? "" : " ", key, word);
  return text;
}

} // namespace mmk::driver
