// The effort of the proof: it grows with the sum of the cases of a phase's loops, not with their
// product, and not with numbers that decide no order.
#include "tests/unit/synchronised.h"

namespace mmk {
namespace {

const std::string kernelHead = R"(
!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<64x64xf16, #aicore.space<l1>>
!l0a = memref<64x16xf16, #aicore.space<l0a>>
module {
aicore.kernel @k dims ["N"] args [#mmk.named<"a"["M", "K"]>] results [#mmk.named<"c"["M", "N"]>]
    cores 1 buffers {} {
^bb0(%n: index, %a: !gm, %c: !gm):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k = arith.constant 32 : index
  aicore.phase {
  ^bb0(%block: index):
    %p = aicore.alloc "p" of "l1" copies 2 : !l1
    %l0 = aicore.alloc "a" of "l0" copies 2 : !l0a
)";
const std::string kernelTail = "  }\n}\n}\n";

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// A loop from 0 to `bound` that fetches the panel of its next iteration.
std::string prefetching(const std::string &bound) {
  return replaced(R"(
    %any = arith.cmpi sgt, BOUND, %zero : index
    scf.if %any {
      %s = aicore.slot %zero of %p : !l1
      aicore.load %a[%zero, %zero] along [0, 1] size(%k, %k) -> %p[%s] pad 16 : !gm -> !l1
    }
    scf.for %i = %zero to BOUND step %one {
      %next = arith.addi %i, %one : index
      %more = arith.cmpi slt, %next, BOUND : index
      scf.if %more {
        %s = aicore.slot %next of %p : !l1
        aicore.load %a[%next, %zero] along [0, 1] size(%k, %k) -> %p[%s] pad 16 : !gm -> !l1
      }
      %s = aicore.slot %i of %p : !l1
      %u = aicore.slot %i of %l0 : !l0a
      aicore.load_l0 %p[%s] at(%zero, %zero) size(%k, %k) -> %l0[%u] : !l1 -> !l0a
    })",
                  "BOUND", bound);
}

TEST(ProofEffort, OfLoopsInARowIsTheirSum) {
  std::string body;
  for (int loop = 0; loop < 24; ++loop) {
    const std::string number = std::to_string(loop);
    body += "    %width" + number + " = arith.constant " + std::to_string(32 + loop) + " : index\n";
    body += "    %bound" + number + " = arith.ceildivsi %n, %width" + number + " : index\n";
    body += replaced(prefetching("%bound" + number), "%any", "%any" + number);
  }
  Synchronised kernel(Synchronised::Ir{kernelHead + body + kernelTail}, "ascend910b3", {});
  ASSERT_TRUE(kernel.ready()) << kernel.messages;
  EXPECT_TRUE(kernel.isProven()) << kernel.messages;
}

// The last loop of an iteration goes on with the slots where the others ended, and where that is
// follows from the counter by a division.
TEST(ProofEffort, IsIndependentOfWhatABoundIsComputedFrom) {
  std::string body = R"(
    %width = arith.constant 32768 : index
    %all = arith.ceildivsi %n, %width : index
    scf.for %row = %zero to %n step %one {
      %end = arith.addi %row, %one : index
      %first = arith.ceildivsi %end, %width : index)";
  for (int loop = 0; loop < 8; ++loop)
    body += replaced(prefetching("%first"), "%any", "%any" + std::to_string(loop));
  body += R"(
      scf.for %i = %first to %all step %one {
        %s = aicore.slot %i of %p : !l1
        %u = aicore.slot %i of %l0 : !l0a
        aicore.load %a[%i, %zero] along [0, 1] size(%k, %k) -> %p[%s] pad 16 : !gm -> !l1
        aicore.load_l0 %p[%s] at(%zero, %zero) size(%k, %k) -> %l0[%u] : !l1 -> !l0a
      }
    })";
  Synchronised kernel(Synchronised::Ir{kernelHead + body + kernelTail}, "ascend910b3", {});
  ASSERT_TRUE(kernel.ready()) << kernel.messages;
  EXPECT_TRUE(kernel.isProven()) << kernel.messages;
}

// Copies that only one pipe uses need no flags, so their slots are not followed: sixteen open ones
// have billions of combinations.
TEST(ProofEffort, IsIndependentOfWhatOnePipeUsesAlone) {
  std::string allocs, body = "    scf.for %i = %zero to %n step %one {\n"
                             "      %far = arith.muli %i, %n : index\n";
  for (int i = 0; i < 16; ++i) {
    allocs += replaced("    %b# = aicore.alloc \"b#\" of \"l1\" copies 4 : !tiny\n"
                       "    %w# = arith.constant 1# : index\n"
                       "    %d# = arith.divsi %n, %w# : index\n",
                       "#", std::to_string(i));
    body += replaced("      %at# = arith.addi %far, %d# : index\n"
                     "      %s# = aicore.slot %at# of %b# : !tiny\n"
                     "      aicore.load %a[%i, %zero] along [0, 1] size(%one, %one) -> %b#[%s#] "
                     "pad 16 : !gm -> !tiny\n",
                     "#", std::to_string(i));
  }
  const std::string text = "!tiny = memref<16x16xf16, #aicore.space<l1>>\n" + kernelHead + allocs +
                           body + "    }\n" + kernelTail;
  Synchronised kernel(Synchronised::Ir{text}, "ascend910b3", {});
  ASSERT_TRUE(kernel.ready()) << kernel.messages;
  EXPECT_TRUE(kernel.isProven()) << kernel.messages;
}

} // namespace
} // namespace mmk
