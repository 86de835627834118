// Code of a cpu.chain.
#pragma once

#include "codegen/program_values.h"
#include "cpu/dialect.h"

namespace mmk {

/// Emits the tile in a function of its own, as it is optimised and the driver is not
/// (jit/partition.h).
void emitChainTile(Emitter &e, cpu::ChainOp op, ProgramValues &values);

} // namespace mmk
