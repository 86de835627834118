// Code of the operations of the cpu dialect: whole tiles, read from and written to tensors in
// memory.
#pragma once

#include "codegen/program_values.h"
#include "cpu/dialect.h"

namespace mmk {

/// Where the operands of a product begin.
struct OperandPlaces {
  llvm::Value *a = nullptr, *b = nullptr;
};
OperandPlaces placesOf(Emitter &e, cpu::ProductOp op, ProgramValues &values);

/// In a function of its own, as it is to be fast and the program need not be (jit/partition.h).
/// `next`: the operands of the product after it, which may be the same, or none.
void emitProductTile(Emitter &e, cpu::ProductOp op, ProgramValues &values,
                     const OperandPlaces &next);

void emitElementwiseTile(Emitter &e, cpu::ElementwiseOp op, ProgramValues &values);

} // namespace mmk
