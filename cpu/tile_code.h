// Code of the operations of the cpu dialect: whole tiles, read from and written to tensors in
// memory.
#pragma once

#include "codegen/program_values.h"
#include "cpu/dialect.h"
#include "cpu/epilogue.h"

namespace mmk {

/// The part of a tensor that starts at `offsets`; `along`: its dimensions along rows and columns.
Plane planeOf(Emitter &e, ProgramValues &values, mlir::Value tensor, mlir::ValueRange offsets,
              llvm::ArrayRef<int64_t> along);
llvm::SmallVector<Plane> planesOf(Emitter &e, ProgramValues &values, mlir::OperandRange tensors,
                                  mlir::ValueRange offsets, llvm::ArrayRef<int64_t> along);
/// The values of scalarsOf a region.
llvm::SmallVector<llvm::Value *> scalarsFor(mlir::Block &region, ProgramValues &values);

/// The addresses of a product's operands.
struct OperandPlaces {
  llvm::Value *a = nullptr, *b = nullptr;
};
OperandPlaces placesOf(Emitter &e, cpu::ProductOp op, ProgramValues &values);

/// Emits the product in a function of its own, as it is optimised and the driver is not
/// (jit/partition.h). `next`: the operands of the next product, which may be the same, or none.
void emitProductTile(Emitter &e, cpu::ProductOp op, ProgramValues &values,
                     const OperandPlaces &next);

void emitElementwiseTile(Emitter &e, cpu::ElementwiseOp op, ProgramValues &values);

} // namespace mmk
