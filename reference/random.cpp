#include "reference/random.h"

#include "runtime/convert.h"
#include "runtime/threads.h"

#include <algorithm>

namespace mmk {
namespace {

constexpr int64_t numbersAtOnce = 4096;

} // namespace

// Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3 (2011).
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t(0xD2511F53) * counter[0],
                   second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {
        static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(second),
        static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

double randomNumber(int32_t seed, int64_t position) {
  const auto block = static_cast<uint64_t>(position) / 4;
  const auto words =
      philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0},
             {static_cast<uint32_t>(seed), 0});
  return (words[position % 4] >> 8) * 0x1p-24;
}

void storeRandom(int32_t seed, Tensor &result, unsigned threads) {
  const int64_t elements = result.elements();
  parallelFor((elements + numbersAtOnce - 1) / numbersAtOnce, threads, [&](int64_t i, unsigned) {
    const int64_t end = std::min(elements, (i + 1) * numbersAtOnce);
    for (int64_t at = i * numbersAtOnce; at < end; ++at)
      storeElement(result.as<char>(), static_cast<size_t>(at), result.type, randomNumber(seed, at));
  });
}

} // namespace mmk
