#include "driver/choices.h"

#include "driver/ending.h"

#include <fmt/format.h>
#include <map>

namespace mmk::driver {
namespace {

Choices parsed(const Kernel &kernel, mlir::ModuleOp module, const std::string &option,
               const std::string &text) {
  llvm::Expected<Choices> choices = parseChoices(kernel, module, text);
  if (!choices)
    throw Mistake(option + llvm::toString(choices.takeError()));
  return std::move(*choices);
}

} // namespace

Choices chosen(const Kernel &kernel, mlir::ModuleOp module,
               const std::optional<std::string> &variant, const std::vector<std::string> &sets) {
  Choices choices;
  if (variant)
    choices = parsed(kernel, module, "--variant", *variant);
  std::map<std::string, std::string> seen;
  for (const std::string &set : sets)
    for (auto &[key, word] : parsed(kernel, module, "--set", set)) {
      const auto [first, isNew] = seen.try_emplace(key, word);
      if (!isNew)
        throw Mistake(fmt::format("--set gives {} twice: {} and {}", key, first->second, word));
      choices.emplace_back(key, word);
    }
  return choices;
}

std::string asOptions(const Choices &choices) {
  std::string text;
  for (const auto &[key, word] : choices)
    text += fmt::format("{}--set {}={}", text.empty() ? "" : " ", key, word);
  return text;
}

} // namespace mmk::driver
