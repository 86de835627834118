// Counting kernels: exact cycles where they can be worked out by hand, and relative statements
// about whole kernels.
#include "count/count.h"

#include "compiler/pipeline.h"
#include "count/program.h"
#include "lower/lower.h"
#include "tests/unit/checked.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

Machine machineNamed(const std::string &name) {
  auto machine = loadMachine(name);
  EXPECT_TRUE(static_cast<bool>(machine));
  return *machine;
}

struct Counter : EventSink {
  void see(const Event &event) override { ++counts[event.work]; }
  std::map<Work, int64_t> counts;
};

//===--- small programs, by hand --------------------------------------------------------===//

/// A split chip with round figures: links 64 bytes a cycle with a startup of 10, the cube 16x16x16
/// f16 a cycle with a startup of 4, flags 1, and unlimited HBM bandwidth.
Machine roundMachine() {
  Machine machine = machineNamed("ascend910b3");
  for (auto &[name, link] : machine.links)
    link = {link.pipe, 64, 10, 0};
  machine.l2BytesPerCycle = 1e6;
  machine.hbmBytesPerSecond = 1e18;
  machine.cube.startupCycles = 4;
  machine.taskMicroseconds = 0;
  return machine;
}

struct SmallProgram : testing::Test {
  SmallProgram() {
    context.loadDialect<ir::MmkDialect, aicore::AicoreDialect, mlir::arith::ArithDialect,
                        mlir::math::MathDialect, mlir::scf::SCFDialect>();
  }

  /// `body` is one phase's; the kernel has one dimension, M, and tensors a and c of M x 32.
  llvm::Expected<ClockReport> count(const std::string &body, int64_t m = 16, int64_t cores = 1,
                                    EventSink *events = nullptr) {
    const std::string text = R"(
      aicore.kernel @k dims ["M"] args [#mmk.named<"a"["M", "32"]>]
          results [#mmk.named<"c"["M", "32"]>] cores )" +
                             std::to_string(cores) + R"( buffers {} {
      ^bb0(%M: index, %a: memref<?x?xf16, #aicore.space<gm>>,
           %c: memref<?x?xf32, #aicore.space<gm>>):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c16 = arith.constant 16 : index
        %c32 = arith.constant 32 : index
        %c48 = arith.constant 48 : index
        aicore.phase {
        ^bb0(%block: index):
          %l1 = aicore.alloc "a" of "l1" copies 2 : memref<16x32xf16, #aicore.space<l1>>
          %l0a = aicore.alloc "a" of "l0" copies 1 : memref<16x32xf16, #aicore.space<l0a>>
          %l0b = aicore.alloc "b" of "l0" copies 1 : memref<32x16xf16, #aicore.space<l0b>>
          %l0c = aicore.alloc "acc" of "acc" copies 1 : memref<16x16xf32, #aicore.space<l0c>>
          %ub = aicore.alloc "x" of "ub" copies 1 : memref<16x32xf32, #aicore.space<ub>>
          )" + body + "}}";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return llvm::createStringError("does not parse");
    return countKernel(*module->getOps<aicore::KernelOp>().begin(), machine, {m}, events);
  }

  int64_t cycles(const std::string &body, int64_t m = 16) {
    auto report = count(body, m);
    if (report)
      return report->cycles;
    ADD_FAILURE() << llvm::toString(report.takeError());
    return -1;
  }

  std::string message(const std::string &body) {
    auto report = count(body);
    return report ? "" : llvm::toString(report.takeError());
  }

  const std::string load = R"(
    aicore.load %a[%c0, %c0] along [0, 1] size(%c16, %c32) -> %l1[%c0] pad 16
      : memref<?x?xf16, #aicore.space<gm>> -> memref<16x32xf16, #aicore.space<l1>>
  )";
  const std::string stageA = R"(
    aicore.load_l0 %l1[%c0] at(%c0, %c0) size(%c16, %c32) -> %l0a[%c0]
      : memref<16x32xf16, #aicore.space<l1>> -> memref<16x32xf16, #aicore.space<l0a>>
  )";
  const std::string mmad = R"(
    %true = arith.constant true
    aicore.mmad %l0a[%c0], %l0b[%c0] -> %l0c[%c0] size(%c16, %c16, %c32) first(%true)
      : memref<16x32xf16, #aicore.space<l0a>>, memref<32x16xf16, #aicore.space<l0b>>
      -> memref<16x16xf32, #aicore.space<l0c>>
  )";
  const std::string setLoaded = "aicore.set_flag [mte2 -> mte1] 0 + %c0\n";
  const std::string waitLoaded = "aicore.wait_flag [mte2 -> mte1] 0 + %c0\n";

  Machine machine = roundMachine();
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

// Load 1 KiB: issued at 0, 1 to 27 (10 + 1024/64). Flag 27 to 28, wait 28 to 29. Stage 1 KiB: 29 to
// 55. Flag 55 to 56, wait 56 to 57. Product of 16x16x32: 57 to 63 (4 + 2).
TEST_F(SmallProgram, LoadStageProduct) {
  EXPECT_EQ(cycles(load + setLoaded + waitLoaded + stageA + R"(
              aicore.set_flag [mte1 -> cube] 0 + %c0
              aicore.wait_flag [mte1 -> cube] 0 + %c0
            )" + mmad),
            63);
}

/// Records the origins of the events of a phase.
struct Reader : EventSink {
  void enter(const CountedPhase &phase) override {
    phases.push_back(phase);
    origins.assign(phase.origins.begin(), phase.origins.end());
  }
  bool accepts(int64_t block) override {
    visited.push_back(block);
    return true;
  }
  void see(const Event &event) override {
    ends[event.block] = std::max(ends[event.block], event.end);
    if (event.work == Work::issue)
      return;
    const Origin &origin = origins[event.origin];
    std::string text = origin.text + ":";
    for (size_t i = 0; i < origin.buffers.size(); ++i)
      text += " " + origin.buffers[i].name + "/" + origin.buffers[i].memory + "/" +
              std::to_string(event.slots[i]);
    seen.push_back(text + " " + std::to_string(event.bytes));
  }
  std::vector<CountedPhase> phases;
  std::vector<Origin> origins;
  std::vector<int64_t> visited;
  std::vector<std::string> seen;
  std::map<int64_t, int64_t> ends; ///< by block
};

TEST_F(SmallProgram, EventsSayWhatTheyComeFrom) {
  Reader reader;
  auto report = count(R"(
    %s = aicore.slot %c1 of %l1 : memref<16x32xf16, #aicore.space<l1>>
    aicore.load %a[%c0, %c0] along [0, 1] size(%c16, %c32) -> %l1[%s] pad 16
      : memref<?x?xf16, #aicore.space<gm>> -> memref<16x32xf16, #aicore.space<l1>>
    aicore.set_flag [mte2 -> mte1] 0 + %s
    %true = arith.constant true
    scf.if %true {
      aicore.wait_flag [mte2 -> mte1] 0 + %s
    }
    aicore.load_l0 %l1[%s] at(%c0, %c0) size(%c16, %c32) -> %l0a[%c0]
      : memref<16x32xf16, #aicore.space<l1>> -> memref<16x32xf16, #aicore.space<l0a>>
    aicore.set_flag [mte1 -> mte2] 0 + %s
    aicore.wait_flag [mte1 -> mte2] 0 + %s
    aicore.load %a[%c0, %c0] along [0, 1] size(%c16, %c32) -> %l1[%s] pad 16
      : memref<?x?xf16, #aicore.space<gm>> -> memref<16x32xf16, #aicore.space<l1>>
    aicore.set_flag [mte2 -> cube] 0 + %c0
    aicore.wait_flag [mte2 -> cube] 0 + %c0
  )",
                      16, 1, &reader);
  ASSERT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
  EXPECT_EQ(reader.seen, (std::vector<std::string>{
                             "load a: a/GM/-1 a/L1/1 1024", "a in L1 filled: a/L1/1 0",
                             "wait for a in L1 to be filled: a/L1/1 0",
                             "load_l0 a: a/L1/1 a/L0A/0 0", "a in L1 free: a/L1/1 0",
                             "wait for a in L1 to be free: a/L1/1 0", "load a: a/GM/-1 a/L1/1 1024",
                             // The cube's work does not depend on it.
                             "set a flag: 0", "wait for a flag: 0"}));
  EXPECT_EQ(reader.ends[0], report->cycles);
}

TEST_F(SmallProgram, BlocksAreSeenTheSlowestFirstAndIdleOnesNot) {
  Reader reader;
  auto report = count(R"(
    %more = arith.muli %block, %c16 : index
    %rest = arith.remsi %more, %c48 : index
    scf.for %i = %c0 to %rest step %c16 {)" +
                          load + "}",
                      16, 6, &reader);
  ASSERT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
  // 0, 1, 2, 0, 1 and 2 loads.
  EXPECT_EQ(reader.visited, (std::vector<int64_t>{2, 1, 4, 5}));
  ASSERT_EQ(reader.phases.size(), 1u);
  EXPECT_EQ(reader.phases[0].slowest, 2);
  EXPECT_EQ(reader.phases[0].blocks, 4);
  EXPECT_EQ(reader.phases[0].end, report->cycles);
  EXPECT_EQ(reader.ends[2], report->cycles);
}

TEST_F(SmallProgram, ALoopRepeatsAndZeroTripsDoNothing) {
  const std::string loop = "scf.for %i = %c0 to %M step %c16 {" + load + "}";
  EXPECT_EQ(cycles(loop, 16), 27);
  EXPECT_EQ(cycles(loop, 17), 1 + 2 * 26);
  EXPECT_EQ(cycles(loop, 160), 1 + 10 * 26);
  EXPECT_EQ(cycles(loop, 0), 0);
}

// The passes generate nothing of this kind; the text of a program can hold it.
TEST_F(SmallProgram, WhatCannotBeCounted) {
  auto last = [&](const std::string &body) {
    const std::string text = message(body);
    return text.substr(text.find("'"));
  };
  EXPECT_EQ(last("%none = arith.subi %M, %c16 : index\n"
                 "%q = arith.divsi %c16, %none : index\n"
                 "scf.for %i = %c0 to %q step %c1 {" +
                 load + "}"),
            "'arith.divsi' has no value: it divides by zero, or shifts too far, in block 0");
  EXPECT_EQ(last("%q = math.absi %M : index\nscf.for %i = %c0 to %q step %c1 {" + load + "}"),
            "'math.absi' cannot be counted");
  EXPECT_EQ(last("%q, %r = arith.addui_extended %M, %M : index, i1"),
            "'arith.addui_extended' cannot be counted; expected arithmetic on index, i64 or i1");
  machine.cube.depth.clear();
  EXPECT_EQ(last(mmad), "'aicore.mmad' multiplies f16, which the cube of ascend910b3 does not");
}

TEST_F(SmallProgram, ABranchIsTakenOrNot) {
  const std::string branch = "%small = arith.cmpi slt, %M, %c32 : index\n"
                             "scf.if %small {" +
                             load + "} else {" + load + load + "}";
  EXPECT_EQ(cycles(branch, 31), 27);
  EXPECT_EQ(cycles(branch, 32), 53);
}

// Sums over 0 .. M-1 by an iteration argument, then loads so often: 0 + 1 + 2 + 3 = 6 loads.
TEST_F(SmallProgram, ValuesGoRoundLoopsAndOutOfBranches) {
  EXPECT_EQ(cycles(R"(
              %sum = scf.for %i = %c0 to %M step %c1 iter_args(%s = %c0) -> (index) {
                %odd = arith.remsi %i, %c2 : index
                %isOdd = arith.cmpi ne, %odd, %c0 : index
                %more = scf.if %isOdd -> (index) {
                  %x = arith.addi %s, %i : index
                  scf.yield %x : index
                } else {
                  %y = arith.addi %i, %s : index
                  scf.yield %y : index
                }
                scf.yield %more : index
              }
              scf.for %i = %c0 to %sum step %c1 {)" +
                       load + "}",
                   4),
            1 + 6 * 26);
}

// Arithmetic that the passes may emit, on values where an error shows: the sum is 9 loads.
TEST_F(SmallProgram, Arithmetic) {
  EXPECT_EQ(cycles(R"(
              %n7 = arith.constant -7 : index
              %n2 = arith.constant -2 : index
              %c3 = arith.constant 3 : index
              %q = arith.divsi %n7, %c2 : index          // -3
              %r = arith.remsi %n7, %c2 : index          // -1
              %f = arith.floordivsi %n7, %c2 : index     // -4
              %u = arith.ceildivsi %n7, %n2 : index      // 4
              %p = arith.ceildivsi %n7, %c2 : index      // -3
              %s0 = arith.addi %q, %r : index            // -4
              %s1 = arith.subi %s0, %f : index           // 0
              %s2 = arith.addi %s1, %u : index           // 4
              %s3 = arith.addi %s2, %p : index           // 1
              %t = arith.constant true
              %less = arith.cmpi ult, %n7, %c2 : index   // false: unsigned
              %either = arith.xori %less, %t : i1        // true
              %both = arith.andi %either, %t : i1
              %one = arith.extui %both : i1 to i64
              %minus = arith.extsi %both : i1 to i64     // -1
              %wide = arith.subi %one, %minus : i64      // 2
              %two = arith.index_cast %wide : i64 to index
              %s4 = arith.addi %s3, %two : index         // 3
              %least = arith.minsi %n7, %s4 : index      // -7
              %most = arith.maxsi %least, %s4 : index    // 3
              %pick = arith.select %both, %most, %c0 : index
              %nine = arith.muli %pick, %c3 : index
              scf.for %i = %c0 to %nine step %c1 {)" +
                   load + "}"),
            1 + 9 * 26);
}

// Scalars of a kernel are data: values computed from them have no value here, and none is needed.
TEST_F(SmallProgram, DataIsSkippedUnlessControlFlowNeedsIt) {
  const std::string data = R"(
    %half = arith.constant 0.5 : f32
    %alpha = arith.sitofp %small : i32 to f32
    %above = arith.cmpf ogt, %alpha, %half : f32
    %picked = arith.select %above, %alpha, %half : f32
    %count = arith.select %above, %c1, %c2 : index
    %twice = arith.muli %count, %c2 : index
  )";
  const std::string narrow = "%small = arith.constant 3 : i32\n" + data;
  EXPECT_EQ(cycles(narrow + load), 27);
  const std::string fault = "depends on data, which counting does not have";
  const std::string bound = message(narrow + "scf.for %i = %c0 to %twice step %c1 {" + load + "}");
  EXPECT_NE(bound.find("'scf.for' " + fault), std::string::npos) << bound;
  const std::string condition = message(narrow + "scf.if %above {" + load + "}");
  EXPECT_NE(condition.find("'scf.if' " + fault), std::string::npos) << condition;
  std::string sized = load;
  sized.replace(sized.find("size(%c16"), 9, "size(%count");
  EXPECT_NE(message(narrow + sized).find("'aicore.load' " + fault), std::string::npos);
}

// 5 elements from number 14 on are in two lines of 16; a line takes 241 cycles, and each element a
// load and two comparisons. The scalar unit issues the next instruction behind them.
TEST_F(SmallProgram, TheScalarUnitReadsElements) {
  const std::string text = R"(
    aicore.kernel @k dims ["M"] args [#mmk.named<"n"["M"]>, #mmk.named<"s">] results [] cores 1 buffers {} {
    ^bb0(%M: index, %n: memref<?xi32, #aicore.space<gm>>, %s: i32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %c14 = arith.constant 14 : index
      aicore.phase {
      ^bb0(%block: index):
        %l1 = aicore.alloc "n" of "l1" copies 1 : memref<1x16xi32, #aicore.space<l1>>
        %least, %greatest = aicore.scalar_range %n[%c14] along 0 size(%c5) absent [2, 3]
          : memref<?xi32, #aicore.space<gm>>
        %s1 = aicore.scalar_bound %s absent 1
        %0 = arith.addi %least, %greatest : index
        %end = arith.addi %0, %s1 : index
        scf.for %i = %c0 to %end step %c1 {
          aicore.load %n[%c0] along [-1, 0] size(%c1, %c1) -> %l1[%c0] pad 1
            : memref<?xi32, #aicore.space<gm>> -> memref<1x16xi32, #aicore.space<l1>>
        }
      }
    })";
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  auto kernel = *module->getOps<aicore::KernelOp>().begin();
  std::vector<int32_t> elements(19, 100);
  std::copy_n(std::vector<int32_t>{4, 7, -2, 5, 0}.begin(), 5, elements.begin() + 14);
  const auto cyclesWith = [&](llvm::ArrayRef<KnownParameter> known) {
    auto report = countCall(kernel, machine, {{19}, known});
    EXPECT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
    return report ? report->cycles : -1;
  };
  // A short packet is a quarter of 512 bytes.
  const int64_t load = 10 + 128 / 64, before = 2 * 241 + 5 * 3 + 1;
  const KnownParameter known[] = {{elements.data(), {}}, {nullptr, 3}};
  EXPECT_EQ(cyclesWith(known), before + (7 - 2 + 3) * load);
  EXPECT_EQ(cyclesWith(llvm::ArrayRef(known).take_front()), before + (7 - 2 + 1) * load);
  EXPECT_EQ(cyclesWith({}), before + (2 + 3 + 1) * load);
}

TEST_F(SmallProgram, ASlotIsTheNumberModuloCopies) {
  // Two copies: the slots of 0 and 2 are one flag, that of 1 another.
  EXPECT_EQ(message(R"(
              %s = aicore.slot %c2 of %l1 : memref<16x32xf16, #aicore.space<l1>>
              aicore.set_flag [mte2 -> mte1] 0 + %c0
              aicore.wait_flag [mte2 -> mte1] 0 + %s)"),
            "");
  EXPECT_NE(message(R"(
              %s = aicore.slot %c1 of %l1 : memref<16x32xf16, #aicore.space<l1>>
              aicore.set_flag [mte2 -> mte1] 0 + %c0
              aicore.wait_flag [mte2 -> mte1] 0 + %s)"),
            "");
}

// Each vector core runs it by itself, with its own number: core 1 fetches twice.
TEST_F(SmallProgram, VectorCoresRunTheirPartEach) {
  Counter seen;
  auto report = count(R"(
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      %times = arith.addi %v, %c1 : index
      scf.for %i = %c0 to %times step %c1 {
        aicore.store %ub[%c0] -> %c[%c0, %c0] along [0, 1] size(%c16, %c32)
          : memref<16x32xf32, #aicore.space<ub>> -> memref<?x?xf32, #aicore.space<gm>>
      }
    }
  )",
                      16, 1, &seen);
  ASSERT_TRUE(static_cast<bool>(report));
  EXPECT_EQ(seen.counts[Work::store], 3);
  // 16 rows of 128 bytes are 2 KiB: 42 cycles each, and the mean of the two cores.
  EXPECT_EQ(report->cycles, 1 + 84);
  EXPECT_EQ(report->vectorUnits[static_cast<size_t>(Pipe::mte3)].busyCycles, 63);
  EXPECT_EQ(report->pipes[static_cast<size_t>(Pipe::mte3)].busyCycles, 63);
}

// Rows of 32 f16 are 64 bytes. The tensor's rows are neighbours, so 16 of them are one piece of
// 1 KiB; half rows are 16 pieces, each charged as a quarter of a packet.
TEST_F(SmallProgram, ShortRowsAreChargedAsPackets) {
  EXPECT_EQ(cycles(load), 27);
  EXPECT_EQ(cycles(R"(
              aicore.load %a[%c0, %c0] along [0, 1] size(%c16, %c16) -> %l1[%c0] pad 16
                : memref<?x?xf16, #aicore.space<gm>> -> memref<16x32xf16, #aicore.space<l1>>
            )"),
            1 + 10 + 16 * 128 / 64);
  // Across the rows every element is a piece of its own.
  EXPECT_EQ(cycles(R"(
              aicore.load %a[%c0, %c0] along [-1, 0] size(%c1, %c16) -> %l1[%c0] pad 16
                : memref<?x?xf16, #aicore.space<gm>> -> memref<16x32xf16, #aicore.space<l1>>
            )"),
            1 + 10 + 16 * 128 / 64);
}

// The cube works in steps of 16, and L0 takes whole fractals: one row costs as much as sixteen.
TEST_F(SmallProgram, TheCubeRoundsUp) {
  auto sized = [&](std::string text) {
    for (size_t at; (at = text.find("size(%c16")) != std::string::npos;)
      text.replace(at, 9, "size(%c1");
    return text;
  };
  EXPECT_EQ(cycles(sized(stageA)), cycles(stageA));
  EXPECT_EQ(cycles(sized(mmad)), cycles(mmad));
}

TEST_F(SmallProgram, OnlyBlocksWithWorkCount) {
  auto report = count("%first = arith.cmpi eq, %block, %c1 : index\n" + setLoaded + waitLoaded +
                          "scf.if %first {" + load + "}",
                      16, 4);
  ASSERT_TRUE(static_cast<bool>(report));
  EXPECT_EQ(report->cores, 1);
  // The mean is over that one. The flags are before: one cycle on MTE2.
  EXPECT_EQ(report->pipes[static_cast<size_t>(Pipe::mte2)].busyCycles, 1 + 26);
}

TEST_F(SmallProgram, FaultsSayWhereAndWhat) {
  const std::string deadlock = message(load + waitLoaded);
  EXPECT_NE(deadlock.find("'aicore.wait_flag' deadlock: mte1 of the cube core waits for the flag "
                          "[mte2 -> mte1] 0, which nothing before sets, in block 0"),
            std::string::npos)
      << deadlock;
  const std::string left = message(load + setLoaded);
  EXPECT_NE(left.find("'aicore.phase' the flag [mte2 -> mte1] 0 of the cube core is left set at "
                      "the end, in block 0"),
            std::string::npos)
      << left;
  const std::string division = message("%x = arith.divsi %M, %c0 : index");
  EXPECT_NE(division.find("'arith.divsi' has no value"), std::string::npos) << division;
  const std::string endless = message("scf.for %i = %c0 to %M step %c0 {" + load + "}");
  EXPECT_NE(endless.find("'scf.for' has a step that is not positive"), std::string::npos)
      << endless;
  const std::string drain = message(R"(
    %small = aicore.alloc "y" of "ub" copies 1 : memref<16x16xf32, #aicore.space<ub>>
    aicore.drain %l0c[%c0] at(%c0) size(%c16, %c16) -> %small[%c0]
      : memref<16x16xf32, #aicore.space<l0c>> -> memref<16x16xf32, #aicore.space<ub>>)");
  EXPECT_NE(drain.find("takes the link l0c_ub, which ascend910b3 has not"), std::string::npos)
      << drain;
  EXPECT_NE(message("aicore.vector_cores 3 { ^bb0(%v: index): }")
                .find("is for 3 vector cores a block, not for ascend910b3"),
            std::string::npos);
}

TEST_F(SmallProgram, TheArgumentsMustFit) {
  ASSERT_EQ(message(load), "");
  auto kernel = *module->getOps<aicore::KernelOp>().begin();
  EXPECT_NE(llvm::toString(countKernel(kernel, machine, {1, 2}).takeError())
                .find("has 1 dimensions, but 2 values were given"),
            std::string::npos);
  auto crowded = count(load, 16, 21);
  ASSERT_FALSE(static_cast<bool>(crowded));
  EXPECT_NE(
      llvm::toString(crowded.takeError()).find("is mapped to 21 cores, but ascend910b3 has 20"),
      std::string::npos);
}

//===--- vector instructions ------------------------------------------------------------===//

struct VectorInstructions : SmallProgram {
  /// An aicore.vector on 16 x 32 elements of %ub.
  static std::string vectorOf(const std::string &body) {
    return R"(
      %half = arith.constant 0.5 : f32
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        aicore.vector ins(%ub[%c0] full : memref<16x32xf32, #aicore.space<ub>>)
            outs(%ub[%c0] : memref<16x32xf32, #aicore.space<ub>>)
            size(%c16, %c32) {
        )" +
           body + "}}";
  }

  Machine priced(std::map<std::string, double> cycles) {
    for (auto &[name, cost] : machine.vector)
      cost = {0, 1e6};
    for (const auto &[name, fixed] : cycles)
      machine.vector.at(name) = {0, fixed};
    return machine;
  }
};

// One instruction after the other, each at the figure that its row of the table names.
TEST_F(VectorInstructions, CostWhatTheTableNames) {
  machine = priced({{"leaky_relu", 100}, {"floor", 20}, {"cast", 3}});
  const int64_t empty = cycles(vectorOf(R"(
    ^bb0(%x: !aicore.tile<f32>, %y: !aicore.tile<f32>):
      aicore.vec floor %x -> %y : !aicore.tile<f32> -> !aicore.tile<f32>
      aicore.yield)"));
  EXPECT_EQ(cycles(vectorOf(R"(
    ^bb0(%x: !aicore.tile<f32>, %y: !aicore.tile<f32>):
      aicore.vec leaky_relu %x, %half -> %y : !aicore.tile<f32>, f32 -> !aicore.tile<f32>
      aicore.vec round %y -> %y : !aicore.tile<f32> -> !aicore.tile<f32>
      aicore.vec floor %y -> %y : !aicore.tile<f32> -> !aicore.tile<f32>
      aicore.yield)")),
            empty + 120);
}

// A function loads its operand and stores its result once: 16 x 32 elements are 8 registers.
TEST_F(VectorInstructions, OnRegistersAreOneFunction) {
  for (auto &[name, cost] : machine.vector)
    cost = {1.0 / 64, 1e6};
  machine.function = {.registers = 32,
                      .startupCycles = 23,
                      .drainCycles = 12,
                      .issued = 2,
                      .loads = 2,
                      .stores = 1};
  const std::string first = R"(
    ^bb0(%x: !aicore.tile<f32>, %y: !aicore.tile<f32>):
      aicore.vec floor %x -> %y : !aicore.tile<f32> -> !aicore.tile<f32>)",
                    more = R"(
      aicore.vec floor %y -> %y : !aicore.tile<f32> -> !aicore.tile<f32>)",
                    last = "\n      aicore.yield";
  const int64_t one = cycles(vectorOf(first + last)); // the store decides
  EXPECT_EQ(cycles(vectorOf(first + more + last)), one);
  EXPECT_EQ(cycles(vectorOf(first + more + more + more + last)), one + 8);
  machine.function.drainCycles = 20;
  EXPECT_EQ(cycles(vectorOf(first + last)), one + 8);
}

// Each row of 32 elements is a register, of which then the elements are combined.
TEST_F(VectorInstructions, OnRegistersReduceThem) {
  for (auto &[name, cost] : machine.vector)
    cost = {1.0 / 64, 1e6};
  machine.vector.at("reduce_max") = {2.0 / 64, 1e6};
  machine.function = {.registers = 32, .startupCycles = 30, .issued = 2, .loads = 2};
  const auto reduced = [&](const char *kind) {
    return cycles(std::string(R"(
      %sums = aicore.alloc "sums" of "scratch" copies 1 : memref<1x32xf32, #aicore.space<ub>>
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        aicore.reduce )") +
                  kind + R"( %ub[%c0] size(%c16, %c32) -> %sums[%c0]
          : memref<1x32xf32, #aicore.space<ub>> from memref<16x32xf32, #aicore.space<ub>>
      })");
  };
  const int64_t before = cycles(""), sum = reduced("add"), largest = reduced("max");
  EXPECT_EQ(sum - before, 30 + 16 / 2 + 16 / 2 + 1); // one more to issue it
  EXPECT_EQ(largest - sum, 8);
}

TEST_F(VectorInstructions, AreSelectedBeforeTheyAreCounted) {
  const std::string text = message(vectorOf(R"(
    ^bb0(%x: f32):
      %y = arith.negf %x : f32
      aicore.yield %y : f32)"));
  EXPECT_EQ(text.substr(text.find('\'')),
            "'aicore.vector' has no instructions yet; run aicore-select-vector first");
}

//===--- whole kernels ------------------------------------------------------------------===//

struct WholeKernel : testing::Test {
  static constexpr const char *fused = R"(
    kernel fused(a: f16[M, K], b: f16[K, N], bias: f32[N], alpha: f32 = 0.001) -> c: f32[M, N] {
      c = leaky_relu(a @ b + bias, alpha);
      schedule {
        cores    = auto | 1;
        tile     M = 128, N = 256, K = 64;
        stage    K = 256;
        buffers  l1 = 2 | 1, l0 = 2 | 1, acc = 1, out = 2 | 1;
        fuse     = all | none;
      }
    })";

  llvm::Expected<ClockReport> count(const std::string &machineName, const Choices &choices,
                                    std::vector<int64_t> mkn, EventSink *events = nullptr,
                                    const char *text = fused) {
    const Checked checked(text);
    EXPECT_TRUE(checked.isSound()) << checked.messages();
    const Machine machine = machineNamed(machineName);
    mlir::DialectRegistry registry;
    registerDialectExtensions(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = lowerToIr(checked.kernel(), machineName, context);
    PipelineOptions options;
    options.choices = choices;
    options.verify = true;
    EXPECT_TRUE(succeeded(runPipeline(*module, machine, LoweringLevel::aicore, options)));
    return countKernel(*module->getOps<aicore::KernelOp>().begin(), machine, mkn, events);
  }

  /// Dimensions in the order M, K, N, as the kernel names them first.
  ClockReport report(const std::string &machine, const Choices &choices, int64_t m, int64_t n,
                     int64_t k, EventSink *events = nullptr) {
    auto report = count(machine, choices, {m, k, n}, events);
    if (report)
      return *report;
    ADD_FAILURE() << llvm::toString(report.takeError());
    return {};
  }
};

TEST_F(WholeKernel, TheSameEveryTime) {
  const ClockReport first = report("ascend910b3", {}, 1000, 513, 301);
  const ClockReport second = report("ascend910b3", {}, 1000, 513, 301);
  EXPECT_EQ(first.cycles, second.cycles);
  for (size_t pipe = 0; pipe < allPipes.size(); ++pipe)
    EXPECT_EQ(first.pipes[pipe].busyCycles, second.pipes[pipe].busyCycles);
}

// The blocks that a sink accepts are run again, and must end at the same time.
TEST_F(WholeKernel, EventsEndWhenThePhaseDoes) {
  for (const char *machine : {"ascend910b3", "ascend310p3"})
    for (const Choices &choices : {Choices{}, Choices{{"fuse", "none"}}, Choices{{"grid.K", "2"}},
                                   Choices{{"store", "overlapped"}}}) {
      Reader reader;
      const ClockReport report = this->report(machine, choices, 1000, 513, 301, &reader);
      const int64_t end = report.cycles - report.taskCycles;
      EXPECT_EQ(reader.phases.back().end, end);
      int64_t last = 0;
      for (auto [block, end] : reader.ends)
        last = std::max(last, end);
      EXPECT_EQ(last, end);
    }
}

// Products that reach UB directly pass no global memory.
TEST_F(WholeKernel, TheNextChipDrainsToUb) {
  Counter direct, global;
  report("ascend950pr", {}, 512, 512, 512, &direct);
  report("ascend950pr", {{"through", "global"}}, 512, 512, 512, &global);
  EXPECT_GT(direct.counts[Work::drain], 0);
  EXPECT_EQ(direct.counts[Work::spill] + direct.counts[Work::fetch], 0);
  EXPECT_EQ(global.counts[Work::drain], 0);
  EXPECT_GT(global.counts[Work::spill], 0);
  EXPECT_GT(global.counts[Work::fetch], 0);
}

// The work of the cube does not depend on the model around it: S1 has 128 tiles of 32 products,
// each of 8 x 16 x 4 steps, of which every core has 6 or 7.
TEST_F(WholeKernel, TheCubesOwnWork) {
  Counter seen;
  const ClockReport report = this->report("ascend910b3", {}, 2048, 2048, 2048, &seen);
  EXPECT_EQ(report.cores, 20);
  EXPECT_EQ(seen.counts[Work::mmad], 128 * 32);
  EXPECT_EQ(seen.counts[Work::loadL0], 2 * 128 * 32);
  EXPECT_EQ(seen.counts[Work::load], 2 * 128 * 8 + 2 * 128);
  EXPECT_EQ(seen.counts[Work::spill], 128);
  const int64_t products = 128 * 32 * (20 + 8 * 16 * 4) / 20;
  const ClockReport::PipeTime &cube = report.pipes[static_cast<size_t>(Pipe::cube)];
  // Besides products the cube executes flags, of a cycle each.
  EXPECT_GE(cube.busyCycles, products);
  EXPECT_LE(cube.busyCycles, products * 1.01);
  EXPECT_GE(report.cycles, 7 * 32 * (20 + 8 * 16 * 4));
}

TEST_F(WholeKernel, DoubleBufferingLowersS1ByAFifth) {
  for (const char *machine : {"ascend910b3", "ascend310p3"}) {
    const ClockReport doubled =
        report(machine, {{"buffers.l1", "2"}, {"buffers.l0", "2"}}, 2048, 2048, 2048);
    const ClockReport single =
        report(machine, {{"buffers.l1", "1"}, {"buffers.l0", "1"}}, 2048, 2048, 2048);
    EXPECT_LT(doubled.cycles, 0.8 * single.cycles) << machine;
  }
}

TEST_F(WholeKernel, MoreCoresAreFaster) {
  int64_t before = std::numeric_limits<int64_t>::max();
  for (const char *cores : {"1", "2", "5", "20"}) {
    const ClockReport report = this->report("ascend910b3", {{"cores", cores}}, 2048, 2048, 2048);
    EXPECT_LT(report.cycles, before) << cores;
    before = report.cycles;
  }
}

TEST_F(WholeKernel, MoreWorkIsSlower) {
  const int64_t base = report("ascend910b3", {}, 1024, 1024, 1024).cycles;
  EXPECT_GT(report("ascend910b3", {}, 4096, 1024, 1024).cycles, base);
  EXPECT_GT(report("ascend910b3", {}, 1024, 4096, 1024).cycles, base);
  EXPECT_GT(report("ascend910b3", {}, 1024, 1024, 2048).cycles, base);
}

TEST_F(WholeKernel, FusingSavesTheWayThroughMemory) {
  EXPECT_LT(report("ascend910b3", {{"fuse", "all"}}, 2048, 2048, 2048).cycles,
            report("ascend910b3", {{"fuse", "none"}}, 2048, 2048, 2048).cycles);
}

// Cores that start at different stages of one panel fetch it from HBM once, as others do. Here the
// panels of B bound the time, and no core waits for a line.
TEST_F(WholeKernel, SkewedCoresFetchAPanelOnce) {
  Choices choices = {{"tile.M", "80"},
                     {"tile.N", "256"},
                     {"tile.K", "32"},
                     {"stage.K", "256"},
                     {"order", "columns"}};
  const int64_t straight = report("ascend910b3", choices, 320, 3072, 1024).cycles;
  choices.emplace_back("skew", "stages");
  EXPECT_LE(report("ascend910b3", choices, 320, 3072, 1024).cycles, straight);
}

// No flag is missing, left set or lost in time, for every ragged tile.
TEST_F(WholeKernel, RaggedShapesAndEveryBuffering) {
  const std::vector<std::array<int64_t, 3>> shapes = {
      {1, 1, 1}, {1, 640, 256}, {127, 255, 63}, {129, 257, 65}, {1000, 513, 301}, {300, 1, 1025}};
  for (const char *machine : {"ascend910b3", "ascend310p3"})
    for (const char *copies : {"1", "2"})
      for (const char *fuse : {"all", "none"})
        for (const auto &[m, n, k] : shapes) {
          const Choices choices = {{"buffers.l1", copies},
                                   {"buffers.l0", copies},
                                   {"buffers.out", copies},
                                   {"fuse", fuse}};
          const ClockReport report = this->report(machine, choices, m, n, k);
          EXPECT_GT(report.cycles, 0);
          EXPECT_GE(report.cores, 1);
          for (const ClockReport::PipeTime &pipe : report.pipes)
            EXPECT_LE(pipe.busyCycles, report.cycles);
        }
}

// A and B of 256 MiB each do not fit into L2. In rows all of B passes between two uses of a piece
// of it; in bands only as much as fits.
TEST_F(WholeKernel, OrdersMatterWhereL2IsTooSmall) {
  constexpr const char *product = R"(
    kernel product(a: f16[M, K], b: f16[K, N]) -> c: f16[M, N] {
      c = cast<f16>(a @ b);
      schedule { tile M = 128, N = 256, K = 64; stage K = 256; order = rows | swizzle(8); }
    })";
  auto load = [&](const char *order, int64_t extent) {
    auto report =
        count("ascend910b3", {{"order", order}}, {extent, 8192, extent}, nullptr, product);
    EXPECT_TRUE(static_cast<bool>(report));
    return report->pipes[static_cast<size_t>(Pipe::mte2)].busyCycles;
  };
  EXPECT_LT(load("swizzle(8)", 16384), 0.95 * load("rows", 16384));
  // Smaller matrices stay in L2, but in rows more cores read the same line of A.
  EXPECT_LT(load("swizzle(8)", 4096), 0.95 * load("rows", 4096));
}

TEST_F(WholeKernel, CoupledCoresDrainAndSplitOnesSpill) {
  Counter split, coupled;
  report("ascend910b3", {}, 512, 512, 512, &split);
  report("ascend310p3", {}, 512, 512, 512, &coupled);
  EXPECT_GT(split.counts[Work::spill], 0);
  EXPECT_GT(split.counts[Work::fetch], 0);
  EXPECT_EQ(split.counts[Work::drain], 0);
  EXPECT_GT(coupled.counts[Work::drain], 0);
  EXPECT_EQ(coupled.counts[Work::spill] + coupled.counts[Work::fetch], 0);
}

TEST_F(WholeKernel, ElementwiseKernelsAreVectorWork) {
  auto report = count("ascend910b3", {}, {1 << 20}, nullptr,
                      "kernel sum(a: f16[N], b: f16[N]) -> c: f16[N] { c = a + b; }");
  ASSERT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
  EXPECT_EQ(report->cores, 20);
  EXPECT_EQ(report->pipes[static_cast<size_t>(Pipe::cube)].busyCycles, 0);
  EXPECT_GT(report->pipes[static_cast<size_t>(Pipe::vector)].busyCycles, 0);
  // Four MiB from HBM take 2.8 us at the least; the two that are stored stay in L2.
  EXPECT_GT(report->microseconds, 2.75);
}

TEST_F(WholeKernel, AScalarThatIsChosenByComparison) {
  auto report = count("ascend910b3", {}, {1000}, nullptr, R"(
    kernel k(a: f32[N], alpha: f32 = 0.1, p: f32 = 1) -> c: f32[N] {
      c = a * select(alpha > 0.5, alpha, p);
    })");
  ASSERT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
  EXPECT_GT(report->cycles, 0);
}

// Constants of narrow integers stand outside of the vector region that uses them.
TEST_F(WholeKernel, IntegerKernels) {
  auto report = count("ascend910b3", {}, {100, 70, 50}, nullptr,
                      "kernel q(a: i8[M, K], b: i8[K, N]) -> c: i8[M, N] { c = cast<i8>(a @ b); }");
  ASSERT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
  EXPECT_GT(report->cycles, 0);
}

} // namespace
} // namespace mmk
