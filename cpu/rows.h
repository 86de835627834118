// Code of a cpu.rows.
#pragma once

#include "codegen/program_values.h"
#include "cpu/dialect.h"

namespace mmk {

/// Emits the tile in functions of its own, as they are optimised and the driver is not
/// (jit/partition.h).
void emitRowsTile(Emitter &e, cpu::RowsOp op, ProgramValues &values);

} // namespace mmk
