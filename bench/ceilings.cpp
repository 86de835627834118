#include "bench/ceilings.h"

#include "runtime/threads.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <numeric>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mmk {
namespace {

constexpr int chains = 20, iterations = 8000, attempts = 6;

/// Best rate of `loop`, which does `operations` an iteration.
template <typename Loop> double bestRate(double operations, Loop loop) {
  double best = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const double begin = threadSeconds();
    loop();
    best = std::max(best, operations * iterations / (threadSeconds() - begin) * 1e-9);
  }
  return best;
}

// Independent chains of multiply-adds, more of them than two units of latency four have in flight.
// The empty asm keeps each in a register of its own.
#define MMK_CHAINS(VECTOR, STEP)                                                                   \
  VECTOR sums[chains] = {};                                                                        \
  for (int i = 0; i < iterations; ++i) {                                                           \
    for (VECTOR &sum : sums)                                                                       \
      STEP;                                                                                        \
    for (VECTOR &sum : sums)                                                                       \
      asm volatile("" : "+v"(sum));                                                                \
  }

#if defined(__x86_64__)
__attribute__((target("avx512f"))) void f32By16() {
  const __m512 x = _mm512_set1_ps(0.5f);
  MMK_CHAINS(__m512, sum = _mm512_fmadd_ps(sum, x, x))
}
__attribute__((target("avx2,fma"))) void f32By8() {
  const __m256 x = _mm256_set1_ps(0.5f);
  MMK_CHAINS(__m256, sum = _mm256_fmadd_ps(sum, x, x))
}
__attribute__((target("avx512f,avx512bf16"))) void bf16By32() {
  const __m512bh x = (__m512bh)_mm512_set1_epi32(0x3f003f00);
  MMK_CHAINS(__m512, sum = _mm512_dpbf16_ps(sum, x, x))
}
__attribute__((target("avx512f,avx512vnni"))) void i8By64() {
  const __m512i x = _mm512_set1_epi8(1);
  MMK_CHAINS(__m512i, sum = _mm512_dpbusd_epi32(sum, x, x))
}
#endif

double rateOfThread(Unit unit) {
#if defined(__x86_64__)
  switch (unit) {
  case Unit::f32:
    if (__builtin_cpu_supports("avx512f"))
      return bestRate(chains * 16 * 2, f32By16);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      return bestRate(chains * 8 * 2, f32By8);
    break;
  case Unit::bf16:
    if (__builtin_cpu_supports("avx512bf16"))
      return bestRate(chains * 32 * 2, bf16By32);
    break;
  case Unit::i8:
    if (__builtin_cpu_supports("avx512vnni"))
      return bestRate(chains * 64 * 2, i8By64);
    break;
  }
#endif
  return 0;
}

} // namespace

double threadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Ceilings measureCeilings() {
  return {rateOfThread(Unit::f32), rateOfThread(Unit::bf16), rateOfThread(Unit::i8)};
}

double measureCeiling(Unit unit, unsigned threads) {
  std::vector<double> rates(threads);
  std::atomic<unsigned> measuring{threads};
  parallelFor(threads, threads, [&](int64_t i, unsigned) {
    const double begin = threadSeconds();
    int times = 0;
    double sum = 0;
    for (; threadSeconds() - begin < 2e-3; ++times)
      sum += rateOfThread(unit);
    rates[i] = times ? sum / times : 0;
    // Until the last has measured: a single active core may have a higher frequency.
    for (--measuring; measuring > 0 && threadSeconds() - begin < 4e-3;)
      rateOfThread(unit);
  });
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

void copyPastCaches(void *to, const void *from, size_t bytes) {
  using Line = float __attribute__((vector_size(64)));
  const auto *source = static_cast<const Line *>(from);
  auto *target = static_cast<Line *>(to);
  for (size_t i = 0; i < bytes / sizeof(Line); ++i)
    __builtin_nontemporal_store(source[i], target + i);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

double measureCopyBandwidth() {
  constexpr size_t bytes = size_t(256) << 20;
  struct alignas(64) Line {
    char bytes[64] = {1};
  };
  std::vector<Line> from(bytes / sizeof(Line)), to(bytes / sizeof(Line));
  double best = 0;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double begin = threadSeconds();
    if (attempt % 2)
      std::memcpy(to.data(), from.data(), bytes);
    else
      copyPastCaches(to.data(), from.data(), bytes);
    asm volatile("" : : "r"(to.data()) : "memory");
    best = std::max(best, 2e-9 * bytes / (threadSeconds() - begin));
  }
  return best;
}

} // namespace mmk
