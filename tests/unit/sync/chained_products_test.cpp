// A program that no pass makes yet: two products in one loop, of which the second takes what the
// vector cores make of the first, through the block's own global memory, and a running maximum that
// the loop carries in UB. What it computes, how long it takes, and that its flags are right.
#include "count/count.h"
#include "executable/executable.h"
#include "tests/unit/exact_operands.h"
#include "tests/unit/synchronised.h"

#include <array>

namespace mmk {
namespace {

using Operation = mlir::Operation; // not that of the syntax tree

const char *const machineName = "ascend910b1";
constexpr int extent = 16;

// o = max(q k, 0) v, and the largest elements of the tiles of q k.
const char *const chained = R"(
!q = memref<?x?xf16, #aicore.space<gm>>
!out = memref<?x?xf32, #aicore.space<gm>>
!l1 = memref<16x16xf16, #aicore.space<l1>>
!l0a = memref<16x16xf16, #aicore.space<l0a>>
!l0b = memref<16x16xf16, #aicore.space<l0b>>
!acc = memref<16x16xf32, #aicore.space<l0c>>
!s_gm = memref<16x16xf32, #aicore.space<gm>>
!p_gm = memref<16x16xf16, #aicore.space<gm>>
!s_ub = memref<8x16xf32, #aicore.space<ub>>
!p_ub = memref<8x16xf16, #aicore.space<ub>>

aicore.kernel @chained dims ["N"]
    args [#mmk.named<"q"["16", "16"]>, #mmk.named<"k"["16", "N"]>, #mmk.named<"v"["N", "16"]>]
    results [#mmk.named<"o"["16", "16"]>, #mmk.named<"top"["16", "16"]>] cores 1 buffers {} {
^bb0(%n: index, %q: !q, %k: !q, %v: !q, %o: !out, %top: !out):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %q1 = aicore.alloc "q" of "l1" copies 1 : !l1
    %k1 = aicore.alloc "k" of "l1" copies 2 : !l1
    %v1 = aicore.alloc "v" of "l1" copies 2 : !l1
    %p1 = aicore.alloc "p" of "l1" copies 2 : !l1
    %a0 = aicore.alloc "a" of "l0" copies 2 : !l0a
    %b0 = aicore.alloc "b" of "l0" copies 2 : !l0b
    %s0 = aicore.alloc "s" of "acc" copies 2 : !acc
    %o0 = aicore.alloc "o" of "acc" copies 1 : !acc
    %s_gm = aicore.alloc "s" of "out" copies 2 : !s_gm
    %p_gm = aicore.alloc "p" of "out" copies 2 : !p_gm
    %s_ub = aicore.alloc "s" of "ub" copies 2 : !s_ub
    %p_ub = aicore.alloc "p" of "ub" copies 2 : !p_ub
    %m_ub = aicore.alloc "top" of "ub" copies 1 : !s_ub
    // What the loop carries: q, the output, and the running maximum.
    %qs = aicore.slot %block of %q1 : !l1
    %os = aicore.slot %block of %o0 : !acc
    %ms = aicore.slot %block of %m_ub : !s_ub
    aicore.load %q[%c0, %c0] along [0, 1] size(%c16, %c16) -> %q1[%qs] pad 16 : !q -> !l1
    aicore.vector_cores 2 {
    ^bb0(%w: index):
      aicore.vector ins() outs(%m_ub[%ms] : !s_ub) size(%rows, %c16) {
        %least = arith.constant -65536.0 : f32
        aicore.yield %least : f32
      }
    }
    scf.for %j = %c0 to %n step %c16 {
      %i = arith.divsi %j, %c16 : index
      %rest = arith.subi %n, %j : index
      %columns = arith.minsi %rest, %c16 : index
      %ks = aicore.slot %i of %k1 : !l1
      aicore.load %k[%c0, %j] along [0, 1] size(%c16, %columns) -> %k1[%ks] pad 16 : !q -> !l1
      %vs = aicore.slot %i of %v1 : !l1
      aicore.load %v[%j, %c0] along [0, 1] size(%columns, %c16) -> %v1[%vs] pad 16 : !q -> !l1
      %ss = aicore.slot %i of %s0 : !acc
      %step = arith.muli %i, %c2 : index
      // The first product.
      %a_s = aicore.slot %step of %a0 : !l0a
      aicore.load_l0 %q1[%qs] at(%c0, %c0) size(%c16, %c16) -> %a0[%a_s] : !l1 -> !l0a
      %b_s = aicore.slot %step of %b0 : !l0b
      aicore.load_l0 %k1[%ks] at(%c0, %c0) size(%c16, %columns) -> %b0[%b_s] : !l1 -> !l0b
      %zero = arith.cmpi eq, %c0, %c0 : index
      aicore.mmad %a0[%a_s], %b0[%b_s] -> %s0[%ss] size(%c16, %columns, %c16) first(%zero) : !l0a, !l0b -> !acc
      // Its elements at least 0 are the first operand of the second.
      %pg = aicore.slot %i of %p_gm : !p_gm
      %sg = aicore.slot %i of %s_gm : !s_gm
      aicore.spill %s0[%ss] size(%c16, %columns) -> %s_gm[%sg] : !acc -> !s_gm
      aicore.vector_cores 2 {
      ^bb0(%w: index):
        %row = arith.muli %w, %rows : index
        %r = aicore.slot %i of %s_ub : !s_ub
        aicore.fetch %s_gm[%sg] at(%row) size(%rows, %columns) -> %s_ub[%r] : !s_gm -> !s_ub
        aicore.vector ins(%s_ub[%r] full, %m_ub[%ms] full : !s_ub, !s_ub) outs(%m_ub[%ms] : !s_ub) size(%rows, %columns) {
        ^bb0(%e: f32, %m: f32):
          %most = arith.maximumf %e, %m : f32
          aicore.yield %most : f32
        }
        %u = aicore.slot %i of %p_ub : !p_ub
        aicore.vector ins(%s_ub[%r] full : !s_ub) outs(%p_ub[%u] : !p_ub) size(%rows, %columns) {
        ^bb0(%e: f32):
          %none = arith.constant 0.0 : f32
          %positive = arith.maximumf %e, %none : f32
          %half = arith.truncf %positive : f32 to f16
          aicore.yield %half : f16
        }
        aicore.spill %p_ub[%u] size(%rows, %columns) -> %p_gm[%pg] at(%row) : !p_ub -> !p_gm
      }
      %ps = aicore.slot %i of %p1 : !l1
      aicore.fetch %p_gm[%pg] at(%c0) size(%c16, %columns) -> %p1[%ps] : !p_gm -> !l1
      %next = arith.addi %step, %c1 : index
      scf.for %second = %c0 to %c1 step %c1 {
        %as = aicore.slot %next of %a0 : !l0a
        aicore.load_l0 %p1[%ps] at(%c0, %c0) size(%c16, %columns) -> %a0[%as] : !l1 -> !l0a
        %bs = aicore.slot %next of %b0 : !l0b
        aicore.load_l0 %v1[%vs] at(%c0, %c0) size(%columns, %c16) -> %b0[%bs] : !l1 -> !l0b
        %is_first = arith.cmpi eq, %j, %c0 : index
        aicore.mmad %a0[%as], %b0[%bs] -> %o0[%os] size(%c16, %c16, %columns) first(%is_first) : !l0a, !l0b -> !acc
      }
    }
    aicore.fixpipe %o0[%os] -> %o[%c0, %c0] along [0, 1] size(%c16, %c16) : !acc -> !out
    aicore.vector_cores 2 {
    ^bb0(%w: index):
      %row = arith.muli %w, %rows : index
      aicore.store %m_ub[%ms] -> %top[%row, %c0] along [0, 1] size(%rows, %c16) : !s_ub -> !out
    }
  }
}
)";

struct Result {
  std::array<float, extent * extent> o{}, top{};
};

Result expected(int n) {
  Result result;
  result.top.fill(-65536);
  for (int row = 0; row < extent; ++row)
    for (int j = 0; j < n; ++j) {
      int s = 0;
      for (int d = 0; d < extent; ++d)
        s += element(row, d, 1) * element(d, j, 2);
      float &top = result.top[row * extent + j % extent];
      top = std::max<float>(top, s);
      for (int d = 0; d < extent; ++d)
        result.o[row * extent + d] += std::max(s, 0) * element(j, d, 3);
    }
  return result;
}

TEST(Chained, Computes) {
  Synchronised kernel(Synchronised::Ir{chained}, machineName, {});
  ASSERT_TRUE(kernel.ready());
  auto executable = Executable::compile(kernel.module(), kernel.machine);
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  // Loops of one iteration, of one and some more, and of more than any buffer has copies.
  for (int n : {1, 15, 16, 17, 32, 33, 80, 95}) {
    const auto q = operand(extent, extent, 1), k = operand(extent, n, 2), v = operand(n, extent, 3);
    Result result;
    Arguments arguments;
    arguments.dims = {n};
    arguments.scalars = {0, 0, 0};
    arguments.tensors = {q.data(), k.data(), v.data()};
    arguments.results = {result.o.data(), result.top.data()};
    llvm::Error error = (*executable)->run(arguments, 1);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    EXPECT_EQ(result.o, expected(n).o) << n;
    EXPECT_EQ(result.top, expected(n).top) << n;
  }
}

// Further steps overlap, so that each costs the same and less than the first.
TEST(Chained, IsCounted) {
  Synchronised kernel(Synchronised::Ir{chained}, machineName, {});
  ASSERT_TRUE(kernel.ready());
  auto cycles = [&](int64_t n) {
    const ClockReport report = llvm::cantFail(countKernel(kernel.kernel(), kernel.machine, {n}));
    return report.cycles - report.taskCycles;
  };
  EXPECT_EQ(cycles(16), 3098);
  EXPECT_EQ(cycles(160), 27398);
  EXPECT_EQ(cycles(320) - cycles(160), cycles(480) - cycles(320));
}

TEST(Chained, FlagsAreProvenAndEachIsNeeded) {
  Synchronised kernel(Synchronised::Ir{chained}, machineName, {});
  ASSERT_TRUE(kernel.ready());
  const std::vector<int64_t> lengths = {1, 16, 17, 48, 80, 96};
  EXPECT_TRUE(kernel.isProven()) << kernel.messages;
  for (int64_t n : lengths)
    EXPECT_EQ(kernel.watched({n}), "") << n;

  std::vector<Operation *> flags;
  kernel.kernel().walk([&](Operation *op) {
    if (isa<aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp, aicore::WaitCrossOp>(op))
      flags.push_back(op);
  });
  EXPECT_EQ(flags.size(), 22u);
  for (Operation *flag : flags) {
    mlir::Block *block = flag->getBlock();
    Operation *next = flag->getNextNode();
    flag->remove();
    std::string seen;
    for (int64_t n : lengths)
      if (seen.empty())
        seen = kernel.watched({n});
    std::string without;
    llvm::raw_string_ostream(without) << *flag;
    EXPECT_FALSE(kernel.isProven()) << "without " << without;
    EXPECT_NE(seen, "") << "without " << without;
    block->getOperations().insert(next ? mlir::Block::iterator(next) : block->end(), flag);
  }
}

} // namespace
} // namespace mmk
