// An operand of a product that is a window of a tensor: it is nowhere in memory as a matrix, and
// its rows are read from the tensor when they are packed.
#pragma once

#include "codegen/emitter.h"
#include "codegen/program_values.h"
#include "cpu/dialect.h"

namespace mmk {

/// Whether such an operand can be read by rows: each index of the tensor is a sum of one of the
/// row's digits and one of the column's, and one index alone grows along the columns.
bool isReadByRows(mlir::AffineMap window, unsigned rowDigits);

class WindowOperand {
public:
  WindowOperand(Emitter &e, cpu::ProductOp op) : e(e), b(e.b), op(op) {}

  /// Its tensor, digits and positions, in memory.
  llvm::Value *frame(ProgramValues &values);
  /// void(ptr to, ptr frame, i64 toRow, i64 row, i64 rows, i64 column, i64 columns): a part of the
  /// matrix in dense rows of f32, `toRow` bytes apart.
  llvm::Function *rows(const std::string &name);

private:
  struct Fields;
  struct Part;
  mlir::Value source() { return op.isWindowOfA() ? op.getA() : op.getB(); }
  llvm::SmallVector<llvm::Value *> digitsOf(llvm::Value *position, llvm::ArrayRef<llvm::Value *>);
  void emitTable(const Fields &fields, llvm::Value *table, llvm::Value *first, llvm::Value *count);
  void emitRun(const Fields &fields, const Part &part);

  Emitter &e;
  llvm::IRBuilder<> &b;
  cpu::ProductOp op;
};

} // namespace mmk
