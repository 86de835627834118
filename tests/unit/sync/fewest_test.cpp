// The fewest flags: on small loops, no set of flags that the proof accepts is smaller than that of
// aicore-insert-sync, and none of its flags is redundant.
#include "place/passes.h"
#include "sync/passes.h"
#include "sync/redundant_flags.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace mmk {
namespace {

const std::string head = R"(
#machine = #aicore.machine<"tiny", coupled, cores = 1, vector_cores = 1,
  memories = {gm = [1099511627776, 512], l0a = [65536, 512], l1 = [32768, 32], ub = [16384, 32]},
  cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<64x64xf16, #aicore.space<l1>>
!l0a = memref<64x16xf16, #aicore.space<l0a>>
!out = memref<?x?xf32, #aicore.space<gm>>
!ub = memref<64x32xf32, #aicore.space<ub>>
!half = memref<32x32xf32, #aicore.space<ub>>
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["N"] args [#mmk.named<"a"["M", "K"]>, #mmk.named<"x"["M", "N"]>]
    results [#mmk.named<"c"["M", "N"]>] cores 1 buffers {} {
^bb0(%n: index, %a: !gm, %x: !out, %c: !out):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 32 : index
  aicore.phase {
  ^bb0(%block: index):
)";
const std::string tail = "  }\n}\n}\n";

/// One small phase of each form, with its property as its name.
const std::vector<std::pair<const char *, std::string>> phases = {
    {"two buffers filled and used together, with different copies", R"(
    %p = aicore.alloc "p" of "l1" copies 3 : !l1
    %q = aicore.alloc "q" of "l1" copies 1 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %p : !l1
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %p[%s] pad 16 : !gm -> !l1
      %t = aicore.slot %i of %q : !l1
      aicore.load %a[%zero, %i] along [0, 1] size(%k, %k) -> %q[%t] pad 16 : !gm -> !l1
      %u = aicore.slot %i of %l0 : !l0a
      aicore.load_l0 %p[%s] at(%zero, %zero) size(%k, %k) -> %l0[%u] : !l1 -> !l0a
      aicore.load_l0 %q[%t] at(%zero, %zero) size(%k, %k) -> %l0[%u] : !l1 -> !l0a
    })"},
    {"a circle of three pipes, beside the straight way", R"(
    %p = aicore.alloc "p" of "ub" copies 1 : !half
    %q = aicore.alloc "q" of "ub" copies 1 : !half
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %p : !half
      aicore.load %x[%i, %zero] along [0, 1] size(%k, %k) -> %p[%s] pad 1 : !out -> !half
      %t = aicore.slot %i of %q : !half
      aicore.vector ins(%p[%s] full : !half) outs(%q[%t] : !half) size(%k, %k) {
      ^bb0(%e: f32):
        aicore.yield %e : f32
      }
      aicore.store %q[%t] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !half -> !out
      aicore.store %p[%s] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !half -> !out
    })"},
    {"what a whole loop uses, beside what each of its iterations does", R"(
    %p = aicore.alloc "p" of "ub" copies 1 : !half
    %row = aicore.alloc "row" of "ub" copies 1 : !half
    %q = aicore.alloc "q" of "ub" copies 1 : !half
    scf.for %i = %zero to %n step %one {
      %r = aicore.slot %i of %row : !half
      aicore.load %x[%i, %zero] along [0, 1] size(%k, %k) -> %row[%r] pad 1 : !out -> !half
      scf.for %j = %zero to %n step %one {
        %s = aicore.slot %j of %p : !half
        aicore.load %x[%j, %zero] along [0, 1] size(%k, %k) -> %p[%s] pad 1 : !out -> !half
        %t = aicore.slot %j of %q : !half
        aicore.vector ins(%p[%s] full, %row[%r] full : !half, !half) outs(%q[%t] : !half) size(%k, %k) {
        ^bb0(%e: f32, %f: f32):
          %sum = arith.addf %e, %f : f32
          aicore.yield %sum : f32
        }
        aicore.store %q[%t] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !half -> !out
      }
    })"},
    {"no loop at all", R"(
    %p = aicore.alloc "p" of "l1" copies 1 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    %s = aicore.slot %zero of %p : !l1
    aicore.load %a[%zero, %zero] along [0, 1] size(%k, %k) -> %p[%s] pad 16 : !gm -> !l1
    %u = aicore.slot %zero of %l0 : !l0a
    aicore.load_l0 %p[%s] at(%zero, %zero) size(%k, %k) -> %l0[%u] : !l1 -> !l0a)"},
    {"two loops that share bytes, filled by one pipe", R"(
    %p = aicore.alloc "p" of "l1" copies 3 : !l1
    %q = aicore.alloc "q" of "l1" copies 2 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 1 : !l0a
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %p : !l1
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %p[%s] pad 16 : !gm -> !l1
      %u = aicore.slot %i of %l0 : !l0a
      aicore.load_l0 %p[%s] at(%zero, %zero) size(%k, %k) -> %l0[%u] : !l1 -> !l0a
    }
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %q : !l1
      aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %q[%s] pad 16 : !gm -> !l1
      %u = aicore.slot %i of %l0 : !l0a
      aicore.load_l0 %q[%s] at(%zero, %zero) size(%k, %k) -> %l0[%u] : !l1 -> !l0a
    })"},
    {"two loops that share bytes, filled by different pipes", R"(
    %p = aicore.alloc "p" of "ub" copies 1 : !ub
    %q = aicore.alloc "q" of "out" copies 1 : !ub
    %in = aicore.alloc "in" of "ub" copies 1 : !ub
    scf.for %i = %zero to %n step %one {
      %s = aicore.slot %i of %p : !ub
      aicore.load %x[%i, %zero] along [0, 1] size(%k, %k) -> %p[%s] pad 1 : !out -> !ub
      aicore.store %p[%s] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !ub -> !out
    }
    scf.for %i = %zero to %n step %one {
      %t = aicore.slot %i of %in : !ub
      aicore.load %x[%i, %zero] along [0, 1] size(%k, %k) -> %in[%t] pad 1 : !out -> !ub
      %s = aicore.slot %i of %q : !ub
      aicore.vector ins(%in[%t] full : !ub) outs(%q[%s] : !ub) size(%k, %k) {
      ^bb0(%e: f32):
        aicore.yield %e : f32
      }
      aicore.store %q[%s] -> %c[%i, %zero] along [0, 1] size(%k, %k) : !ub -> !out
    })"},
};

/// A phase with its flags; the program is read from it anew when it has changed.
class Phase {
public:
  Phase(const std::string &body, bool keepImplied) : context_(registry()) {
    context_.getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) {
      ADD_FAILURE() << diagnostic.str();
      return mlir::success();
    });
    module_ = mlir::parseSourceString<mlir::ModuleOp>(head + body + tail, &context_);
    if (!module_)
      return;
    mlir::PassManager manager(&context_);
    manager.addPass(createSelectVector());
    manager.addPass(createPlanMemory());
    InsertSyncOptions options;
    options.keepImplied = keepImplied;
    manager.addPass(createInsertSync(options));
    EXPECT_TRUE(mlir::succeeded(manager.run(*module_)));
    module_->walk([&](aicore::PhaseOp phase) { program = sync::PhaseModel::read(phase); });
  }

  std::optional<sync::PhaseModel> program;

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registry.insert<aicore::AicoreDialect, ir::MmkDialect, mlir::arith::ArithDialect,
                    mlir::scf::SCFDialect>();
    return registry;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

bool isRightWithout(const sync::PhaseModel &program, const std::vector<sync::FlagGroup> &groups,
                    unsigned left) {
  llvm::DenseSet<mlir::Operation *> without;
  for (size_t i = 0; i < groups.size(); ++i)
    if (left >> i & 1)
      without.insert(groups[i].begin(), groups[i].end());
  return !sync::findFault(program, without);
}

TEST(SyncFewest, NoSetOfFlagsIsSmaller) {
  for (const auto &[name, body] : phases) {
    Phase all(body, /*keepImplied=*/true), left(body, /*keepImplied=*/false);
    ASSERT_TRUE(all.program && left.program) << name;
    const std::vector<sync::FlagGroup> groups = sync::wholeFlags(*all.program);
    ASSERT_LE(groups.size(), 12U) << name;
    size_t fewest = groups.size();
    for (unsigned without = 0; without < 1U << groups.size(); ++without)
      if (const size_t kept = groups.size() - std::popcount(without); kept < fewest)
        if (isRightWithout(*all.program, groups, without))
          fewest = kept;
    EXPECT_EQ(sync::wholeFlags(*left.program).size(), fewest) << name;
    EXPECT_LE(fewest, groups.size());
    printf("%s: %zu of %zu\n", name, fewest, groups.size());
  }
}

TEST(SyncFewest, NoneThatIsLeftCanGo) {
  for (const auto &[name, body] : phases) {
    Phase phase(body, /*keepImplied=*/false);
    ASSERT_TRUE(phase.program) << name;
    const std::vector<sync::FlagGroup> groups = sync::wholeFlags(*phase.program);
    EXPECT_TRUE(isRightWithout(*phase.program, groups, 0)) << name;
    for (size_t i = 0; i < groups.size(); ++i)
      EXPECT_FALSE(isRightWithout(*phase.program, groups, 1U << i)) << name << ", flag " << i;
  }
}

// Groups are proven together; what is found is what a proof of one after the other finds.
TEST(SyncFewest, ProvenTogetherAsOneByOne) {
  size_t redundant = 0, needed = 0;
  for (const auto &[name, body] : phases) {
    Phase phase(body, /*keepImplied=*/true);
    ASSERT_TRUE(phase.program) << name;
    std::vector<sync::FlagGroup> groups = sync::wholeFlags(*phase.program);
    for (size_t turn = 0; turn < groups.size(); ++turn) {
      std::rotate(groups.begin(), groups.begin() + 1, groups.end());
      llvm::DenseSet<mlir::Operation *> without;
      std::vector<sync::FlagGroup> expected;
      for (const sync::FlagGroup &group : groups) {
        llvm::DenseSet<mlir::Operation *> fewer = without;
        fewer.insert(group.begin(), group.end());
        if (sync::breaksWithout(*phase.program, fewer) != sync::Verdict::holds)
          continue;
        expected.push_back(group);
        without = fewer;
      }
      EXPECT_EQ(sync::provenRedundant(*phase.program, groups), expected) << name << turn;
      redundant += expected.size();
      needed += groups.size() - expected.size();
    }
  }
  EXPECT_GT(redundant, 0U);
  EXPECT_GT(needed, 0U);
}

} // namespace
} // namespace mmk
