#include "machines/schema.h"

#include "machines/vector_instructions.h"
#include "support/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace mmk {
namespace {

using Kind = FieldKind;
using Need = FieldNeed;

/// The upper limit of each kind of figure.
constexpr double mostCores = 4096, mostMegahertz = 1e5, mostBytes = 1099511627776, // 1 TiB
    mostBytesPerCycle = 1e6, mostBytesPerSecond = 1e15, mostCycles = 1e6, mostAlignment = 1048576,
                 mostMacs = 16777216, mostExtent = 1048576, mostNumbers = 1024, mostQueue = 65536,
                 mostMicroseconds = 1e6, mostStall = 16;
/// The lower limit of figures that must be above 0.
constexpr double leastPositive = 1e-6;

class Table {
public:
  std::vector<Field> fields;

  template <typename Place>
  void number(std::string path, Kind kind, double most, Need need, Place place) {
    fields.push_back({std::move(path),
                      kind,
                      need,
                      {},
                      [place](Machine &m, const FieldValue &value) {
                        auto &target = place(m);
                        target = static_cast<std::decay_t<decltype(target)>>(value.number);
                      },
                      most});
  }

  template <typename E, typename Place>
  void choice(std::string path, Need need, std::vector<std::pair<std::string, E>> words,
              Place place) {
    std::vector<std::string> choices;
    for (const auto &[word, value] : words)
      choices.push_back(word);
    fields.push_back({std::move(path), Kind::choice, need, std::move(choices),
                      [place, words](Machine &m, const FieldValue &value) {
                        for (const auto &[word, meaning] : words)
                          if (word == value.word)
                            place(m) = meaning;
                      }});
  }
};

void describeChip(Table &t) {
  t.fields.push_back(
      {"description", Kind::text, Need::always, {}, [](Machine &m, const FieldValue &value) {
         m.description = value.word;
       }});
  t.choice<MachineKind>("kind", Need::always,
                        {
#define MMK_KIND(KIND, FOLDER) {#KIND, MachineKind::KIND},
#include "machines/kinds.def"
#undef MMK_KIND
                        },
                        [](Machine &m) -> auto & { return m.kind; });
  t.choice<Topology>("topology", Need::always,
                     {{"split", Topology::split}, {"coupled", Topology::coupled}},
                     [](Machine &m) -> auto & { return m.topology; });
  t.number("cube_cores", Kind::count, mostCores, Need::always,
           [](Machine &m) -> auto & { return m.cubeCores; });
  t.number("vector_cores_per_cube", Kind::count, mostCores, Need::always,
           [](Machine &m) -> auto & { return m.vectorCoresPerCube; });
  t.number("megahertz", Kind::positive, mostMegahertz, Need::emulated,
           [](Machine &m) -> auto & { return m.megahertz; });
}

void describeMemories(Table &t) {
  for (Memory memory : allMemories) {
    const std::string section = "memories." + std::string(spelling(memory)) + ".";
    const Need need = memory == Memory::bt ? Need::inSection : Need::always;
    t.number(section + "bytes", Kind::whole, mostBytes, need,
             [memory](Machine &m) -> auto & { return m.memories[memory].bytes; });
    t.number(section + "reserved", Kind::whole, mostBytes, Need::optional,
             [memory](Machine &m) -> auto & { return m.memories[memory].reserved; });
    t.number(section + "alignment", Kind::powerOfTwo, mostAlignment, need,
             [memory](Machine &m) -> auto & { return m.memories[memory].alignment; });
  }
  const std::string l1 = "memories.l1.";
  t.number(l1 + "read_stall", Kind::cycles, mostStall, Need::optional,
           [](Machine &m) -> auto & { return m.memories[Memory::l1].readStall; });
  t.number(l1 + "write_stall", Kind::cycles, mostStall, Need::optional,
           [](Machine &m) -> auto & { return m.memories[Memory::l1].writeStall; });
  const std::string ub = "memories.ub.";
  t.number(ub + "bank_bytes", Kind::powerOfTwo, mostAlignment, Need::optional,
           [](Machine &m) -> auto & { return m.memories[Memory::ub].bankBytes; });
  t.number(ub + "bank_groups", Kind::count, mostNumbers, Need::optional,
           [](Machine &m) -> auto & { return m.memories[Memory::ub].bankGroups; });
  t.number(ub + "bank_row_bytes", Kind::powerOfTwo, mostAlignment, Need::optional,
           [](Machine &m) -> auto & { return m.memories[Memory::ub].bankRowBytes; });
}

void describeLinks(Table &t) {
  std::vector<std::pair<std::string, Pipe>> pipes;
  for (Pipe pipe : allPipes)
    pipes.emplace_back(spelling(pipe), pipe);
  for (std::string link : {"gm_l1", "gm_ub", "l1_l0a", "l1_l0b", "l1_bt", "l0c_gm", "l0c_ub",
                           "l0c_l1", "ub_gm", "ub_l1"}) {
    const std::string section = "links." + link + ".";
    t.choice<Pipe>(section + "pipe", Need::inSection, pipes,
                   [link](Machine &m) -> auto & { return m.links[link].pipe; });
    t.number(section + "bytes_per_cycle", Kind::positive, mostBytesPerCycle, Need::inSection,
             [link](Machine &m) -> auto & { return m.links[link].bytesPerCycle; });
    t.number(section + "startup_cycles", Kind::cycles, mostCycles, Need::inSection,
             [link](Machine &m) -> auto & { return m.links[link].startupCycles; });
    t.number(section + "row_cycles", Kind::cycles, mostCycles, Need::optional,
             [link](Machine &m) -> auto & { return m.links[link].rowCycles; });
    t.number(section + "request_bytes", Kind::whole, mostAlignment, Need::optional,
             [link](Machine &m) -> auto & { return m.links[link].requestBytes; });
  }
}

void describeGlobalMemory(Table &t) {
  t.number("hbm.bytes_per_second", Kind::positive, mostBytesPerSecond, Need::emulated,
           [](Machine &m) -> auto & { return m.hbmBytesPerSecond; });
  t.number("hbm.write_bytes_per_second", Kind::positive, mostBytesPerSecond, Need::optional,
           [](Machine &m) -> auto & { return m.hbmWriteBytesPerSecond; });
  t.number("hbm.core_bytes_per_cycle", Kind::positive, mostBytesPerCycle, Need::optional,
           [](Machine &m) -> auto & { return m.hbmCoreBytesPerCycle; });
  t.number("l2.bytes", Kind::whole, mostBytes, Need::always,
           [](Machine &m) -> auto & { return m.l2Bytes; });
  t.number("l2.bytes_per_cycle", Kind::positive, mostBytesPerCycle, Need::emulated,
           [](Machine &m) -> auto & { return m.l2BytesPerCycle; });
  t.number("l2.vector_bytes_per_second", Kind::positive, mostBytesPerSecond, Need::optional,
           [](Machine &m) -> auto & { return m.l2VectorBytesPerSecond; });
  t.number("l2.line_cycles", Kind::cycles, mostCycles, Need::optional,
           [](Machine &m) -> auto & { return m.l2LineCycles; });
  t.number("l2.line_sharers", Kind::count, mostCores, Need::optional,
           [](Machine &m) -> auto & { return m.l2LineSharers; });
  t.number("l2.warm", Kind::whole, 1, Need::optional,
           [](Machine &m) -> auto & { return m.l2Warm; });
  t.number("packet_bytes", Kind::powerOfTwo, mostAlignment, Need::emulated,
           [](Machine &m) -> auto & { return m.packetBytes; });
}

void describeCube(Table &t) {
  // The first types are required in a description; the others are optional.
  std::vector<std::pair<ElementType, Need>> types = {{ElementType::f16, Need::always},
                                                     {ElementType::bf16, Need::always},
                                                     {ElementType::i8, Need::always},
                                                     {ElementType::f32, Need::always}};
  for (ElementType type : languageTypes)
    if (isFloat(type) &&
        std::ranges::find(types, type, &decltype(types)::value_type::first) == types.end())
      types.emplace_back(type, Need::optional);
  t.number("cube.startup_cycles", Kind::cycles, mostCycles, Need::emulated,
           [](Machine &m) -> auto & { return m.cube.startupCycles; });
  for (const auto [type, need] : types)
    t.number("cube.macs_per_cycle." + std::string(spelling(type)), Kind::whole, mostMacs, need,
             [type = type](Machine &m) -> auto & { return m.cube.macsPerCycle[type]; });
  t.number("cube.m", Kind::count, mostExtent, Need::always,
           [](Machine &m) -> auto & { return m.cube.m; });
  t.number("cube.n", Kind::count, mostExtent, Need::always,
           [](Machine &m) -> auto & { return m.cube.n; });
  for (const auto [type, need] : types)
    t.number("cube.depth." + std::string(spelling(type)), Kind::count, mostExtent, need,
             [type = type](Machine &m) -> auto & { return m.cube.depth[type]; });
  t.number("cube.max_extent", Kind::count, mostExtent, Need::always,
           [](Machine &m) -> auto & { return m.cube.maxExtent; });
}

void describeWindowLoad(Table &t) {
  const std::vector<std::pair<const char *, double Machine::WindowLoad::*>> figures = {
      {"startup_cycles", &Machine::WindowLoad::startupCycles},
      {"l0a_cycles", &Machine::WindowLoad::neighbours},
      {"line_cycles", &Machine::WindowLoad::lineCycles},
      {"stride_cycles", &Machine::WindowLoad::strideCycles},
      {"strided_l0a_cycles", &Machine::WindowLoad::strided}};
  for (const auto &[name, member] : figures)
    t.number(std::string("load3d.") + name, Kind::cycles, mostCycles, Need::optional,
             [member = member](Machine &m) -> auto & { return m.load3d.*member; });
}

void describeVector(Table &t) {
  for (const std::string &name : vectorOperations()) {
    t.number("vector." + name + ".per_element", Kind::cycles, mostCycles, Need::emulated,
             [name](Machine &m) -> auto & { return m.vector[name].perElement; });
    t.number("vector." + name + ".fixed", Kind::cycles, mostCycles, Need::emulated,
             [name](Machine &m) -> auto & { return m.vector[name].fixed; });
  }
}

void describeVectorFunction(Table &t) {
  using Function = Machine::VectorFunction;
  const std::string section = "vector_function.";
  t.number(section + "registers", Kind::count, mostNumbers, Need::inSection,
           [](Machine &m) -> auto & { return m.function.registers; });
  t.number(section + "register_bytes", Kind::powerOfTwo, mostAlignment, Need::inSection,
           [](Machine &m) -> auto & { return m.function.registerBytes; });
  const std::vector<std::pair<const char *, double Function::*>> cycles = {
      {"startup_cycles", &Function::startupCycles}, {"drain_cycles", &Function::drainCycles}};
  for (const auto &[name, member] : cycles)
    t.number(section + name, Kind::cycles, mostCycles, Need::inSection,
             [member = member](Machine &m) -> auto & { return m.function.*member; });
  const std::vector<std::pair<const char *, double Function::*>> rates = {
      {"issued_per_cycle", &Function::issued},
      {"loads_per_cycle", &Function::loads},
      {"stores_per_cycle", &Function::stores}};
  for (const auto &[name, member] : rates)
    t.number(section + name, Kind::positive, mostNumbers, Need::inSection,
             [member = member](Machine &m) -> auto & { return m.function.*member; });
}

void describeFixpipe(Table &t) {
  const std::string section = "fixpipe_leaky_relu.";
  t.number(section + "slope_bits", Kind::count, 32, Need::inSection,
           [](Machine &m) -> auto & { return m.fixpipeLeakyRelu.slopeBits; });
  t.choice<bool>(section + "use", Need::inSection, {{"off", false}, {"on", true}},
                 [](Machine &m) -> auto & { return m.fixpipeLeakyRelu.isUsed; });
}

void describeControl(Table &t) {
  t.number("flag_cycles", Kind::cycles, mostCycles, Need::always,
           [](Machine &m) -> auto & { return m.flagCycles; });
  t.number("issue_cycles", Kind::cycles, mostCycles, Need::always,
           [](Machine &m) -> auto & { return m.issueCycles; });
  t.number("scalar_load_cycles", Kind::cycles, mostCycles, Need::optional,
           [](Machine &m) -> auto & { return m.scalarLoadCycles; });
  t.number("scalar_line_bytes", Kind::powerOfTwo, mostAlignment, Need::optional,
           [](Machine &m) -> auto & { return m.scalarLineBytes; });
  t.number("queue_depth", Kind::count, mostQueue, Need::always,
           [](Machine &m) -> auto & { return m.queueDepth; });
  t.number("event_ids", Kind::count, mostNumbers, Need::always,
           [](Machine &m) -> auto & { return m.eventIds; });
  t.number("cross_flags", Kind::count, mostNumbers, Need::always,
           [](Machine &m) -> auto & { return m.crossFlags; });
  t.choice<bool>("cross_wait", Need::optional, {{"core", true}, {"pipe", false}},
                 [](Machine &m) -> auto & { return m.crossWaitHoldsCore; });
  t.number("cross_flag_cycles", Kind::cycles, mostCycles, Need::optional,
           [](Machine &m) -> auto & { return m.crossFlagCycles; });
  t.number("task_microseconds", Kind::cycles, mostMicroseconds, Need::optional,
           [](Machine &m) -> auto & { return m.taskMicroseconds; });
  const std::string mixed = "mixed_task.";
  t.number(mixed + "hand_written_microseconds", Kind::cycles, mostMicroseconds, Need::inSection,
           [](Machine &m) -> auto & { return m.mixedTask.handWritten; });
  t.number(mixed + "library_microseconds", Kind::cycles, mostMicroseconds, Need::inSection,
           [](Machine &m) -> auto & { return m.mixedTask.library; });
  t.choice<Machine::MixedTask>(
      mixed + "as", Need::inSection,
      {{"hand_written", Machine::MixedTask::handWritten}, {"library", Machine::MixedTask::library}},
      [](Machine &m) -> auto & { return m.mixedTask.as; });
  t.number("launch_microseconds", Kind::cycles, mostMicroseconds, Need::emulated,
           [](Machine &m) -> auto & { return m.launchMicroseconds; });
}

} // namespace

const std::vector<std::string> &vectorOperations() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> names;
    auto add = [&](std::string_view name) {
      if (std::ranges::find(names, name) == names.end())
        names.emplace_back(name);
    };
    for (const VectorInstruction &it : vectorInstructions()) {
      add(it.cost);
      if (!it.scalarCost.empty())
        add(it.scalarCost);
    }
    // The steps of an aicore.reduce; no instruction is a reduce_sum yet.
    add("block_reduce");
    add("reduce_sum");
    add("reduce_max");
    return names;
  }();
  return names;
}

const std::vector<Field> &machineFields() {
  static const std::vector<Field> fields = [] {
    Table table;
    describeChip(table);
    describeMemories(table);
    describeLinks(table);
    describeGlobalMemory(table);
    describeCube(table);
    describeWindowLoad(table);
    describeVector(table);
    describeVectorFunction(table);
    describeFixpipe(table);
    describeControl(table);
    return std::move(table.fields);
  }();
  return fields;
}

std::string Field::expectation() const {
  switch (kind) {
  case Kind::text:
    return "a string";
  case Kind::choice:
    return listOf(choices);
  case Kind::positive:
    return "a number above 0";
  case Kind::cycles:
    return "a number of 0 or more";
  case Kind::count:
    return "a whole number of 1 or more";
  case Kind::whole:
    return "a whole number of 0 or more";
  case Kind::powerOfTwo:
    return "a power of two";
  }
  return "";
}

std::string Field::expectation(double found) const {
  if (found > most && std::isfinite(found))
    return fmt::format("a number of at most {:.15g}", most);
  if (found > 0 && found < leastPositive && kind == Kind::positive)
    return fmt::format("a number of at least {:g}", leastPositive);
  return expectation();
}

bool Field::accepts(double number) const {
  if (number > most)
    return false;
  constexpr double exactIntegers = 9007199254740992; // 2^53
  const bool whole = std::floor(number) == number && std::fabs(number) <= exactIntegers;
  switch (kind) {
  case Kind::text:
  case Kind::choice:
    return false;
  case Kind::positive:
    return number >= leastPositive;
  case Kind::cycles:
    return number >= 0;
  case Kind::count:
    return whole && number >= 1;
  case Kind::whole:
    return whole && number >= 0;
  case Kind::powerOfTwo:
    return whole && number >= 1 &&
           (static_cast<int64_t>(number) & (static_cast<int64_t>(number) - 1)) == 0;
  }
  return false;
}

const Field *findField(const std::string &path) {
  for (const Field &field : machineFields())
    if (field.path == path)
      return &field;
  return nullptr;
}

std::string sectionOf(const std::string &path) {
  const size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::vector<std::string> wordsIn(const std::string &section) {
  const std::string prefix = section.empty() ? "" : section + ".";
  std::vector<std::string> words;
  for (const Field &field : machineFields()) {
    if (field.path.compare(0, prefix.size(), prefix) != 0)
      continue;
    std::string word = field.path.substr(prefix.size());
    word = word.substr(0, word.find('.'));
    if (std::find(words.begin(), words.end(), word) == words.end())
      words.push_back(std::move(word));
  }
  return words;
}

bool isSection(const std::string &path) { return !findField(path) && !wordsIn(path).empty(); }

} // namespace mmk
