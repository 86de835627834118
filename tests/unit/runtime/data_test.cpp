// Seeded data: reproducible to the bit, and distributed as documented.
#include "runtime/data.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace mmk;

namespace {

Tensor make(ElementType type, DataKind kind, uint64_t seed, unsigned threads = 1,
            std::vector<int64_t> shape = {100, 1000}) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(type, std::move(shape)));
  tensor.poison();
  fillWithData(tensor, kind, seed, threads);
  EXPECT_TRUE(tensor.canariesIntact());
  return tensor;
}

bool same(const Tensor &a, const Tensor &b) {
  return a.bytes() == b.bytes() && memcmp(a.data(), b.data(), a.bytes()) == 0;
}

struct Moments {
  double mean = 0, deviation = 0;
};

Moments momentsOf(const Tensor &tensor) {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    sum += tensor[i], squares += tensor[i] * tensor[i];
  const double mean = sum / tensor.elements();
  return {mean, std::sqrt(squares / tensor.elements() - mean * mean)};
}

constexpr ElementType floats[] = {ElementType::f32, ElementType::f16, ElementType::bf16};

} // namespace

TEST(Data, KindsByName) {
  EXPECT_EQ(dataKindNames(),
            (std::vector<std::string>{"uniform", "integers", "normal", "special"}));
  EXPECT_EQ(dataKindFromSpelling("normal"), DataKind::normal);
  EXPECT_FALSE(dataKindFromSpelling("gauss"));
}

TEST(Data, DependsOnTheSeedAlone) {
  for (const std::string &name : dataKindNames())
    for (ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8,
                             ElementType::i32}) {
      const DataKind kind = *dataKindFromSpelling(name);
      EXPECT_TRUE(same(make(type, kind, 7), make(type, kind, 7, 3))) << name;
      EXPECT_FALSE(same(make(type, kind, 7), make(type, kind, 8))) << name;
    }
}

// Pinned: a saved result must mean the same inputs on every host and in every later version.
TEST(Data, FirstValuesOfSeedOne) {
  const Tensor uniform = make(ElementType::f32, DataKind::uniform, 1);
  const Tensor integers = make(ElementType::f32, DataKind::integers, 1);
  const Tensor normal = make(ElementType::f32, DataKind::normal, 1);
  const auto firstThree = [](const Tensor &t) { return std::vector<double>{t[0], t[1], t[2]}; };
  EXPECT_EQ(firstThree(uniform), (std::vector<double>{0x1.98b3cp-5, -0x1.e7af5p-1, 0x1.2d9838p-1}));
  EXPECT_EQ(firstThree(integers), (std::vector<double>{-4, 0, -2}));
  EXPECT_EQ(firstThree(normal), (std::vector<double>{-0x1.07f9cp+0, -0x1.20d932p-2, 0x1.9b579p-2}));
}

TEST(Data, UniformFillsItsRange) {
  for (ElementType type : floats) {
    const Tensor tensor = make(type, DataKind::uniform, 3);
    const auto [mean, deviation] = momentsOf(tensor);
    EXPECT_NEAR(mean, 0, 0.01);
    EXPECT_NEAR(deviation, std::sqrt(1.0 / 3), 0.01);
    double low = 0, high = 0;
    for (int64_t i = 0; i < tensor.elements(); ++i)
      low = std::min(low, tensor[i]), high = std::max(high, tensor[i]);
    EXPECT_GE(low, -1);
    EXPECT_LE(high, 1);
    EXPECT_LT(low, -0.99);
    EXPECT_GT(high, 0.99);
  }
}

TEST(Data, IntegersAreSmallAndEvenlyMet) {
  for (ElementType type : {ElementType::f16, ElementType::i8}) {
    const Tensor tensor = make(type, DataKind::integers, 3);
    std::map<double, int> counts;
    for (int64_t i = 0; i < tensor.elements(); ++i)
      ++counts[tensor[i]];
    EXPECT_EQ(counts.size(), 9u);
    for (const auto &[value, count] : counts) {
      EXPECT_LE(std::fabs(value), 4);
      EXPECT_NEAR(count, tensor.elements() / 9.0, 500) << value;
    }
  }
}

TEST(Data, NormalHasItsMoments) {
  for (ElementType type : floats) {
    const auto [mean, deviation] = momentsOf(make(type, DataKind::normal, 5));
    EXPECT_NEAR(mean, 0, 0.02);
    EXPECT_NEAR(deviation, 1, 0.02);
  }
  EXPECT_NEAR(momentsOf(make(ElementType::i8, DataKind::normal, 5)).deviation, 32, 1);
}

TEST(Data, SpecialMixesInWhatBreaksKernels) {
  for (ElementType type : floats) {
    const Tensor tensor = make(type, DataKind::special, 11);
    int nans = 0, infinities = 0, negativeZeros = 0, subnormals = 0;
    const double smallestNormal = type == ElementType::f16 ? 0x1p-14 : 0x1p-126;
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      const double x = tensor[i];
      nans += std::isnan(x);
      infinities += std::isinf(x);
      negativeZeros += x == 0 && std::signbit(x);
      subnormals += x != 0 && std::fabs(x) < smallestNormal;
    }
    EXPECT_GT(nans, 0);
    EXPECT_LT(nans, 50);
    EXPECT_GT(infinities, 0);
    EXPECT_LT(infinities, 50);
    EXPECT_GT(negativeZeros, 100);
    EXPECT_GT(subnormals, 100);
  }
  const Tensor bytes = make(ElementType::i8, DataKind::special, 11);
  std::set<double> values;
  for (int64_t i = 0; i < bytes.elements(); ++i)
    values.insert(bytes[i]);
  EXPECT_EQ(values.size(), 256u);
}

TEST(Data, OddSizesAndNone) {
  for (int64_t n : {0, 1, 4095, 4096, 4097}) {
    const Tensor tensor = make(ElementType::f16, DataKind::uniform, 1, 2, {n});
    for (int64_t i = 0; i < n; ++i)
      EXPECT_FALSE(std::isnan(tensor[i])) << i; // no poison left
  }
}

TEST(Data, BlocksDoNotRepeat) {
  const Tensor tensor = make(ElementType::f32, DataKind::uniform, 1);
  const float *values = tensor.as<float>();
  for (int64_t lag : {1, 4096, 8192})
    EXPECT_NE(memcmp(values, values + lag, 64 * sizeof(float)), 0) << lag;
}
