// A meaning on this computer for the instructions on tensors of the vector cores that mmk writes;
// see kernel_operator.h, which includes it.
#pragma once

#include "fields.h"
#include "functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace shim {

template <typename T, typename... Any>
inline constexpr bool isOneOf = (std::is_same_v<T, Any> || ...);

/// NaN if either is; -0 is below 0.
inline float greatest(float x, float y) {
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y || x != x ? x : y;
}
inline float least(float x, float y) { return -greatest(-x, -y); }

/// An operation on floats, rounded to T, or on integers, which wrap or, with CTRL[53], end at the
/// last one.
template <typename T> T compute(auto operation, auto... operands) {
  if constexpr (std::is_integral_v<T>) {
    const int64_t exact = operation(static_cast<int64_t>(operands)...);
    return static_cast<T>(hasControl(53) ? std::clamp<int64_t>(exact, std::numeric_limits<T>::min(),
                                                               std::numeric_limits<T>::max())
                                         : exact);
  } else {
    return rounded<T>(operation(toFloat(operands)...));
  }
}

} // namespace shim

namespace AscendC {

//===--- transfers ----------------------------------------------------------------------------===//

/// Of dav-3510 a gap in global memory has 40 bits, one in UB 16.
struct DataCopyExtParams {
  shim::Field<uint16_t, 0, 4095, "DataCopyExtParams::blockCount"> blockCount;
  shim::Field<uint32_t, 0, 2097151, "DataCopyExtParams::blockLen"> blockLen;
#if __NPU_ARCH__ == 3510
  shim::Field<int64_t, -2097151, shim::most40, "DataCopyExtParams::srcStride"> srcStride;
  shim::Field<int64_t, -2097151, shim::most40, "DataCopyExtParams::dstStride"> dstStride;
#else
  shim::Field<uint32_t, 0, shim::most32, "DataCopyExtParams::srcStride"> srcStride;
  shim::Field<uint32_t, 0, shim::most32, "DataCopyExtParams::dstStride"> dstStride;
#endif
  shim::Field<uint32_t, 0, shim::most32, "DataCopyExtParams::rsv"> rsv;
};
/// A gap in UB, in blocks of 32 bytes.
inline void expectGap(int64_t gap, const char *name, Where where) {
  shim::expectWithin(gap, 0, __NPU_ARCH__ == 3510 ? shim::most16 : shim::most32, name, where);
}
/// Without padding.
template <typename T> struct DataCopyPadExtParams {};

/// Pieces of global memory into UB, each on a block of 32 bytes; what fills its last block is
/// unknown.
template <typename T>
void DataCopyPad(const LocalTensor<T> &to, const GlobalTensor<T> &from,
                 const DataCopyExtParams &params, const DataCopyPadExtParams<T> &,
                 Where where = Where::current()) {
  shim::expect(to.position == TPosition::VECCALC && to.address % 32 == 0, "a target in UB", where);
  shim::expect(params.blockLen % sizeof(T) == 0, "whole elements", where);
  expectGap(params.dstStride, "DataCopyExtParams::dstStride", where);
  shim::work(PIPE_MTE2, [=] {
    const size_t bytes = params.blockLen, count = bytes / sizeof(T),
                 room = (bytes + 31) / 32 * 32 / sizeof(T);
    for (size_t i = 0; i < params.blockCount; ++i) {
      const T *source = from.access(i * (count + params.srcStride / sizeof(T)), count, where);
      T *target = to.access(i * (room + params.dstStride * 32 / sizeof(T)), room, where);
      shim::copy(target, source, count * sizeof(T), room * sizeof(T));
    }
  });
}
template <typename T>
void DataCopyPad(const GlobalTensor<T> &to, const LocalTensor<T> &from,
                 const DataCopyExtParams &params, Where where = Where::current()) {
  shim::expect(from.position == TPosition::VECCALC && from.address % 32 == 0, "a source in UB",
               where);
  shim::expect(params.blockLen % sizeof(T) == 0, "whole elements", where);
  expectGap(params.srcStride, "DataCopyExtParams::srcStride", where);
  shim::work(PIPE_MTE3, [=] {
    const size_t bytes = params.blockLen, count = bytes / sizeof(T),
                 room = (bytes + 31) / 32 * 32 / sizeof(T);
    for (size_t i = 0; i < params.blockCount; ++i) {
      T *target = to.written(i * (count + params.dstStride / sizeof(T)), count, where);
      shim::copy(target, from.access(i * (room + params.srcStride * 32 / sizeof(T)), count, where),
                 count * sizeof(T), count * sizeof(T));
    }
  });
}

/// Whole blocks from UB to UB, by the vector pipe.
template <typename T>
void DataCopy(const LocalTensor<T> &to, const LocalTensor<T> &from, uint32_t count,
              Where where = Where::current()) {
  shim::expect(to.address % 32 == 0 && from.address % 32 == 0 && count * sizeof(T) % 32 == 0,
               "whole blocks of 32 bytes", where);
  shim::work(PIPE_V, [=] {
    std::memmove(to.access(0, count, where), from.access(0, count, where), count * sizeof(T));
  });
}

//===--- forms of instructions ----------------------------------------------------------------===//

struct UnaryRepeatParams {
  shim::Field<uint16_t, 0, shim::most16, "UnaryRepeatParams::dstBlkStride"> dstBlkStride;
  shim::Field<uint16_t, 0, shim::most16, "UnaryRepeatParams::srcBlkStride"> srcBlkStride;
  shim::Field<uint8_t, 0, shim::most8, "UnaryRepeatParams::dstRepStride"> dstRepStride;
  shim::Field<uint8_t, 0, shim::most8, "UnaryRepeatParams::srcRepStride"> srcRepStride;
};
struct BinaryRepeatParams {
  shim::Field<uint8_t, 0, shim::most8, "BinaryRepeatParams::dstBlkStride"> dstBlkStride;
  shim::Field<uint8_t, 0, shim::most8, "BinaryRepeatParams::src0BlkStride"> src0BlkStride;
  shim::Field<uint8_t, 0, shim::most8, "BinaryRepeatParams::src1BlkStride"> src1BlkStride;
  shim::Field<uint8_t, 0, shim::most8, "BinaryRepeatParams::dstRepStride"> dstRepStride;
  shim::Field<uint8_t, 0, shim::most8, "BinaryRepeatParams::src0RepStride"> src0RepStride;
  shim::Field<uint8_t, 0, shim::most8, "BinaryRepeatParams::src1RepStride"> src1RepStride;
};

/// Element i of a repeat, whose blocks of 32 bytes and whose repeats are so many blocks apart.
template <typename T> size_t placeOf(size_t repeat, size_t i, size_t block, size_t step) {
  constexpr size_t width = 32 / sizeof(T);
  return repeat * step * width + i / width * block * width + i % width;
}

template <typename... Ts> void expectInUb(Where where, const LocalTensor<Ts> &...tensors) {
  shim::expect(((tensors.position == TPosition::VECCALC && tensors.address % 32 == 0) && ...),
               "tensors of UB on 32 bytes", where);
}

template <typename D, typename S, typename F>
void unary(const LocalTensor<D> &to, const LocalTensor<S> &from, int64_t count, F operation,
           Where where) {
  expectInUb(where, to, from);
  shim::work(PIPE_V, [=] {
    const S *source = from.access(0, count, where);
    D *target = to.access(0, count, where);
    for (int64_t i = 0; i < count; ++i)
      target[i] = operation(source[i]);
  });
}

template <typename T, typename F>
void binary(const LocalTensor<T> &to, const LocalTensor<T> &left, const LocalTensor<T> &right,
            int64_t count, F operation, Where where) {
  expectInUb(where, to, left, right);
  shim::work(PIPE_V, [=] {
    const T *x = left.access(0, count, where), *y = right.access(0, count, where);
    T *target = to.access(0, count, where);
    for (int64_t i = 0; i < count; ++i)
      target[i] = operation(x[i], y[i]);
  });
}

template <typename T, typename F>
void binary(const LocalTensor<T> &to, const LocalTensor<T> &left, const LocalTensor<T> &right,
            uint64_t mask, uint8_t repeats, const BinaryRepeatParams &p, F operation, Where where) {
  expectInUb(where, to, left, right);
  shim::expect(mask > 0 && mask <= 256 / sizeof(T) && repeats > 0, "a repeat of 256 bytes or less",
               where);
  shim::work(PIPE_V, [=] {
    for (size_t r = 0; r < repeats; ++r)
      for (size_t i = 0; i < mask; ++i)
        *to.access(placeOf<T>(r, i, p.dstBlkStride, p.dstRepStride), 1, where) =
            operation(*left.access(placeOf<T>(r, i, p.src0BlkStride, p.src0RepStride), 1, where),
                      *right.access(placeOf<T>(r, i, p.src1BlkStride, p.src1RepStride), 1, where));
  });
}

//===--- arithmetic ---------------------------------------------------------------------------===//

#define SHIM_BINARY(Name, expression, ...)                                                         \
  template <typename T>                                                                            \
  void Name(const LocalTensor<T> &to, const LocalTensor<T> &left, const LocalTensor<T> &right,     \
            int32_t count, Where where = Where::current()) {                                       \
    static_assert(shim::isOneOf<T, __VA_ARGS__>);                                                  \
    auto operation = [](auto x, auto y) { return expression; };                                    \
    binary(                                                                                        \
        to, left, right, count, [=](T x, T y) { return shim::compute<T>(operation, x, y); },       \
        where);                                                                                    \
  }                                                                                                \
  template <typename T>                                                                            \
  void Name(const LocalTensor<T> &to, const LocalTensor<T> &left, const LocalTensor<T> &right,     \
            uint64_t mask, uint8_t repeats, const BinaryRepeatParams &params,                      \
            Where where = Where::current()) {                                                      \
    static_assert(shim::isOneOf<T, __VA_ARGS__>);                                                  \
    auto operation = [](auto x, auto y) { return expression; };                                    \
    binary(                                                                                        \
        to, left, right, mask, repeats, params,                                                    \
        [=](T x, T y) { return shim::compute<T>(operation, x, y); }, where);                       \
  }

inline float greatestOf(float x, float y) { return shim::greatest(x, y); }
inline float leastOf(float x, float y) { return shim::least(x, y); }
inline int64_t greatestOf(int64_t x, int64_t y) { return x > y ? x : y; }
inline int64_t leastOf(int64_t x, int64_t y) { return x < y ? x : y; }

SHIM_BINARY(Add, x + y, float, half, int32_t)
SHIM_BINARY(Sub, x - y, float, half, int32_t)
SHIM_BINARY(Mul, x *y, float, half, int32_t)
SHIM_BINARY(Div, x / y, float, half)
SHIM_BINARY(Max, greatestOf(x, y), float, half, int32_t)
SHIM_BINARY(Min, leastOf(x, y), float, half, int32_t)

#define SHIM_SCALAR(Name, expression, ...)                                                         \
  template <typename T>                                                                            \
  void Name(const LocalTensor<T> &to, const LocalTensor<T> &from, T y, int32_t count,              \
            Where where = Where::current()) {                                                      \
    static_assert(shim::isOneOf<T, __VA_ARGS__>);                                                  \
    auto operation = [](auto x, auto y) { return expression; };                                    \
    unary(to, from, count, [=](T x) { return shim::compute<T>(operation, x, y); }, where);         \
  }
SHIM_SCALAR(Adds, x + y, float, half, int32_t)
SHIM_SCALAR(Muls, x *y, float, half, int32_t)
SHIM_SCALAR(Maxs, greatestOf(x, y), float, half, int32_t)
SHIM_SCALAR(Mins, leastOf(x, y), float, half, int32_t)
SHIM_SCALAR(LeakyRelu, x >= 0 ? x : x * y, float, half)

/// Of the elements of a repeat whose bits are set.
template <typename T>
void Adds(const LocalTensor<T> &to, const LocalTensor<T> &from, T y, uint64_t mask[],
          uint8_t repeats, const UnaryRepeatParams &p, Where where = Where::current()) {
  expectInUb(where, to, from);
  const std::array<uint64_t, 2> bits = {mask[0], mask[1]};
  shim::work(PIPE_V, [=] {
    for (size_t r = 0; r < repeats; ++r)
      for (size_t i = 0; i < 256 / sizeof(T); ++i)
        if (bits[i / 64] >> (i % 64) & 1)
          *to.access(placeOf<T>(r, i, p.dstBlkStride, p.dstRepStride), 1, where) = shim::compute<T>(
              [](auto a, auto b) { return a + b; },
              *from.access(placeOf<T>(r, i, p.srcBlkStride, p.srcRepStride), 1, where), y);
  });
}

#define SHIM_UNARY(Name, expression)                                                               \
  template <typename T>                                                                            \
  void Name(const LocalTensor<T> &to, const LocalTensor<T> &from, int32_t count,                   \
            Where where = Where::current()) {                                                      \
    static_assert(shim::isOneOf<T, float, half>);                                                  \
    auto operation = [](float x) { return expression; };                                           \
    unary(to, from, count, [=](T x) { return shim::compute<T>(operation, x); }, where);            \
  }
SHIM_UNARY(Relu, shim::greatest(x, 0.0f))
SHIM_UNARY(Abs, std::fabs(x))
SHIM_UNARY(Exp, shim::exponential(x))
SHIM_UNARY(Ln, shim::logarithm(x))
SHIM_UNARY(Sqrt, std::sqrt(x))

template <typename T>
void Duplicate(const LocalTensor<T> &to, const T &value, const int32_t &count,
               Where where = Where::current()) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4);
  const int32_t elements = count;
  const T element = value;
  expectInUb(where, to);
  shim::work(PIPE_V, [=] { std::fill_n(to.access(0, elements, where), elements, element); });
}

//===--- broadcasts ---------------------------------------------------------------------------===//

struct BrcbRepeatParams {
  shim::Field<uint16_t, 0, shim::most16, "BrcbRepeatParams::dstBlkStride"> dstBlkStride;
  shim::Field<uint16_t, 0, shim::most16, "BrcbRepeatParams::dstRepStride"> dstRepStride;
};
/// Eight elements a repeat, each as a block of 32 bytes.
template <typename T>
void Brcb(const LocalTensor<T> &to, const LocalTensor<T> &from, uint8_t repeats,
          const BrcbRepeatParams &p, Where where = Where::current()) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4);
  expectInUb(where, to, from);
  shim::work(PIPE_V, [=] {
    constexpr size_t width = 32 / sizeof(T);
    for (size_t r = 0; r < repeats; ++r)
      for (size_t i = 0; i < 8; ++i)
        std::fill_n(to.access((r * p.dstRepStride + i * p.dstBlkStride) * width, width, where),
                    width, *from.access(r * 8 + i, 1, where));
  });
}

struct CopyRepeatParams {
  shim::Field<uint16_t, 0, shim::most16, "CopyRepeatParams::dstStride"> dstStride;
  shim::Field<uint16_t, 0, shim::most16, "CopyRepeatParams::srcStride"> srcStride;
  shim::Field<uint16_t, 0, 4095, "CopyRepeatParams::dstRepeatSize"> dstRepeatSize;
  shim::Field<uint16_t, 0, 4095, "CopyRepeatParams::srcRepeatSize"> srcRepeatSize;
};
template <typename T>
void Copy(const LocalTensor<T> &to, const LocalTensor<T> &from, uint64_t mask, uint8_t repeats,
          const CopyRepeatParams &p, Where where = Where::current()) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4);
  expectInUb(where, to, from);
  shim::expect(mask > 0 && mask <= 256 / sizeof(T), "a repeat of 256 bytes or less", where);
  shim::work(PIPE_V, [=] {
    for (size_t r = 0; r < repeats; ++r)
      for (size_t i = 0; i < mask; ++i)
        *to.access(placeOf<T>(r, i, p.dstStride, p.dstRepeatSize), 1, where) =
            *from.access(placeOf<T>(r, i, p.srcStride, p.srcRepeatSize), 1, where);
  });
}

/// Elements at offsets in bytes from `base` on.
template <typename T>
void Gather(const LocalTensor<T> &to, const LocalTensor<T> &from,
            const LocalTensor<uint32_t> &offsets, uint32_t base, uint32_t count,
            Where where = Where::current()) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4);
  expectInUb(where, to, from, offsets);
  shim::work(PIPE_V, [=] {
    const uint32_t *places = offsets.access(0, count, where);
    for (size_t i = 0; i < count; ++i) {
      shim::expect((base + places[i]) % sizeof(T) == 0, "an offset of whole elements", where);
      *to.access(i, 1, where) = *from.access((base + places[i]) / sizeof(T), 1, where);
    }
  });
}

//===--- reductions of repeats ----------------------------------------------------------------===//

enum class ReduceType { SUM, MAX, MIN };
enum class ReduceOrder { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };

/// Neighbours two by two, then what they give, as a tree.
template <ReduceType type, typename T>
void ReduceRepeat(const LocalTensor<T> &to, const LocalTensor<T> &from, int32_t mask,
                  int32_t repeats, int32_t targetStep, int32_t block, int32_t step,
                  ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                  Where where = Where::current()) {
  static_assert(shim::isOneOf<T, float, half>);
  shim::expect(type == ReduceType::SUM || order == ReduceOrder::ORDER_ONLY_VALUE,
               "values without indices", where);
  shim::expect(mask > 0 && mask <= int32_t(256 / sizeof(T)) && std::has_single_bit(uint32_t(mask)),
               "a repeat that is halved to one element", where);
  shim::expect(from.address % 32 == 0 && to.address % sizeof(T) == 0 && repeats <= 255,
               "a source on 32 bytes", where);
  shim::work(PIPE_V, [=] {
    for (size_t r = 0; r < size_t(repeats); ++r) {
      std::array<T, 256 / sizeof(T)> parts;
      for (size_t i = 0; i < size_t(mask); ++i)
        parts[i] = *from.access(placeOf<T>(r, i, block, step), 1, where);
      for (size_t count = mask; count > 1; count /= 2)
        for (size_t i = 0; i < count / 2; ++i)
          parts[i] = shim::compute<T>(
              [](float x, float y) {
                return type == ReduceType::SUM   ? x + y
                       : type == ReduceType::MAX ? shim::greatest(x, y)
                                                 : shim::least(x, y);
              },
              parts[2 * i], parts[2 * i + 1]);
      *to.access(r * targetStep, 1, where) = parts[0];
    }
  });
}
template <typename T>
void WholeReduceSum(const LocalTensor<T> &to, const LocalTensor<T> &from, int32_t mask,
                    int32_t repeats, int32_t targetStep, int32_t block, int32_t step,
                    Where where = Where::current()) {
  ReduceRepeat<ReduceType::SUM>(to, from, mask, repeats, targetStep, block, step,
                                ReduceOrder::ORDER_ONLY_VALUE, where);
}
template <typename T>
void WholeReduceMax(const LocalTensor<T> &to, const LocalTensor<T> &from, int32_t mask,
                    int32_t repeats, int32_t targetStep, int32_t block, int32_t step,
                    ReduceOrder order, Where where = Where::current()) {
  ReduceRepeat<ReduceType::MAX>(to, from, mask, repeats, targetStep, block, step, order, where);
}
template <typename T>
void WholeReduceMin(const LocalTensor<T> &to, const LocalTensor<T> &from, int32_t mask,
                    int32_t repeats, int32_t targetStep, int32_t block, int32_t step,
                    ReduceOrder order, Where where = Where::current()) {
  ReduceRepeat<ReduceType::MIN>(to, from, mask, repeats, targetStep, block, step, order, where);
}

//===--- masks --------------------------------------------------------------------------------===//

enum class CMPMODE { LT, GT, EQ, LE, GE, NE };
enum class SELMODE { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };

template <typename T> bool holds(CMPMODE mode, T x, T y) {
  switch (mode) {
  case CMPMODE::LT:
    return x < y;
  case CMPMODE::GT:
    return x > y;
  case CMPMODE::EQ:
    return x == y;
  case CMPMODE::LE:
    return x <= y;
  case CMPMODE::GE:
    return x >= y;
  case CMPMODE::NE:
    return x != y;
  }
  return false;
}

/// Bits of whole repeats; elements behind the tensor, in the same memory, are read as well.
template <typename T, typename F>
void compare(const LocalTensor<uint8_t> &mask, const LocalTensor<T> &left, CMPMODE mode,
             uint32_t count, F right, Where where) {
  static_assert(shim::isOneOf<T, float, half, int32_t>);
  expectInUb(where, mask, left);
  shim::expect(count * sizeof(T) % 256 == 0, "whole repeats of 256 bytes", where);
  shim::expect(!std::is_integral_v<T> || mode == CMPMODE::EQ, "EQ of integers", where);
  shim::work(PIPE_V, [=] {
    const LocalTensor<T> all(left.position, left.address, count);
    const T *x = all.access(0, count, where);
    uint8_t *bits = mask.access(0, count / 8, where);
    for (uint32_t i = 0; i < count; i += 8) {
      uint8_t byte = 0;
      for (uint32_t bit = 0; bit < 8; ++bit)
        byte |= holds(mode, x[i + bit], right(i + bit)) << bit;
      bits[i / 8] = byte;
    }
  });
}
template <typename T>
void Compare(const LocalTensor<uint8_t> &mask, const LocalTensor<T> &left,
             const LocalTensor<T> &right, CMPMODE mode, uint32_t count,
             Where where = Where::current()) {
  expectInUb(where, right);
  const LocalTensor<T> all(right.position, right.address, count);
  compare(mask, left, mode, count, [=](uint32_t i) { return *all.access(i, 1, where); }, where);
}
template <typename T>
void CompareScalar(const LocalTensor<uint8_t> &mask, const LocalTensor<T> &left, T right,
                   CMPMODE mode, uint32_t count, Where where = Where::current()) {
  compare(mask, left, mode, count, [=](uint32_t) { return right; }, where);
}
/// As CANN 9.1 names it.
template <typename T>
void Compares(const LocalTensor<uint8_t> &mask, const LocalTensor<T> &left, T right, CMPMODE mode,
              uint32_t count, Where where = Where::current()) {
  CompareScalar(mask, left, right, mode, count, where);
}

/// It keeps the last 8 KiB of UB to itself.
inline void takeSelectRoom(Where where) {
  constexpr uint32_t end = (__NPU_ARCH__ == 3510 ? 256 : 192) * 1024;
  const LocalTensor<uint8_t> room(TPosition::VECCALC, end - 8 * 1024, 8 * 1024);
  std::memset(room.access(0, 8 * 1024, where), 0xFF, 8 * 1024);
}
template <typename T, typename F>
void select(const LocalTensor<T> &to, const LocalTensor<uint8_t> &mask, const LocalTensor<T> &from,
            uint32_t count, F other, Where where) {
  static_assert(shim::isOneOf<T, float, half>);
  expectInUb(where, to, mask, from);
  shim::work(PIPE_V, [=] {
    takeSelectRoom(where);
    const uint8_t *bits = mask.access(0, (count + 7) / 8, where);
    const T *source = from.access(0, count, where);
    T *target = to.access(0, count, where);
    for (uint32_t i = 0; i < count; ++i)
      target[i] = bits[i / 8] >> (i % 8) & 1 ? source[i] : other(i);
  });
}
template <typename T>
void Select(const LocalTensor<T> &to, const LocalTensor<uint8_t> &mask, const LocalTensor<T> &first,
            const LocalTensor<T> &second, SELMODE mode, uint32_t count,
            Where where = Where::current()) {
  expectInUb(where, second);
  shim::expect(mode == SELMODE::VSEL_TENSOR_TENSOR_MODE, "the mode of two tensors", where);
  select(to, mask, first, count, [=](uint32_t i) { return *second.access(i, 1, where); }, where);
}
template <typename T>
void Select(const LocalTensor<T> &to, const LocalTensor<uint8_t> &mask, const LocalTensor<T> &first,
            T second, SELMODE mode, uint32_t count, Where where = Where::current()) {
  shim::expect(mode == SELMODE::VSEL_TENSOR_SCALAR_MODE, "the mode of a scalar", where);
  select(to, mask, first, count, [=](uint32_t) { return second; }, where);
}

#define SHIM_BITS(Name, expression)                                                                \
  template <typename T>                                                                            \
  void Name(const LocalTensor<T> &to, const LocalTensor<T> &left, const LocalTensor<T> &right,     \
            int32_t count, Where where = Where::current()) {                                       \
    static_assert(shim::isOneOf<T, int16_t, uint16_t>);                                            \
    binary(to, left, right, count, [](T x, T y) { return static_cast<T>(expression); }, where);    \
  }
SHIM_BITS(And, x &y)
SHIM_BITS(Or, x | y)
template <typename T>
void Not(const LocalTensor<T> &to, const LocalTensor<T> &from, int32_t count,
         Where where = Where::current()) {
  static_assert(shim::isOneOf<T, int16_t, uint16_t>);
  unary(to, from, count, [](T x) { return static_cast<T>(~x); }, where);
}

#define SHIM_SHIFT(Name, expression)                                                               \
  template <typename T>                                                                            \
  void Name(const LocalTensor<T> &to, const LocalTensor<T> &from, const T &bits,                   \
            const int32_t &count, Where where = Where::current()) {                                \
    static_assert(shim::isOneOf<T, uint16_t, int16_t, uint32_t, int32_t>);                         \
    const T y = bits;                                                                              \
    unary(to, from, count, [=](T x) { return static_cast<T>(expression); }, where);                \
  }
SHIM_SHIFT(ShiftLeft, x << y)
SHIM_SHIFT(ShiftRight, x >> y)

//===--- conversions --------------------------------------------------------------------------===//

enum class RoundMode {
  UNKNOWN = -1,
  CAST_NONE,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC
};

/// A float to the nearest integer. Beyond all it is the last one, or, of a finite float that does
/// not saturate, what the bits of the type have; of NaN 0.
template <typename D> D toInteger(float x, bool saturates) {
  if (x != x)
    return 0;
  const double rounded = std::nearbyint(static_cast<double>(x));
  const double low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max();
  if (!saturates && std::fabs(x) < 0x1p63f)
    return static_cast<D>(static_cast<int64_t>(rounded));
  return static_cast<D>(rounded < low ? low : rounded > high ? high : rounded);
}

/// `own`: what the call says of numbers beyond the type, which holds where CTRL does not decide.
template <typename D, typename S> D converted(S x, RoundMode mode, bool own = true) {
  if constexpr (std::is_integral_v<D> && std::is_integral_v<S> && sizeof(D) > sizeof(S)) {
    return x;
  } else if constexpr (std::is_integral_v<D>) {
    return toInteger<D>(shim::toFloat(x), shim::isGlobal() ? !shim::hasControl(59) : own);
  } else {
    float wide;
    if constexpr (std::is_integral_v<S>)
      wide = static_cast<float>(x);
    else
      wide = shim::toFloat(x);
    if constexpr (std::is_same_v<D, S>)
      wide = mode == RoundMode::CAST_FLOOR  ? std::floor(wide)
             : mode == RoundMode::CAST_CEIL ? std::ceil(wide)
                                            : std::nearbyint(wide);
    D result;
    shim::fromFloat(result, wide);
    return (shim::isGlobal() ? !shim::hasControl(48) : own) ? shim::saturated(result) : result;
  }
}

template <typename D, typename S>
void Cast(const LocalTensor<D> &to, const LocalTensor<S> &from, RoundMode mode, uint32_t count,
          Where where = Where::current()) {
  constexpr bool widens = (shim::isOneOf<S, half, bfloat16_t> && std::is_same_v<D, float>) ||
                          (std::is_same_v<S, int8_t> && std::is_same_v<D, half>);
  constexpr bool rounds =
      (std::is_same_v<S, float> && shim::isOneOf<D, float, half, bfloat16_t, int32_t>) ||
      (std::is_same_v<S, int32_t> && std::is_same_v<D, float>) ||
      (std::is_same_v<S, half> && shim::isOneOf<D, int8_t, int32_t>);
  static_assert(widens || rounds, "dav-2201 has no such conversion");
  shim::expect((mode == RoundMode::CAST_NONE) == widens, "a rounding of what narrows", where);
  shim::expect(std::is_same_v<D, S> || widens || mode == RoundMode::CAST_RINT,
               "to the nearest number", where);
  unary(to, from, count, [=](S x) { return converted<D>(x, mode); }, where);
}

} // namespace AscendC
