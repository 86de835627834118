// The hazards of a watched run, as messages at places of the kernel's text, and as JSON.
#pragma once

#include "support/diagnostics.h"
#include "watch/watch.h"

#include "llvm/Support/JSON.h"

namespace mmk::driver {

/// One error for each fault, with a note for the other instruction, for the order that is missing
/// and for where it was seen:
///   gemm.mmk:3:13: error: the load_l0 (mte1) may read slot 0 of a in l1, bytes 0 to 65535 of l1,
///                         before the load (mte2) has written it
///   note: no flag from mte2 to mte1 stands between the two
/// `file`: the text of the kernel. The ops of the report are alive.
std::string hazardsText(const WatchReport &report, const SourceFile &file, bool colour = false);

/// "24 instructions, 60 accesses and 42 flags watched: no hazard"
std::string watchSummary(const WatchReport &report);

/// The fields of the object "watch".
void write(llvm::json::OStream &out, const WatchReport &report, const SourceFile &file);

} // namespace mmk::driver
