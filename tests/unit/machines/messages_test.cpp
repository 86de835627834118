// Every message about a wrong machine description, whole.
#include "machines/machine.h"
#include "machines/schema.h"

#include "llvm/Support/FileSystem.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace mmk;
namespace fs = std::filesystem;

namespace {

class MachineMessages : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("mmk-machines", name));
    folder_ = name.str().str() + "/";
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string &file, const std::string &text) const {
    std::ofstream(folder_ + file) << text;
  }

  /// The message of loading, without the folder, which differs from run to run; empty on success.
  std::string messageOf(const std::string &file,
                        const std::vector<MachineOverride> &overrides = {}) const {
    llvm::Expected<Machine> machine = loadMachine(folder_ + file, overrides);
    if (machine)
      return "";
    std::string message = llvm::toString(machine.takeError());
    for (size_t at; (at = message.find(folder_)) != message.npos;)
      message.erase(at, folder_.size());
    return message;
  }

  /// Of a file with this text.
  std::string message(const std::string &text) const {
    write("chip.json", text);
    return messageOf("chip.json");
  }

  /// The message for a chip like the 910b3 with these fields changed.
  std::string changed(const std::string &fields) const {
    return message("{\"extends\": \"ascend910b3\",\n" + fields + "}");
  }

  std::string folder_;
};

std::string overridden(const std::string &path, const std::string &value,
                       const std::string &machine = "ascend910b3") {
  llvm::Expected<Machine> loaded = loadMachine(machine, {{path, value}});
  return loaded ? "" : llvm::toString(loaded.takeError());
}

std::string figure(const std::string &value) {
  return "{\"value\": " + value + ", \"source\": \"INI\"}";
}

} // namespace

TEST_F(MachineMessages, NamesAndFiles) {
  llvm::Expected<Machine> machine = loadMachine("ascend910b5");
  ASSERT_FALSE(machine);
  EXPECT_EQ(llvm::toString(machine.takeError()),
            "unknown machine ascend910b5; legal: ascend310p3, ascend910b1, ascend910b2, "
            "ascend910b3, ascend910b4, ascend950dt, ascend950pr or host; a file is named by a path "
            "with a slash or by its ending .json");
  EXPECT_EQ(messageOf("none.json"),
            "cannot read the machine description none.json: No such file or directory");
  fs::create_directory(folder_ + "folder.json");
  EXPECT_EQ(messageOf("folder.json"),
            "cannot read the machine description folder.json: Is a directory");
}

TEST_F(MachineMessages, NotJson) {
  EXPECT_EQ(message(""), "chip.json:1:1: not JSON: unexpected EOF");
  EXPECT_EQ(message("{\"megahertz\":\n  1800 1801}"),
            "chip.json:2:8: not JSON: expected , or } after object property");
  EXPECT_EQ(message("{} {}"), "chip.json:1:3: not JSON: text after end of document");
  EXPECT_EQ(message("[1, 2]"),
            "chip.json:1:1: expected an object with the figures of a machine, found an array");
  EXPECT_EQ(message(std::string(100000, '[')),
            "chip.json: not a machine description: nested deeper than 64 levels");
  // A bracket in a string nests nothing.
  EXPECT_EQ(changed("\"description\": \"" + std::string(100, '[') + "\""), "");
}

TEST_F(MachineMessages, TwiceAndUnknown) {
  EXPECT_EQ(changed("\"cube_cores\": " + figure("1") + ",\n\"cube_cores\": " + figure("2")),
            "chip.json:3:1: the field \"cube_cores\" stands twice");
  EXPECT_EQ(changed("\"cube_core\": " + figure("1")),
            "chip.json:2:14: cube_core: unknown field; did you mean cube_cores");
  EXPECT_EQ(changed("\"links\": {\"gm_l1\": {\"rate\": 3}}"),
            "chip.json:2:29: links.gm_l1.rate: unknown field; legal: pipe, bytes_per_cycle, "
            "startup_cycles, row_cycles or "
            "request_bytes");
  EXPECT_EQ(changed("\"links\": {\"gm_l2\": {}}"),
            "chip.json:2:20: links.gm_l2: unknown field; did you mean gm_l1");
  // A path is nested objects, never one word with dots.
  EXPECT_EQ(
      changed("\"hbm.bytes_per_second\": " + figure("1")),
      "chip.json:2:25: hbm.bytes_per_second: unknown field; legal: extends, sources, "
      "description, kind, topology, cube_cores, vector_cores_per_cube, megahertz, memories, "
      "links, hbm, l2, packet_bytes, cube, load3d, vector, vector_function, fixpipe_leaky_relu, "
      "flag_cycles, "
      "issue_cycles, scalar_load_cycles, scalar_line_bytes, queue_depth, event_ids, cross_flags, "
      "cross_wait, cross_flag_cycles, task_microseconds, mixed_task or launch_microseconds");
}

TEST_F(MachineMessages, WrongTypes) {
  EXPECT_EQ(changed("\"memories\": 5"),
            "chip.json:2:13: memories: expected an object with l1, l0a, l0b, l0c, bt and ub, found "
            "the number 5");
  EXPECT_EQ(
      changed("\"cube_cores\": 24"),
      "chip.json:2:15: cube_cores: expected an object {\"value\": ..., \"source\": ...}, found "
      "the number 24");
  EXPECT_EQ(changed("\"cube_cores\": {\"value\": 24}"),
            "chip.json:2:15: cube_cores: a figure without \"source\"");
  EXPECT_EQ(changed("\"cube_cores\": {\"source\": \"INI\"}"),
            "chip.json:2:15: cube_cores: a figure without \"value\"");
  EXPECT_EQ(changed("\"cube_cores\": {\"value\": 24, \"source\": \"INI\", \"unit\": 1}"),
            "chip.json:2:54: cube_cores.unit: unknown field; legal: value or source");
  EXPECT_EQ(changed("\"vector\": {\"extends\": \"ascend910b3\"}"),
            R"(chip.json:2:23: vector: a section that extends without "source")");
  EXPECT_EQ(changed("\"kind\": 1"),
            "chip.json:2:9: kind: expected emulated or host, found the number 1");
  EXPECT_EQ(changed("\"kind\": \"emulate\""),
            "chip.json:2:9: kind: unknown kind emulate; did you mean emulated");
  EXPECT_EQ(changed("\"description\": true"),
            "chip.json:2:16: description: expected a string, found true");
  EXPECT_EQ(changed("\"links\": {\"gm_l1\": {\"pipe\": \"dma\"}}"),
            "chip.json:2:29: links.gm_l1.pipe: unknown pipe dma; legal: scalar, mte1, mte2, mte3, "
            "cube, fixpipe or vector");
}

TEST_F(MachineMessages, Sources) {
  EXPECT_EQ(
      changed("\"cube_cores\": {\"value\": 24, \"source\": \"datasheet\"}"),
      "chip.json:2:39: cube_cores.source: \"datasheet\" is not explained in \"sources\"; "
      "legal: INI, ADK, PYP, GE, DUMP, PTOC, MSK, CB, CS, CAT, CANN, public, derived, conflict or "
      "assumed");
  EXPECT_EQ(changed("\"cube_cores\": {\"value\": 24, \"source\": \"INI, ADX: both\"}"),
            "chip.json:2:39: cube_cores.source: \"ADX\" is not explained in \"sources\"; did you "
            "mean ADK");
  EXPECT_EQ(changed("\"cube_cores\": {\"value\": 24, \"source\": 7}"),
            "chip.json:2:39: cube_cores.source: expected a string, found the number 7");
  // A choice may have one.
  EXPECT_EQ(changed("\"cross_wait\": {\"value\": \"pipe\", \"source\": \"ADK\"}"), "");
  EXPECT_EQ(changed("\"cross_wait\": {\"value\": \"cores\", \"source\": \"ADX\"}"),
            "chip.json:2:25: cross_wait: unknown cross_wait cores; did you mean core\n"
            "chip.json:2:44: cross_wait.source: \"ADX\" is not explained in \"sources\"; did you "
            "mean ADK");
  EXPECT_EQ(changed("\"cross_wait\": {\"value\": \"pipe\"}"),
            "chip.json:2:15: cross_wait: a figure without \"source\"");
  EXPECT_EQ(changed("\"sources\": []"), "chip.json:2:12: sources: expected an object that says "
                                        "what each source stands for, found an array");
  EXPECT_EQ(changed("\"sources\": {\"mine\": null}"),
            "chip.json:2:21: sources.mine: expected a string, found null");
  EXPECT_EQ(changed("\"sources\": {\"mine\": \"a datasheet\"},\n"
                    "\"cube_cores\": {\"value\": 24, \"source\": \"mine: page 3\"}"),
            "");
}

TEST_F(MachineMessages, Ranges) {
  EXPECT_EQ(changed("\"megahertz\": " + figure("0")),
            "chip.json:2:24: megahertz: expected a number above 0, found the number 0");
  EXPECT_EQ(changed("\"megahertz\": " + figure("-1800")),
            "chip.json:2:24: megahertz: expected a number above 0, found the number -1800");
  EXPECT_EQ(changed("\"megahertz\": " + figure("1e999")),
            "chip.json:2:24: megahertz: expected a number above 0, found the number inf");
  EXPECT_EQ(changed("\"megahertz\": " + figure("\"fast\"")),
            "chip.json:2:24: megahertz: expected a number above 0, found the string \"fast\"");
  EXPECT_EQ(changed("\"megahertz\": " + figure("\"detected\"")),
            "chip.json:2:24: megahertz: cannot be detected; can: cube_cores, l2.bytes and "
            "memories.l1.bytes");
  EXPECT_EQ(changed("\"cube_cores\": " + figure("0")),
            "chip.json:2:25: cube_cores: expected a whole number of 1 or more, found the number 0");
  EXPECT_EQ(changed("\"cube_cores\": " + figure("2.5")),
            "chip.json:2:25: cube_cores: expected a whole number of 1 or more, found the number "
            "2.5");
  EXPECT_EQ(
      changed("\"cube_cores\": " + figure("1e300")),
      "chip.json:2:25: cube_cores: expected a number of at most 4096, found the number 1e+300");
  EXPECT_EQ(changed("\"flag_cycles\": " + figure("-1")),
            "chip.json:2:26: flag_cycles: expected a number of 0 or more, found the number -1");
  EXPECT_EQ(changed("\"memories\": {\"l1\": {\"alignment\": " + figure("48") + "}}"),
            "chip.json:2:44: memories.l1.alignment: expected a power of two, found the number 48");
  EXPECT_EQ(changed("\"memories\": {\"l1\": {\"bytes\": " + figure("-4") + "}}"),
            "chip.json:2:40: memories.l1.bytes: expected a whole number of 0 or more, found the "
            "number -4");
}

// Values computed from a figure stay finite, and data of a size that it gives stays small.
TEST_F(MachineMessages, Bounds) {
  const std::string option = "--machine-set ";
  EXPECT_EQ(overridden("megahertz", "1e308"),
            option + "megahertz=1e308: expected a number of at most 100000, found 1e+308");
  EXPECT_EQ(overridden("megahertz", "1e-300"),
            option + "megahertz=1e-300: expected a number of at least 1e-06, found 1e-300");
  EXPECT_EQ(overridden("megahertz", "*1e9"),
            option +
                "megahertz=*1e9: expected a number of at most 100000, found 1800000000000 (*1e9 of "
                "1800)");
  EXPECT_EQ(overridden("memories.ub.bytes", "1e15"),
            option + "memories.ub.bytes=1e15: expected a number of at most 1099511627776, found "
                     "1000000000000000");
  EXPECT_EQ(overridden("links.gm_l1.startup_cycles", "1e7"),
            option + "links.gm_l1.startup_cycles=1e7: expected a number of at most 1000000, found "
                     "10000000");
  EXPECT_EQ(overridden("event_ids", "1025"),
            option + "event_ids=1025: expected a number of at most 1024, found 1025");
  EXPECT_EQ(changed("\"megahertz\": " + figure("1e308")),
            "chip.json:2:24: megahertz: expected a number of at most 100000, found the number "
            "1e+308");
  // Each numeric figure has a bound.
  for (const Field &field : machineFields())
    EXPECT_EQ(field.most > 0, !field.isWord()) << field.path;
}

TEST_F(MachineMessages, Missing) {
  EXPECT_EQ(changed("\"megahertz\": null"), "chip: megahertz: missing; expected a number above 0");
  EXPECT_EQ(changed("\"memories\": {\"ub\": null}"),
            "chip: memories.ub.bytes: missing; expected a whole number of 0 or more\n"
            "chip: memories.ub.alignment: missing; expected a power of two");
  EXPECT_EQ(changed("\"links\": {\"l0c_l1\": {\"pipe\": null}}"),
            "chip: links.l0c_l1.pipe: missing; expected scalar, mte1, mte2, mte3, cube, fixpipe or "
            "vector");
  EXPECT_EQ(changed("\"vector\": {\"exp\": {\"fixed\": null}}"),
            "chip: vector.exp.fixed: missing; expected a number of 0 or more");
  const std::string all = message("{}");
  EXPECT_EQ(all.substr(0, all.find('\n')), "chip: description: missing; expected a string");
  EXPECT_NE(all.find("chip: kind: missing; expected emulated or host"), all.npos);
}

TEST_F(MachineMessages, ALinkMayBeTakenAway) {
  EXPECT_EQ(changed("\"links\": {\"l0c_l1\": null}"), "");
  EXPECT_EQ(changed("\"links\": {\"l1_bt\": null}, \"memories\": {\"bt\": null}"), "");
}

TEST_F(MachineMessages, C1MemoryHoldsSomething) {
  EXPECT_EQ(changed("\"memories\": {\"ub\": {\"bytes\": " + figure("256") + "}}"),
            "chip.json:2:30: memories.ub.bytes: 256 bytes, of which 256 bytes are reserved, leave "
            "nothing");
}

TEST_F(MachineMessages, C2ReservedBytesKeepTheAlignment) {
  EXPECT_EQ(changed("\"memories\": {\"ub\": {\"reserved\": " + figure("40") + "}}"),
            "chip.json:2:33: memories.ub.reserved: 40 bytes are not a multiple of the alignment, "
            "32 bytes");
}

TEST_F(MachineMessages, C3TheCubeMultipliesSomething) {
  std::string types;
  for (const char *type : {"f16", "bf16", "i8", "f32"})
    types += (types.empty() ? "\"" : ",\n\"") + std::string(type) + "\": " + figure("0");
  EXPECT_EQ(changed("\"cube\": {\"macs_per_cycle\": {" + types + "}}"),
            "chip.json:2:36: cube.macs_per_cycle.f16: expected a rate above 0 for at least one "
            "type, found 0 for all");
}

TEST_F(MachineMessages, C4AnInstructionHoldsItsGranularity) {
  EXPECT_EQ(changed("\"cube\": {\"max_extent\": " + figure("16") + "}"),
            "chip.json:2:24: cube.max_extent: 16 is below the granularity 32 of an instruction");
}

TEST_F(MachineMessages, C5OperandsReachTheCube) {
  EXPECT_EQ(changed("\"topology\": \"split\", \"links\": {\"gm_l1\": null, \"l1_l0b\": null}"),
            "chip.json:2:13: topology: the link gm_l1 is missing: the cube reads its operands "
            "through L1, L0A and L0B\n"
            "chip.json:2:13: topology: the link l1_l0b is missing: the cube reads its operands "
            "through L1, L0A and L0B");
}

TEST_F(MachineMessages, C6ResultsReachTheVectorUnit) {
  EXPECT_EQ(changed("\"topology\": \"split\", \"links\": {\"gm_ub\": null}"),
            "chip.json:2:13: topology: the link gm_ub is missing: on a split chip cube and vector "
            "cores meet in global memory");
  EXPECT_EQ(overridden("topology", "coupled"),
            "--machine-set topology=coupled: topology: the link l0c_ub is missing: on a coupled "
            "chip L0C reaches global memory through UB");
}

TEST(FixpipeLeakyRelu, NeedsASplitChip) {
  auto machine = loadMachine(
      "ascend310p3", {{"fixpipe_leaky_relu.slope_bits", "32"}, {"fixpipe_leaky_relu.use", "on"}});
  ASSERT_FALSE(bool(machine));
  EXPECT_EQ(llvm::toString(machine.takeError()),
            "--machine-set fixpipe_leaky_relu.use=on: fixpipe_leaky_relu.use: on a coupled chip no "
            "fixpipe writes to global memory");
}

TEST_F(MachineMessages, C7TheCoreThatHasTheDataMovesIt) {
  EXPECT_EQ(changed("\"links\": {\"l0c_ub\": {\"pipe\": \"vector\", \"bytes_per_cycle\": " +
                    figure("1") + ", \"startup_cycles\": " + figure("1") + "}}"),
            "chip.json:2:30: links.l0c_ub.pipe: expected fixpipe, which reads the memory that it "
            "leads from, found vector");
  EXPECT_EQ(changed("\"links\": {\"ub_l1\": {\"pipe\": \"mte2\", \"bytes_per_cycle\": " +
                    figure("1") + ", \"startup_cycles\": " + figure("1") + "}}"),
            "chip.json:2:29: links.ub_l1.pipe: expected mte3, which reads the memory that it leads "
            "from, found mte2");
}

TEST_F(MachineMessages, C8TheBiasTableIsFilled) {
  EXPECT_EQ(changed("\"memories\": {\"bt\": {\"bytes\": " + figure("2048") +
                    "}}, \"links\": {\"l1_bt\": null}"),
            "chip.json:2:30: memories.bt.bytes: the bias table needs the link l1_bt, which fills "
            "it");
  EXPECT_EQ(changed("\"memories\": {\"bt\": null}, \"links\": {\"l1_bt\": {\"pipe\": \"mte1\"}}"),
            "chip.json:2:55: links.l1_bt.pipe: leads to the memory bt, which the machine lacks");
}

TEST_F(MachineMessages, C10RequestsDividePackets) {
  EXPECT_EQ(overridden("links.gm_l1.request_bytes", "96", "ascend910b3"),
            "--machine-set links.gm_l1.request_bytes=96: links.gm_l1.request_bytes: 96 is no "
            "divisor of packet_bytes, 512; 0: rows are not split");
  EXPECT_EQ(overridden("links.gm_l1.request_bytes", "0", "ascend910b3"), "");
}

TEST_F(MachineMessages, C9BanksAreKnownWhole) {
  EXPECT_EQ(overridden("memories.ub.bank_bytes", "4096", "ascend310p3"),
            "--machine-set memories.ub.bank_bytes=4096: memories.ub.bank_bytes: banks need all of "
            "bank_bytes, bank_groups and bank_row_bytes");
  EXPECT_EQ(changed("\"memories\": {\"ub\": {\"bank_bytes\": null, \"bank_groups\": null, "
                    "\"bank_row_bytes\": null}}"),
            "");
}

TEST_F(MachineMessages, C10ABankHoldsWholeRows) {
  EXPECT_EQ(overridden("memories.ub.bank_bytes", "16"),
            "--machine-set memories.ub.bank_bytes=16: memories.ub.bank_bytes: 16 bytes are less "
            "than a row, 32 bytes");
}

TEST_F(MachineMessages, Extends) {
  EXPECT_EQ(message("{\"extends\": 3}"),
            "chip.json:1:13: extends: expected the name or the path of a machine description, "
            "found the number 3");
  EXPECT_EQ(message("{\"extends\": \"ascend\"}"),
            "chip.json:1:13: unknown machine ascend; legal: ascend310p3, ascend910b1, ascend910b2, "
            "ascend910b3, ascend910b4, ascend950dt, ascend950pr or host; a file is named by a path "
            "with a slash or by its ending .json");
  EXPECT_EQ(message("{\"extends\": \"base.json\"}"),
            "chip.json:1:13: cannot read the machine description base.json: No such file or "
            "directory");
  EXPECT_EQ(message("{\"extends\": \"./chip.json\"}"), "chip.json:1:13: chip.json extends itself");
  write("base.json", "{\"extends\": \"chip.json\"}");
  EXPECT_EQ(message("{\"extends\": \"base.json\"}"), "base.json:1:13: chip.json extends itself");
  // The place of an error is in the file of the figure, not in the one that inherits it.
  write("base.json", "{\"extends\": \"ascend910b3\",\n\"megahertz\": 1}");
  EXPECT_EQ(
      message("{\"extends\": \"base.json\"}"),
      "base.json:2:14: megahertz: expected an object {\"value\": ..., \"source\": ...}, found "
      "the number 1");
}

TEST_F(MachineMessages, ASectionExtends) {
  EXPECT_EQ(
      changed("\"sources\": {\"guess\": \"none\"},\n\"vector\": {\"extends\": "
              "\"ascend310p3\", \"source\": \"guess: as there\",\n\"exp\": {\"fixed\": {\"value\": "
              "7, \"source\": \"guess\"}}}"),
      "");
  const Machine machine = llvm::cantFail(loadMachine(folder_ + "chip.json"));
  EXPECT_EQ(machine.vector.at("exp").fixed, 7);
  EXPECT_EQ(machine.vector.at("exp").perElement, 0.03125);
  for (const auto &[path, source] : machine.sources)
    if (path == "vector.exp.fixed")
      EXPECT_EQ(source, "guess");
    else if (path.starts_with("vector."))
      EXPECT_EQ(source, "guess: as there") << path;
    else
      EXPECT_FALSE(source.starts_with("guess")) << path;
  EXPECT_EQ(changed("\"vector\": {\"extends\": \"ascend310p3\"}"),
            R"(chip.json:2:23: vector: a section that extends without "source")");
  EXPECT_EQ(changed("\"vector\": {\"extends\": \"ascend\", \"source\": \"INI\"}").substr(0, 42),
            "chip.json:2:23: unknown machine ascend; le");
  EXPECT_EQ(changed("\"vector\": {\"extends\": \"ascend310p3\", \"source\": \"rumour\"}"),
            "chip.json:2:48: vector.add.per_element.source: \"rumour\" is not explained in "
            "\"sources\"; legal: INI, ADK, PYP, GE, DUMP, PTOC, MSK, CB, CS, CAT, CANN, public, "
            "derived, conflict or "
            "assumed");
}

TEST_F(MachineMessages, AllIndependentFaultsInOneGo) {
  EXPECT_EQ(
      changed("\"cube_core\": 1,\n\"megahertz\": 2,\n\"kind\": 3"),
      "chip.json:2:14: cube_core: unknown field; did you mean cube_cores\n"
      "chip.json:3:14: megahertz: expected an object {\"value\": ..., \"source\": ...}, found "
      "the number 2\n"
      "chip.json:4:9: kind: expected emulated or host, found the number 3");
}

TEST_F(MachineMessages, ColumnsCountCharacters) {
  EXPECT_EQ(changed("\"description\": \"größer\", \"kind\": 3"),
            "chip.json:2:34: kind: expected emulated or host, found the number 3");
}

TEST_F(MachineMessages, Overrides) {
  EXPECT_EQ(overridden("links.gm_l1.byte_per_cycle", "*0.7"),
            "--machine-set links.gm_l1.byte_per_cycle=*0.7: no figure has this path; nearest "
            "legal: links.gm_l1.bytes_per_cycle");
  EXPECT_EQ(overridden("links.gm_l1", "3"),
            "--machine-set links.gm_l1=3: the path of a section; figures in it: pipe, "
            "bytes_per_cycle, startup_cycles, row_cycles and request_bytes");
  EXPECT_EQ(overridden("links.gm_l1.burst.size.most", "3"),
            "--machine-set links.gm_l1.burst.size.most=3: no figure has this path; legal in "
            "links.gm_l1: pipe, bytes_per_cycle, startup_cycles, row_cycles and request_bytes");
  EXPECT_EQ(overridden("cube_cores", "0"),
            "--machine-set cube_cores=0: expected a whole number of 1 or more, found 0");
  EXPECT_EQ(overridden("cube_cores", "2.5"),
            "--machine-set cube_cores=2.5: expected a whole number of 1 or more, found 2.5");
  EXPECT_EQ(overridden("megahertz", "nan"),
            "--machine-set megahertz=nan: expected a number above 0, found nan");
  EXPECT_EQ(overridden("megahertz", "*-1"),
            "--machine-set megahertz=*-1: expected a number above 0, found -1800 (*-1 of 1800)");
  EXPECT_EQ(overridden("megahertz", "fast"),
            "--machine-set megahertz=fast: expected a number above 0, or a factor as *0.7, found "
            "\"fast\"");
  EXPECT_EQ(overridden("megahertz", ""),
            "--machine-set megahertz=: expected a number above 0, or a factor as *0.7, found \"\"");
  EXPECT_EQ(overridden("topology", "splitt"),
            "--machine-set topology=splitt: expected split or coupled, found splitt");
  EXPECT_EQ(overridden("links.l0c_gm.bytes_per_cycle", "*2", "ascend310p3"),
            "--machine-set links.l0c_gm.bytes_per_cycle=*2: the machine has no such figure to "
            "scale");
  EXPECT_EQ(overridden("links.l0c_gm.bytes_per_cycle", "2", "ascend310p3"),
            "ascend310p3: links.l0c_gm.pipe: missing; expected scalar, mte1, mte2, mte3, cube, "
            "fixpipe or vector\n"
            "ascend310p3: links.l0c_gm.startup_cycles: missing; expected a number of 0 or more");
}
