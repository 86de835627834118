// Functions of the vector unit of dav-3510 that the loops of a kernel call. A register has 64 lanes
// of 32 bits; an element of fewer stands in the lower bits of its lane. The meaning of the calls is
// that of the published documentation of CANN 9.1 (asc-devkit, docs/zh/api, Reg: LoadAlign,
// StoreAlign, Cast and RegLayout, MaskReg, Select, Truncate).
#include "ascendc/device_function.h"

#include <array>

namespace mmk::ascendc {
namespace {

constexpr std::array functionsOnRegisters = {
    DeviceFunction{"AddressOf", R"(
// The address of a tensor in UB, for a function on registers.
template <typename T> __aicore__ inline __ubuf__ T *AddressOf(const LocalTensor<T> &tensor) {
  return reinterpret_cast<__ubuf__ T *>(tensor.GetPhyAddr());
}
)"},
    DeviceFunction{"LoadLanes", R"(
// UB -> register: 64 elements.
template <typename T>
__simd_callee__ inline void LoadLanes(Reg::RegTensor<T> &to, __ubuf__ T *from) {
  if constexpr (sizeof(T) == 4) {
    Reg::LoadAlign(to, from);
  } else if constexpr (sizeof(T) == 2) {
    Reg::LoadAlign<T, Reg::LoadDist::DIST_UNPACK_B16>(to, from);
  } else {
    Reg::LoadAlign<T, Reg::LoadDist::DIST_UNPACK4_B8>(to, from);
  }
}
)"},
    DeviceFunction{"LoadElement", R"(
// UB -> register: one element for all lanes.
template <typename T>
__simd_callee__ inline void LoadElement(Reg::RegTensor<T> &to, __ubuf__ T *from) {
  if constexpr (sizeof(T) == 4) {
    Reg::LoadAlign<T, Reg::LoadDist::DIST_BRC_B32>(to, from);
  } else if constexpr (sizeof(T) == 2) {
    Reg::LoadAlign<T, Reg::LoadDist::DIST_BRC_B16>(to, from);
  } else {
    Reg::LoadAlign<T, Reg::LoadDist::DIST_BRC_B8>(to, from);
  }
}
)"},
    DeviceFunction{"StoreLanes", R"(
// Register -> UB: the elements of the lanes that the mask has.
template <typename T>
__simd_callee__ inline void StoreLanes(__ubuf__ T *to, Reg::RegTensor<T> &from,
                                       Reg::MaskReg &mask) {
  if constexpr (sizeof(T) == 4) {
    Reg::StoreAlign(to, from, mask);
  } else if constexpr (sizeof(T) == 2) {
    Reg::StoreAlign<T, Reg::StoreDist::DIST_PACK_B32>(to, from, mask);
  } else {
    Reg::StoreAlign<T, Reg::StoreDist::DIST_PACK4_B32>(to, from, mask);
  }
}
)"},
    DeviceFunction{"StoreElement", R"(
// Register -> UB: the element of the first lane.
template <typename T>
__simd_callee__ inline void StoreElement(__ubuf__ T *to, Reg::RegTensor<T> &from,
                                         Reg::MaskReg &mask) {
  if constexpr (sizeof(T) == 4) {
    Reg::StoreAlign<T, Reg::StoreDist::DIST_FIRST_ELEMENT_B32>(to, from, mask);
  } else {
    Reg::StoreAlign<T, Reg::StoreDist::DIST_FIRST_ELEMENT_B16>(to, from, mask);
  }
}
)"},
    DeviceFunction{"Convert", R"(
// To a type that has each number; to fewer bits, rounded to the nearest, the even one of two; from and
// to integers, rounded likewise, and beyond all of them the last one.
constexpr Reg::CastTrait widened = {Reg::RegLayout::ZERO, Reg::SatMode::UNKNOWN,
                                    Reg::MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
constexpr Reg::CastTrait rounded = {Reg::RegLayout::ZERO, Reg::SatMode::NO_SAT,
                                    Reg::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
constexpr Reg::CastTrait saturated = {Reg::RegLayout::ZERO, Reg::SatMode::SAT,
                                      Reg::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
constexpr Reg::CastTrait halfToWord = {Reg::RegLayout::ZERO, Reg::SatMode::UNKNOWN,
                                       Reg::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
constexpr Reg::CastTrait wordToFloat = {Reg::RegLayout::UNKNOWN, Reg::SatMode::UNKNOWN,
                                        Reg::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
constexpr Reg::CastTrait floatToWord = {Reg::RegLayout::UNKNOWN, Reg::SatMode::SAT,
                                        Reg::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
template <const Reg::CastTrait &trait, typename T, typename S>
__simd_callee__ inline void Convert(Reg::RegTensor<T> &to, Reg::RegTensor<S> &from,
                                    Reg::MaskReg &mask) {
  Reg::Cast<T, S, trait>(to, from, mask);
}
)"},
    DeviceFunction{"Polynomial", R"(
// c[0] + c[1] x + c[2] x^2 ..., each product and each sum rounded.
template <typename... Rest>
__simd_callee__ inline void Polynomial(Reg::RegTensor<float> &to, Reg::RegTensor<float> &x,
                                       Reg::MaskReg &mask, float first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    Reg::Duplicate(to, first);
  } else {
    Polynomial(to, x, mask, rest...);
    Reg::Mul(to, to, x, mask);
    Reg::Adds(to, to, first, mask);
  }
}
)"},
    DeviceFunction{"WithSign", R"(
// Of numbers that are not negative, the opposite where x is negative; then `small` where |x| is less
// than `limit`. `magnitude` is |x|, and is written over.
__simd_callee__ inline void WithSign(Reg::RegTensor<float> &to, Reg::RegTensor<float> &large,
                                     Reg::RegTensor<float> &small, Reg::RegTensor<float> &x,
                                     Reg::RegTensor<float> &magnitude, float limit,
                                     Reg::MaskReg &mask) {
  Reg::MaskReg isSmall, isNegative;
  Reg::Compares<float, CMPMODE::LT>(isSmall, magnitude, limit, mask);
  Reg::Compares<float, CMPMODE::LT>(isNegative, x, 0.0f, mask);
  Reg::Muls(magnitude, large, -1.0f, mask);
  Reg::Select(large, magnitude, large, isNegative);
  Reg::Select(to, small, large, isSmall);
}
)"},
};

} // namespace

std::span<const DeviceFunction> registerFunctions() { return functionsOnRegisters; }

} // namespace mmk::ascendc
