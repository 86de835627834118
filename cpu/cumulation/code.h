// Code of a cpu.cumulate.
#pragma once

#include "codegen/program_values.h"
#include "cpu/dialect.h"

namespace mmk {

/// Emits the tile in a function of its own, as it is optimised and the driver is not
/// (jit/partition.h).
void emitCumulationTile(Emitter &e, cpu::CumulateOp op, ProgramValues &values);

} // namespace mmk
