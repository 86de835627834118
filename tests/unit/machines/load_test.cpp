// The machines that come with mmk: loading, and figures equal to their sources.
#include "machines/machine.h"

#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>
#include <set>

using namespace mmk;

namespace {

Machine load(const std::string &name, const std::vector<MachineOverride> &overrides = {}) {
  return llvm::cantFail(loadMachine(name, overrides));
}

/// The entry of a list of pairs, or "none".
std::string entry(const std::vector<std::pair<std::string, std::string>> &pairs,
                  const std::string &key) {
  for (const auto &[path, text] : pairs)
    if (path == key)
      return text;
  return "none";
}

} // namespace

TEST(Machines, NamesAreSorted) {
  EXPECT_EQ(machineNames(),
            (std::vector<std::string>{"ascend310p3", "ascend910b1", "ascend910b2", "ascend910b3",
                                      "ascend910b4", "ascend950dt", "ascend950pr", "host"}));
}

TEST(Machines, AllLoadAndEveryFigureHasAnExplainedSource) {
  for (const std::string &name : machineNames()) {
    const Machine machine = load(name);
    EXPECT_EQ(machine.name, name);
    EXPECT_FALSE(machine.description.empty());
    ASSERT_EQ(machine.figures.size(), machine.sources.size());
    const std::set<std::string> words = {"description", "kind", "topology", "mixed_task.as",
                                         "fixpipe_leaky_relu.use"};
    for (const auto &[path, source] : machine.sources)
      EXPECT_EQ(source.empty(), words.count(path) || llvm::StringRef(path).ends_with(".pipe"))
          << name << " " << path;
  }
}

TEST(Machines, AWaitBetweenCoresHoldsWhatTheChipSays) {
  for (const char *name : {"ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4"})
    EXPECT_TRUE(load(name).crossWaitHoldsCore) << name;
  for (const char *name : {"ascend950pr", "ascend950dt"})
    EXPECT_FALSE(load(name).crossWaitHoldsCore) << name;
  // No two cores of the others meet.
  for (const char *name : {"ascend310p3", "host"})
    EXPECT_EQ(entry(load(name).figures, "cross_wait"), "none") << name;
  const Machine changed = load("ascend910b3", {{"cross_wait", "pipe"}});
  EXPECT_FALSE(changed.crossWaitHoldsCore);
  EXPECT_EQ(entry(changed.sources, "cross_wait"), "--machine-set");
}

TEST(Machines, ChipsOfTheFamilyDifferWhereTheyDo) {
  struct Chip {
    std::string name;
    int64_t cores;
    double megahertz;
    int64_t l2;
    double hbm;
  };
  for (const Chip &chip : {Chip{"ascend910b1", 24, 1850, 201326592, 1.5e12},
                           Chip{"ascend910b2", 24, 1800, 201326592, 1.5e12},
                           Chip{"ascend910b3", 20, 1800, 201326592, 1.5e12},
                           Chip{"ascend910b4", 20, 1500, 100663296, 0.8e12}}) {
    const Machine machine = load(chip.name);
    EXPECT_EQ(machine.cubeCores, chip.cores);
    EXPECT_EQ(machine.megahertz, chip.megahertz);
    EXPECT_EQ(machine.l2Bytes, chip.l2);
    EXPECT_EQ(machine.hbmBytesPerSecond, chip.hbm);
    EXPECT_EQ(machine.vectorCoresPerCube, 2);
    EXPECT_EQ(machine.topology, Topology::split);
    EXPECT_EQ(machine.kind, MachineKind::emulated);
    EXPECT_EQ(machine.links.size(), 8u);
    EXPECT_EQ(machine.vector.size(), vectorOperations().size());
    EXPECT_EQ(machine.eventIds, 6);
  }
}

TEST(Machines, MemoriesOf910b) {
  const Machine machine = load("ascend910b3");
  EXPECT_EQ(machine.memory(Memory::l1).bytes, 524288);
  EXPECT_EQ(machine.memory(Memory::l1).capacity(), 524288 - 256);
  EXPECT_EQ(machine.memory(Memory::l0a).capacity(), 65536);
  EXPECT_EQ(machine.memory(Memory::l0a).alignment, 512);
  EXPECT_EQ(machine.memory(Memory::l0b).bytes, 65536);
  EXPECT_EQ(machine.memory(Memory::l0c).bytes, 131072);
  EXPECT_EQ(machine.memory(Memory::l0c).alignment, 1024);
  EXPECT_EQ(machine.memory(Memory::bt).bytes, 1024);
  EXPECT_EQ(machine.memory(Memory::ub).capacity(), 196608 - 256);
}

TEST(Machines, CubeAndLinksOf910b) {
  const Machine machine = load("ascend910b1");
  EXPECT_EQ(machine.cube.macsPerCycle.at(ElementType::f16), 4096);
  EXPECT_EQ(machine.cube.macsPerCycle.at(ElementType::i8), 8192);
  EXPECT_EQ(machine.cube.macsPerCycle.at(ElementType::f32), 1024);
  EXPECT_EQ(machine.cube.depth.at(ElementType::bf16), 16);
  EXPECT_EQ(machine.cube.depth.at(ElementType::i8), 32);
  EXPECT_EQ(machine.cube.depth.at(ElementType::f32), 8);
  EXPECT_EQ(machine.links.at("gm_l1").pipe, Pipe::mte2);
  EXPECT_EQ(machine.links.at("l1_l0a").bytesPerCycle, 256);
  EXPECT_EQ(machine.links.at("l1_l0b").pipe, Pipe::mte1);
  EXPECT_EQ(machine.links.at("l0c_gm").pipe, Pipe::fixpipe);
  EXPECT_EQ(machine.links.at("ub_gm").pipe, Pipe::mte3);
  EXPECT_FALSE(machine.has("l0c_ub"));
  EXPECT_EQ(machine.vector.at("leaky_relu").perElement * 4096 +
                machine.vector.at("leaky_relu").fixed,
            86); // as dumped
}

TEST(Machines, TheCoupledChip) {
  const Machine machine = load("ascend310p3");
  EXPECT_EQ(machine.topology, Topology::coupled);
  EXPECT_EQ(machine.vectorCoresPerCube, 1);
  EXPECT_TRUE(machine.has("l0c_ub"));
  EXPECT_FALSE(machine.has("l0c_gm"));
  EXPECT_EQ(machine.memory(Memory::bt).bytes, 0); // it has no bias table
  EXPECT_EQ(machine.memory(Memory::bt).capacity(), 0);
  EXPECT_EQ(machine.cube.macsPerCycle.at(ElementType::bf16), 0);
  EXPECT_DOUBLE_EQ(machine.hbmBytesPerSecond / machine.cubeCores / machine.megahertz / 1e6, 17);
}

TEST(Machines, TheNextChipHasPathsBetweenItsCores) {
  const Machine machine = load("ascend950pr");
  EXPECT_EQ(machine.topology, Topology::split);
  EXPECT_EQ(machine.cubeCores, 32);
  EXPECT_EQ(machine.megahertz, 1650);
  EXPECT_EQ(machine.memory(Memory::l0c).bytes, 262144);
  EXPECT_EQ(machine.memory(Memory::ub).capacity(), 248 * 1024);
  EXPECT_EQ(machine.links.at("l0c_ub").pipe, Pipe::fixpipe);
  EXPECT_EQ(machine.links.at("ub_l1").pipe, Pipe::mte3);
  EXPECT_EQ(machine.links.at("l1_l0b").bytesPerCycle, 256);
  EXPECT_EQ(load("ascend950dt").cubeCores, 36);
  EXPECT_EQ(load("ascend950dt").links.size(), machine.links.size());
}

// A function loads and stores once; its instructions are issued two in a cycle.
TEST(Machines, AFunctionOfTheVectorUnit) {
  const Machine machine = load("ascend950pr");
  ASSERT_TRUE(machine.hasVectorRegisters());
  EXPECT_FALSE(load("ascend910b3").hasVectorRegisters());
  const double add = machine.vector.at("add").perElement, exp = machine.vector.at("exp").perElement;
  EXPECT_EQ(add * 64, 1);
  EXPECT_EQ(exp * 64, 4);
  EXPECT_EQ(machine.functionCost(6 * add + exp, 1, 1).perElement * 64, 5);
  EXPECT_EQ(machine.functionCost(add, 2, 1).perElement * 64, 1); // it stores one in a cycle
  EXPECT_EQ(machine.functionCost(add, 4, 1).perElement * 64, 2); // it loads two in a cycle
  EXPECT_EQ(machine.functionCost(add, 1, 1).fixed, 35);
}

TEST(Machines, TheHostIsDetected) {
  const Machine machine = load("host");
  EXPECT_EQ(machine.kind, MachineKind::host);
  EXPECT_GE(machine.cubeCores, 1);
  EXPECT_GE(machine.memory(Memory::l1).bytes, 4 << 20);
  EXPECT_TRUE(machine.links.empty());
  EXPECT_TRUE(machine.vector.empty());
  EXPECT_EQ(load("host", {{"cube_cores", "3"}}).cubeCores, 3);
}

TEST(Machines, OverridesReplaceAndScale) {
  const Machine machine = load("ascend910b3", {{"links.gm_l1.bytes_per_cycle", "*0.5"},
                                               {"cube_cores", "*0.7"},
                                               {"megahertz", "2e3"},
                                               {"links.gm_l1.pipe", "mte3"},
                                               {"cube.macs_per_cycle.bf16", "0"},
                                               {"description", "what if"}});
  EXPECT_EQ(machine.links.at("gm_l1").bytesPerCycle, 55);
  EXPECT_EQ(machine.cubeCores, 14); // not 13: 20 * 0.7 is a little less than 14 in binary
  EXPECT_EQ(machine.megahertz, 2000);
  EXPECT_EQ(machine.links.at("gm_l1").pipe, Pipe::mte3);
  EXPECT_EQ(machine.cube.macsPerCycle.at(ElementType::bf16), 0);
  EXPECT_EQ(machine.description, "what if");
  EXPECT_EQ(entry(machine.figures, "links.gm_l1.bytes_per_cycle"), "55");
  EXPECT_EQ(entry(machine.sources, "links.gm_l1.bytes_per_cycle"), "--machine-set: *0.5 of 110");
  EXPECT_EQ(entry(machine.sources, "megahertz"), "--machine-set");
}

TEST(Machines, OverridesApplyInOrder) {
  EXPECT_EQ(load("ascend910b3", {{"cube_cores", "4"}, {"cube_cores", "*2"}}).cubeCores, 8);
}

TEST(Machines, AnOverrideCanAddAPathThatTheChipLacks) {
  const Machine machine = load("ascend910b3", {{"topology", "coupled"},
                                               {"links.l0c_ub.pipe", "fixpipe"},
                                               {"links.l0c_ub.bytes_per_cycle", "128"},
                                               {"links.l0c_ub.startup_cycles", "20"}});
  EXPECT_EQ(machine.topology, Topology::coupled);
  EXPECT_EQ(machine.links.at("l0c_ub").bytesPerCycle, 128);
}

TEST(Machines, FiguresStandInFileOrder) {
  const Machine machine = load("ascend910b3");
  ASSERT_GT(machine.figures.size(), 100u);
  EXPECT_EQ(machine.figures[0].first, "description");
  EXPECT_EQ(machine.figures[3], (std::pair<std::string, std::string>("cube_cores", "20")));
  EXPECT_EQ(entry(machine.figures, "vector.add.per_element"), "0.032969");
  EXPECT_EQ(entry(machine.sources, "vector.add.per_element"),
            "PTOC, conflict: 2.11 cycles for 64 elements; MSK: 2; GE: 1.32");
  EXPECT_EQ(entry(machine.legend, "INI"), "the platform_config files of CANN 8.1.RC1");
}
