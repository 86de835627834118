// The scalar unit's reads of global memory.
#pragma once

#include "codegen/program_values.h"

namespace mmk {

/// Code at the builder's place that binds both results.
void emitScalarRange(aicore::ScalarRangeOp op, Emitter &e, ProgramValues &values);

} // namespace mmk
