#include "machines/machine.h"

#include "machines/check.h"
#include "machines/description.h"
#include "machines/embedded.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace mmk {

std::string_view spelling(MachineKind kind) {
  switch (kind) {
#define MMK_KIND(KIND, FOLDER)                                                                     \
  case MachineKind::KIND:                                                                          \
    return #KIND;
#include "machines/kinds.def"
#undef MMK_KIND
  }
  return "?";
}

std::string_view spelling(Memory memory) {
  switch (memory) {
  case Memory::l1:
    return "l1";
  case Memory::l0a:
    return "l0a";
  case Memory::l0b:
    return "l0b";
  case Memory::l0c:
    return "l0c";
  case Memory::bt:
    return "bt";
  case Memory::ub:
    return "ub";
  }
  return "";
}

std::string_view spelling(Pipe pipe) {
  switch (pipe) {
  case Pipe::scalar:
    return "scalar";
  case Pipe::mte1:
    return "mte1";
  case Pipe::mte2:
    return "mte2";
  case Pipe::mte3:
    return "mte3";
  case Pipe::cube:
    return "cube";
  case Pipe::fixpipe:
    return "fixpipe";
  case Pipe::vector:
    return "vector";
  }
  return "";
}

const MemoryDescription &Machine::memory(Memory memory) const {
  static const MemoryDescription none;
  const auto found = memories.find(memory);
  return found == memories.end() ? none : found->second;
}

// Instructions, loads and stores overlap from one register to the next.
VectorCost Machine::functionCost(double perElement, int64_t loaded, int64_t stored) const {
  const double elements = static_cast<double>(function.registerBytes) / 4,
               loads = static_cast<double>(loaded) / function.loads,
               stores = static_cast<double>(stored) / function.stores;
  return {std::max({perElement / function.issued, loads / elements, stores / elements}),
          function.startupCycles + function.drainCycles};
}

static Machine machineFrom(const Description &description) {
  Machine machine;
  machine.name = description.name;
  machine.legend = description.legend;
  for (const DescriptionEntry &entry : description.entries) {
    entry.field->set(machine, entry.value);
    machine.figures.emplace_back(entry.field->path, spelling(*entry.field, entry.value));
    machine.sources.emplace_back(entry.field->path, entry.source);
  }
  return machine;
}

llvm::Expected<Machine> loadMachine(const std::string &nameOrFile,
                                    const std::vector<MachineOverride> &overrides) {
  // Each step runs only when the previous one found no error.
  Problems problems;
  Description description = readDescription(nameOrFile, problems);
  if (problems.empty())
    for (const MachineOverride &override : overrides)
      applyOverride(description, override, problems);
  if (problems.empty())
    checkComplete(description, problems);
  Machine machine = machineFrom(description);
  if (problems.empty())
    checkConsistent(machine, description, problems);
  if (!problems.empty())
    return llvm::createStringError(llvm::join(problems, "\n"));
  return machine;
}

std::vector<std::string> machineNames() {
  std::vector<std::string> names;
  for (const auto &[name, text] : embeddedDescriptions())
    names.emplace_back(name);
  return names;
}

} // namespace mmk
