// The instructions of a host: whole tiles, read from and written to tensors in memory.
#pragma once

#include "codegen/program_values.h"

namespace mmk {

/// Where the operands of a product begin.
struct OperandPlaces {
  llvm::Value *a = nullptr, *b = nullptr;
};
OperandPlaces placesOf(Emitter &e, aicore::ProductOp op, ProgramValues &values);

/// In a function of its own, as it is to be fast and the program need not be (jit/partition.h).
/// `next`: the operands of the product after it, which may be the same, or none.
void emitHostProduct(Emitter &e, aicore::ProductOp op, ProgramValues &values,
                     const OperandPlaces &next);

void emitHostElementwise(Emitter &e, aicore::ElementwiseOp op, ProgramValues &values);

} // namespace mmk
