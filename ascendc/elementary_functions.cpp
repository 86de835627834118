// erf and tanh, as sequences of instructions: the interface has neither in its basic part. They are
// the same to the bit as those of the emulated core, up to the bits of Exp.
#include "ascendc/device_function.h"

#include <array>

namespace mmk::ascendc {
namespace {

constexpr std::array elementary = {
    DeviceFunction{"ErrorFunction", R"(
// erf(x); on tensors of up to 256 elements, with four pieces of spare room from `piece` on.
$function void ErrorFunction($operands) {
  $rooms
  $Mul(other, x, x, $n);
  Polynomial(small, other, $n, 1.283791671e-01f, -3.761263843e-01f, 1.128378197e-01f,
             -2.686540004e-02f, 5.220945432e-03f, -8.482828830e-04f, 1.125694780e-04f,
             -9.641515776e-06f);
  $Mul(small, small, x, $n);
  $Add(small, small, x, $n);
  $Abs(magnitude, x, $n);
  $Mins(other, magnitude, 4.0f, $n); // from there on the result is 1
  Polynomial(large, other, $n, -2.020654460e-04f, 1.129649346e+00f, 6.330657355e-01f,
             1.086065987e-01f, -2.534892522e-02f, 4.270636272e-03f, -4.603578462e-04f,
             2.475423834e-05f, -2.120858704e-07f);
  $Muls(large, large, -1.0f, $n);
  $Exp(large, large, $n);
  $Muls(large, large, -1.0f, $n);
  $Adds(large, large, 1.0f, $n);
  WithSign(to, large, small, x, magnitude, 1.0f, $n);
}
)"},
    DeviceFunction{"Tangent", R"(
// tanh(x), likewise.
$function void Tangent($operands) {
  $rooms
  $Mul(other, x, x, $n);
  Polynomial(small, other, $n, -3.333333080e-01f, 1.333320601e-01f, -5.394676274e-02f,
             2.170070161e-02f, -8.177394593e-03f, 2.142958750e-03f);
  $Mul(small, small, other, $n);
  $Mul(small, small, x, $n);
  $Add(small, small, x, $n);
  $Abs(magnitude, x, $n);
  $Mins(large, magnitude, 10.0f, $n); // from there on the result is 1
  $Add(large, large, large, $n);
  $Exp(large, large, $n);
  $Adds(large, large, 1.0f, $n);
  Polynomial(other, other, $n, 2.0f);
  $Div(large, other, large, $n);
  $Muls(large, large, -1.0f, $n);
  $Adds(large, large, 1.0f, $n);
  WithSign(to, large, small, x, magnitude, 0.625f, $n);
}
)"},
};

constexpr std::array onTensors = {
    DeviceFunction{"Polynomial", R"(
// c[0] + c[1] x + c[2] x^2 ..., each product and each sum rounded.
template <typename... Rest>
__aicore__ inline void Polynomial(const LocalTensor<float> &to, const LocalTensor<float> &x,
                                  int32_t n, float first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    $Duplicate(to, first, n);
  } else {
    Polynomial(to, x, n, rest...);
    $Mul(to, to, x, n);
    $Adds(to, to, first, n);
  }
}
)"},
    DeviceFunction{"WithSign", R"(
// Of numbers that are not negative, the opposite where x is negative; then `small` where |x| is less
// than `limit`. `magnitude` is |x|, and is written over.
__aicore__ inline void WithSign(const LocalTensor<float> &to, const LocalTensor<float> &large,
                                const LocalTensor<float> &small, const LocalTensor<float> &x,
                                const LocalTensor<float> &magnitude, float limit, int32_t n) {
  const LocalTensor<uint16_t> mask = Spare<uint16_t>(7);
  $CompareAll(mask, magnitude, limit, CMPMODE::LT, n);
  $Muls(magnitude, large, -1.0f, n);
  const LocalTensor<uint16_t> sign = mask[64];
  $CompareAll(sign, x, 0.0f, CMPMODE::LT, n);
  $Select(large, sign.ReinterpretCast<uint8_t>(), magnitude, large,
         SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
  Select(to, mask.ReinterpretCast<uint8_t>(), small, large, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
}
)"},
};

} // namespace

std::span<const DeviceFunction> elementaryFunctions() { return elementary; }
std::span<const DeviceFunction> elementaryFunctionsOnTensors() { return onTensors; }

} // namespace mmk::ascendc
