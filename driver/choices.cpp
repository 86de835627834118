#include "driver/choices.h"

#include "cli/ending.h"

#include <fmt/format.h>
#include <map>

namespace mmk::driver {
namespace {

Choices parsed(const Kernel &kernel, const Machine &machine, mlir::ModuleOp module,
               const std::string &option, const std::string &text) {
  llvm::Expected<Choices> choices = parseChoices(kernel, machine, module, text);
  if (!choices)
    throw UserError(option + llvm::toString(choices.takeError()));
  return std::move(*choices);
}

} // namespace

Choices chosen(const Kernel &kernel, const Machine &machine, mlir::ModuleOp module,
               const Target &target) {
  Choices choices;
  if (target.variant)
    choices = parsed(kernel, machine, module, "--variant", *target.variant);
  const auto addOnce = [&](const std::string &option, const std::vector<std::string> &texts) {
    std::map<std::string, std::string> seen;
    for (const std::string &text : texts)
      for (auto &[key, word] : parsed(kernel, machine, module, option, text)) {
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
