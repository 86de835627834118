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
  if (!backendOf(session.machine().kind).hasClock() || run.isEmpty())
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

Choices unitsOf(Session &session, const Kernel &kernel, const RunCase &run) {
  if (backendOf(session.machine().kind).hasClock() || run.isEmpty())
    return {};
  const Choices units = session.chooser(kernel).unitsOf(dimsOf(kernel, run));
  // A rule of the schedule may need them.
  return units.empty() || !session.tryLower(kernel, units, LoweringLevel::mmk) ? Choices() : units;
}

std::vector<CaseVariant> variantsOf(Session &session, const Target &target, const Kernel &kernel,
                                    const std::vector<RunCase> &runs, bool remembers) {
  std::vector<CaseVariant> variants(runs.size());
  if (target.variant)
    return variants;
  std::vector<int64_t> cycles(runs.size(), 0);
  std::vector<Choices> units;
  for (size_t i = 0; i < runs.size(); ++i) {
    units.push_back(unitsOf(session, kernel, runs[i]));
    variants[i].choices = units.back();
    if (const auto chosen = chooseVariant(session, kernel, runs[i], remembers)) {
      variants[i] = {{}, chosen->choices, {}};
      if (std::string reason = reasonOf(*chosen, kernel, session.machine()); !reason.empty())
        variants[i].reasons = {std::move(reason)};
      cycles[i] = chosen->cycles;
    }
  }
  // The store holds whole variants only, so it is not used beside choices of the user.
  if (!remembers || !target.sets.empty() || target.side)
    return variants;
  const std::vector<KnownVariant> known = knownVariants(session, kernel, runs, cycles);
  for (size_t i = 0; i < known.size(); ++i) {
    const auto has = [&](const auto &unit) { return llvm::is_contained(known[i].choices, unit); };
    if (!known[i].choices.empty() && llvm::all_of(units[i], has))
      variants[i] = {known[i], known[i].choices, {}};
    variants[i].known.uncheckedUs = known[i].uncheckedUs;
  }
  return variants;
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
