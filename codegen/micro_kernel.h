// The product of one base tile: accumulators in registers, panels of B streaming by.
#pragma once

#include "codegen/emitter.h"

namespace mmk {

/// Layouts of one product in the emulated L0, all static: elements are 4 bytes wide (f32, or i32
/// for i8). A is rows of `tileK` (or, transposed, of `tileM`); B is panels of `panel` columns, each
/// tileK x panel; the accumulator is rows of `tileN`.
struct MicroKernel {
  bool integer = false;
  bool aTransposed = false;
  int64_t tileM = 0, tileN = 0, tileK = 0;
  int64_t partN = 0; ///< columns that a product may start and end at multiples of

  /// Columns of a panel of B: two vector registers, or one where two do not divide the tile
  /// and its parts.
  int64_t panel(const CodeTarget &target) const;
  /// Rows of A that share the registers with a panel.
  int64_t rows(const CodeTarget &target) const;
};

/// void(ptr a, ptr b, ptr acc, i64 m, i64 n, i64 k, i1 first): acc (+)= a * b over m rows and n
/// columns rounded up to whole register tiles, and exactly k.
llvm::Function *microKernel(Emitter &e, const MicroKernel &kernel);

} // namespace mmk
