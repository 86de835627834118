// Functions that fill a buffer in UB with a part of a generated tensor.
#pragma once

#include "codegen/program_values.h"

namespace mmk {

/// Code at the builder's place that does what the instruction does.
void emitWindow(aicore::WindowOp op, Emitter &e, ProgramValues &values);
void emitPositions(aicore::PositionsOp op, Emitter &e, ProgramValues &values);
void emitRandomTile(aicore::RandomOp op, Emitter &e, ProgramValues &values);

} // namespace mmk
