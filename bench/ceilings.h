// The ceilings of this machine, measured during the run that is compared with them.
#pragma once

#include <cstddef>

namespace mmk {

/// The rate of one kind of instruction on `threads` threads at once, the mean over about two
/// milliseconds, in 1e9 operations a second; 0 where the CPU has none.
enum class Unit { f32, bf16, i8 };
double measureCeiling(Unit unit, unsigned threads);

/// One core's rates, in 1e9 a second; 0 where the CPU has no such instruction. An operation is a
/// multiplication or an addition.
struct Ceilings {
  double f32 = 0;  ///< multiply-adds of f32
  double bf16 = 0; ///< vdpbf16ps
  double i8 = 0;   ///< vpdpbusd
};

/// The best of a few short measurements, about ten milliseconds in all: the frequency of a shared
/// machine changes, so it is measured again for each figure.
Ceilings measureCeilings();

/// Bytes read and written by a copy between two buffers far larger than the caches, 1e9 a second.
double measureCopyBandwidth();

/// Copies with non-temporal stores, which is faster than memcpy on many CPUs for buffers larger
/// than the caches. The addresses are multiples of 64, as `bytes` is.
void copyPastCaches(void *to, const void *from, size_t bytes);

/// CPU time of the calling thread, in seconds: time that a loaded machine takes from the thread is
/// not counted.
double threadSeconds();

} // namespace mmk
