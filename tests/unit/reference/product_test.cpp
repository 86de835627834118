// `@`: against sums by hand, for every order in memory, type, ragged size and batch.
#include "reference/micro_kernel.h"
#include "reference/product.h"
#include "tests/unit/reference_testing.h"
#include "tests/unit/special_values.h"

#include <cstring>

using namespace mmk;

namespace {

Tensor multiplied(const TensorView &left, const TensorView &right, std::vector<int64_t> shape,
                  unsigned threads = 2) {
  Tensor result = llvm::cantFail(Tensor::allocate(accumulatorOf(left.type), std::move(shape)));
  result.poison();
  multiply(left, right, result, threads);
  EXPECT_TRUE(result.canariesIntact());
  return result;
}

/// The sum by the definition, in double and in the order of k.
double element(const TensorView &left, const TensorView &right, int64_t leftOffset,
               int64_t rightOffset, int64_t row, int64_t column) {
  double sum = 0;
  for (int64_t k = 0; k < left.shape.end()[-1]; ++k)
    sum += loadElement(left.data,
                       leftOffset + row * left.strides.end()[-2] + k * left.strides.end()[-1],
                       left.type) *
           loadElement(right.data,
                       rightOffset + k * right.strides.end()[-2] + column * right.strides.end()[-1],
                       right.type);
  return sum;
}

void expectProduct(const TensorView &left, const TensorView &right, const std::string &what) {
  const int64_t rows = left.shape.end()[-2], columns = right.shape.end()[-1];
  const Tensor result = multiplied(left, right, {rows, columns});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      ASSERT_EQ(result[i * columns + j], roundTo(result.type, element(left, right, 0, 0, i, j)))
          << what << " at " << i << ", " << j;
}

} // namespace

TEST(ReferenceProduct, EverySizeNearATile) {
  for (int64_t m : {1, 3, 8, 9, 25})
    for (int64_t n : {1, 12, 23, 24, 49})
      for (int64_t k : {1, 2, 16, 17}) {
        const Tensor a = seeded(ElementType::f16, {m, k}, 1, DataKind::uniform);
        const Tensor b = seeded(ElementType::f16, {k, n}, 2, DataKind::uniform);
        expectProduct(viewOf(a), viewOf(b), spelling(a.type, {m, n, k}));
      }
}

TEST(ReferenceProduct, EverySizeNearABlock) {
  for (const auto &[m, n, k] : {std::tuple(193, 241, 257),
                                {191, 239, 255},
                                {192, 240, 256},
                                {1, 481, 513},
                                {385, 1, 300},
                                {2, 2, 1025}}) {
    const Tensor a = seeded(ElementType::f32, {m, k}, 3, DataKind::normal);
    const Tensor b = seeded(ElementType::f32, {k, n}, 4, DataKind::normal);
    expectProduct(viewOf(a), viewOf(b), spelling(a.type, {m, n, k}));
  }
}

TEST(ReferenceProduct, EveryTypeAndOrderInMemory) {
  const int64_t m = 37, n = 53, k = 29;
  for (ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8})
    for (bool leftTransposed : {false, true})
      for (bool rightTransposed : {false, true}) {
        const Tensor a = seeded(type, leftTransposed ? std::vector{k, m} : std::vector{m, k}, 5,
                                DataKind::uniform);
        const Tensor b = seeded(type, rightTransposed ? std::vector{n, k} : std::vector{k, n}, 6,
                                DataKind::uniform);
        expectProduct(leftTransposed ? transposed(viewOf(a)) : viewOf(a),
                      rightTransposed ? transposed(viewOf(b)) : viewOf(b),
                      std::string(spelling(type)));
      }
}

TEST(ReferenceProduct, TransposedRowsAndColumns) {
  for (const auto &[m, n, k] : {std::tuple(1, 7, 5), {7, 1, 5}, {7, 5, 1}, {1, 1, 9}, {1, 1, 1}}) {
    const Tensor a = seeded(ElementType::f16, {k, m}, 7), b = seeded(ElementType::f16, {n, k}, 8);
    expectProduct(transposed(viewOf(a)), transposed(viewOf(b)), spelling(a.type, {m, n, k}));
  }
}

TEST(ReferenceProduct, AllKernelsOfThisCpuAgree) {
  const DoubleMicroKernel &first = microKernels().front();
  for (const DoubleMicroKernel &kernel : microKernels()) {
    const int64_t depth = 100, side = 24;
    const Tensor a = seeded(ElementType::f32, {side, depth}, 1, DataKind::uniform);
    const Tensor b = seeded(ElementType::f32, {depth, side}, 2, DataKind::uniform);
    std::vector<double> sums(side * side, 1.0);
    for (int64_t i = 0; i < side; i += kernel.rows)
      for (int64_t j = 0; j < side; j += kernel.columns) {
        std::vector<double> left, right;
        for (int64_t k = 0; k < depth; ++k) {
          for (int64_t r = 0; r < kernel.rows; ++r)
            left.push_back(a[(i + r) * depth + k]);
          for (int64_t c = 0; c < kernel.columns; ++c)
            right.push_back(b[k * side + j + c]);
        }
        kernel.run(depth, left.data(), right.data(), &sums[i * side + j], side);
      }
    for (int64_t i = 0; i < side; ++i)
      for (int64_t j = 0; j < side; ++j) {
        double expected = 1;
        for (int64_t k = 0; k < depth; ++k)
          expected += a[i * depth + k] * b[k * side + j];
        EXPECT_EQ(sums[i * side + j], expected) << kernel.rows << "x" << kernel.columns;
      }
  }
  EXPECT_GE(first.rows * first.columns, 16);
}

TEST(ReferenceProduct, BatchesBroadcast) {
  const Tensor a = seeded(ElementType::f16, {2, 1, 5, 7}, 9),
               b = seeded(ElementType::f16, {3, 7, 4}, 10);
  const TensorView left = viewOf(a), right = viewOf(b);
  const Tensor result = multiplied(left, right, {2, 3, 5, 4});
  for (int64_t x = 0; x < 2; ++x)
    for (int64_t y = 0; y < 3; ++y)
      for (int64_t i = 0; i < 5; ++i)
        for (int64_t j = 0; j < 4; ++j)
          ASSERT_EQ(result[((x * 3 + y) * 5 + i) * 4 + j],
                    element(left, right, x * 35, y * 28, i, j));
}

TEST(ReferenceProduct, ManySmallMatrices) {
  const Tensor a = seeded(ElementType::f32, {500, 3, 2}, 11),
               b = seeded(ElementType::f32, {500, 2, 3}, 12);
  const Tensor result = multiplied(viewOf(a), viewOf(b), {500, 3, 3}, 4);
  for (int64_t x = 0; x < 500; ++x)
    for (int64_t i = 0; i < 9; ++i)
      ASSERT_EQ(result[x * 9 + i], element(viewOf(a), viewOf(b), x * 6, x * 6, i / 3, i % 3));
}

TEST(ReferenceProduct, DoesNotDependOnThreads) {
  const Tensor a = seeded(ElementType::f16, {400, 300}, 13, DataKind::special);
  const Tensor b = seeded(ElementType::f16, {300, 500}, 14, DataKind::special);
  const Tensor one = multiplied(viewOf(a), viewOf(b), {400, 500}, 1);
  const Tensor five = multiplied(viewOf(a), viewOf(b), {400, 500}, 5);
  EXPECT_EQ(memcmp(one.data(), five.data(), one.bytes()), 0);
}

TEST(ReferenceProduct, RoundsOnceFromDouble) {
  // In f32 the small terms vanish beside the large one, in whatever order.
  const Tensor a = tensorOf(ElementType::f32, {1, 4}, {0x1p24, 1, 1, -0x1p24});
  const Tensor b = tensorOf(ElementType::f32, {4, 1}, {1, 1, 1, 1});
  EXPECT_EQ(multiplied(viewOf(a), viewOf(b), {1, 1})[0], 2);
}

TEST(ReferenceProduct, NoPaddingLeaksIntoAResult) {
  // An infinity beside a padded zero would be NaN.
  const Tensor a = tensorOf(ElementType::f16, {1, 2}, {infinity, 1});
  const Tensor b = tensorOf(ElementType::f16, {2, 1}, {2, -infinity});
  EXPECT_TRUE(std::isnan(multiplied(viewOf(a), viewOf(b), {1, 1})[0]));
  const Tensor c = tensorOf(ElementType::f16, {2, 1}, {2, 5});
  EXPECT_EQ(multiplied(viewOf(a), viewOf(c), {1, 1})[0], infinity);
}

TEST(ReferenceProduct, BytesSumExactlyModulo32Bits) {
  const int64_t depth = 140000; // 127 * 127 * depth is above 2^31
  const Tensor low = tensorOf(ElementType::i8, {1, depth}, std::vector<double>(depth, -128));
  const Tensor high = tensorOf(ElementType::i8, {depth, 1}, std::vector<double>(depth, 127));
  EXPECT_EQ(multiplied(viewOf(low), viewOf(high), {1, 1})[0], 4294967296.0 - 128.0 * 127 * depth);
  EXPECT_EQ(multiplied(viewOf(low), transposed(viewOf(low)), {1, 1})[0],
            128.0 * 128 * depth - 4294967296.0);
  const Tensor odd = tensorOf(ElementType::i8, {1, 3}, {127, 127, 1});
  EXPECT_EQ(multiplied(viewOf(odd), transposed(viewOf(odd)), {1, 1})[0], 32259);
}

TEST(ReferenceProduct, EmptyDimensions) {
  const Tensor a = tensorOf(ElementType::f32, {2, 0}, {}),
               b = tensorOf(ElementType::f32, {0, 3}, {});
  EXPECT_EQ(valuesOf(multiplied(viewOf(a), viewOf(b), {2, 3})), std::vector<double>(6, 0.0));
  EXPECT_EQ(multiplied(viewOf(b), transposed(viewOf(b)), {0, 0}).elements(), 0);
}
