// `mmk machines`: lists the machines, and each figure with its source.
#include "backend/backend.h"
#include "cli/ending.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/target.h"
#include "cli/terminal.h"
#include "driver/command.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

std::string kibibytes(const Machine &machine, Memory memory) {
  const int64_t bytes = machine.memory(memory).bytes;
  return bytes == 0 ? "-" : fmt::format("{}", bytes / 1024);
}

std::string table(const std::vector<Machine> &machines) {
  std::string text =
      fmt::format("{:<12} {:<8} {:>5} {:>6}  {:>6} {:>5} {:>5} {:>5} {:>5}  {}\n", "machine",
                  "kind", "cores", "MHz", "L1 KiB", "L0A", "L0B", "L0C", "UB", "description");
  for (const Machine &machine : machines) {
    const Backend &backend = backendOf(machine.kind);
    text += fmt::format("{:<12} {:<8} {:>5} {:>6}  {:>6} {:>5} {:>5} {:>5} {:>5}  {}\n",
                        machine.name, backend.kindOf(machine), machine.cubeCores,
                        backend.hasClock() ? fmt::format("{}", machine.megahertz) : "-",
                        kibibytes(machine, Memory::l1), kibibytes(machine, Memory::l0a),
                        kibibytes(machine, Memory::l0b), kibibytes(machine, Memory::l0c),
                        kibibytes(machine, Memory::ub), machine.description);
  }
  return text;
}

/// Every figure with its source, and the meaning of the sources' abbreviations.
std::string figures(const Machine &machine) {
  size_t widestPath = 0, widestValue = 0;
  for (const auto &[path, value] : machine.figures) {
    widestPath = std::max(widestPath, path.size());
    // The description is left out of the columns: a sentence would push the sources off the screen.
    if (path != "description")
      widestValue = std::max(widestValue, value.size());
  }
  std::string text = fmt::format("{}\n\n", coloured("1", machine.name));
  for (size_t i = 0; i < machine.figures.size(); ++i) {
    const auto &[path, value] = machine.figures[i];
    const std::string &source = machine.sources[i].second;
    text += source.empty()
                ? fmt::format("{:<{}}  {}\n", path, widestPath, value)
                : fmt::format("{:<{}}  {:<{}}  {}\n", path, widestPath, value, widestValue, source);
  }
  if (!machine.legend.empty())
    text += "\nsources\n";
  for (const auto &[word, meaning] : machine.legend)
    text += fmt::format("  {:<9} {}\n", word, meaning);
  return text;
}

void writeMachine(llvm::json::OStream &out, const Machine &machine) {
  out.attribute("machine", machine.name);
  out.attributeObject("figures", [&] {
    for (size_t i = 0; i < machine.figures.size(); ++i) {
      const auto &[path, value] = machine.figures[i];
      const std::string &source = machine.sources[i].second;
      double number = 0;
      out.attributeObject(path, [&] {
        out.attributeBegin("value");
        if (llvm::StringRef(value).getAsDouble(number))
          out.value(value);
        else
          out.rawValue(value);
        out.attributeEnd();
        if (!source.empty())
          out.attribute("source", source);
      });
    }
  });
  out.attributeObject("sources", [&] {
    for (const auto &[word, meaning] : machine.legend)
      out.attribute(word, meaning);
  });
}

} // namespace

int machinesCommand(const std::vector<std::string> &words) {
  std::optional<std::string> jsonFile;
  std::vector<std::string> sets;
  CommandLine commandLine("machines");
  commandLine.option("--json", "FILE", jsonFile);
  commandLine.repeated("--machine-set", "PATH=VALUE", sets);
  std::vector<std::string> names = commandLine.parse(words);
  if (names.size() > 1)
    throw UserError(fmt::format("expected one machine, found '{}' and '{}'", names[0], names[1]));
  if (names.empty() && !sets.empty())
    throw UserError("--machine-set needs a machine: mmk machines NAME --machine-set PATH=VALUE");

  std::vector<Machine> machines;
  for (const std::string &name : names.empty() ? machineNames() : names)
    machines.push_back(loadMachineOrRefuse(name, sets));
  if (!jsonFile || *jsonFile != "-")
    print(names.empty() ? table(machines) : figures(machines.front()));
  if (jsonFile)
    writeFile(*jsonFile, jsonArray(machines, writeMachine));
  return success;
}

} // namespace mmk::driver
