// Numbers at the edges of their types, and the error bound of a product: derived from its
// accumulator, not a constant that happens to pass.
#include "tests/unit/compiled.h"
#include "tests/unit/special_values.h"

#include <cmath>
#include <limits>

namespace mmk {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();
const char *const allMachines[] = {"ascend910b3", "ascend310p3", "host"};

Tensor tensorOf(ElementType type, std::vector<int64_t> shape, const std::vector<double> &values) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(type, std::move(shape)));
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.set(i, values[i % values.size()]);
  return tensor;
}

/// Equal to the bit, except that all NaNs are equal.
void expectSame(const Tensor &got, const std::vector<double> &want, const std::string &where) {
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double expected = want[i % want.size()];
    EXPECT_TRUE(std::isnan(expected)
                    ? std::isnan(got[i])
                    : got[i] == expected && std::signbit(got[i]) == std::signbit(expected))
        << where << ", element " << i << ": got " << got[i] << ", expected " << expected;
  }
}

/// Half the distance from 1 to the next number.
double unitRoundOff(ElementType type) {
  return type == ElementType::f16 ? 0x1p-11 : type == ElementType::bf16 ? 0x1p-8 : 0x1p-24;
}

struct Setting {
  const char *machine;
  ElementType in, out;
  int64_t depth;
};

class ProductError : public testing::TestWithParam<Setting> {};

// With u of f32: a sum of k products, in any order, is off by at most k u / (1 - k u) times the sum
// of their magnitudes (products of f32 are rounded, too, which is one more); a store adds its own.
TEST_P(ProductError, isWithinTheBoundOfItsAccumulator) {
  const auto &[machine, in, out, depth] = GetParam();
  const std::string text =
      "kernel f(a: " + std::string(spelling(in)) + "[M, K], b: " + std::string(spelling(in)) +
      "[N, K]) -> c: " + std::string(spelling(out)) + "[M, N] { c = a @ transpose(b); }";
  Compiled kernel(text, machine);
  ASSERT_TRUE(kernel.ready());
  const std::map<std::string, int64_t> dims = {{"M", 3}, {"N", 17}, {"K", depth}};
  for (DataKind kind : {DataKind::uniform, DataKind::normal}) {
    const std::vector<Tensor> data = kernel.inputs(dims, kind);
    const std::vector<Tensor> got = kernel.run(dims, data);
    const double u = 0x1p-24, terms = static_cast<double>(depth + 1);
    const double factor = terms * u / (1 - terms * u);
    for (int64_t m = 0; m < 3; ++m)
      for (int64_t n = 0; n < 17; ++n) {
        long double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < depth; ++k) {
          const long double product =
              static_cast<long double>(data[0][m * depth + k]) * data[1][n * depth + k];
          sum += product;
          magnitude += std::abs(product);
        }
        const double accumulated = factor * static_cast<double>(magnitude);
        const double exact = static_cast<double>(sum);
        const double stored = unitRoundOff(out) * (std::abs(exact) + accumulated) + 0x1p-25;
        EXPECT_LE(std::abs(got[0][m * 17 + n] - exact), accumulated + stored)
            << machine << ", " << m << ", " << n;
      }
  }
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const char *machine : allMachines)
    for (ElementType in : {ElementType::f16, ElementType::bf16, ElementType::f32})
      for (ElementType out : {ElementType::f32, ElementType::f16, ElementType::bf16})
        for (int64_t depth : {1, 100, 100'000}) {
          const bool isCoupled = std::string(machine) == "ascend310p3";
          if (isCoupled && in != ElementType::f16)
            continue; // its cube has no others
          if (depth == 100'000 && out != ElementType::f32)
            continue; // the store is the same
          all.push_back({machine, in, out, depth});
        }
  return all;
}

INSTANTIATE_TEST_SUITE_P(all, ProductError, testing::ValuesIn(settings()), [](const auto &info) {
  return std::string(info.param.machine) + "_" + std::string(spelling(info.param.in)) + "_" +
         std::string(spelling(info.param.out)) + "_" + std::to_string(info.param.depth);
});

// 65519.996 is the last number that f16 rounds to its largest, 65520 the first that it does not.
TEST(Overflow, ofF16IsAnInfinityFromHalfAStepOn) {
  for (const char *machine : allMachines) {
    Compiled kernel("kernel f(x: f32[N]) -> h: f16[N], b: bf16[N] { h = x; b = x; }", machine);
    ASSERT_TRUE(kernel.ready());
    const float below = std::nextafter(65520.0f, 0.0f);
    std::vector<Tensor> data;
    data.push_back(
        tensorOf(ElementType::f32, {6}, {below, 65520, -below, -65520, 3.4e38, -3.4e38}));
    const std::vector<Tensor> got = kernel.run({{"N", 6}}, data);
    expectSame(got[0], {65504, infinity, -65504, -infinity, infinity, -infinity}, machine);
    expectSame(got[1], {65536, 65536, -65536, -65536, infinity, -infinity}, machine);
  }
}

TEST(Overflow, ofAProductIsAnInfinityInF16Only) {
  for (const char *machine : allMachines) {
    Compiled kernel("kernel f(a: f16[M, K], b: f16[K, N]) -> h: f16[M, N], s: f32[M, N] {"
                    "  let p = a @ b; h = p; s = p; }",
                    machine);
    ASSERT_TRUE(kernel.ready());
    std::vector<Tensor> data;
    data.push_back(tensorOf(ElementType::f16, {2, 3}, {256, 256, 256, -256, -256, -256}));
    data.push_back(tensorOf(ElementType::f16, {3, 1}, {256}));
    const std::vector<Tensor> got = kernel.run({{"M", 2}, {"N", 1}, {"K", 3}}, data);
    expectSame(got[0], {infinity, -infinity}, machine);
    expectSame(got[1], {196608, -196608}, machine);
  }
}

TEST(Integers, saturateWhereTheyAreStoredAndRoundToEven) {
  for (const char *machine : allMachines) {
    Compiled kernel("kernel f(x: f32[N]) -> b: i8[N], w: i32[N] { b = x; w = x; }", machine);
    ASSERT_TRUE(kernel.ready());
    const std::vector<double> values = {127.5, 128,  -128.5, -129, 0.5,      1.5,       -0.5,
                                        2.5,   1e30, -1e30,  nan,  infinity, -infinity, 1e-40};
    std::vector<Tensor> data;
    data.push_back(tensorOf(ElementType::f32, {14}, values));
    const std::vector<Tensor> got = kernel.run({{"N", 14}}, data);
    expectSame(got[0], {127, 127, -128, -128, 0, 2, 0, 2, 127, -128, 0, 127, -128, 0}, machine);
    expectSame(got[1],
               {128, 128, -128, -129, 0, 2, 0, 2, 2147483647, -2147483648.0, 0, 2147483647,
                -2147483648.0, 0},
               machine);
  }
}

// The result of a 32-bit accumulator depends neither on the order nor on splits.
TEST(Integers, wrapAroundInALongSum) {
  const int64_t depth = 140'000;
  for (const char *machine : allMachines)
    for (const char *variant : {"", "grid.K=3"}) {
      Compiled kernel("kernel f(a: i8[M, K], b: i8[K, N]) -> c: i32[M, N] { c = a @ b; }", machine,
                      variant);
      ASSERT_TRUE(kernel.ready());
      const std::map<std::string, int64_t> dims = {{"M", 1}, {"N", 1}, {"K", depth}};
      std::vector<Tensor> data;
      data.push_back(tensorOf(ElementType::i8, {1, depth}, {127}));
      data.push_back(tensorOf(ElementType::i8, {depth, 1}, {127}));
      expectSame(kernel.run(dims, data)[0], {127.0 * 127 * depth - 4294967296.0}, machine);
      expectSame(kernel.reference(dims, data)[0], {127.0 * 127 * depth - 4294967296.0}, machine);
    }
}

// No machine flushes subnormal numbers, of operands, intermediate values or results.
TEST(Subnormals, areKept) {
  for (const char *machine : allMachines) {
    Compiled kernel("kernel f(a: f16[M, K], b: f16[K, N], x: f32[M, N]) -> c: f32[M, N],"
                    " h: f16[M, N], d: f32[M, N] { let p = a @ b; c = p; h = p; d = x * 0.5; }",
                    machine);
    ASSERT_TRUE(kernel.ready());
    std::vector<Tensor> data;
    data.push_back(tensorOf(ElementType::f16, {2, 1}, {0x1p-24, -0x1p-20}));
    data.push_back(tensorOf(ElementType::f16, {1, 2}, {0x1p-24, 1}));
    data.push_back(tensorOf(ElementType::f32, {2, 2}, {0x1p-148, -0x1p-148, 0x1p-126, -0x1p-149}));
    const std::vector<Tensor> got = kernel.run({{"M", 2}, {"N", 2}, {"K", 1}}, data);
    expectSame(got[0], {0x1p-48, 0x1p-24, -0x1p-44, -0x1p-20}, machine);
    expectSame(got[1], {0, 0x1p-24, -0.0, -0x1p-20}, machine);
    expectSame(got[2], {0x1p-149, -0x1p-149, 0x1p-127, -0.0}, machine);
  }
}

// Instructions that multiply pairs of bf16 flush subnormal operands and results. All but the last
// number of A and of B is zero, so that the result is their product.
TEST(Subnormals, ofProductsOfBf16AreKept) {
  struct {
    double a, b, product;
  } const cases[] = {{0x1p-130, 0x1p127, 0x1p-3},    {0x1p127, 0x1p-130, 0x1p-3},
                     {0x1p-130, infinity, infinity}, {0x1p-70, -0x1p-70, -0x1p-140},
                     {0x1p-63, 0x1p-63, 0x1p-126},   {3, 5, 15}};
  constexpr int64_t size = 70, last = size * size - 1;
  for (const char *machine : {"ascend910b3", "host"})
    for (const char *b : {"b", "transpose(b)"}) {
      Compiled kernel("kernel f(a: bf16[N, N], b: bf16[N, N]) -> c: f32[N, N] { c = a @ " +
                          std::string(b) + "; }",
                      machine);
      ASSERT_TRUE(kernel.ready());
      for (const auto &one : cases) {
        std::vector<Tensor> data;
        for (double value : {one.a, one.b}) {
          data.push_back(tensorOf(ElementType::bf16, {size, size}, {0}));
          data.back().set(last, value);
        }
        EXPECT_EQ(kernel.run({{"N", size}}, data)[0][last], one.product)
            << machine << ": " << one.a << " times " << one.b << " of " << b;
      }
    }
}

// Instructions that multiply pairs have a zero beside an odd end, which makes NaN of an infinity:
// also of one in memory that belongs to the next row.
TEST(Infinities, areMultipliedByTheirOwn) {
  for (const char *stage : {"", "schedule { tile M = 64, N = 80, K = 16; stage K = 16; }"})
    for (int64_t depth : {70, 71}) {
      Compiled kernel("kernel f(a: bf16[M, K], b: bf16[K, N]) -> c: f32[M, N] { c = a @ b; " +
                          std::string(stage) + " }",
                      "host");
      ASSERT_TRUE(kernel.ready());
      for (int64_t at : {int64_t(0), int64_t(6), depth - 1}) {
        std::vector<Tensor> data;
        data.push_back(tensorOf(ElementType::bf16, {40, depth}, {0}));
        data.push_back(tensorOf(ElementType::bf16, {depth, 40}, {1}));
        data[0].set(39 * depth + at, infinity);
        const std::vector<Tensor> got = kernel.run({{"M", 40}, {"N", 40}, {"K", depth}}, data);
        EXPECT_EQ(got[0][40 * 40 - 1], infinity) << stage << ", " << at << " of " << depth;
        EXPECT_EQ(got[0][39 * 40 - 1], 0) << "of the row before";
      }
    }
}

// Beyond a few units these equal their limits to the bit: the difference is multiplied by x.
TEST(Activations, endWhereTheyShould) {
  for (const char *machine : allMachines) {
    Compiled kernel("kernel f(x: f32[N]) -> e: f32[N], t: f32[N], s: f32[N], g: f32[N], h: f32[N],"
                    " i: f32[N], m: f32[N] { e = erf(x); t = tanh(x); s = sigmoid(x); g = gelu(x);"
                    " h = gelu_tanh(x); i = silu(x); m = mish(x); }",
                    machine);
    ASSERT_TRUE(kernel.ready());
    const std::vector<double> far = {-1e10, -1e30, -3e38, 1e10, 1e30, 3e38};
    std::vector<Tensor> data;
    data.push_back(tensorOf(ElementType::f32, {6}, far));
    const std::vector<Tensor> got = kernel.run({{"N", 6}}, data);
    expectSame(got[0], {-1, -1, -1, 1, 1, 1}, machine);
    expectSame(got[1], {-1, -1, -1, 1, 1, 1}, machine);
    expectSame(got[2], {0, 0, 0, 1, 1, 1}, machine);
    const std::vector<double> ramp = {-0.0, -0.0, -0.0, float(1e10), float(1e30), float(3e38)};
    for (size_t i = 3; i < got.size(); ++i)
      expectSame(got[i], ramp, std::string(machine) + ", activation " + std::to_string(i - 3));
  }
}

// Computed as log(1 + exp(x)), which cancels, the first would be wrong by 1e-3.
TEST(Activations, arePreciseWhereTheyAreSmall) {
  const std::vector<double> points = {-10, -5, -1e-3, 1e-3, 0.5};
  for (const char *machine : allMachines) {
    Compiled kernel("kernel f(x: f32[N]) -> m: f32[N] { m = mish(x); }", machine);
    ASSERT_TRUE(kernel.ready());
    std::vector<Tensor> data;
    data.push_back(tensorOf(ElementType::f32, {5}, points));
    const std::vector<Tensor> got = kernel.run({{"N", 5}}, data);
    for (size_t i = 0; i < points.size(); ++i) {
      const double x = data[0][i], expected = x * std::tanh(std::log1p(std::exp(x)));
      EXPECT_NEAR(got[0][i], expected, 1e-6 * std::fabs(expected)) << machine << ", " << x;
    }
  }
}

TEST(SignedZeros, goWithTheOperations) {
  for (const char *machine : allMachines) {
    Compiled kernel("kernel f(x: f32[N], y: f32[N]) -> sum: f32[N], product: f32[N], most: f32[N],"
                    " least: f32[N], negative: f16[N], quotient: f32[N], chosen: f32[N] {"
                    "  sum = x + y; product = x * y; most = max(x, y); least = min(x, y);"
                    "  negative = -x; quotient = 1 / x; chosen = leaky_relu(x, 2); }",
                    machine);
    ASSERT_TRUE(kernel.ready());
    std::vector<Tensor> data;
    data.push_back(tensorOf(ElementType::f32, {4}, {0, -0.0, 0, -0.0}));
    data.push_back(tensorOf(ElementType::f32, {4}, {-0.0, 0, 0, -0.0}));
    const std::vector<Tensor> got = kernel.run({{"N", 4}}, data);
    expectSame(got[0], {0, 0, 0, -0.0}, machine);
    expectSame(got[1], {-0.0, -0.0, 0, 0}, machine);
    expectSame(got[2], {0, 0, 0, -0.0}, machine);
    expectSame(got[3], {-0.0, -0.0, 0, -0.0}, machine);
    expectSame(got[4], {-0.0, 0, -0.0, 0}, machine);
    expectSame(got[5], {infinity, -infinity, infinity, -infinity}, machine);
    expectSame(got[6], {0, -0.0, 0, -0.0}, machine); // -0 >= 0
  }
}

} // namespace
} // namespace mmk
