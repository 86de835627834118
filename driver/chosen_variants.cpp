#include "driver/chosen_variants.h"

#include "choose/chooser.h"
#include "cli/environment.h"
#include "cli/terminal.h"
#include "driver/count_case.h"

#include <fmt/format.h>

namespace mmk::driver {
std::string choiceFolder() {
  const std::string folder = cacheDirectory();
  return folder.empty() ? "" : folder + "/choices";
}

std::optional<ShapeVariant> chooseVariant(Session &session, const Kernel &kernel,
                                          const RunCase &run, bool remembers) {
  if (!backendOf(session.machine().kind).hasClock())
    return std::nullopt;
  const std::vector<int64_t> dims = dimsOf(kernel, run);
  Chooser chooser = session.chooser(kernel);
  const tune::ChoiceMemory memory(remembers ? choiceFolder() : "");
  const tune::ChoiceKey key = {tune::identityOf(kernel, session.machine()),
                               tune::spelling(kernel, dims), chooser.kept()};
  if (const auto known = memory.find(key))
    return ShapeVariant{*known, key.dims};
  const std::optional<ChosenVariant> chosen = chooser.choose(dims);
  if (!chosen)
    return std::nullopt;
  const tune::RememberedChoice choice = {
      variantText(chosen->choices), chosen->cycles, chosen->defaultCycles,
      std::ssize(chosen->counted) + (chosen->defaultCycles > 0), chosen->considered};
  if (llvm::Error error = memory.add(key, choice))
    printError(fmt::format("warning: the choice of the variant is not remembered: {}\n",
                           llvm::toString(std::move(error))));
  return ShapeVariant{choice, key.dims};
}

Target withVariantOf(Session &session, const Target &target, const Kernel &kernel,
                     const RunCase &run, std::string &reason) {
  Target own = target;
  if (target.variant)
    return own;
  const auto chosen = chooseVariant(session, kernel, run, /*remembers=*/true);
  if (!chosen)
    return own;
  reason = reasonOf(*chosen, kernel, session.machine());
  if (!chosen->choices.empty())
    own.variant = chosen->choices;
  return own;
}

std::string reasonOf(const ShapeVariant &chosen, const Kernel &kernel, const Machine &machine) {
  if (chosen.choices.empty() && kernel.scheduleFor(machine.name))
    return "";
  const std::string from =
      fmt::format("of {} by a closed form and {} counted", chosen.considered, chosen.counted);
  if (chosen.choices.empty())
    return fmt::format("{}: the default, the best {}", chosen.dims, from);
  if (chosen.defaultCycles == 0)
    return fmt::format("{}: the best {}", chosen.dims, from);
  return fmt::format("{}: the best {}; the default takes {:.2f} us, {:.2f} times as long",
                     chosen.dims, from, chosen.defaultCycles / machine.megahertz,
                     static_cast<double>(chosen.defaultCycles) / chosen.cycles);
}

} // namespace mmk::driver
