#include "machines/check.h"

#include "support/diagnostics.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk {
namespace {

bool sectionHasFigures(const Description &description, const std::string &section) {
  return std::any_of(
      description.entries.begin(), description.entries.end(),
      [&](const DescriptionEntry &entry) { return sectionOf(entry.field->path) == section; });
}

bool isNeeded(const Field &field, const Description &description) {
  const DescriptionEntry *kind = description.find("kind");
  switch (field.need) {
  case FieldNeed::optional:
    return false;
  case FieldNeed::always:
    return true;
  case FieldNeed::emulated:
    return !kind || kind->value.word != "host";
  case FieldNeed::inSection:
    return sectionHasFigures(description, sectionOf(field.path));
  }
  return false;
}

class Checker {
public:
  Checker(const Machine &machine, const Description &description, Problems &problems)
      : machine_(machine), description_(description), problems_(problems) {}

  void run() {
    for (Memory memory : allMemories)
      checkMemory(memory);
    checkCube();
    if (machine_.kind == MachineKind::emulated)
      checkPaths();
  }

private:
  void problem(const std::string &path, const std::string &message) {
    const DescriptionEntry *entry = description_.find(path);
    problems_.push_back(
        fmt::format("{}: {}: {}", entry ? entry->place : description_.name, path, message));
  }

  void checkMemory(Memory memory) {
    const auto found = machine_.memories.find(memory);
    if (found == machine_.memories.end())
      return;
    const MemoryDescription &it = found->second;
    const std::string path = "memories." + std::string(spelling(memory));
    // C1: a memory that a machine has can hold something.
    if (it.capacity() < 1)
      problem(path + ".bytes",
              fmt::format("{} bytes, of which {} bytes are reserved, leave nothing", it.bytes,
                          it.reserved));
    // C2: buffers start behind the reserved bytes, and stay aligned there.
    if (it.reserved % it.alignment != 0)
      problem(path + ".reserved",
              fmt::format("{} bytes are not a multiple of the alignment, {} bytes", it.reserved,
                          it.alignment));
    // C9: banks are known whole or not at all.
    const int64_t known = (it.bankBytes > 0) + (it.bankGroups > 0) + (it.bankRowBytes > 0);
    if (known != 0 && known != 3)
      problem(path + (it.bankBytes > 0    ? ".bank_bytes"
                      : it.bankGroups > 0 ? ".bank_groups"
                                          : ".bank_row_bytes"),
              "banks need all of bank_bytes, bank_groups and bank_row_bytes");
    // C10: a bank holds whole rows.
    else if (it.bankBytes < it.bankRowBytes)
      problem(path + ".bank_bytes",
              fmt::format("{} bytes are less than a row, {} bytes", it.bankBytes, it.bankRowBytes));
  }

  void checkCube() {
    // C3: a cube multiplies at least one type.
    const auto &macs = machine_.cube.macsPerCycle;
    if (std::all_of(macs.begin(), macs.end(), [](const auto &it) { return it.second == 0; }))
      problem("cube.macs_per_cycle.f16", "expected a rate above 0 for at least one type, found 0 "
                                         "for all");
    // C4: one instruction holds at least its own granularity.
    int64_t largest = std::max(machine_.cube.m, machine_.cube.n);
    for (const auto &[type, depth] : machine_.cube.depth)
      largest = std::max(largest, depth);
    if (machine_.cube.maxExtent < largest)
      problem("cube.max_extent", fmt::format("{} is below the granularity {} of an instruction",
                                             machine_.cube.maxExtent, largest));
  }

  void checkPaths() {
    // C5: there is a path for operands to the cube.
    need({"gm_l1", "l1_l0a", "l1_l0b"}, "the cube reads its operands through L1, L0A and L0B");
    // C6: there is a path for results to the vector unit, and from there to global memory.
    if (machine_.topology == Topology::split)
      need({"l0c_gm", "gm_ub", "ub_gm"},
           "on a split chip cube and vector cores meet in global memory");
    else
      need({"l0c_ub", "gm_ub", "ub_gm"}, "on a coupled chip L0C reaches global memory through UB");
    if (machine_.topology != Topology::split && machine_.fixpipeLeakyRelu.isUsed)
      problem("fixpipe_leaky_relu.use", "on a coupled chip no fixpipe writes to global memory");
    // C7: between two cores of a split chip, the one that has the data moves it.
    if (machine_.topology == Topology::split)
      expectPipe("l0c_ub", Pipe::fixpipe);
    expectPipe("ub_l1", Pipe::mte3);
    // C8: a bias table and the path that fills it exist together.
    const bool hasTable = machine_.memories.count(Memory::bt);
    if (hasTable && !machine_.has("l1_bt"))
      problem("memories.bt.bytes", "the bias table needs the link l1_bt, which fills it");
    if (!hasTable && machine_.has("l1_bt"))
      problem("links.l1_bt.pipe", "leads to the memory bt, which the machine lacks");
    // C10: the requests of a row are counted by its place in a packet.
    for (const auto &[name, link] : machine_.links)
      if (link.requestBytes > 0 && machine_.packetBytes % link.requestBytes != 0)
        problem("links." + name + ".request_bytes",
                fmt::format("{} is no divisor of packet_bytes, {}; 0: rows are not split",
                            link.requestBytes, machine_.packetBytes));
  }

  void expectPipe(const std::string &link, Pipe pipe) {
    const auto found = machine_.links.find(link);
    if (found != machine_.links.end() && found->second.pipe != pipe)
      problem("links." + link + ".pipe",
              fmt::format("expected {}, which reads the memory that it leads from, found {}",
                          spelling(pipe), spelling(found->second.pipe)));
  }

  void need(const std::vector<std::string> &links, const std::string &why) {
    for (const std::string &link : links)
      if (!machine_.has(link))
        problem("topology", fmt::format("the link {} is missing: {}", link, why));
  }

  const Machine &machine_;
  const Description &description_;
  Problems &problems_;
};

} // namespace

void checkComplete(const Description &description, Problems &problems) {
  for (const Field &field : machineFields())
    if (isNeeded(field, description) && !description.find(field.path))
      problems.push_back(fmt::format("{}: {}: missing; expected {}", description.name, field.path,
                                     field.expectation()));
}

void checkConsistent(const Machine &machine, const Description &description, Problems &problems) {
  Checker(machine, description, problems).run();
}

} // namespace mmk
