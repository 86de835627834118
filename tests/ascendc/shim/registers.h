// Functions on registers of the vector unit of Ascend 950 (dav-3510), from the published signatures
// and the documented meaning of their parameters (asc-devkit, docs/zh/api, Reg). A register has 256
// bytes; a mask has a bit for each byte, of which that of the first byte of an element counts.
// Included by kernel_operator.h alone.
#pragma once

#include "vector.h"

#include <bitset>
#include <cstring>
#include <limits>
#include <vector>

namespace shim {

/// A function that runs: the tensors whose addresses it has, and from where to where it has stored
/// in each since the last barrier, which no load may read.
class VectorFunction {
public:
  template <typename T> void add(T *address) {
    if (const size_t bytes = bytesOfTensor(address))
      tensors.push_back({uintptr_t(address), uintptr_t(address) + bytes});
  }
  template <typename T> void add(const T &) {}

  /// What follows the tensor is unknown.
  void load(void *to, const void *from, size_t bytes, size_t alignment, Where where) {
    const Tensor &tensor = tensorOf(from, where);
    const auto first = uintptr_t(from);
    const size_t inside = std::min(bytes, tensor.behind - first);
    expect(first % alignment == 0, "a load on its alignment", where);
    expect(first >= tensor.storedBehind || first + inside <= tensor.stored,
           "LocalMemBar between a store and a load", where);
    copy(to, from, inside, bytes);
  }
  void store(void *to, const void *from, size_t bytes, Where where) {
    Tensor &tensor = tensorOf(to, where);
    const auto first = uintptr_t(to);
    expect(first + bytes <= tensor.behind, "a store within the tensor", where);
    std::memcpy(to, from, bytes);
    const bool isFirst = tensor.storedBehind == 0;
    tensor.stored = isFirst ? first : std::min(tensor.stored, first);
    tensor.storedBehind = std::max(tensor.storedBehind, first + bytes);
  }
  void finishStores() {
    for (Tensor &tensor : tensors)
      tensor.stored = tensor.storedBehind = 0;
  }

private:
  struct Tensor {
    uintptr_t first, behind, stored = 0, storedBehind = 0;
  };
  Tensor &tensorOf(const void *address, Where where) {
    const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor &tensor) {
      return uintptr_t(address) >= tensor.first && uintptr_t(address) < tensor.behind;
    });
    expect(found != tensors.end(), "an access within the tensors of the function", where);
    return *found;
  }

  std::vector<Tensor> tensors;
};

inline VectorFunction *function = nullptr;

} // namespace shim

namespace AscendC {

namespace Reg {

template <typename T> struct RegTensor {
  static constexpr size_t lanes = 256 / sizeof(T);
  RegTensor() { std::memset(element, 0xFF, sizeof element); }
  T element[lanes];
};
struct MaskReg {
  std::bitset<256> bits;
  template <typename T> bool has(size_t i) const { return bits[i * sizeof(T)]; }
};

enum class MaskPattern { ALL, ALLF = 15 };
enum class MaskMergeMode { UNKNOWN = -1, MERGING, ZEROING };
enum class RegLayout { UNKNOWN = -1, ZERO, ONE, TWO, THREE };
enum class SatMode { UNKNOWN = -1, NO_SAT, SAT };
struct CastTrait {
  RegLayout layoutMode = RegLayout::UNKNOWN;
  SatMode satMode = SatMode::UNKNOWN;
  MaskMergeMode mrgMode = MaskMergeMode::UNKNOWN;
  RoundMode roundMode = RoundMode::UNKNOWN;
};
enum class LoadDist {
  DIST_NORM,
  DIST_BRC_B8,
  DIST_BRC_B16,
  DIST_BRC_B32,
  DIST_UNPACK_B16,
  DIST_UNPACK4_B8
};
enum class StoreDist {
  DIST_NORM,
  DIST_FIRST_ELEMENT_B16,
  DIST_FIRST_ELEMENT_B32,
  DIST_PACK_B32,
  DIST_PACK4_B32
};
enum class ReduceType { SUM, MAX, MIN };
enum class MemType { VEC_STORE, VEC_LOAD };

//===--- masks --------------------------------------------------------------------------------===//

template <typename T> MaskReg UpdateMask(uint32_t &count) {
  MaskReg mask;
  const uint32_t most = 256 / sizeof(T), now = std::min(count, most);
  for (uint32_t i = 0; i < now; ++i)
    mask.bits.set(i * sizeof(T));
  count -= now;
  return mask;
}
template <typename T, MaskPattern pattern = MaskPattern::ALL> MaskReg CreateMask() {
  uint32_t count = pattern == MaskPattern::ALL ? 256 / sizeof(T) : 0;
  return UpdateMask<T>(count);
}
inline void Not(MaskReg &to, MaskReg &from, MaskReg &mask) { to.bits = ~from.bits & mask.bits; }
inline void And(MaskReg &to, MaskReg &a, MaskReg &b, MaskReg &mask) {
  to.bits = a.bits & b.bits & mask.bits;
}
inline void Or(MaskReg &to, MaskReg &a, MaskReg &b, MaskReg &mask) {
  to.bits = (a.bits | b.bits) & mask.bits;
}
inline void Xor(MaskReg &to, MaskReg &a, MaskReg &b, MaskReg &mask) {
  to.bits = (a.bits ^ b.bits) & mask.bits;
}

//===--- transfers ----------------------------------------------------------------------------===//

/// A load does not see what is stored before the barrier. Of the other orders nothing is to do
/// here.
template <MemType first, MemType then> void LocalMemBar() {
  if (first == MemType::VEC_STORE && then == MemType::VEC_LOAD)
    shim::function->finishStores();
}

struct DefaultType;

template <typename T, LoadDist dist, typename U>
void loadAlign(RegTensor<U> &to, const U *from, Where where) {
  constexpr bool spreads = dist == LoadDist::DIST_BRC_B8 || dist == LoadDist::DIST_BRC_B16 ||
                           dist == LoadDist::DIST_BRC_B32;
  static_assert(dist != LoadDist::DIST_BRC_B8 || sizeof(U) == 1);
  static_assert(dist != LoadDist::DIST_BRC_B16 || sizeof(U) == 2);
  static_assert(dist != LoadDist::DIST_BRC_B32 || sizeof(U) == 4);
  static_assert(dist != LoadDist::DIST_UNPACK_B16 || sizeof(U) == 2);
  static_assert(dist != LoadDist::DIST_UNPACK4_B8 || sizeof(U) == 1);
  if constexpr (spreads) {
    U one;
    shim::function->load(&one, from, sizeof(U), sizeof(U), where);
    std::fill_n(to.element, to.lanes, one);
  } else {
    constexpr size_t step = dist == LoadDist::DIST_NORM ? 1 : 4 / sizeof(U);
    constexpr size_t count = RegTensor<U>::lanes / step;
    U loaded[count];
    shim::function->load(loaded, from, sizeof loaded, 32, where);
    if (step > 1)
      std::memset(to.element, 0, sizeof to.element);
    for (size_t i = 0; i < count; ++i)
      to.element[i * step] = loaded[i];
  }
}
template <typename U> void LoadAlign(RegTensor<U> &to, U *from, Where where = Where::current()) {
  loadAlign<U, LoadDist::DIST_NORM>(to, from, where);
}
template <typename T, LoadDist dist, typename U>
void LoadAlign(RegTensor<U> &to, T *from, Where where = Where::current()) {
  loadAlign<T, dist>(to, from, where);
}

template <StoreDist dist, typename U>
void storeAlign(U *to, RegTensor<U> &from, MaskReg &mask, Where where) {
  constexpr bool isFirst =
      dist == StoreDist::DIST_FIRST_ELEMENT_B16 || dist == StoreDist::DIST_FIRST_ELEMENT_B32;
  static_assert(dist != StoreDist::DIST_FIRST_ELEMENT_B16 || sizeof(U) == 2);
  static_assert(dist != StoreDist::DIST_FIRST_ELEMENT_B32 || sizeof(U) == 4);
  static_assert(dist != StoreDist::DIST_PACK_B32 || sizeof(U) == 2);
  static_assert(dist != StoreDist::DIST_PACK4_B32 || sizeof(U) == 1);
  if constexpr (isFirst) {
    shim::expect(uintptr_t(to) % sizeof(U) == 0, "a whole element", where);
    return shim::function->store(to, from.element, sizeof(U), where);
  }
  shim::expect(uintptr_t(to) % 32 == 0, "a store on 32 bytes", where);
  constexpr size_t step = dist == StoreDist::DIST_NORM ? 1 : 4 / sizeof(U);
  size_t count = 0;
  U packed[RegTensor<U>::lanes];
  for (size_t i = 0; i < from.lanes; i += step) {
    if (!mask.has<U>(i))
      continue;
    shim::expect(count == i / step, "the first lanes of a register", where);
    packed[count++] = from.element[i];
  }
  if (count > 0)
    shim::function->store(to, packed, count * sizeof(U), where);
}
template <typename U>
void StoreAlign(U *to, RegTensor<U> &from, MaskReg &mask, Where where = Where::current()) {
  storeAlign<StoreDist::DIST_NORM>(to, from, mask, where);
}
template <typename T, StoreDist dist, typename U>
void StoreAlign(T *to, RegTensor<U> &from, MaskReg &mask, Where where = Where::current()) {
  storeAlign<dist>(to, from, mask, where);
}

template <typename T, typename S> void Duplicate(RegTensor<T> &to, S value) {
  static_assert(std::is_same_v<T, S> || std::is_convertible_v<S, T>);
  std::fill_n(to.element, to.lanes, static_cast<T>(value));
}
template <> inline void Duplicate(RegTensor<bfloat16_t> &to, bfloat16_t value) {
  std::fill_n(to.element, to.lanes, value);
}
template <typename T> void Move(RegTensor<T> &to, RegTensor<T> &from, MaskReg mask) {
  for (size_t i = 0; i < to.lanes; ++i)
    if (mask.has<T>(i))
      to.element[i] = from.element[i];
}
template <typename T>
void Select(RegTensor<T> &to, RegTensor<T> &a, RegTensor<T> &b, MaskReg &mask) {
  for (size_t i = 0; i < to.lanes; ++i)
    to.element[i] = mask.has<T>(i) ? a.element[i] : b.element[i];
}

//===--- arithmetic ---------------------------------------------------------------------------===//

/// Elements that the mask does not have become zero.
template <typename T, typename F> void compute(RegTensor<T> &to, const MaskReg &mask, F operation) {
  for (size_t i = 0; i < to.lanes; ++i)
    to.element[i] = mask.has<T>(i) ? operation(i) : T();
}

#define SHIM_REGISTERS(Name, expression, ...)                                                      \
  template <typename T>                                                                            \
  void Name(RegTensor<T> &to, RegTensor<T> &left, RegTensor<T> &right, MaskReg &mask) {            \
    static_assert(shim::isOneOf<T, __VA_ARGS__>);                                                  \
    auto operation = [](auto x, auto y) { return expression; };                                    \
    compute(to, mask, [&](size_t i) {                                                              \
      return shim::compute<T>(operation, left.element[i], right.element[i]);                       \
    });                                                                                            \
  }
SHIM_REGISTERS(Add, x + y, float, half, int32_t)
SHIM_REGISTERS(Sub, x - y, float, half, int32_t)
SHIM_REGISTERS(Mul, x *y, float, half, int32_t)
SHIM_REGISTERS(Div, x / y, float, half)
SHIM_REGISTERS(Max, greatestOf(x, y), float, half, int32_t)
SHIM_REGISTERS(Min, leastOf(x, y), float, half, int32_t)

#define SHIM_REGISTER_SCALAR(Name, expression, ...)                                                \
  template <typename T> void Name(RegTensor<T> &to, RegTensor<T> &from, T y, MaskReg &mask) {      \
    static_assert(shim::isOneOf<T, __VA_ARGS__>);                                                  \
    auto operation = [](auto x, auto y) { return expression; };                                    \
    compute(to, mask, [&](size_t i) { return shim::compute<T>(operation, from.element[i], y); });  \
  }
SHIM_REGISTER_SCALAR(Adds, x + y, float, half, int32_t)
SHIM_REGISTER_SCALAR(Muls, x *y, float, half, int32_t)
SHIM_REGISTER_SCALAR(Maxs, greatestOf(x, y), float, half, int32_t)
SHIM_REGISTER_SCALAR(Mins, leastOf(x, y), float, half, int32_t)
SHIM_REGISTER_SCALAR(LeakyRelu, x > 0 ? x : x * y, float, half)

#define SHIM_REGISTER_UNARY(Name, expression)                                                      \
  template <typename T> void Name(RegTensor<T> &to, RegTensor<T> &from, MaskReg &mask) {           \
    static_assert(shim::isOneOf<T, float, half>);                                                  \
    auto operation = [](float x) { return expression; };                                           \
    compute(to, mask, [&](size_t i) { return shim::compute<T>(operation, from.element[i]); });     \
  }
SHIM_REGISTER_UNARY(Relu, shim::greatest(x, 0.0f))
SHIM_REGISTER_UNARY(Abs, std::fabs(x))
SHIM_REGISTER_UNARY(Neg, -x)
SHIM_REGISTER_UNARY(Exp, shim::exponential(x))
SHIM_REGISTER_UNARY(Ln, shim::logarithm(x))
SHIM_REGISTER_UNARY(Sqrt, std::sqrt(x))

inline void ShiftLefts(RegTensor<int32_t> &to, RegTensor<int32_t> &from, int16_t bits,
                       MaskReg &mask) {
  compute(to, mask, [&](size_t i) { return int32_t(uint32_t(from.element[i]) << bits); });
}
inline void ShiftRights(RegTensor<int32_t> &to, RegTensor<int32_t> &from, int16_t bits,
                        MaskReg &mask) {
  compute(to, mask, [&](size_t i) { return from.element[i] >> bits; });
}

//===--- comparisons --------------------------------------------------------------------------===//

template <CMPMODE mode> bool holds(auto x, auto y) {
  return mode == CMPMODE::LT   ? x < y
         : mode == CMPMODE::GT ? x > y
         : mode == CMPMODE::EQ ? x == y
         : mode == CMPMODE::LE ? x <= y
         : mode == CMPMODE::GE ? x >= y
                               : x != y;
}
template <typename T, CMPMODE mode>
void Compare(MaskReg &to, RegTensor<T> &left, RegTensor<T> &right, MaskReg &mask) {
  MaskReg found;
  for (size_t i = 0; i < left.lanes; ++i)
    found.bits[i * sizeof(T)] = mask.has<T>(i) && holds<mode>(left.element[i], right.element[i]);
  to = found;
}
template <typename T, CMPMODE mode>
void Compares(MaskReg &to, RegTensor<T> &left, T right, MaskReg &mask) {
  RegTensor<T> all;
  Duplicate(all, right);
  Compare<T, mode>(to, left, all, mask);
}

//===--- conversions --------------------------------------------------------------------------===//

template <typename T, RoundMode round, MaskMergeMode merge>
void Truncate(RegTensor<T> &to, RegTensor<T> &from, MaskReg &mask) {
  static_assert(std::is_same_v<T, float> && merge == MaskMergeMode::ZEROING);
  compute(to, mask, [&](size_t i) { return converted<T>(from.element[i], round); });
}

/// The lower of the positions of a lane hold an element of fewer bits.
template <typename T, typename S, const CastTrait &trait>
void Cast(RegTensor<T> &to, RegTensor<S> &from, MaskReg &mask, Where where = Where::current()) {
  constexpr bool isHalfOfS = shim::isOneOf<S, half, bfloat16_t>;
  constexpr bool widens = (isHalfOfS && std::is_same_v<T, float>) ||
                          (std::is_same_v<S, int8_t> && shim::isOneOf<T, half, int32_t>);
  constexpr bool toInteger = (std::is_same_v<S, float> && std::is_same_v<T, int32_t>) ||
                             (std::is_same_v<S, half> && std::is_same_v<T, int8_t>);
  constexpr bool fromHalf = std::is_same_v<S, half> && std::is_same_v<T, int32_t>;
  constexpr bool toHalf = std::is_same_v<S, float> && shim::isOneOf<T, half, bfloat16_t>;
  constexpr bool toFloat = std::is_same_v<S, int32_t> && std::is_same_v<T, float>;
  static_assert(widens || toInteger || fromHalf || toHalf || toFloat, "no such conversion");
  shim::expect((trait.layoutMode == RegLayout::UNKNOWN) == (sizeof(S) == sizeof(T)) &&
                   trait.layoutMode <= RegLayout::ZERO,
               "a layout where the types have different bits", where);
  shim::expect(trait.mrgMode == MaskMergeMode::ZEROING &&
                   trait.roundMode == (widens ? RoundMode::UNKNOWN : RoundMode::CAST_RINT),
               "a rounding of what narrows", where);
  shim::expect(trait.satMode == (toInteger ? SatMode::SAT
                                 : toHalf  ? SatMode::NO_SAT
                                           : SatMode::UNKNOWN),
               "what becomes of numbers beyond the type", where);
  RegTensor<T> result;
  std::memset(static_cast<void *>(result.element), 0, sizeof result.element);
  constexpr size_t bytes = std::max(sizeof(S), sizeof(T));
  for (size_t i = 0; i < 256 / bytes; ++i)
    if (const size_t source = i * (bytes / sizeof(S)); mask.has<S>(source))
      result.element[i * (bytes / sizeof(T))] =
          converted<T>(from.element[source], RoundMode::CAST_RINT, trait.satMode == SatMode::SAT);
  to = result;
}

//===--- reductions ---------------------------------------------------------------------------===//

/// The elements of a register two by two, neighbours first; the result in the first lane.
template <ReduceType type, typename T>
void Reduce(RegTensor<T> &to, RegTensor<T> from, MaskReg mask) {
  static_assert(type == ReduceType::SUM ? shim::isOneOf<T, float, int32_t>
                                        : shim::isOneOf<T, float, half, int32_t>);
  constexpr bool isMax = type == ReduceType::MAX;
  T absent = T();
  if constexpr (type != ReduceType::SUM && std::is_integral_v<T>)
    absent = isMax ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  else if constexpr (type != ReduceType::SUM)
    absent = static_cast<T>(isMax ? -std::numeric_limits<float>::infinity()
                                  : std::numeric_limits<float>::infinity());
  for (size_t i = 0; i < from.lanes; ++i)
    if (!mask.has<T>(i))
      from.element[i] = absent;
  for (size_t count = from.lanes / 2; count > 0; count /= 2)
    for (size_t i = 0; i < count; ++i)
      from.element[i] = shim::compute<T>(
          [](auto x, auto y) {
            return type == ReduceType::SUM ? x + y : isMax ? greatestOf(x, y) : leastOf(x, y);
          },
          from.element[2 * i], from.element[2 * i + 1]);
  std::memset(static_cast<void *>(to.element), 0, sizeof to.element);
  to.element[0] = from.element[0];
}

} // namespace Reg

} // namespace AscendC

/// Runs a function on registers, as one instruction of the vector pipe.
template <auto called, typename... Arguments> void asc_vf_call(Arguments... arguments) {
  shim::VectorFunction function;
  (function.add(arguments), ...);
  shim::work(AscendC::PIPE_V, [=]() mutable {
    shim::function = &function;
    called(arguments...);
    shim::function = nullptr;
  });
}
