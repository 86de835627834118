// Live ranges of on-chip buffers: what aicore-plan-memory
// shares bytes by, aicore-insert-sync orders the sharing by, and the memory map shows.
//
// Time is counted in steps: the ops of a phase's block that contain instructions. What is touched
// within a loop lives for all of that loop, whose iterations overlap on the pipes.
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
  /// The first and the last instruction that touch the buffer; none at all: `instruction` is null,
  /// and it lives as long as the phase.
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

/// Buffers of which the later takes bytes of the earlier, whose life has ended by then.
struct Reuse {
  LiveRange earlier, later;
};
llvm::SmallVector<Reuse> reusesOf(aicore::PhaseOp phase);

/// "3 copies of 64 x 32 f16"
std::string describeCopies(aicore::AllocOp alloc);

/// Line of the source file that a location is of; 0 when it is of none.
unsigned lineOf(mlir::Location location);

} // namespace mmk
