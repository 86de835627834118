// What the watcher says of a kernel that is wrong at given dimensions, message by message.
#include "codegen/watch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

/// The faults of a phase with this body, one a line. `%a` is a slot of L1, `%a0` of L0A, `%x` a
/// tensor of K x K elements.
std::string faultsOf(const std::string &body, int64_t extent = 16,
                     const std::string &machineName = "ascend910b1") {
  static const char *const before = R"(
    module attributes {aicore.machine = #aicore.machine<"test", split, cores = 1, vector_cores = 2,
        memories = {l1 = [4096, 32], l0a = [4096, 32]}, depth = {}, event_ids = 6,
        cross_flags = 16>} {
      aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [] cores 1 buffers {} {
      ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>):
        %c0 = arith.constant 0 : index
        %c16 = arith.constant 16 : index
        aicore.phase {
        ^bb0(%block: index):
          %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
          %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
    )";
  mlir::DialectRegistry registry;
  registry.insert<ir::MmkDialect, aicore::AicoreDialect, mlir::arith::ArithDialect,
                  mlir::scf::SCFDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(before + body + "}}}", &context);
  if (!module)
    return "does not parse";
  const Machine machine = llvm::cantFail(loadMachine(machineName));
  WatchReport report =
      llvm::cantFail(watchKernel(*module->getOps<aicore::KernelOp>().begin(), machine, {extent}));
  std::string text;
  for (const WatchFault &fault : report.faults)
    text += fault.message + "\n";
  return text;
}

std::string load(const std::string &rows = "%c16") {
  return "aicore.load %x[%c0, %c0] along [0, 1] size(" + rows +
         ", %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> "
         "memref<16x16xf16, #aicore.space<l1>>\n";
}
const std::string stage = "aicore.stage %a[%c0] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : "
                          "memref<16x16xf16, #aicore.space<l1>> -> "
                          "memref<16x16xf16, #aicore.space<l0a>>\n";
const std::string filled = "aicore.set_flag [mte2 -> mte1] 0 + %c0\n",
                  awaited = "aicore.wait_flag [mte2 -> mte1] 0 + %c0\n";

TEST(Watch, NothingIsWrong) { EXPECT_EQ(faultsOf(load() + filled + awaited + stage), ""); }

TEST(Watch, Races) {
  EXPECT_EQ(faultsOf(load() + stage),
            "the stage may read byte 0 of l1 before the load that writes it has ended: nothing "
            "makes mte1 wait for mte2 here\n");
  EXPECT_EQ(faultsOf(load() + filled + awaited + stage + load()),
            "the load may write byte 0 of l1 before the stage that still reads it has ended: "
            "nothing makes mte2 wait for mte1 here\n");
}

TEST(Watch, BytesThatNobodyWrote) {
  EXPECT_EQ(faultsOf(stage), "the stage reads byte 0 of l1, which nothing has written\n");
}

TEST(Watch, BeyondBufferAndTensor) {
  EXPECT_EQ(faultsOf(load("%K"), 17),
            "the load takes rows 0 to 31 and columns 0 to 15 of slot 0 of a in l1, which has 16 x "
            "16 elements in 1 copies\n");
  EXPECT_EQ(faultsOf(load(), 15),
            "the load takes elements 0 to 15 along dimension 0 of a tensor that has 15\n"
            "the load takes elements 0 to 15 along dimension 1 of a tensor that has 15\n");
}

TEST(Watch, Flags) {
  EXPECT_EQ(faultsOf(awaited), "deadlock: mte1 waits for the flag 0, which nothing sets\n");
  EXPECT_EQ(faultsOf(filled), "the flag 0 is still set when the phase ends\n");
  EXPECT_EQ(faultsOf(filled + filled + awaited),
            "the flag 0 is set again before it was waited for\n");
  EXPECT_EQ(faultsOf(filled + awaited + filled + awaited),
            "the flag 0 may be set again before mte1 has waited for it: nothing makes mte2 wait "
            "for mte1 here\n");
  EXPECT_EQ(faultsOf("aicore.set_flag [mte2 -> mte1] 6 + %c0\n"),
            "the flag 6 does not exist on this machine\n");
}

TEST(Watch, FlagsBetweenCores) {
  const std::string set = "aicore.set_cross fixpipe to vector 0 + %c0\n",
                    wait = "aicore.vector_cores 2 {\n^bb0(%v: index):\n"
                           "aicore.wait_cross mte2 from cube 0 + %c0\n}\n";
  EXPECT_EQ(faultsOf(set + wait), "");
  EXPECT_EQ(faultsOf(wait),
            "deadlock: mte2 of vector core 0 waits for the flag 0, which nothing sets\n"
            "deadlock: mte2 of vector core 1 waits for the flag 0, which nothing sets\n");
  EXPECT_EQ(faultsOf(set + "aicore.set_cross mte2 to vector 0 + %c0\n" + wait + wait),
            "the flag 0 is taken by mte2 and by fixpipe in no order\n"
            "the flag 0 is taken by mte2 and by fixpipe in no order\n");
  std::string many;
  for (int i = 0; i < 16; ++i)
    many += set + wait;
  EXPECT_EQ(faultsOf(many), "the flag 0 may be set again before mte2 of vector core 0 has waited "
                            "for it: nothing makes fixpipe of the cube core wait for mte2 of "
                            "vector core 0 here\n"
                            "the flag 0 may be set again before mte2 of vector core 1 has waited "
                            "for it: nothing makes fixpipe of the cube core wait for mte2 of "
                            "vector core 1 here\n");
  EXPECT_EQ(faultsOf(set, 16, "ascend310p3"), "the flag 0 does not exist on this machine\n");
}

} // namespace
} // namespace mmk
