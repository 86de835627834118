// The map of the on-chip memories of a variant: `mmk compile --emit=memory`.
//
//   l0b: 65536 of 65536 bytes used (100.0 %), 0 free
//     AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
//        buffer           offset  bytes  copies  total  line  live
//     A  b: 64 x 256 f16       0  32768       2  65536     9  6 stage to 7 mmad
#pragma once

#include "ir/aicore.h"
#include "machines/machine.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace mmk::driver {

/// A point in the life of a buffer: the instruction's number in its phase, from 1 in program
/// order, its name, and the phase's step (a top-level loop or branch) that it is in.
struct MapMoment {
  unsigned number = 0, step = 0;
  std::string instruction; ///< "load"
};

struct MapBuffer {
  std::string name, type; ///< "a", "128 x 256 f16"
  int64_t offset = 0;     ///< of the first copy
  int64_t bytes = 0;      ///< of one copy, rounded up to the alignment
  int64_t copies = 1;
  MapMoment first, last; ///< instructions that touch it; number 0: none does
  unsigned line = 0;     ///< of the source that it works for; 0: none

  int64_t end() const { return offset + copies * bytes; }
};

struct MapMemory {
  std::string name; ///< "l1"; "gm": the block's own piece of global memory
  int64_t capacity = 0, reserved = 0, used = 0;
  std::vector<MapBuffer> buffers; ///< by offset
};

struct MapPhase {
  unsigned steps = 0;
  std::vector<MapMemory> memories; ///< the memories that are used
};

/// A temporary tensor between phases, in global memory.
struct MapWorkspace {
  std::string name, type; ///< "acc", "[M, N] f32"
};

struct MemoryMap {
  std::string kernel, machine, variant;
  std::vector<MapPhase> phases;
  std::vector<MapWorkspace> workspaces;
};

/// The map of a kernel with offsets (from aicore-plan-memory on).
MemoryMap memoryMap(aicore::KernelOp kernel, const Machine &machine, const std::string &variant);

std::string text(const MemoryMap &map);
void write(llvm::json::OStream &out, const MemoryMap &map);

} // namespace mmk::driver
