// A meaning on this computer for the part of the Ascend C interface that mmk writes: static
// tensors, explicit flags, the cube core of Ascend 910B (dav-2201). Written from the published
// signatures and the documented meaning of their parameters; it has no code of the vendor.
//
// A kernel's function runs to its end and only records its instructions, each in the queue of its
// pipe. Then the pipes run, in an order that the flags allow (shim/pipes.h).
#pragma once

#include "pipes.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>

#define __global__
#define __cube__
#define __mix__(cubes, vectors)
#define __aicore__
#define __gm__
// The function runs for each side of a block. That of a kernel of the cube has no other.
#define ASCEND_IS_AIC (::shim::side() == 0)
#define ASCEND_IS_AIV (::shim::isMixed(), ::shim::side() > 0)
#define MMK_LAUNCH(kernel, cores, stream, ...)                                                     \
  (static_cast<void>(stream), ::shim::launch(cores, [&] { kernel(__VA_ARGS__); }))

using half = _Float16;
struct bfloat16_t {
  uint16_t bits;
};

namespace shim {
inline float toFloat(float value) { return value; }
inline float toFloat(half value) { return value; }
/// NaN if either is.
inline float greater(float x, float y) { return x > y || x != x ? x : y; }
inline float toFloat(bfloat16_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}
inline void fromFloat(float &to, float value) { to = value; }
inline void fromFloat(half &to, float value) { to = static_cast<half>(value); }
inline void fromFloat(bfloat16_t &to, float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  to.bits = static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
/// An operand of the matrix unit.
template <typename T> float wide(T value) { return toFloat(value); }
inline int32_t wide(int8_t value) { return value; }
} // namespace shim

namespace AscendC {

using shim::Where;

enum class TPosition { A1, A2, B2, CO1, VECCALC, C2 };

// Pipes, as the interface names them.
enum pipe_t { PIPE_MTE1, PIPE_MTE2, PIPE_M, PIPE_FIX, PIPE_V, PIPE_MTE3, PIPE_ALL };
enum class HardEvent {
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  M_FIX,
  FIX_M,
  MTE2_V,
  V_MTE2,
  V_MTE3,
  MTE3_V
};

template <typename T> class LocalTensor {
public:
  LocalTensor(TPosition position, uint32_t address, uint32_t elements)
      : position(position), address(address), elements(elements) {}
  LocalTensor operator[](size_t element) const {
    return {position, static_cast<uint32_t>(address + element * sizeof(T)),
            static_cast<uint32_t>(elements - element)};
  }
  template <typename U> LocalTensor<U> ReinterpretCast() const {
    return {position, address, static_cast<uint32_t>(elements * sizeof(T) / sizeof(U))};
  }
  /// `count` elements from `first` on, for an instruction.
  T *access(size_t first, size_t count, Where where) const {
    return static_cast<T *>(shim::local(static_cast<int>(position), address, elements * sizeof(T),
                                        first * sizeof(T), count * sizeof(T), where));
  }

  TPosition position;
  uint32_t address, elements;
};

template <typename T> class GlobalTensor {
public:
  void SetGlobalBuffer(T *start) { data = start; }
  GlobalTensor operator[](size_t element) const {
    GlobalTensor part;
    part.data = data + element;
    return part;
  }
  T *access(size_t first, size_t count, Where where) const {
    return static_cast<T *>(shim::global(data + first, count * sizeof(T), where));
  }

private:
  T *data = nullptr;
};

inline void InitSocState() {}
/// Of the cube cores, or of all vector cores.
inline int64_t GetBlockIdx() {
  return shim::side() == 0 ? shim::block() : shim::block() * 2 + shim::side() - 1;
}
inline int64_t GetSubBlockIdx() { return shim::side() - 1; }

//===--- synchronisation
//------------------------------------------------------------------------===//

constexpr shim::Flag flagOf(HardEvent event, int32_t id) {
  switch (event) {
  case HardEvent::MTE2_MTE1:
    return {PIPE_MTE2, PIPE_MTE1, id};
  case HardEvent::MTE1_MTE2:
    return {PIPE_MTE1, PIPE_MTE2, id};
  case HardEvent::MTE1_M:
    return {PIPE_MTE1, PIPE_M, id};
  case HardEvent::M_MTE1:
    return {PIPE_M, PIPE_MTE1, id};
  case HardEvent::M_FIX:
    return {PIPE_M, PIPE_FIX, id};
  case HardEvent::FIX_M:
    return {PIPE_FIX, PIPE_M, id};
  case HardEvent::MTE2_V:
    return {PIPE_MTE2, PIPE_V, id};
  case HardEvent::V_MTE2:
    return {PIPE_V, PIPE_MTE2, id};
  case HardEvent::V_MTE3:
    return {PIPE_V, PIPE_MTE3, id};
  case HardEvent::MTE3_V:
    return {PIPE_MTE3, PIPE_V, id};
  }
  return {};
}

template <HardEvent event> void SetFlag(int32_t id, Where where = Where::current()) {
  shim::set(flagOf(event, id), where);
}
template <HardEvent event> void WaitFlag(int32_t id, Where where = Where::current()) {
  shim::wait(flagOf(event, id), where);
}
/// Of one pipe nothing is to do: here a pipe runs one instruction after the other.
template <pipe_t pipe> void PipeBarrier(Where where = Where::current()) {
  if (pipe == PIPE_ALL)
    shim::barrier(where);
}

/// Of all cores, or of all vector cores; each ends what it has begun before.
template <bool isAIVOnly = true> void SyncAll(Where where = Where::current()) {
  shim::syncAll(isAIVOnly, where);
}

/// Mode 2: from the cube core to both vector cores of its block, or from both of them to it.
template <uint8_t mode, pipe_t pipe>
void CrossCoreSetFlag(uint16_t id, Where where = Where::current()) {
  static_assert(mode == 2);
  shim::setCross(pipe, id, where);
}
template <uint8_t mode, pipe_t pipe>
void CrossCoreWaitFlag(uint16_t id, Where where = Where::current()) {
  static_assert(mode == 2);
  shim::waitCross(pipe, id, where);
}

} // namespace AscendC

#include "cube.h"

namespace AscendC {

//===--- the vector cores
//------------------------------------------------------------------------===//

struct DataCopyExtParams {
  DataCopyExtParams(uint16_t count, uint32_t bytes, uint32_t sourceGap, uint32_t targetGap,
                    uint32_t)
      : count(count), bytes(bytes), sourceGap(sourceGap), targetGap(targetGap) {}
  uint16_t count;
  uint32_t bytes, sourceGap, targetGap;
};
template <typename T> struct DataCopyPadExtParams {
  DataCopyPadExtParams(bool pads, uint8_t, uint8_t, T) { shim::expect(!pads, "no padding", {}); }
};

/// Pieces of global memory into UB, each on a block of 32 bytes; what fills its last block is
/// unknown.
template <typename T>
void DataCopyPad(const LocalTensor<T> &to, const GlobalTensor<T> &from,
                 const DataCopyExtParams &params, const DataCopyPadExtParams<T> &,
                 Where where = Where::current()) {
  shim::expect(to.position == TPosition::VECCALC && to.address % 32 == 0, "a target in UB", where);
  shim::work(PIPE_MTE2, [=] {
    const size_t count = params.bytes / sizeof(T), room = (params.bytes + 31) / 32 * 32 / sizeof(T);
    for (size_t i = 0; i < params.count; ++i) {
      const T *source = from.access(i * (count + params.sourceGap / sizeof(T)), count, where);
      T *target = to.access(i * (room + params.targetGap * 32 / sizeof(T)), room, where);
      shim::copy(target, source, count * sizeof(T), room * sizeof(T));
    }
  });
}
template <typename T>
void DataCopyPad(const GlobalTensor<T> &to, const LocalTensor<T> &from,
                 const DataCopyExtParams &params, Where where = Where::current()) {
  shim::expect(from.position == TPosition::VECCALC && from.address % 32 == 0, "a source in UB",
               where);
  shim::work(PIPE_MTE3, [=] {
    const size_t count = params.bytes / sizeof(T), room = (params.bytes + 31) / 32 * 32 / sizeof(T);
    for (size_t i = 0; i < params.count; ++i) {
      T *target = to.access(i * (count + params.targetGap / sizeof(T)), count, where);
      shim::copy(target, from.access(i * (room + params.sourceGap * 32 / sizeof(T)), count, where),
                 count * sizeof(T), count * sizeof(T));
    }
  });
}

struct BinaryRepeatParams {
  uint8_t targetBlock, leftBlock, rightBlock, targetRepeat, leftRepeat, rightRepeat;
};
enum class RoundMode { CAST_NONE, CAST_RINT };

/// `count` elements one by one.
template <typename D, typename S, typename F>
void elementwise(const LocalTensor<D> &to, const LocalTensor<S> &from, int64_t count, F compute,
                 Where where) {
  shim::expect(to.address % 32 == 0 && from.address % 32 == 0, "tensors on 32 bytes", where);
  shim::work(PIPE_V, [=] {
    const S *source = from.access(0, count, where);
    D *target = to.access(0, count, where);
    for (int64_t i = 0; i < count; ++i)
      shim::fromFloat(target[i], compute(shim::toFloat(source[i])));
  });
}

#define SHIM_BINARY(Name, expression)                                                              \
  template <typename T>                                                                            \
  void Name(const LocalTensor<T> &to, const LocalTensor<T> &left, const LocalTensor<T> &right,     \
            int64_t count, Where where = Where::current()) {                                       \
    shim::work(PIPE_V, [=] {                                                                       \
      for (int64_t i = 0; i < count; ++i) {                                                        \
        const float x = shim::toFloat(*left.access(i, 1, where));                                  \
        const float y = shim::toFloat(*right.access(i, 1, where));                                 \
        shim::fromFloat(*to.access(i, 1, where), expression);                                      \
      }                                                                                            \
    });                                                                                            \
  }                                                                                                \
  /* Repeats of up to 256 bytes; the strides are blocks of 32 bytes from repeat to repeat. */      \
  template <typename T>                                                                            \
  void Name(const LocalTensor<T> &to, const LocalTensor<T> &left, const LocalTensor<T> &right,     \
            uint64_t mask, uint8_t repeats, const BinaryRepeatParams &params,                      \
            Where where = Where::current()) {                                                      \
    shim::expect(mask > 0 && mask <= 256 / sizeof(T), "a repeat of 256 bytes or less", where);     \
    shim::work(PIPE_V, [=] {                                                                       \
      constexpr size_t block = 32 / sizeof(T);                                                     \
      for (size_t r = 0; r < repeats; ++r)                                                         \
        for (size_t i = 0; i < mask; ++i) {                                                        \
          const float x =                                                                          \
              shim::toFloat(*left.access(r * params.leftRepeat * block + i, 1, where));            \
          const float y =                                                                          \
              shim::toFloat(*right.access(r * params.rightRepeat * block + i, 1, where));          \
          shim::fromFloat(*to.access(r * params.targetRepeat * block + i, 1, where), expression);  \
        }                                                                                          \
    });                                                                                            \
  }
SHIM_BINARY(Add, x + y)
SHIM_BINARY(Sub, x - y)
SHIM_BINARY(Mul, x *y)
SHIM_BINARY(Div, x / y)
SHIM_BINARY(Max, shim::greater(x, y))
SHIM_BINARY(Min, -shim::greater(-x, -y))

#define SHIM_SCALAR(Name, expression)                                                              \
  template <typename T>                                                                            \
  void Name(const LocalTensor<T> &to, const LocalTensor<T> &from, T y, int64_t count,              \
            Where where = Where::current()) {                                                      \
    elementwise(to, from, count, [=](float x) { return expression; }, where);                      \
  }
SHIM_SCALAR(Adds, x + y)
SHIM_SCALAR(Muls, x *y)
SHIM_SCALAR(Maxs, shim::greater(x, y))
SHIM_SCALAR(Mins, -shim::greater(-x, -y))
SHIM_SCALAR(LeakyRelu, x >= 0 ? x : x * y)

template <typename T>
void Relu(const LocalTensor<T> &to, const LocalTensor<T> &from, int64_t count,
          Where where = Where::current()) {
  elementwise(to, from, count, [](float x) { return shim::greater(x, 0.0f); }, where);
}
template <typename T>
void Abs(const LocalTensor<T> &to, const LocalTensor<T> &from, int64_t count,
         Where where = Where::current()) {
  elementwise(to, from, count, [](float x) { return x < 0 ? -x : x; }, where);
}
template <typename D, typename S>
void Cast(const LocalTensor<D> &to, const LocalTensor<S> &from, RoundMode mode, int64_t count,
          Where where = Where::current()) {
  shim::expect((mode == RoundMode::CAST_NONE) == (sizeof(D) > sizeof(S)),
               "a rounding of what narrows", where);
  elementwise(to, from, count, [](float x) { return x; }, where);
}

} // namespace AscendC
