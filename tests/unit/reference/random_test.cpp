// Random numbers: the published values of the generator, and what the language makes of them.
#include "reference/random.h"
#include "tests/unit/reference_testing.h"

using namespace mmk;

namespace {

using Words = std::array<uint32_t, 4>;

std::vector<double> numbers(const std::string &body, int32_t seed) {
  const KernelText text(
      "kernel k(x: f32[M, N], seed: i32, fixed: int = 16777217) -> y: f32[M, N] {" + body + "}");
  const Tensor x = seeded(ElementType::f32, {3, 7}, 1);
  return valuesOf(llvm::cantFail(
      text.evaluate({{"M", 3}, {"N", 7}}, {&x, nullptr}, {0, static_cast<double>(seed)}))[0]);
}

} // namespace

// The known answers of Random123.
TEST(Random, IsPhilox) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t all = 0xffffffff;
  EXPECT_EQ(philox({all, all, all, all}, {all, all}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, FollowsThePlaceInTheBrackets) {
  const std::vector<double> rows = numbers("y = random[M, N](seed);", 5),
                            indexed = numbers("y[i, j] = random[i, j](seed);", 5),
                            columns = numbers("y[i, j] = random[j, i](seed);", 5);
  for (int64_t i = 0; i < 21; ++i) {
    EXPECT_EQ(rows[i], randomNumber(5, i));
    EXPECT_EQ(indexed[i], rows[i]);
    EXPECT_EQ(columns[i], randomNumber(5, i % 7 * 3 + i / 7));
    EXPECT_TRUE(rows[i] >= 0 && rows[i] < 1);
  }
  EXPECT_EQ(numbers("y = random[M, N](-1);", 5)[9], randomNumber(-1, 9));
  // A seed that f32 does not hold.
  EXPECT_EQ(numbers("y = random[M, N](fixed);", 5)[9], randomNumber(16777217, 9));
}

TEST(Random, DropsWithAProbability) {
  const std::vector<double> kept = numbers("y = dropout[M, N](x * 0 + 3, 0.25, seed);", 9),
                            indexed =
                                numbers("y[i, j] = dropout[i, j](x[i, j] * 0 + 3, 0.25, seed);", 9);
  for (int64_t i = 0; i < 21; ++i)
    EXPECT_EQ(kept[i], randomNumber(9, i) >= 0.25 ? 4 : 0);
  EXPECT_EQ(indexed, kept);
  int64_t dropped = 0;
  for (int64_t i = 0; i < 100'000; ++i)
    dropped += randomNumber(1, i) < 0.25;
  EXPECT_NEAR(static_cast<double>(dropped), 25'000, 700);
}
