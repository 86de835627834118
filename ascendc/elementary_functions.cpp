// erf and tanh on tensors in UB, as sequences of instructions: the interface of dav-2201 has
// neither in its basic part. They are the same to the bit as those of the emulated core, up to the
// bits of Exp.
#include "ascendc/device_function.h"

#include <array>

namespace mmk::ascendc {
namespace {

constexpr std::array elementary = {
    DeviceFunction{"Polynomial", R"(
// c[0] + c[1] x + c[2] x^2 ..., each product and each sum rounded.
template <int32_t n>
__aicore__ inline void Polynomial(const LocalTensor<float> &to, const LocalTensor<float> &x,
                                  const float (&c)[n], int64_t count) {
  Duplicate(to, c[n - 1], static_cast<int32_t>(count));
  PipeBarrier<PIPE_V>();
  for (int32_t i = n - 1; i-- > 0;) {
    Mul(to, to, x, static_cast<int32_t>(count));
    PipeBarrier<PIPE_V>();
    Adds(to, to, c[i], static_cast<int32_t>(count));
    PipeBarrier<PIPE_V>();
  }
}
)"},
    DeviceFunction{"WithSign", R"(
// Of numbers that are not negative, the opposite where x is negative; then `small` where |x| is less
// than `limit`. `magnitude` is |x|, and is written over.
__aicore__ inline void WithSign(const LocalTensor<float> &to, const LocalTensor<float> &large,
                                const LocalTensor<float> &small, const LocalTensor<float> &x,
                                const LocalTensor<float> &magnitude, float limit, int64_t count) {
  const LocalTensor<uint16_t> mask = Spare<uint16_t>(7);
  const auto n = static_cast<uint32_t>(count);
  CompareAll(mask, magnitude, limit, CMPMODE::LT, count);
  PipeBarrier<PIPE_V>();
  Muls(magnitude, large, -1.0f, static_cast<int32_t>(count));
  PipeBarrier<PIPE_V>();
  const LocalTensor<uint16_t> sign = mask[64];
  CompareAll(sign, x, 0.0f, CMPMODE::LT, count);
  PipeBarrier<PIPE_V>();
  Select(large, sign.ReinterpretCast<uint8_t>(), magnitude, large,
         SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
  PipeBarrier<PIPE_V>();
  Select(to, mask.ReinterpretCast<uint8_t>(), small, large, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
}
)"},
    DeviceFunction{"ErrorFunction", R"(
// erf(x) of up to 256 elements, with four pieces of spare room from `piece` on.
__aicore__ inline void ErrorFunction(const LocalTensor<float> &to, const LocalTensor<float> &x,
                                     int64_t piece, int64_t count) {
  const LocalTensor<float> magnitude = Spare<float>(piece), other = Spare<float>(piece + 1),
                           small = Spare<float>(piece + 2), large = Spare<float>(piece + 3);
  const auto n = static_cast<int32_t>(count);
  const float inner[] = {1.283791671e-01f,  -3.761263843e-01f, 1.128378197e-01f,
                         -2.686540004e-02f, 5.220945432e-03f,  -8.482828830e-04f,
                         1.125694780e-04f,  -9.641515776e-06f};
  const float outer[] = {-2.020654460e-04f, 1.129649346e+00f,  6.330657355e-01f,
                         1.086065987e-01f,  -2.534892522e-02f, 4.270636272e-03f,
                         -4.603578462e-04f, 2.475423834e-05f,  -2.120858704e-07f};
  Mul(other, x, x, n);
  PipeBarrier<PIPE_V>();
  Polynomial(small, other, inner, count);
  Mul(small, small, x, n);
  PipeBarrier<PIPE_V>();
  Add(small, small, x, n);
  PipeBarrier<PIPE_V>();
  Abs(magnitude, x, n);
  PipeBarrier<PIPE_V>();
  Mins(other, magnitude, 4.0f, n); // from there on the result is 1
  PipeBarrier<PIPE_V>();
  Polynomial(large, other, outer, count);
  Muls(large, large, -1.0f, n);
  PipeBarrier<PIPE_V>();
  Exp(large, large, n);
  PipeBarrier<PIPE_V>();
  Muls(large, large, -1.0f, n);
  PipeBarrier<PIPE_V>();
  Adds(large, large, 1.0f, n);
  PipeBarrier<PIPE_V>();
  WithSign(to, large, small, x, magnitude, 1.0f, count);
}
)"},
    DeviceFunction{"Tangent", R"(
// tanh(x) of up to 256 elements, with four pieces of spare room from `piece` on.
__aicore__ inline void Tangent(const LocalTensor<float> &to, const LocalTensor<float> &x,
                               int64_t piece, int64_t count) {
  const LocalTensor<float> magnitude = Spare<float>(piece), other = Spare<float>(piece + 1),
                           small = Spare<float>(piece + 2), large = Spare<float>(piece + 3);
  const auto n = static_cast<int32_t>(count);
  const float odd[] = {-3.333333080e-01f, 1.333320601e-01f,  -5.394676274e-02f,
                       2.170070161e-02f,  -8.177394593e-03f, 2.142958750e-03f};
  Mul(other, x, x, n);
  PipeBarrier<PIPE_V>();
  Polynomial(small, other, odd, count);
  Mul(small, small, other, n);
  PipeBarrier<PIPE_V>();
  Mul(small, small, x, n);
  PipeBarrier<PIPE_V>();
  Add(small, small, x, n);
  PipeBarrier<PIPE_V>();
  Abs(magnitude, x, n);
  PipeBarrier<PIPE_V>();
  Mins(large, magnitude, 10.0f, n); // from there on the result is 1
  PipeBarrier<PIPE_V>();
  Add(large, large, large, n);
  PipeBarrier<PIPE_V>();
  Exp(large, large, n);
  PipeBarrier<PIPE_V>();
  Adds(large, large, 1.0f, n);
  PipeBarrier<PIPE_V>();
  Duplicate(other, 2.0f, n);
  PipeBarrier<PIPE_V>();
  Div(large, other, large, n);
  PipeBarrier<PIPE_V>();
  Muls(large, large, -1.0f, n);
  PipeBarrier<PIPE_V>();
  Adds(large, large, 1.0f, n);
  PipeBarrier<PIPE_V>();
  WithSign(to, large, small, x, magnitude, 0.625f, count);
}
)"},
};

} // namespace

std::span<const DeviceFunction> elementaryFunctions() { return elementary; }

} // namespace mmk::ascendc
