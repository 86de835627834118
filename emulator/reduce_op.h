// The code of an aicore.reduce: a tile of UB combined to a row.
#pragma once

#include "codegen/emitter.h"
#include "ir/aicore.h"

namespace mmk {

/// void(source, targets..., i64 rows, i64 columns). Along the columns of a row, sixteen partial
/// results are combined in pairs at the end, whatever the vectors of the host are, so that sums are
/// the same on all hosts.
llvm::Function *reduceFunction(Emitter &e, aicore::ReduceOp op);

} // namespace mmk
