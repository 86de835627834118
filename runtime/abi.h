// The C interface between generated code and the emulated core. Only codegen/ emits code for it.
#pragma once

#include <cstdint>

namespace mmk {

/// The arguments of a phase of a kernel. All cores share them; only tensors that are results or
/// workspaces are written.
struct KernelArguments {
  const int64_t *dims;  ///< values of the kernel's dimensions
  const float *scalars; ///< by parameter; tensors have an unused entry, an i32 its bits
  void *const *tensors; ///< by parameter (scalars have an unused entry), then results, workspaces
  /// By parameter and result, of each dimension, in elements; a scalar has an unused entry.
  /// Workspaces are dense.
  const int64_t *const *strides;
  const int64_t *plan; ///< of the phase that runs, as a PlanFunction fills it in
};

/// Order of the pointers in CoreMemories: aicore.space.
enum : unsigned {
  memoryGm,
  memoryL1,
  memoryL0a,
  memoryL0b,
  memoryL0c,
  memoryBt,
  memoryUb,
  memories
};

/// A watched program calls this before each of its instructions, flags and workspaces: `op` is its
/// number, `unit` the core (0: the cube core, then the vector cores), `operands` its operands with
/// their values in this run, 0 for those that are no integers. False: the instruction is out of
/// bounds and is skipped.
using WatchFunction = bool (*)(void *watch, int64_t op, int64_t unit, const int64_t *operands);

/// The columns of B in the emulated L0B are padded to a multiple of this, which is a multiple of
/// the lanes of every target.
constexpr int64_t columnsPadding = 16;

/// How many times as many columns the emulated L0B has for it, for tiles that are multiples of
/// `cubeN` columns.
constexpr int64_t paddingOfL0b(int64_t cubeN) {
  if (cubeN % columnsPadding == 0)
    return 1;
  // From `columnsPadding` columns on, padding adds less than there are.
  return cubeN > columnsPadding ? 2 : (columnsPadding + cubeN - 1) / cubeN;
}

/// The memories of the block that runs a phase. The emulated L0A and L0B hold each element widened
/// to four bytes, as the multiplier takes it, so they are four bytes for every element of the
/// machine's, and L0B paddingOfL0b times as many; UB is that of the first vector core, the others
/// follow at `ubStride`.
struct CoreMemories {
  int64_t block;
  int64_t ubStride;
  char *memory[memories];
  WatchFunction step; ///< of a watched program only
  void *watch;
};

/// One phase of a kernel for one block: the whole program, in order.
using PhaseFunction = void (*)(const KernelArguments *, const CoreMemories *);
/// Computes the plan of a phase at some dimensions, for at most `threads` threads: the fields of
/// PlanField, then values that only the phase itself reads. The compiler knows its length.
using PlanFunction = void (*)(const int64_t *dims, int64_t threads, int64_t *plan);
enum PlanField : unsigned {
  planBlocks,      ///< an upper bound of the blocks with work: all from this one on have none
  planSingleBlock, ///< not 0 when the second block has no work, so that one thread is enough. A
                   ///< block after it may still have some, where a grid maps the tiles
  planFields
};
/// Fills in the bytes of each workspace.
using WorkspaceFunction = void (*)(const int64_t *dims, int64_t *bytes);

} // namespace mmk
