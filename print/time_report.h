// The critical path and the waits of a kernel as fields of a JSON object, for the profile and for
// `explain`.
#pragma once

#include "runtime/critical_path.h"
#include "runtime/waits.h"

#include "llvm/Support/JSON.h"

namespace mmk::driver {

/// "critical_path": {...}
void writePath(llvm::json::OStream &out, const PathReport &path, Topology topology);
/// "waits": [...]
void writeWaits(llvm::json::OStream &out, const std::vector<WaitReport> &waits, Topology topology);

} // namespace mmk::driver
