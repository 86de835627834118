#include "driver/chosen_variants.h"

#include "choose/remembered.h"
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
  std::string warning;
  ShapeVariant chosen = {chooseOrRecall(chooser, memory, kernel, session.machine(), dims, warning),
                         tune::spelling(kernel, dims)};
  if (!warning.empty())
    printError(fmt::format("warning: {}\n", warning));
  return chosen.isFound() ? std::optional(std::move(chosen)) : std::nullopt;
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
      chosen.counted == 0
          ? fmt::format("of {} by a closed form, each too large to be counted", chosen.considered)
          : fmt::format("of {} by a closed form and {} counted", chosen.considered, chosen.counted);
  const std::string shape = chosen.dims.empty() ? "the only shape" : chosen.dims;
  if (chosen.choices.empty())
    return fmt::format("{}: the default, the best {}", shape, from);
  if (chosen.defaultCycles == 0)
    return fmt::format("{}: the best {}", shape, from);
  return fmt::format("{}: the best {}; the default takes {:.2f} us, {:.2f} times as long", shape,
                     from, chosen.defaultCycles / machine.megahertz,
                     static_cast<double>(chosen.defaultCycles) / chosen.cycles);
}

} // namespace mmk::driver
