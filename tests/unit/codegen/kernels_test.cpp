// Kernels of every form that the language has, on every kind of machine, against the reference.
#include "tests/unit/compiled.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace mmk {
namespace {

struct Form {
  const char *name;
  const char *text;
  std::map<std::string, int64_t> dims;
  double tolerance = 0; ///< 0: exact on small integers
};

// Sums of small integers are exact in any order; inexact functions get a tolerance.
const Form forms[] = {
    {"plain",
     "(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }",
     {{"M", 100}, {"N", 300}, {"K", 130}}},
    {"one",
     "(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }",
     {{"M", 1}, {"N", 1}, {"K", 1}}},
    {"narrowed",
     "(a: f16[M, K], b: f16[K, N]) -> c: f16[M, N] { c = a @ b; }",
     {{"M", 100}, {"N", 70}, {"K", 130}}},
    {"bf16",
     "(a: bf16[M, K], b: bf16[K, N], r: bf16[M, N]) -> c: bf16[M, N] { c = relu(a @ b + r); }",
     {{"M", 100}, {"N", 70}, {"K", 130}}},
    {"b_transposed",
     "(a: f16[M, K], b: f16[N, K]) -> c: f32[M, N] { c = a @ transpose(b); }",
     {{"M", 257}, {"N", 300}, {"K", 77}}},
    {"both_transposed",
     "(a: f16[K, M], b: f16[N, K]) -> c: f32[M, N] { c = transpose(a) @ transpose(b); }",
     {{"M", 257}, {"N", 300}, {"K", 77}}},
    {"product_transposed",
     "(a: f16[K, M], b: f16[N, K], r: f32[M]) -> c: f32[N, M] {"
     "  c = transpose(relu(transpose(a) @ transpose(b))) + r; }",
     {{"M", 100}, {"N", 70}, {"K", 130}}},
    {"batched",
     "(a: f16[B, M, K], b: f16[B, K, N], v: f32[N]) -> c: f32[B, M, N] { c = a @ b + v; }",
     {{"B", 5}, {"M", 100}, {"N", 70}, {"K", 130}}},
    {"batch_broadcast",
     "(a: f16[B, H, M, K], b: f16[1, H, K, N], v: f32[B, 1, 1, N]) -> c: f32[B, H, M, N] {"
     "  c = relu(a @ b + v); }",
     {{"B", 3}, {"H", 2}, {"M", 33}, {"N", 70}, {"K", 30}}},
    {"no_batch_on_the_left",
     "(a: f16[M, K], b: f16[B, K, N]) -> c: f32[B, M, N] { c = a @ b; }",
     {{"B", 3}, {"M", 33}, {"N", 70}, {"K", 30}}},
    {"broadcast_4d",
     "(x: f32[B, H, S, D], v: f32[D]) -> y: f32[B, H, S, D] { y = relu(x + v); }",
     {{"B", 2}, {"H", 3}, {"S", 70}, {"D", 100}}},
    {"broadcast_column",
     "(x: f32[M, N], z: f32[N, M], s: f32[M, 1]) -> y: f32[M, N] { y = (x - transpose(z)) * s; }",
     {{"M", 100}, {"N", 300}}},
    {"derived",
     "(x: f32[H], r: f32[P], stride: int = 2, seed: i32 = -3) -> y: f32[P], z: f32[H] {"
     "  dim P = (H - 3) / stride + 1; y = r * stride + seed; z = x + P; }",
     {{"H", 100}, {"P", 49}}},
    {"derived_product",
     "(a: f16[M, K], b: f16[K, N], r: f32[P], s: i32 = 16777217) -> c: f32[M, N], d: f32[P] {"
     "  dim P = M * N; c = a @ b + select(s == 16777216, 1, 0); d = r * P; }",
     {{"M", 20}, {"N", 30}, {"K", 40}, {"P", 600}}},
    {"indexed",
     "(a: f16[M, K], b: f16[N, K], bias: f32[N]) -> c: f32[N, M] {"
     "  c[j, i] = relu(bias[j] + sum[k](a[i, k] * b[j, k])); }",
     {{"M", 37}, {"N", 70}, {"K", 50}}},
    {"indexed_heads",
     "(q: f16[B, M, H, D], k: f16[B, N, H, D]) -> s: f32[B, H, M, N] {"
     "  s[b, h, i, j] = 0.125 * sum[d](q[b, i, h, d] * k[b, j, h, d]); }",
     {{"B", 2}, {"H", 3}, {"M", 37}, {"N", 70}, {"D", 24}}},
    {"indexed_free",
     "(x: f16[B, M, K], w: f16[K, N]) -> y: f32[M, B, N] {"
     "  y[i, b, j] = sum[k](x[b, i, k] * w[k, j]); }",
     {{"B", 3}, {"M", 37}, {"N", 70}, {"K", 50}}},
    {"indexed_vector",
     "(a: f16[M, K], x: f16[K]) -> y: f32[M] { y[i] = sum[k](a[i, k] * x[k]); }",
     {{"M", 37}, {"K", 50}}},
    {"indexed_exchange",
     "(x: f32[M, N, K], r: f32[N]) -> y: f32[K, M, N] { y[k, i, j] = x[i, j, k] * 2 + r[j]; }",
     {{"M", 37}, {"N", 70}, {"K", 5}}},
    {"indexed_let",
     "(a: i8[M, K], b: i8[K, N], s: f32[N]) -> c: f32[N, M] {"
     "  let t[i, j] = sum[k](a[i, k] * b[k, j]); c[j, i] = t[i, j] * s[j]; }",
     {{"M", 37}, {"N", 70}, {"K", 50}}},
    {"vector", "(x: f16[N]) -> y: f16[N] { y = abs(x) * 2; }", {{"N", 10000}}},
    {"int8",
     "(a: i8[M, K], b: i8[K, N]) -> c: i32[M, N] { c = a @ b; }",
     {{"M", 100}, {"N", 70}, {"K", 1300}}},
    {"dequantised",
     "(a: i8[M, K], b: i8[K, N], s: f32[N]) -> c: f16[M, N] { c = (a @ b) * s; }",
     {{"M", 100}, {"N", 70}, {"K", 130}}},
    {"requantised",
     "(a: i8[M, K], b: i8[K, N]) -> c: i8[M, N] { c = (a @ b) * 0.125; }",
     {{"M", 100}, {"N", 70}, {"K", 130}}},
    {"chained",
     "(a: f16[M, K], b: f16[K, N], d: f16[N, P]) -> c: f32[M, P] {"
     "  let h = cast<f16>(min(relu(a @ b), 8)); c = h @ d; }",
     {{"M", 100}, {"N", 70}, {"K", 130}, {"P", 33}}},
    {"two_products",
     "(a: f16[M, K], b: f16[K, N], d: f16[M, K]) -> c: f32[M, N], e: f32[M, N] {"
     "  let p = a @ b; let q = d @ b; c = p + q; e = p - q; }",
     {{"M", 100}, {"N", 70}, {"K", 130}}},
    {"product_kept_twice",
     "(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N], d: f32[M, N], e: f32[M, N] {"
     "  let p = a @ b; c = p; d = relu(p); e = p; }",
     {{"M", 100}, {"N", 70}, {"K", 130}}},
    {"prologue",
     "(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = cast<f16>(relu(a)) @ b; }",
     {{"M", 100}, {"N", 70}, {"K", 130}}},
    {"square", "(a: f16[M, M]) -> c: f32[M, M] { c = a @ a + a; }", {{"M", 100}}},
    {"literal", "(a: f16[M, 64], b: f16[64, 96]) -> c: f32[M, 96] { c = a @ b; }", {{"M", 100}}},
    {"constant_result",
     "(x: f32[M, N], s: f32 = 3) -> c: f32[M, N], d: f32[M, N] { c = s * 2; d = x; }",
     {{"M", 10}, {"N", 10}}},
    {"scalar_comparison",
     "(x: f32[M, N], s: f32 = 3) -> c: f32[M, N], d: i8[M, N] {"
     "  c = select(2 > s, x, s * 2); d = cast<i8>(s) + x; }",
     {{"M", 10}, {"N", 10}}},
    {"gelu",
     "(a: f16[M, K], b: f16[K, N], v: f32[N]) -> c: f32[M, N] { c = gelu(a @ b + v); }",
     {{"M", 100}, {"N", 70}, {"K", 130}},
     1e-5},
    {"silu_residual",
     "(a: f16[M, K], b: f16[K, N], r: f16[M, N]) -> c: f32[M, N] { c = silu(a @ b) + r; }",
     {{"M", 100}, {"N", 70}, {"K", 130}},
     1e-5},
};

class Kernels : public testing::TestWithParam<Form> {};

TEST_P(Kernels, equalTheReferenceOnEveryMachine) {
  const Form &form = GetParam();
  std::string text = std::string("kernel ") + form.name + form.text;
  bool product = text.find('@') != std::string::npos;
  for (const char *machine : {"ascend910b3", "ascend310p3", "host"})
    for (const char *variant : {"", "fuse=none,cores=3", "order=swizzle(2),l1=3,l0=1"}) {
      std::string name(variant);
      if (std::string(machine) == "host" && name.find("cores") != std::string::npos)
        continue; // this host may have fewer
      if (std::string(machine) == "ascend310p3" && text.find("bf16[M, K]") != std::string::npos)
        continue; // its cube has no bf16
      if (!product)
        name = "";
      SCOPED_TRACE(std::string(machine) + " " + name);
      Compiled kernel(text, machine, name);
      if (kernel.ready())
        kernel.expectRight(form.dims, DataKind::integers, {}, form.tolerance);
    }
}

INSTANTIATE_TEST_SUITE_P(forms, Kernels, testing::ValuesIn(forms),
                         [](const auto &info) { return std::string(info.param.name); });

// max(x, alpha * x) is leaky relu only for alpha from 0 to 1; a bias that is scaled by alpha, or a
// comparison that loses NaN, shows here too.
TEST(LeakyRelu, isExactForEveryAlphaAndEveryNumber) {
  const std::string text = "kernel f(x: f32[M, N], b: f32[N], alpha: f32) -> y: f32[M, N] {"
                           "  y = leaky_relu(x + b, alpha); }";
  for (const char *machine : {"ascend910b3", "ascend310p3", "host"}) {
    Compiled kernel(text, machine);
    ASSERT_TRUE(kernel.ready());
    for (double alpha : {-0.5, 0.0, 0.01, 1.0, 2.0})
      for (DataKind kind : {DataKind::uniform, DataKind::special})
        kernel.expectRight({{"M", 65}, {"N", 130}}, kind, {alpha});
  }
}

// Results of this size are written by non-temporal stores, where vectors are aligned, and rows in
// bands: with every remainder of rows and columns.
TEST(LargeResults, areWhole) {
  Compiled kernel("kernel f(x: f32[M, N], row: f32[N], column: f32[M, 1]) -> y: f32[M, N] {"
                  "  y = x * row + column; }",
                  "host");
  ASSERT_TRUE(kernel.ready());
  for (auto [m, n] : {std::pair(523, 4112), {3, 1 << 20}, {515, 4099}, {2100, 1024}, {1 << 17, 16}})
    kernel.expectRight({{"M", m}, {"N", n}}, DataKind::integers);
  Compiled narrow("kernel f(x: f32[M, N], row: f32[N]) -> h: f16[M, N], b: i8[M, N] {"
                  "  h = x + row; b = x - row; }",
                  "host");
  ASSERT_TRUE(narrow.ready());
  for (auto [m, n] : {std::pair(4099, 2112), {67, 131136}})
    narrow.expectRight({{"M", m}, {"N", n}}, DataKind::integers);
  Compiled vector("kernel f(x: f32[N], y: f32[N]) -> z: f32[N] { z = x * y; }", "host");
  ASSERT_TRUE(vector.ready());
  for (int64_t n : {int64_t(1) << 21, (int64_t(1) << 21) + 21})
    vector.expectRight({{"N", n}}, DataKind::integers);
}

// Several passes along k with partial sums between them, for more columns than a block and more
// rows than the scratch, each with a ragged end.
TEST(WaitingSums, areThoseOfTheirBlock) {
  for (std::string type : {"f32", "f16", "bf16", "i8"}) {
    SCOPED_TRACE(type);
    Compiled kernel("kernel f(a: " + type + "[M, K], b: " + type +
                        "[K, N]) -> c: " + (type == "i8" ? "i32" : "f32") + "[M, N] { c = a @ b; }",
                    "host", "tile=2048x2048x64,stage=64");
    ASSERT_TRUE(kernel.ready());
    kernel.expectRight({{"M", 1003}, {"N", 997}, {"K", 139}}, DataKind::integers);
  }
}

TEST(SpecialNumbers, passThroughProductAndActivation) {
  const std::string text = "kernel f(a: f16[M, K], b: f16[K, N], v: f32[N]) -> c: f32[M, N] {"
                           "  c = leaky_relu(a @ b + v, 0.1); }";
  for (const char *machine : {"ascend910b3", "ascend310p3", "host"}) {
    Compiled kernel(text, machine);
    ASSERT_TRUE(kernel.ready());
    std::map<std::string, int64_t> dims = {{"M", 33}, {"N", 65}, {"K", 40}};
    std::vector<Tensor> data = kernel.inputs(dims, DataKind::integers);
    const double special[] = {std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              -0.0,
                              6e-8,
                              65504};
    for (int i = 0; i < 6; ++i)
      data[0].set(i * 5 * 40 + i, special[i]);
    std::vector<Tensor> got = kernel.run(dims, data), want = kernel.reference(dims, data);
    EXPECT_TRUE(compare(got[0], want[0], 1e-6, 1e-6, 0, 1).passed) << machine;
  }
}

// The fixpipe applies ReLU to the sums of a product, and the vector unit where it computes apart
// from it: with NaN, infinities, sums of -0 and such as round to 0.
TEST(ReluOfFixpipe, hasTheBitsOfTheVectorUnit) {
  const double special[] = {std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            6e-8,
                            -6e-8,
                            65504,
                            -65504};
  for (std::string type : {"f32", "f16", "bf16"})
    for (const char *machine : {"ascend910b3", "ascend950pr"}) {
      SCOPED_TRACE(type + " " + machine);
      const std::string text = "kernel f(a: f16[M, K], b: f16[K, N], v: f32[N]) -> c: " + type +
                               "[M, N] { c = relu(a @ b + v); }";
      Compiled fused(text, machine, "bias=table"), apart(text, machine, "bias=table,fuse=none");
      ASSERT_TRUE(fused.ready() && apart.ready());
      std::map<std::string, int64_t> dims = {{"M", 33}, {"N", 65}, {"K", 40}};
      std::vector<Tensor> data = fused.inputs(dims, DataKind::integers);
      for (int row = 1; row <= 7; ++row)
        data[0].set(row * 4 * 40 + row, special[row - 1]);
      for (int k = 0; k < 40; ++k)
        data[0].set(k, -0.0);
      for (int column = 0; column < 65; column += 2)
        data[2].set(column, -0.0);
      std::vector<Tensor> one = fused.run(dims, data), two = apart.run(dims, data);
      EXPECT_EQ(std::memcmp(one[0].data(), two[0].data(), one[0].bytes()), 0);
      EXPECT_TRUE(compare(one[0], fused.reference(dims, data)[0], 1e-2, 1e-6, 0, 1).passed);
    }
}

// One compilation serves every shape, from any number of threads.
TEST(OneCompilation, servesEveryShapeAndThreadCount) {
  Compiled kernel("kernel f(a: f16[M, K], b: f16[K, N]) -> c: f16[M, N] { c = relu(a @ b); }",
                  "ascend910b3", "tile=32x32x32,stage=64");
  ASSERT_TRUE(kernel.ready());
  for (int64_t m : {1, 31, 32, 33, 200})
    for (unsigned threads : {1u, 2u, 7u}) {
      std::map<std::string, int64_t> dims = {{"M", m}, {"N", 2 * m + 1}, {"K", m + 5}};
      std::vector<Tensor> data = kernel.inputs(dims, DataKind::integers);
      std::vector<Tensor> got = kernel.run(dims, data, {}, threads);
      EXPECT_TRUE(compare(got[0], kernel.reference(dims, data)[0], 0, 0, 0, 1).passed) << m;
    }
}

// Every code path: whole and partial register tiles, whole and partial vectors.
TEST(OneCompilation, servesFewRowsByFewColumnsOnTheHost) {
  for (const char *type : {"f32", "f16", "bf16", "i8"}) {
    const std::string sums = type == std::string("i8") ? "i32" : "f32";
    Compiled kernel("kernel f(a: " + std::string(type) + "[M, K], b: " + type +
                        "[K, N]) -> c: " + sums + "[M, N] { c = a @ b; }",
                    "host");
    ASSERT_TRUE(kernel.ready());
    for (int64_t m : {1, 2, 5, 7, 8, 9, 13, 16, 17})
      for (int64_t n : {1, 2, 7, 8, 10, 16, 17, 31, 32, 33, 47, 48, 65})
        for (int64_t k : {1, 5, 8, 67, 300}) {
          std::map<std::string, int64_t> dims = {{"M", m}, {"N", n}, {"K", k}};
          std::vector<Tensor> data = kernel.inputs(dims, DataKind::integers);
          std::vector<Tensor> got = kernel.run(dims, data, {}, 1);
          EXPECT_TRUE(compare(got[0], kernel.reference(dims, data)[0], 0, 0, 0, 1).passed)
              << type << " " << m << " " << n << " " << k;
        }
    // More than one pass along k.
    for (auto [m, n] : {std::pair(3, 9), {8, 48}, {5, 31}, {16, 20}}) {
      std::map<std::string, int64_t> dims = {{"M", m}, {"N", n}, {"K", 4099}};
      std::vector<Tensor> data = kernel.inputs(dims, DataKind::integers);
      std::vector<Tensor> got = kernel.run(dims, data, {}, 1);
      EXPECT_TRUE(compare(got[0], kernel.reference(dims, data)[0], 0, 0, 0, 1).passed)
          << type << " " << m << " " << n;
    }
  }
}

// Several passes along k, long rows and short ones, and ragged ends of parts, blocks and vectors.
TEST(OneCompilation, servesOneRowAndFewColumnsOnTheHost) {
  for (const char *type : {"f32", "f16", "bf16", "i8"}) {
    const std::string sums = type == std::string("i8") ? "i32" : "f32";
    Compiled kernel("kernel f(a: " + std::string(type) + "[M, K], b: " + type +
                        "[K, N]) -> c: " + sums + "[M, N] { c = a @ b; }",
                    "host");
    ASSERT_TRUE(kernel.ready());
    for (auto [m, n, k] :
         {std::tuple(1, 2085, 2061), std::tuple(1, 4128, 520), std::tuple(1, 9001, 7),
          std::tuple(1, 33, 2100), std::tuple(600, 1, 9000), std::tuple(600, 5, 4600),
          std::tuple(601, 8, 4099)}) {
      std::map<std::string, int64_t> dims = {{"M", m}, {"N", n}, {"K", k}};
      std::vector<Tensor> data = kernel.inputs(dims, DataKind::integers);
      std::vector<Tensor> got = kernel.run(dims, data, {}, 2);
      EXPECT_TRUE(compare(got[0], kernel.reference(dims, data)[0], 0, 0, 0, 1).passed)
          << type << " " << m << " " << n << " " << k;
    }
  }
}

} // namespace
} // namespace mmk
