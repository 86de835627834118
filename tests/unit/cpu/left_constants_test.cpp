// Which operand has the vectors of a product with a constant A: by the share of lanes that are
// filled, and the depth over which transposing the sums is paid.
#include "cpu/constants/left.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

class LeftConstants : public testing::Test {
protected:
  /// For vectors of 16 and tiles of 8, m rows by n columns.
  static bool areTransposed(int64_t m, int64_t n, int64_t steps) {
    CodeTarget target;
    target.lanes = 16;
    llvm::LLVMContext context;
    llvm::Module module("rule", context);
    Emitter e(module, target);
    return llvm::cast<llvm::ConstantInt>(
               mmk::areTransposed(e, e.number(m), e.number(n), e.number(steps), /*height=*/8))
        ->isOne();
  }
};

TEST_F(LeftConstants, pixelsThatFillVectorsStay) {
  EXPECT_FALSE(areTransposed(64, 56 * 56, 64));
  EXPECT_FALSE(areTransposed(128, 28 * 28, 9 * 128));
}
TEST_F(LeftConstants, pixelsThatDoNotAreTransposed) {
  EXPECT_TRUE(areTransposed(512, 7 * 7, 9 * 512));
  EXPECT_TRUE(areTransposed(256, 14 * 14, 9 * 256));
  EXPECT_TRUE(areTransposed(2048, 1, 1024));
}
TEST_F(LeftConstants, channelsFillVectorsToo) { EXPECT_FALSE(areTransposed(20, 7 * 7, 9 * 512)); }
TEST_F(LeftConstants, sumsOfLittleDepthAreNotWorthIt) {
  EXPECT_FALSE(areTransposed(256, 14 * 14, 64));
  EXPECT_FALSE(areTransposed(1024, 14 * 14, 256));
  EXPECT_FALSE(areTransposed(512, 7 * 7, 16));
}

} // namespace
} // namespace mmk
