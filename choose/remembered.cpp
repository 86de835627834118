#include "choose/remembered.h"

#include <fmt/format.h>

namespace mmk {

tune::RememberedChoice chooseOrRecall(Chooser &chooser, const tune::ChoiceMemory &memory,
                                      const Kernel &kernel, const Machine &machine,
                                      const std::vector<int64_t> &dims, std::string &warning) {
  const tune::ChoiceKey key = {tune::identityOf(kernel, machine), tune::spelling(kernel, dims),
                               chooser.kept()};
  if (const auto known = memory.find(key))
    return *known;
  tune::RememberedChoice choice;
  if (const std::optional<ChosenVariant> chosen = chooser.choose(dims))
    choice = {chosen->choices, chosen->cycles, chosen->defaultCycles,
              std::ssize(chosen->counted) + (chosen->defaultCycles > 0), chosen->considered};
  if (llvm::Error error = memory.add(key, choice))
    warning = fmt::format("the choice of the variant is not remembered: {}",
                          llvm::toString(std::move(error)));
  return choice;
}

} // namespace mmk
