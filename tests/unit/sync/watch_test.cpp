// The messages of the watch on a kernel that is wrong at given dimensions.
#include "watch/watch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

/// A kernel with these phases, on `cores` cores. `%x` is an argument and `%y` a result of K x K
/// elements, `%w` a workspace of as many; `%a` is a slot of L1, `%a0` of L0A, `%u` of UB.
std::string kernelOf(const std::vector<std::string> &phases, int cores) {
  std::string text = R"(
    module attributes {aicore.machine = #aicore.machine<"test", split, cores = 2, vector_cores = 2,
        memories = {l1 = [4096, 32], l0a = [4096, 32], ub = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {},
        event_ids = 6, cross_flags = 16>} {
      aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>]
          results [#mmk.named<"y"["K", "K"]>] cores )" +
                     std::to_string(cores) + R"( buffers {} {
      ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>,
           %y: memref<?x?xf16, #aicore.space<gm>>):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c15 = arith.constant 15 : index
        %c16 = arith.constant 16 : index
        %w = aicore.workspace "w" [%K, %K] : memref<?x?xf16, #aicore.space<gm>>
    )";
  for (const std::string &phase : phases)
    text += R"(
        aicore.phase {
        ^bb0(%block: index):
          %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
          %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
          %u = aicore.alloc "u" of "ub" copies 2 at 0 : memref<16x16xf16, #aicore.space<ub>>
    )" + phase +
            "}\n";
  return text + "}}";
}

/// The faults that the watch finds, one a line: the message, the missing order, how often.
std::string faultsOf(const std::vector<std::string> &phases, int64_t extent, int cores,
                     const std::string &machineName) {
  mlir::DialectRegistry registry;
  registry.insert<ir::MmkDialect, aicore::AicoreDialect, mlir::arith::ArithDialect,
                  mlir::scf::SCFDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kernelOf(phases, cores), &context);
  if (!module)
    return "does not parse";
  const Machine machine = llvm::cantFail(loadMachine(machineName));
  llvm::Expected<WatchReport> report =
      watchKernel(*module->getOps<aicore::KernelOp>().begin(), machine, {extent});
  if (!report)
    return llvm::toString(report.takeError());
  std::string text;
  for (const WatchFault &fault : report->faults)
    text += fault.message + (fault.missing.empty() ? "" : "; " + fault.missing) +
            (fault.times == 1 ? "" : "; " + std::to_string(fault.times) + " times") + "\n";
  return text;
}

/// The result, written whole by a phase of its own.
const std::string finished = R"(
  aicore.vector_cores 2 {
  ^bb0(%v: index):
    %isFirst = arith.cmpi eq, %v, %c0 : index
    scf.if %isFirst {
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %u[%c0] pad 1
        : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<ub>>
      aicore.set_flag [mte2 -> mte3] 0 + %c0
      aicore.wait_flag [mte2 -> mte3] 0 + %c0
      aicore.store %u[%c0] -> %y[%c0, %c0] along [0, 1] size(%c16, %c16)
        : memref<16x16xf16, #aicore.space<ub>> -> memref<?x?xf16, #aicore.space<gm>>
    }
  }
)";

/// The faults of a phase with this body, in a kernel that is right otherwise.
std::string faultsOf(const std::string &body, const std::string &machine = "ascend910b1") {
  return faultsOf({body, finished}, 16, 1, machine);
}

std::string load(const std::string &rows = "%c16", const std::string &pad = "pad 16") {
  return "aicore.load %x[%c0, %c0] along [0, 1] size(" + rows + ", %c16) -> %a[%c0] " + pad +
         " : memref<?x?xf16, #aicore.space<gm>> -> "
         "memref<16x16xf16, #aicore.space<l1>>\n";
}
const std::string stage = "aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : "
                          "memref<16x16xf16, #aicore.space<l1>> -> "
                          "memref<16x16xf16, #aicore.space<l0a>>\n";
const std::string filled = "aicore.set_flag [mte2 -> mte1] 0 + %c0\n",
                  awaited = "aicore.wait_flag [mte2 -> mte1] 0 + %c0\n";

TEST(Watch, NothingIsWrong) { EXPECT_EQ(faultsOf(load() + filled + awaited + stage), ""); }

TEST(Watch, Races) {
  EXPECT_EQ(faultsOf(load() + stage),
            "the load_l0 (mte1) may read slot 0 of a in l1, bytes 0 to 511 of l1, before the load "
            "(mte2) has written it; no flag from mte2 to mte1 stands between the two\n");
  EXPECT_EQ(faultsOf(load() + filled + awaited + stage + load()),
            "the load (mte2) may write slot 0 of a in l1, bytes 0 to 511 of l1, before the load_l0 "
            "(mte1) has read it; no flag from mte1 to mte2 stands between the two\n");
}

TEST(Watch, ABarrierOrdersThePipesOfItsCore) {
  EXPECT_EQ(faultsOf(load() + "aicore.barrier all\n" + stage), "");
  const std::string race = "the load_l0 (mte1) may read slot 0 of a in l1, bytes 0 to 511 of l1, "
                           "before the load (mte2) has "
                           "written it; no flag from mte2 to mte1 stands between the two\n";
  EXPECT_EQ(faultsOf(load() + "aicore.barrier mte1\n" + stage), race);
  // It does not order the cube core.
  EXPECT_EQ(faultsOf(load() + "aicore.vector_cores 2 {\n^bb0(%v: index):\naicore.barrier all\n}\n" +
                     stage),
            race);
}

TEST(Watch, RacesOfAVectorCore) {
  const std::string withoutFlag = R"(
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %u[%c1] pad 1
        : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<ub>>
      aicore.vector ins() outs(%u[%c1] : memref<16x16xf16, #aicore.space<ub>>) size(%c1, %c1) {
        %one = arith.constant 1.0 : f16
        aicore.yield %one : f16
      }
    })";
  EXPECT_EQ(faultsOf(withoutFlag),
            "the vector instruction (vector of vector core 0) may write slot 1 of u in ub, bytes "
            "512 to 513 of ub, before the load (mte2 of vector core 0) has written it; no flag "
            "from mte2 to vector stands between the two; 2 times\n");
}

TEST(Watch, MoreVectorCoresThanThereAre) {
  const std::string message = faultsOf("aicore.vector_cores 3 {\n^bb0(%v: index):\n}");
  EXPECT_EQ(message.substr(message.find('\'')),
            "'aicore.vector_cores' runs on 3 cores of a block, but ascend910b1 has 2");
}

TEST(Watch, BytesThatNobodyWrote) {
  EXPECT_EQ(faultsOf(stage), "the load_l0 (mte1) reads slot 0 of a in l1, bytes 0 to 511 of l1, "
                             "which nothing has written\n");
  // Rows below the 16 of a padded one, and a column of each.
  EXPECT_EQ(faultsOf(load("%c15", "pad 1") + filled + awaited + stage),
            "the load_l0 (mte1) reads slot 0 of a in l1, bytes 480 to 511 of l1, which nothing has "
            "written\n");
}

TEST(Watch, BeyondBufferAndTensor) {
  const std::string wide = faultsOf({load("%K"), finished}, 17, 1, "ascend910b1");
  EXPECT_EQ(wide.substr(0, wide.find('\n')),
            "the load (mte2) takes rows 0 to 31 and columns 0 to 15 of slot 0 of a in l1, which "
            "has 16 rows and 16 columns");
  EXPECT_EQ(faultsOf({load()}, 15, 1, "ascend910b1"),
            "the load (mte2) takes elements 0 to 15 along dimension 1 of x, which has 15\n"
            "the kernel has ended, and nothing has written 225 elements of y, the first y[0, 0]\n");
  std::string beyond = stage;
  beyond.replace(beyond.find("%a[%c0]"), 7, "%a[%c1]");
  EXPECT_EQ(faultsOf(beyond), "the load_l0 (mte1) takes slot 1 of a in l1, which has 1 slot\n");
}

std::string store(const std::string &tensor, const std::string &row = "%c0",
                  const std::string &rows = "%c16") {
  return "aicore.store %u[%c0] -> %" + tensor + "[" + row + ", %c0] along [0, 1] size(" + rows +
         ", %c16) : memref<16x16xf16, #aicore.space<ub>> -> memref<?x?xf16, #aicore.space<gm>>\n";
}
std::string fetched(const std::string &tensor) {
  return "aicore.load %" + tensor +
         "[%c0, %c0] along [0, 1] size(%c16, %c16) -> %u[%c0] pad 1 : "
         "memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<ub>>\n";
}
/// On the first vector core alone.
std::string onOne(const std::string &body) {
  return "aicore.vector_cores 1 {\n^bb0(%v: index):\n" + body + "}\n";
}
const std::string toMte3 = "aicore.set_flag [mte2 -> mte3] 0 + %c0\n"
                           "aicore.wait_flag [mte2 -> mte3] 0 + %c0\n",
                  toMte2 = "aicore.set_flag [mte3 -> mte2] 0 + %c0\n"
                           "aicore.wait_flag [mte3 -> mte2] 0 + %c0\n";

std::string faultsOfPhases(const std::vector<std::string> &phases, int cores = 1) {
  return faultsOf(phases, 16, cores, "ascend910b1");
}

TEST(Watch, TensorsOfOneBlock) {
  const std::string intoWorkspace = fetched("x") + toMte3 + store("w");
  EXPECT_EQ(faultsOfPhases({onOne(intoWorkspace), onOne(fetched("w") + toMte3 + store("y"))}), "");
  EXPECT_EQ(faultsOfPhases({onOne(intoWorkspace + toMte2 + fetched("w") + toMte3 + store("y"))}),
            "");
  // The buffer's slot is free for the load, but the tensor is not yet there: two faults.
  EXPECT_EQ(faultsOfPhases({onOne(intoWorkspace + fetched("w")), finished}),
            "the load (mte2 of vector core 0) may read w[0, 0] to w[15, 15] before the store (mte3 "
            "of vector core 0) has written it; no flag from mte3 to mte2 stands between the two\n"
            "the load (mte2 of vector core 0) may write slot 0 of u in ub, bytes 0 to 511 of ub, "
            "before the store (mte3 of vector core 0) has read it; no flag from mte3 to mte2 "
            "stands between the two\n");
  EXPECT_EQ(faultsOfPhases({onOne(fetched("w")), finished}),
            "the load (mte2) reads w[0, 0] to w[15, 15], which nothing has written\n");
  EXPECT_EQ(faultsOfPhases({onOne(fetched("x") + toMte3 + store("x")), finished}),
            "the store (mte3 of vector core 0) writes x, an argument, which is only to be read\n");
  EXPECT_EQ(faultsOfPhases({onOne(fetched("x") + toMte3 + store("y", "%c0", "%c15"))}),
            "the kernel has ended, and nothing has written 16 elements of y, the first y[15, 0]\n");
}

TEST(Watch, BlocksOfOnePhaseHaveNoOrder) {
  EXPECT_EQ(faultsOfPhases({onOne(fetched("x") + toMte3 + store("y"))}, 2),
            "the store (mte3) of block 1 may write y[0, 0] to y[15, 15] before the store (mte3) of "
            "block 0 has written it; the blocks of a phase run in no order\n");
  // Each writes its own row without conflict; then one reads the row of the other.
  const std::string ownRow = fetched("x") + toMte3 + store("w", "%block", "%c1");
  EXPECT_EQ(faultsOfPhases({onOne(ownRow), finished}, 2).find("w["), std::string::npos);
  EXPECT_EQ(faultsOfPhases({onOne(ownRow + toMte2 + fetched("w"))}, 2),
            "the load (mte2) of block 0 may read w[1, 0] to w[1, 15] before the store (mte3) of "
            "block 1 has written it; the blocks of a phase run in no order; 2 times\n"
            "the load (mte2) reads w[2, 0] to w[15, 15], which nothing has written; 2 times\n"
            "the kernel has ended, and nothing has written 256 elements of y, the first y[0, 0]\n");
}

TEST(Watch, Flags) {
  EXPECT_EQ(faultsOf(awaited),
            "deadlock: mte1 waits for event 0 [mte2 -> mte1], which nothing has set\n");
  EXPECT_EQ(faultsOf(filled), "event 0 [mte2 -> mte1] is still set when the phase ends\n");
  EXPECT_EQ(faultsOf(filled + filled + awaited),
            "event 0 [mte2 -> mte1] is set again before it was waited for\n");
  EXPECT_EQ(faultsOf(filled + awaited + filled + awaited),
            "event 0 [mte2 -> mte1] may be set again before mte1 has waited for it; no flag from "
            "mte1 to mte2 stands between the two\n");
  EXPECT_EQ(faultsOf("aicore.set_flag [mte2 -> mte1] 6 + %c0\n"),
            "ascend910b1 has no event 6 [mte2 -> mte1]\n");
}

TEST(Watch, FlagsBetweenCores) {
  const std::string set = "aicore.set_cross fixpipe to vector 0 + %c0\n",
                    wait = "aicore.vector_cores 2 {\n^bb0(%v: index):\n"
                           "aicore.wait_cross mte2 from cube 0 + %c0\n}\n";
  EXPECT_EQ(faultsOf(set + wait), "");
  EXPECT_EQ(faultsOf(wait), "deadlock: mte2 of vector core 0 waits for cross-core flag 0, which "
                            "nothing has set; 2 times\n");
  EXPECT_EQ(faultsOf(set + "aicore.set_cross mte2 to vector 0 + %c0\n" + wait + wait),
            "cross-core flag 0 is set by mte2 and by fixpipe in no order; no flag from fixpipe to "
            "mte2 stands between the two\n");
  std::string many;
  for (int i = 0; i < 16; ++i)
    many += set + wait;
  const std::string overrun = faultsOf(many);
  EXPECT_EQ(overrun.substr(0, overrun.find('\n')),
            "cross-core flag 0 may be set again before mte2 of vector core 0 has waited for it; no "
            "cross-core flag from mte2 of vector core 0 to fixpipe of the cube core stands between "
            "the two; 2 times");
  EXPECT_EQ(faultsOf(set), "cross-core flag 0 is still set when the phase ends\n");
  EXPECT_EQ(faultsOf({set}, 16, 1, "ascend310p3"),
            "ascend310p3 has no cross-core flag 0\n"
            "the kernel has ended, and nothing has written 256 elements of y, the first y[0, 0]\n");
}

// Whether a wait between cores holds its pipe or its core: no core may need what comes behind the
// wait, and only the pipe is ordered.
TEST(Watch, WaitsBetweenCoresOnEveryMachine) {
  // Each kind of core waits for the other before it sets, on another pipe.
  const std::string crossed = "aicore.vector_cores 2 {\n^bb0(%v: index):\n"
                              "aicore.wait_cross mte2 from cube 0 + %c0\n"
                              "aicore.set_cross mte3 to cube 1 + %c0\n}\n"
                              "aicore.wait_cross mte2 from vector 1 + %c0\n"
                              "aicore.set_cross fixpipe to vector 0 + %c0\n";
  const auto loadedBehind = [](const std::string &pipe) {
    std::string load = ::mmk::load();
    load.replace(load.find("%x"), 2, "%w");
    return onOne(fetched("x") + toMte3 + store("w")) +
           "aicore.vector_cores 2 {\n^bb0(%v: index):\naicore.set_cross mte3 to cube 0 + %c0\n}\n"
           "aicore.wait_cross " +
           pipe + " from vector 0 + %c0\n" + load;
  };
  for (const char *machine : {"ascend910b3", "ascend950pr"}) {
    EXPECT_EQ(faultsOf(crossed, machine),
              "deadlock: mte2 of vector core 0 waits for cross-core flag 0, which nothing has set; "
              "2 times\n"
              "cross-core flag 0 is still set when the phase ends\n");
    EXPECT_EQ(faultsOf(loadedBehind("mte2"), machine), "");
    EXPECT_EQ(
        faultsOf(loadedBehind("mte1"), machine),
        "the load (mte2 of the cube core) may read w[0, 0] to w[15, 15] before the store (mte3 "
        "of vector core 0) has written it; no cross-core flag from mte3 of vector core 0 to "
        "mte2 of the cube core stands between the two\n");
  }
}

// Two instructions are one fault, however often.
TEST(Watch, CountsWhatIsAlike) {
  const std::string body = "scf.for %i = %c0 to %c16 step %c1 {\n" + load() + stage + "}\n";
  EXPECT_EQ(faultsOf(body),
            "the load_l0 (mte1) may read slot 0 of a in l1, bytes 0 to 511 of l1, before the load "
            "(mte2) has written it; no flag from mte2 to mte1 stands between the two; 16 times\n"
            "the load (mte2) may write slot 0 of a in l1, bytes 0 to 511 of l1, before the load_l0 "
            "(mte1) has read it; no flag from mte1 to mte2 stands between the two; 15 times\n");
}

} // namespace
} // namespace mmk
