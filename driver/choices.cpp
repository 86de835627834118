#include "driver/choices.h"

#include "driver/ending.h"
#include "frontend/schedule.h"

#include <fmt/format.h>
#include <map>

namespace mmk::driver {
namespace {

Choices parsed(const Kernel &kernel, const std::vector<std::string> &tiles,
               const std::string &option, const std::string &text) {
  Choices choices;
  std::string message;
  if (!parseVariant(text, tiles, choices, message))
    throw Mistake(fmt::format("{}: {}", option, message));
  if (choices.empty())
    throw Mistake(fmt::format("{}: expected DIRECTIVE=VALUE, found '{}'", option, text));
  for (const auto &[key, word] : choices)
    if (!checkChoice(kernel, key, word, message))
      throw Mistake(fmt::format("{} {}: {}", option, text, message));
  return choices;
}

} // namespace

Choices chosen(const Kernel &kernel, mlir::ModuleOp module,
               const std::optional<std::string> &variant, const std::vector<std::string> &sets) {
  const std::vector<std::string> tiles = tileDims(*module.getOps<ir::KernelOp>().begin());
  Choices choices;
  if (variant)
    choices = parsed(kernel, tiles, "--variant", *variant);
  std::map<std::string, std::string> seen;
  for (const std::string &set : sets)
    for (auto &[key, word] : parsed(kernel, tiles, "--set", set)) {
      const auto [first, isNew] = seen.try_emplace(key, word);
      if (!isNew)
        throw Mistake(fmt::format("--set gives {} twice: {} and {}", key, first->second, word));
      choices.emplace_back(key, word);
    }
  return choices;
}

std::string spelling(const Choices &choices) {
  std::string text;
  for (const auto &[key, word] : choices)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, word);
  return text;
}

std::string asOptions(const Choices &choices) {
  std::string text;
  for (const auto &[key, word] : choices)
    text += fmt::format("{}--set {}={}", text.empty() ? "" : " ", key, word);
  return text;
}

} // namespace mmk::driver
