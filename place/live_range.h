// Live ranges of on-chip buffers. aicore-plan-memory shares bytes by them, aicore-insert-sync
// orders the sharing, and the memory map shows them.
//
// Time is counted in steps: the ops of a phase's block that contain instructions. A buffer that is
// accessed within a loop lives for all of that loop, whose iterations overlap on the pipes.
#pragma once

#include "ir/aicore.h"

namespace mmk {

/// An instruction of a phase: its step, from 0, and its number in program order, from 1.
struct Moment {
  aicore::Instruction instruction;
  unsigned step = 0, number = 0;
};

struct LiveRange {
  aicore::AllocOp alloc;
  /// The first and the last instruction that access the buffer; without any, `instruction` is null,
  /// and the buffer lives as long as the phase.
  Moment first, last;

  bool isTouched() const { return static_cast<bool>(first.instruction); }
  bool meets(const LiveRange &other) const {
    return first.step <= other.last.step && other.first.step <= last.step;
  }
  /// Bytes of all copies, each from a multiple of `alignment` on.
  int64_t bytes(int64_t alignment) const;
};

/// The top-level op of each step.
llvm::SmallVector<mlir::Operation *> stepsOf(aicore::PhaseOp phase);

/// Of all buffers of a phase, in the order in which they are declared.
llvm::SmallVector<LiveRange> liveRanges(aicore::PhaseOp phase);

/// Two buffers of which the later uses bytes of the earlier, whose life has ended.
struct Reuse {
  LiveRange earlier, later;
};
llvm::SmallVector<Reuse> reusesOf(aicore::PhaseOp phase);

/// "3 copies of 64 x 32 f16"
std::string describeCopies(aicore::AllocOp alloc);

/// The source line of a location; 0 without one.
unsigned lineOf(mlir::Location location);

} // namespace mmk
