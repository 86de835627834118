// The code of an aicore.scan: the sums of a tile of UB up to each element.
#pragma once

#include "codegen/program_values.h"

namespace mmk {

/// Code at the builder's place. Along the columns of a row, sums of sixteen elements are formed in
/// steps of 1, 2, 4 and 8, whatever the vectors of the host are.
void emitScan(aicore::ScanOp op, Emitter &e, ProgramValues &values);

} // namespace mmk
