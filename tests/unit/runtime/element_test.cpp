// Conversions of elements, on which all results depend: compared with the hardware types of the
// compiler and with halfway cases by hand.
#include "runtime/convert.h"
#include "support/element.h"
#include "tests/unit/special_values.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace mmk;

namespace {

struct Rounding {
  double value, expected;
};

void expectRounding(ElementType type, const std::vector<Rounding> &cases) {
  for (const auto &[value, expected] : cases) {
    const double rounded = roundTo(type, value);
    EXPECT_EQ(rounded, expected) << spelling(type) << " of " << value;
    EXPECT_EQ(std::signbit(rounded), std::signbit(expected)) << spelling(type) << " of " << value;
  }
}

double fromBits(ElementType type, uint16_t bits) { return loadElement(&bits, 0, type); }

uint16_t toBits(ElementType type, double value) {
  uint16_t bits;
  storeElement(&bits, 0, type, value);
  return bits;
}

/// Every bf16, each number halfway between neighbours, and its neighbours in double: the values at
/// which roundings may differ.
std::vector<double> telltales() {
  std::vector<double> values = {0.0,    -0.0,   infinity,  -infinity,    notANumber,    1e300,
                                -1e300, 1e-300, 0x1p-1074, 2147483647.5, -2147483648.5, 127.5,
                                -128.5, 0.5,    1.5,       2.5,          -0.5};
  for (ElementType type : {ElementType::f16, ElementType::bf16})
    for (uint32_t bits = 0; bits < 65535; ++bits) {
      const double value = fromBits(type, static_cast<uint16_t>(bits));
      const double next = fromBits(type, static_cast<uint16_t>(bits + 1));
      const double half = std::isfinite(next) ? value + (next - value) / 2 : value;
      for (double x : {value, half})
        for (double y : {x, std::nextafter(x, infinity), std::nextafter(x, -infinity)})
          values.push_back(y);
    }
  return values;
}

} // namespace

TEST(Element, SizesAndSpellings) {
  for (const auto &[type, text, bytes] : {std::tuple(ElementType::f32, "f32", 4),
                                          {ElementType::f16, "f16", 2},
                                          {ElementType::bf16, "bf16", 2},
                                          {ElementType::i8, "i8", 1},
                                          {ElementType::i32, "i32", 4}}) {
    EXPECT_EQ(spelling(type), text);
    EXPECT_EQ(elementTypeFromSpelling(text), type);
    EXPECT_EQ(sizeInBytes(type), static_cast<size_t>(bytes));
  }
  EXPECT_EQ(sizeInBytes(ElementType::boolean), 1u);
  EXPECT_FALSE(elementTypeFromSpelling("boolean")); // no program may write it
  EXPECT_FALSE(elementTypeFromSpelling("f64"));
  EXPECT_EQ(accumulatorOf(ElementType::f16), ElementType::f32);
  EXPECT_EQ(accumulatorOf(ElementType::bf16), ElementType::f32);
  EXPECT_EQ(accumulatorOf(ElementType::i8), ElementType::i32);
}

TEST(Element, EveryHalfIsWhatTheCompilerSays) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const auto expected = static_cast<double>(std::bit_cast<_Float16>(bits));
    const double value = fromBits(ElementType::f16, bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << i;
      EXPECT_TRUE(std::isnan(fromBits(ElementType::f16, toBits(ElementType::f16, value)))) << i;
      continue;
    }
    EXPECT_EQ(value, expected) << i;
    EXPECT_EQ(toBits(ElementType::f16, value), bits); // also the sign of zero
  }
}

TEST(Element, EveryBrainFloatRoundTrips) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const double value = fromBits(ElementType::bf16, bits);
    const float expected = std::bit_cast<float>(i << 16);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(value)) << i;
    else {
      EXPECT_EQ(value, expected);
      EXPECT_EQ(toBits(ElementType::bf16, value), bits);
    }
  }
}

TEST(Element, HalfRoundsAsTheCompilerDoes) {
  for (double value : telltales())
    if (!std::isnan(value)) {
      EXPECT_EQ(toBits(ElementType::f16, value),
                std::bit_cast<uint16_t>(static_cast<_Float16>(value)))
          << value;
    }
}

TEST(Element, RoundsOnceToNearestEven) {
  // 2049 and 2051 are halfway between even neighbours: one goes down, one up.
  expectRounding(ElementType::f16, {{2049, 2048},
                                    {2051, 2052},
                                    {-2049, -2048},
                                    {2049.0000001, 2050},
                                    {0.1, 0.0999755859375},
                                    {0.0, 0.0},
                                    {-0.0, -0.0}});
  expectRounding(ElementType::bf16, {{257, 256}, {259, 260}, {257.0001, 258}, {-259, -260}});
  expectRounding(ElementType::f32, {{16777217, 16777216}, {16777219, 16777220}});
  // Rounding to f32 first would give 1 + 2^-10, halfway cases of halfway cases.
  expectRounding(ElementType::f16, {{1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-10}, {1 + 0x1p-11, 1}});
}

TEST(Element, SubnormalsKeepTheirLastPlaces) {
  expectRounding(ElementType::f16, {{0x1p-24, 0x1p-24},
                                    {0x1p-25, 0},
                                    {-0x1p-25, -0.0},
                                    {0x1.000001p-25, 0x1p-24},
                                    {0x1.8p-24, 0x1p-23},
                                    {0x1.FFCp-15, 0x1p-14}, // halfway to the smallest normal
                                    {0x1.FFBp-15, 0x1.FF8p-15}});
  expectRounding(ElementType::bf16, {{0x1p-133, 0x1p-133}, {0x1p-134, 0}, {0x1.8p-133, 0x1p-132}});
  expectRounding(ElementType::f32, {{0x1p-149, 0x1p-149}, {0x1p-150, 0}});
}

TEST(Element, OverflowsToInfinity) {
  expectRounding(ElementType::f16, {{65504, 65504},
                                    {65519.99, 65504},
                                    {65520, infinity},
                                    {-65520, -infinity},
                                    {1e300, infinity},
                                    {-infinity, -infinity}});
  expectRounding(ElementType::bf16, {{0x1.FEp127, 0x1.FEp127},
                                     {0x1.FEFFp127, 0x1.FEp127},
                                     {0x1.FFp127, infinity},
                                     {-1e39, -infinity}});
  expectRounding(ElementType::f32, {{0x1.FFFFFFp127, infinity}, {0x1.FFFFFEp127, 0x1.FFFFFEp127}});
}

TEST(Element, KeepsNaN) {
  for (ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16})
    EXPECT_TRUE(std::isnan(roundTo(type, notANumber))) << spelling(type);
}

TEST(Element, IntegersSaturate) {
  expectRounding(ElementType::i8, {{127.4, 127},
                                   {127.5, 127},
                                   {1000, 127},
                                   {infinity, 127},
                                   {-128.5, -128},
                                   {-1000, -128},
                                   {-infinity, -128},
                                   {0.5, 0},
                                   {1.5, 2},
                                   {2.5, 2},
                                   {-1.5, -2},
                                   {notANumber, 0}});
  expectRounding(ElementType::i32, {{2147483647, 2147483647},
                                    {2147483648, 2147483647},
                                    {-2147483649, -2147483648.0},
                                    {16777217, 16777217},
                                    {notANumber, 0}});
}

TEST(Convert, WidenReadsWhatLoadElementReads) {
  std::vector<uint16_t> bits(65536);
  std::vector<double> wide(bits.size());
  for (uint32_t i = 0; i < 65536; ++i)
    bits[i] = static_cast<uint16_t>(i);
  for (ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::i8, ElementType::f32, ElementType::i32}) {
    const size_t count = 2 * bits.size() / sizeInBytes(type);
    wide.resize(count);
    widen(bits.data(), type, wide.data(), static_cast<int64_t>(count));
    for (size_t i = 0; i < count; ++i) {
      const double expected = loadElement(bits.data(), i, type);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(wide[i])) << spelling(type) << " " << i;
      else
        EXPECT_EQ(wide[i], expected) << spelling(type) << " " << i;
    }
  }
}

TEST(Convert, NarrowStoresWhatStoreElementStores) {
  const std::vector<double> values = telltales();
  std::vector<char> rows(values.size() * 4), one(values.size() * 4);
  for (ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i8,
                           ElementType::i32, ElementType::boolean}) {
    narrow(values.data(), type, rows.data(), static_cast<int64_t>(values.size()));
    for (size_t i = 0; i < values.size(); ++i) {
      storeElement(one.data(), i, type, values[i]);
      const double a = loadElement(rows.data(), i, type), b = loadElement(one.data(), i, type);
      EXPECT_TRUE(a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b))
          << spelling(type) << " of " << values[i] << ": " << a << " and " << b;
    }
  }
}

TEST(Convert, ShortRowsTouchNothingBeyond) {
  for (int64_t count = 0; count < 70; ++count) {
    std::vector<double> values(count, 3.0);
    std::vector<uint16_t> target(count + 1, 0xBEEF);
    narrow(values.data(), ElementType::f16, target.data(), count);
    EXPECT_EQ(target.back(), 0xBEEF);
    values.push_back(-7);
    widen(target.data(), ElementType::f16, values.data(), count);
    EXPECT_EQ(values.back(), -7);
  }
}
