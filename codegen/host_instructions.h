// The instructions of a host: whole tiles, read from and written to tensors in memory.
#pragma once

#include "codegen/program_values.h"

namespace mmk {

/// In a function of its own, as it is to be fast and the program need not be (codegen/split.h).
void emitHostProduct(Emitter &e, aicore::ProductOp op, ProgramValues &values);

void emitHostElementwise(Emitter &e, aicore::ElementwiseOp op, ProgramValues &values);

} // namespace mmk
