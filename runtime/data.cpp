#include "runtime/data.h"

#include "runtime/clones.h"
#include "runtime/convert.h"
#include "runtime/threads.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mmk {
namespace {

/// Values made at a time: the random bits depend on the block and on the place in it alone.
constexpr int64_t blockElements = 4096;

/// One step of splitmix64: neighbouring seeds and blocks get unrelated keys.
uint64_t splitmix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// A bijection of 32 bits with every output bit depending evenly on every input bit ("lowbias32").
inline uint32_t mix(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

struct Key {
  uint32_t first, second;

  inline uint32_t bits(int64_t i) const {
    return mix(mix(static_cast<uint32_t>(i) + first) ^ second);
  }
};

inline double uniformFrom(uint32_t bits) {
  return static_cast<double>(static_cast<int32_t>(bits) >> 8) * 0x1p-23;
}

MMK_CLONES void fillUniform(Key key, double *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = uniformFrom(key.bits(i));
}

MMK_CLONES void fillBytes(Key key, double *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = static_cast<int32_t>(key.bits(i)) >> 24;
}

MMK_CLONES void fillIntegers(Key key, double *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] = static_cast<double>(static_cast<int32_t>((key.bits(i) >> 16) * 9 >> 16)) - 4;
}

/// The sum of eight uniform numbers: within a percent of a normal density up to three deviations,
/// and, unlike a logarithm, the same on every host.
MMK_CLONES void fillNormal(Key key, double deviation, double *target, int64_t count) {
  // Each of the eight spreads over 2^16 integers: variance (2^32 - 1) / 12.
  const double scale = deviation / std::sqrt(8 * 4294967295.0 / 12);
  for (int64_t i = 0; i < count; ++i) {
    int32_t sum = 0;
    for (int64_t part = 0; part < 4; ++part) {
      const uint32_t bits = key.bits(4 * i + part);
      sum += static_cast<int32_t>((bits & 0xFFFF) + (bits >> 16));
    }
    target[i] = (sum - 4 * 65535) * scale;
  }
}

/// Puts special values over a block. NaN and infinities are so rare that a product over some
/// thousand elements still has results without them.
void strewSpecials(Key key, ElementType type, double *target, int64_t count) {
  const bool isReal = isFloat(type);
  const double infinity = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = key.bits(i);
    const uint32_t draw = bits & 8191;
    const double sign = bits >> 31 ? -1 : 1;
    if (draw == 0)
      target[i] = isReal ? std::numeric_limits<double>::quiet_NaN() : 0;
    else if (draw == 1)
      target[i] = sign * infinity; // the end of its range for an integer
    else if (draw == 2)
      target[i] = sign * largestValue(type);
    else if (draw < 128)
      target[i] = sign * 0.0;
    else if (draw < 256 && isReal)
      target[i] = sign * smallestPositive(type) * (1 + (bits >> 16 & 63));
  }
}

void fillBlock(ElementType type, DataKind kind, uint64_t seed, double *target, int64_t count) {
  const Key key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  switch (kind) {
  case DataKind::integers:
    return fillIntegers(key, target, count);
  case DataKind::normal:
    return fillNormal(key, isFloat(type) ? 1 : 32, target, count);
  case DataKind::uniform:
  case DataKind::special:
    isFloat(type) ? fillUniform(key, target, count) : fillBytes(key, target, count);
    if (kind == DataKind::special)
      strewSpecials(Key{key.second, key.first}, type, target, count);
  }
}

constexpr std::pair<std::string_view, DataKind> kinds[] = {{"uniform", DataKind::uniform},
                                                           {"integers", DataKind::integers},
                                                           {"normal", DataKind::normal},
                                                           {"special", DataKind::special}};

} // namespace

std::optional<DataKind> dataKindFromSpelling(std::string_view text) {
  for (const auto &[name, kind] : kinds)
    if (name == text)
      return kind;
  return std::nullopt;
}

std::vector<std::string> dataKindNames() {
  std::vector<std::string> names;
  for (const auto &[name, kind] : kinds)
    names.emplace_back(name);
  return names;
}

void fillWithData(Tensor &tensor, DataKind kind, uint64_t seed, unsigned threads) {
  const int64_t blocks = (tensor.elements() + blockElements - 1) / blockElements;
  const uint64_t base = splitmix(seed);
  parallelFor(blocks, threads, [&](int64_t block, unsigned) {
    alignas(64) double values[blockElements];
    const int64_t begin = block * blockElements;
    const int64_t count = std::min(blockElements, tensor.elements() - begin);
    fillBlock(tensor.type, kind, splitmix(base ^ static_cast<uint64_t>(block)), values, count);
    narrow(values, tensor.type, tensor.as<char>() + begin * sizeInBytes(tensor.type), count);
  });
}

} // namespace mmk
