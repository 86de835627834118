// A run as a trace for Perfetto and chrome://tracing: a process for each core, a thread for each
// of its pipes, an arrow from each flag that is set to the wait that takes it.
#pragma once

#include "runtime/recording.h"

#include "llvm/Support/raw_ostream.h"

namespace mmk {

/// Writes the "JSON object format" of the trace viewers. One cycle is one microsecond there: a
/// cycle of the chip is less than their nanosecond, to which they round. Of a block, the first
/// `most` events are written. `about` is written to otherData, with the part that is shown if it is
/// not all.
void writeTrace(llvm::raw_ostream &out, const std::deque<PhaseRecording> &phases,
                const Machine &machine, size_t most,
                const std::vector<std::pair<std::string, std::string>> &about);

/// What a trace of `most` events a block shows of the phases, "12 of 20 blocks, the slowest among
/// them"; empty when it is all.
std::string shownInTrace(const std::deque<PhaseRecording> &phases, size_t most);

} // namespace mmk
