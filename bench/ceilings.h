// What this machine can do at most, measured in the run that is compared with it.
#pragma once

#include <cstddef>

namespace mmk {

/// What one kind of instruction can do on `threads` threads at once, in the mean of about two
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

/// The best of a few short attempts, about ten milliseconds in all: the clock of a shared machine
/// moves, so that it is measured again beside each figure.
Ceilings measureCeilings();

/// Bytes read and written by a copy between two buffers far larger than the caches, 1e9 a second.
double measureCopyBandwidth();

/// Copies with stores that pass by the caches, which for what is larger than they are is faster
/// than memcpy on many CPUs. The addresses are multiples of 64, as `bytes` is.
void copyPastCaches(void *to, const void *from, size_t bytes);

/// Time of the CPU that the calling thread has used, in seconds: what a loaded machine takes from
/// the thread is not counted.
double threadSeconds();

} // namespace mmk
