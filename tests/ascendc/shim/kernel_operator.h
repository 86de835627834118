// A meaning on this computer for the part of the Ascend C interface that mmk writes: static
// tensors, explicit flags, the cores of Ascend 910B (dav-2201) and, with -D__NPU_ARCH__=3510, of
// Ascend 950 (dav-3510). Written from the published signatures and the documented meaning of their
// parameters; it has no code of the vendor.
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
#define __vector__
#define __mix__(cubes, vectors)
#define __aicore__
#define __schedmode__(mode)
#define __gm__
#define __cc__
#define __ubuf__
#define __simd_vf__
#define __simd_callee__
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
// The function runs for each side of a block. That of a kernel of the cube has no other.
#define ASCEND_IS_AIC (::shim::side() == 0)
#define ASCEND_IS_AIV (::shim::isMixed(), ::shim::side() > 0)
#define MMK_LAUNCH(kernel, cores, stream, ...)                                                     \
  (static_cast<void>(stream), ::shim::launch(cores, [&] { kernel(__VA_ARGS__); }))

/// As CANN 8.5 says which cores run a kernel.
enum KernelMetaType {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_2
};
#define KERNEL_TASK_TYPE_DEFAULT(type)                                                             \
  ::shim::hasCores(type == KERNEL_TYPE_MIX_AIC_1_2,                                                \
                   type == KERNEL_TYPE_MIX_AIC_1_2 || type == KERNEL_TYPE_MIX_AIV_1_0)

using half = _Float16;
struct bfloat16_t {
  uint16_t bits;
  bfloat16_t() = default;
  template <typename T> bfloat16_t(T) = delete; // ToBfloat16
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
/// A bit of CTRL, as it was when the instruction that runs was issued.
inline bool hasControl(int bit) { return control() >> bit & 1; }
/// Whether CTRL says what becomes of numbers beyond a type, and not each conversion.
inline bool isGlobal() { return __NPU_ARCH__ != 3510 || hasControl(60); }
/// The greatest number for an infinity, 0 for NaN, of a float of 16 bits.
template <typename T> T saturated(T value) {
  if constexpr (sizeof(T) == 2) {
    const float number = toFloat(value);
    if (number != number)
      return std::bit_cast<T>(uint16_t(0));
    constexpr uint16_t greatest = std::is_same_v<T, half> ? 0x7BFF : 0x7F7F;
    if (std::bit_cast<uint32_t>(number) << 1 == 0xFF000000u)
      return std::bit_cast<T>(uint16_t(greatest | (number < 0 ? 0x8000 : 0)));
  }
  return value;
}
/// A result of an instruction: with CTRL[48] = 0 half and bfloat16_t have no infinities and NaN.
template <typename T> T rounded(float value) {
  T result;
  fromFloat(result, value);
  return hasControl(48) ? result : saturated(result);
}
/// An operand of the matrix unit.
template <typename T> float wide(T value) { return toFloat(value); }
inline int32_t wide(int8_t value) { return value; }
} // namespace shim

namespace AscendC {

using shim::Where;

inline bfloat16_t ToBfloat16(const float &value) {
  bfloat16_t rounded;
  shim::fromFloat(rounded, value);
  return rounded;
}

inline float ToFloat(const bfloat16_t &value) { return shim::toFloat(value); }

enum class TPosition { A1, A2, B2, CO1, VECCALC, C2 };

// Pipes, as the interface names them.
enum pipe_t { PIPE_MTE1, PIPE_MTE2, PIPE_M, PIPE_FIX, PIPE_V, PIPE_MTE3, PIPE_S, PIPE_ALL };
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
  MTE3_V,
  MTE2_MTE3,
  MTE3_MTE2,
  MTE2_S,
  S_MTE2
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
  /// By the scalar unit.
  void SetValue(size_t element, T value, Where where = Where::current()) const {
    const LocalTensor self = *this;
    shim::work(PIPE_S, [=] { *self.access(element, 1, where) = value; });
  }
  /// `count` elements from `first` on, for an instruction: of a memory of this core, or of one of
  /// its block.
  T *access(size_t first, size_t count, Where where) const {
    return accessOf(shim::running(), first, count, where);
  }
  T *accessOf(int side, size_t first, size_t count, Where where) const {
    return static_cast<T *>(shim::local(side, static_cast<int>(position), address,
                                        elements * sizeof(T), first * sizeof(T), count * sizeof(T),
                                        where));
  }
  /// For a function on registers.
  T *GetPhyAddr(Where where = Where::current()) const {
    T *data = access(0, elements, where);
    shim::noteTensor(data, elements * sizeof(T));
    return data;
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
  /// Of the scalar unit: what a pass before this one has left.
  T GetValue(size_t element, Where where = Where::current()) const {
    shim::expectFresh(data + element, where);
    return *access(element, 1, where);
  }
  /// `access` for an instruction that writes.
  T *written(size_t first, size_t count, Where where) const {
    shim::noteWrite(data + first);
    return access(first, count, where);
  }

  /// For the C interface.
  T *GetPhyAddr() const { return data; }

private:
  T *data = nullptr;
};

/// Of dav-3510 it sets CTRL but for one bit; of dav-2201 CTRL is as the kernel before has left it.
inline void InitSocState() {
  shim::useArchitecture(__NPU_ARCH__);
#if __NPU_ARCH__ == 3510
  shim::setControl((shim::controlNow() & uint64_t(1) << 48) | uint64_t(1) << 60 | 8);
#endif
}

#if __NPU_ARCH__ == 3510
template <int8_t first, int8_t last> void expectBit() {
  static_assert(first == last && (first == 48 || first == 53 || first == 59 || first == 60),
                "another bit of CTRL");
}
template <int8_t first, int8_t last> void SetCtrlSpr(int64_t value) {
  expectBit<first, last>();
  const uint64_t bit = uint64_t(1) << first;
  shim::setControl(value ? shim::controlNow() | bit : shim::controlNow() & ~bit);
}
template <int8_t first, int8_t last> int64_t GetCtrlSpr() {
  expectBit<first, last>();
  return shim::controlNow() >> first & 1;
}
#endif

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
  case HardEvent::MTE2_MTE3:
    return {PIPE_MTE2, PIPE_MTE3, id};
  case HardEvent::MTE3_MTE2:
    return {PIPE_MTE3, PIPE_MTE2, id};
  case HardEvent::MTE2_S:
    return {PIPE_MTE2, PIPE_S, id};
  case HardEvent::S_MTE2:
    return {PIPE_S, PIPE_MTE2, id};
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

enum class CacheLine { ENTIRE_DATA_CACHE };
enum class DcciDst { CACHELINE_OUT };
/// The scalar unit forgets all that it has read.
template <typename T, CacheLine line, DcciDst target>
void DataCacheCleanAndInvalid(const GlobalTensor<T> &) {
  shim::forgetCache();
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

#if __NPU_ARCH__ == 2201
// CTRL, as the compiler has it.
inline uint64_t get_ctrl() { return shim::controlNow(); }
inline void set_ctrl(uint64_t value) { shim::setControl(value); }
inline uint64_t sbitset0(uint64_t value, int64_t bit) { return value & ~(uint64_t(1) << bit); }
inline uint64_t sbitset1(uint64_t value, int64_t bit) { return value | uint64_t(1) << bit; }
#endif

#include "cube.h"

#include "vector.h"

#if __NPU_ARCH__ == 3510
#include "registers.h"
#endif
