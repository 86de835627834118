// Exp and Ln as the emulated core of this computer computes them (codegen/vector_math.cpp), which
// depends on its instructions: on the real chip the last bit may be another.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace shim {

inline bool hasScaling() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return has;
}

inline float polynomial(const float *c, int count, float x) {
  float sum = c[count - 1];
  for (int i = count - 1; i-- > 0;)
    sum = std::fma(sum, x, c[i]);
  return sum;
}

inline constexpr float ln2High = 0.693359375f, ln2Low = -2.12194440e-4f;

inline float powerOfTwo(int n) {
  return std::bit_cast<float>(static_cast<uint32_t>(n + 127) << 23);
}

inline float exponential(float x) {
  static const float tail[] = {4.999999341e-01f, 1.666652011e-01f, 4.166839426e-02f,
                               8.368780622e-03f, 1.381446476e-03f};
  if (std::isnan(x))
    return x;
  const float cut = x > 89.0f ? 89.0f : x < -104.0f ? -104.0f : x;
  const float n = std::nearbyint(cut * 1.44269504f);
  const float r = std::fma(n, -ln2Low, std::fma(n, -ln2High, cut));
  const float p = polynomial(tail, 5, r);
  if (hasScaling())
    return std::scalbn(std::fma(std::fma(p, r, 1.0f), r, 1.0f), static_cast<int>(n));
  const int exponent = static_cast<int>(n), half = exponent >> 1;
  return (std::fma(p, r * r, r) + 1.0f) * powerOfTwo(half) * powerOfTwo(exponent - half);
}

inline float logarithm(float x) {
  static const float q[] = {3.333347172e-01f,  -2.500109298e-01f, 1.999133726e-01f,
                            -1.660766911e-01f, 1.438978461e-01f,  -1.347973555e-01f,
                            1.169041818e-01f,  -5.568120841e-02f};
  if (std::isnan(x) || x == std::numeric_limits<float>::infinity())
    return x;
  if (x == 0)
    return -std::numeric_limits<float>::infinity();
  if (x < 0)
    return std::numeric_limits<float>::quiet_NaN();
  int exponent = 0;
  float mantissa = std::frexp(x, &exponent); // from 1/2 to 1
  // From 3/4 to 3/2, or from sqrt(1/2) to sqrt(2).
  const float least = hasScaling() ? 0.75f : std::bit_cast<float>(0x3f3504f3u);
  if (mantissa < least) {
    mantissa *= 2;
    --exponent;
  }
  const float n = static_cast<float>(exponent), m = mantissa - 1.0f, square = m * m;
  float tail = polynomial(q, 8, m) * square * m;
  tail = std::fma(n, ln2Low, tail);
  tail = std::fma(square, -0.5f, tail);
  return std::fma(n, ln2High, m + tail);
}

} // namespace shim
