// The version of the rules by which cycles are counted.
#pragma once

namespace mmk {

/// Cycles of two versions are not comparable. 2: one rule of memory for all kernels, the fixed cost
/// of a task of both kinds of cores, requests of unaligned rows.
inline constexpr int clockVersion = 2;

} // namespace mmk
