// Counting: the time of a kernel on an AI core from its aicore IR alone, without compiling it.
#pragma once

#include "count/call.h"
#include "ir/aicore.h"
#include "machines/machine.h"
#include "runtime/clock.h"

#include "llvm/Support/Error.h"

namespace mmk {

/// Interprets the program of every block in program order, which is a legal execution; the clock
/// times each instruction on its pipe. It touches no data but the elements of the call that bound
/// loops. The result is the same on every host. Where a dimension is 0, nothing is launched, in no
/// time. `events`, when given, receives the events of the blocks that it accepts, phase by phase,
/// each phase when its time is known; the origin of an event is a number in the phase's `origins`.
/// The error is a fault of the program: a deadlock, a flag misused or left set, an op that an AI
/// core lacks.
llvm::Expected<ClockReport> countCall(aicore::KernelOp kernel, const Machine &machine,
                                      const Call &call, EventSink *events = nullptr);

/// The same without any data.
inline llvm::Expected<ClockReport> countKernel(aicore::KernelOp kernel, const Machine &machine,
                                               llvm::ArrayRef<int64_t> dims,
                                               EventSink *events = nullptr) {
  return countCall(kernel, machine, Call{dims, {}}, events);
}

} // namespace mmk
