// Whole kernels: the semantics of the language, from text to numbers.
#include "tests/unit/reference_testing.h"

#include <cstring>
#include <limits>

using namespace mmk;

namespace {

const char *fused = "kernel matmul_bias_leakyrelu(a: f16[M, K], b: f16[K, N], bias: f32[N],\n"
                    "                             alpha: f32 = 0.001) -> c: f32[M, N] {\n"
                    "  let acc = a @ b;\n"
                    "  c = leaky_relu(acc + bias, alpha);\n}\n";

Tensor only(llvm::Expected<std::vector<Tensor>> results) {
  std::vector<Tensor> all = llvm::cantFail(std::move(results));
  EXPECT_EQ(all.size(), 1u);
  return std::move(all.front());
}

} // namespace

TEST(ReferenceKernel, TheFusedKernel) {
  const KernelText text(fused);
  const int64_t m = 33, n = 47, k = 29;
  const Tensor a = seeded(ElementType::f16, {m, k}, 1), b = seeded(ElementType::f16, {k, n}, 2);
  const Tensor bias = seeded(ElementType::f32, {n}, 3);
  for (double alpha : {-0.5, 0.0, 0.01, 1.0, 2.0}) {
    const Tensor c = only(
        text.evaluate({{"M", m}, {"N", n}, {"K", k}}, {&a, &b, &bias, nullptr}, {0, 0, 0, alpha}));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float x = static_cast<float>(bias[j]);
        for (int64_t l = 0; l < k; ++l)
          x += static_cast<float>(a[i * k + l] * b[l * n + j]);
        ASSERT_EQ(c[i * n + j], x >= 0 ? x : static_cast<float>(alpha) * x) << alpha;
      }
  }
}

TEST(ReferenceKernel, NaNStaysNaN) {
  const KernelText text(fused);
  const Tensor a =
      tensorOf(ElementType::f16, {2, 1}, {std::numeric_limits<double>::quiet_NaN(), 1});
  const Tensor b = tensorOf(ElementType::f16, {1, 1}, {2}),
               bias = tensorOf(ElementType::f32, {1}, {1});
  const Tensor c = only(text.evaluate({{"M", 2}, {"N", 1}, {"K", 1}}, {&a, &b, &bias, nullptr}));
  EXPECT_TRUE(std::isnan(c[0]));
  EXPECT_EQ(c[1], 3);
}

TEST(ReferenceKernel, RoundsOnceWhereTheResultIsStored) {
  // In f16 after every step 2048 + 1 + 1 would stay 2048.
  const KernelText text("kernel k(a: f16[N], b: f16[N]) -> c: f16[N], d: i8[N], e: bf16[N] {\n"
                        "  c = a + b + b;\n  d = a / 2;\n  e = a + b;\n}\n");
  const Tensor a = tensorOf(ElementType::f16, {2}, {2048, 5}),
               b = tensorOf(ElementType::f16, {2}, {1, 0});
  const auto results = llvm::cantFail(text.evaluate({{"N", 2}}, {&a, &b}));
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{2050, 5}));
  EXPECT_EQ(valuesOf(results[1]), (std::vector<double>{127, 2})); // saturates; 2.5 goes to even
  EXPECT_EQ(valuesOf(results[2]), (std::vector<double>{2048, 5}));
}

TEST(ReferenceKernel, CastRoundsWhereItStands) {
  const KernelText text("kernel k(a: f32[N]) -> c: f32[N], d: f32[N] {\n"
                        "  c = cast<f16>(a) - a;\n  d = cast<i8>(a) * 1;\n}\n");
  const Tensor a = tensorOf(ElementType::f32, {3}, {2049, -300, 1.5});
  const auto results = llvm::cantFail(text.evaluate({{"N", 3}}, {&a}));
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{-1, 0, 0}));
  EXPECT_EQ(valuesOf(results[1]), (std::vector<double>{127, -128, 2}));
}

TEST(ReferenceKernel, IntegersStayExactFromProductToResult) {
  const KernelText text("kernel k(a: i8[M, K], b: i8[K, N]) -> c: i32[M, N], d: f32[M, N] {\n"
                        "  c = a @ b;\n  d = a @ b + 0;\n}\n");
  const int64_t k = 1041; // 127 * 127 * 1041 is odd and above 2^24
  const Tensor a = tensorOf(ElementType::i8, {1, k}, std::vector<double>(k, 127));
  const Tensor b = tensorOf(ElementType::i8, {k, 1}, std::vector<double>(k, 127));
  const auto results = llvm::cantFail(text.evaluate({{"M", 1}, {"N", 1}, {"K", k}}, {&a, &b}));
  EXPECT_EQ(results[0][0], 16790289);
  EXPECT_EQ(results[1][0], 16790288); // arithmetic is done in f32
}

TEST(ReferenceKernel, ProductsOfWhatIsComputed) {
  const KernelText text("kernel k(a: f16[M, K], b: f16[K, N], w: f16[N, P]) -> c: f32[M, P] {\n"
                        "  let h = cast<f16>(relu(a @ b));\n  c = h @ w + 1;\n}\n");
  const Tensor a = tensorOf(ElementType::f16, {1, 2}, {1, -2}),
               b = tensorOf(ElementType::f16, {2, 2}, {3, 4, 1, 3});
  const Tensor w = tensorOf(ElementType::f16, {2, 2}, {10, 20, 30, 40});
  // a @ b = [1, -2], relu [1, 0], times w [10, 20], plus 1
  EXPECT_EQ(valuesOf(only(text.evaluate({{"M", 1}, {"K", 2}, {"N", 2}, {"P", 2}}, {&a, &b, &w}))),
            (std::vector<double>{11, 21}));
}

TEST(ReferenceKernel, TransposesOfParametersAndOfValues) {
  const KernelText text(
      "kernel k(a: f32[M, K], b: f32[N, K]) -> c: f32[M, N], d: f32[K, M], e: f32[N, M] {\n"
      "  c = a @ transpose(b);\n  d = transpose(a * 2);\n"
      "  e = transpose(a @ transpose(b)) + 1;\n}\n");
  const Tensor a = tensorOf(ElementType::f32, {2, 3}, {1, 2, 3, 4, 5, 6}),
               b = tensorOf(ElementType::f32, {1, 3}, {1, 10, 100});
  const auto results = llvm::cantFail(text.evaluate({{"M", 2}, {"N", 1}, {"K", 3}}, {&a, &b}));
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{321, 654}));
  EXPECT_EQ(valuesOf(results[1]), (std::vector<double>{2, 8, 4, 10, 6, 12}));
  EXPECT_EQ(valuesOf(results[2]), (std::vector<double>{322, 655}));
}

// A product that is read early by another product and late by a result must live until then, in any
// order of its readers.
TEST(ReferenceKernel, ValuesLiveAsLongAsTheyAreRead) {
  const KernelText text("kernel k(a: f32[N, N]) -> c: f32[N, N], d: f32[N, N] {\n"
                        "  let p = a @ a;\n  let late = p + 1;\n  let early = p * 2;\n"
                        "  let q = early @ a;\n  let r = transpose(q) @ q;\n"
                        "  c = late + r;\n  d = transpose(p) + q;\n}\n");
  const int64_t n = 3;
  const Tensor a = seeded(ElementType::f32, {n, n}, 1);
  const auto product = [&](const std::vector<double> &x, const std::vector<double> &y) {
    std::vector<double> z(n * n, 0.0);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t k = 0; k < n; ++k)
          z[i * n + j] += x[i * n + k] * y[k * n + j];
    return z;
  };
  const auto transpose = [&](const std::vector<double> &x) {
    std::vector<double> y(n * n);
    for (int64_t i = 0; i < n * n; ++i)
      y[i] = x[i % n * n + i / n];
    return y;
  };
  const std::vector<double> va = valuesOf(a), p = product(va, va);
  std::vector<double> early = p;
  for (double &x : early)
    x *= 2;
  const std::vector<double> q = product(early, va), r = product(transpose(q), q), t = transpose(p);
  const auto results = llvm::cantFail(text.evaluate({{"N", n}}, {&a}));
  for (int64_t i = 0; i < n * n; ++i) {
    EXPECT_EQ(results[0][i], p[i] + 1 + r[i]);
    EXPECT_EQ(results[1][i], t[i] + q[i]);
  }
}

TEST(ReferenceKernel, BatchesOfProducts) {
  const KernelText text(
      "kernel k(a: f16[B, M, K], b: f16[K, N]) -> c: f32[B, M, N] {\n  c = a @ b;\n}\n");
  const Tensor a = tensorOf(ElementType::f16, {2, 1, 2}, {1, 2, 3, 4}),
               b = tensorOf(ElementType::f16, {2, 1}, {10, 1});
  EXPECT_EQ(valuesOf(only(text.evaluate({{"B", 2}, {"M", 1}, {"N", 1}, {"K", 2}}, {&a, &b}))),
            (std::vector<double>{12, 34}));
}

TEST(ReferenceKernel, ScalarsAndConstantsAreF32) {
  const KernelText text("kernel k(a: f32[N], s: f32) -> c: f32[N], d: f32[N] {\n"
                        "  c = a * s;\n  d = a * s - 0.1;\n}\n");
  const Tensor a = tensorOf(ElementType::f32, {1}, {1});
  const auto results = llvm::cantFail(text.evaluate({{"N", 1}}, {&a, nullptr}, {0, 0.1}));
  EXPECT_EQ(results[0][0], 0.1f);
  EXPECT_EQ(results[1][0], 0); // both are 0.1 rounded to f32
}

TEST(ReferenceKernel, ResultsThatOnlyCopyOrStretch) {
  const KernelText text("kernel k(a: f16[N], s: f32) -> c: f32[3, N], d: f16[N], e: i8[N] {\n"
                        "  c = a;\n  d = a;\n  e = s;\n}\n");
  const Tensor a = tensorOf(ElementType::f16, {2}, {0.5, -7});
  const auto results = llvm::cantFail(text.evaluate({{"N", 2}}, {&a, nullptr}, {0, 1.6}));
  EXPECT_EQ(valuesOf(results[0]), (std::vector<double>{0.5, -7, 0.5, -7, 0.5, -7}));
  EXPECT_EQ(valuesOf(results[1]), (std::vector<double>{0.5, -7}));
  EXPECT_EQ(valuesOf(results[2]), (std::vector<double>{2, 2}));
}

TEST(ReferenceKernel, DoesNotDependOnThreads) {
  const KernelText text(
      "kernel k(a: f16[M, K], b: f16[K, N]) -> c: f16[M, N] {\n  c = gelu(a @ b);\n}\n");
  const Tensor a = seeded(ElementType::f16, {200, 100}, 1, DataKind::special);
  const Tensor b = seeded(ElementType::f16, {100, 300}, 2, DataKind::special);
  const std::map<std::string, int64_t> dims = {{"M", 200}, {"N", 300}, {"K", 100}};
  const Tensor one = only(text.evaluate(dims, {&a, &b}, {}, 1));
  const Tensor four = only(text.evaluate(dims, {&a, &b}, {}, 4));
  EXPECT_EQ(memcmp(one.data(), four.data(), one.bytes()), 0);
}

TEST(ReferenceKernel, RefusesArgumentsThatDoNotFit) {
  const KernelText text(fused);
  const Tensor a = seeded(ElementType::f16, {4, 8}, 1), b = seeded(ElementType::f16, {8, 4}, 2);
  const Tensor bias = seeded(ElementType::f32, {5}, 3);
  const auto messageOf = [&](const std::map<std::string, int64_t> &dims,
                             const std::vector<const Tensor *> &tensors) {
    return llvm::toString(text.evaluate(dims, tensors).takeError());
  };
  EXPECT_EQ(messageOf({{"M", 4}, {"N", 4}}, {&a, &b, &bias, nullptr}),
            "the dimension K has no value");
  EXPECT_EQ(messageOf({{"M", 4}, {"N", 4}, {"K", 8}}, {&a, &b, &bias, nullptr}),
            "bias: expected f32[4], found f32[5]");
  EXPECT_EQ(messageOf({{"M", 4}, {"N", 4}, {"K", 8}}, {&a, nullptr, &bias, nullptr}),
            "b: expected a tensor f16[8, 4], found none");
  EXPECT_EQ(messageOf({{"M", 1LL << 40}, {"N", 1LL << 40}, {"K", 8}}, {&a, &b, &bias, nullptr}),
            "a: expected f16[1099511627776, 8], found f16[4, 8]");
}
