// An operand of a product that is a window of a tensor: it is nowhere in memory as a matrix, and
// its rows are read from the tensor when they are packed.
#pragma once

#include "codegen/emitter.h"
#include "codegen/micro_kernel.h"
#include "codegen/program_values.h"
#include "cpu/tile_elements.h"

namespace mmk {

/// Whether such an operand can be read by rows: each index of the tensor is a sum of one of the
/// row's digits and one of the column's, and one index alone grows along the columns.
bool isReadByRows(mlir::AffineMap window, unsigned rowDigits);

/// The elements of packed rows of a window.
struct WindowForm {
  llvm::Type *type = nullptr; ///< of an element; of a group, not used
  int64_t group = 1;          ///< rows side by side, in four bytes for each column
  bool isOffset = false;      ///< bytes of groups are offset by 128, to be unsigned
  bool inPanels = false;      ///< as packPanels has them
};

class WindowOperand {
public:
  WindowOperand(Emitter &e, cpu::ProductOp op) : e(e), b(e.b), op(op) {}

  /// Its tensor, digits and positions, in memory.
  llvm::Value *frame(ProgramValues &values);
  /// void(ptr to, ptr frame, i64 bytes, i64 row, i64 rows, i64 column, i64 columns): a part of the
  /// matrix in dense rows that are `bytes` apart, or in panels of so many bytes for each column.
  /// What a last group lacks is zero; columns that a last panel lacks are not written.
  llvm::Function *rows(const std::string &name, const WindowForm &form);
  /// The exponent of the smallest number of bf16 except zero in the part of the tensor that so many
  /// rows and columns read, or 0 where that is denormal or unknown. `frame`: as above.
  llvm::Value *leastExponent(llvm::Value *frame, llvm::Value *rows, llvm::Value *columns);

private:
  struct Fields;
  struct Table;
  struct Part;
  mlir::Value source() { return op.isWindowOfA() ? op.getA() : op.getB(); }
  llvm::Type *element();
  Fields load(llvm::Value *frame);
  /// Of a column.
  int64_t bytesOf(const WindowForm &form);
  llvm::SmallVector<llvm::Value *> digitsOf(llvm::Value *position, llvm::ArrayRef<llvm::Value *>);
  llvm::SmallVector<llvm::Value *> digitsAfter(llvm::ArrayRef<llvm::Value *> digits,
                                               llvm::ArrayRef<llvm::Value *> extents);
  /// Whether the last two digits of the columns are one run (i1), which changes the fields; null:
  /// never.
  llvm::Value *joinColumns(Fields &fields);
  void joinIndices(llvm::Value *areOne, llvm::MutableArrayRef<llvm::Value *> indices);
  Table emitTable(const Fields &fields, const WindowForm &form, llvm::Value *areOne,
                  llvm::Value *first, llvm::Value *count);
  llvm::SmallVector<unsigned> othersChecked();
  ElementRun elementsOf(const Fields &fields, const Part &part, const Table &table,
                        llvm::Value *row);
  /// The index of each row along the run, in 32 bits.
  llvm::Value *emitIndices(const Fields &fields, const Part &part, const Table &table);
  struct DenseColumns;
  DenseColumns denseColumns(const Fields &fields, const Part &part, llvm::Value *indices,
                            llvm::Value *column);
  llvm::Value *loadDense(const DenseColumns &columns, const Table &table, llvm::Value *row);
  void copyRun(const Fields &fields, const Table &table, const Part &part);
  llvm::Value *groupOf(llvm::ArrayRef<llvm::Value *> rows, llvm::ArrayRef<llvm::Value *> flips);
  void emitRun(const Fields &fields, const WindowForm &form, const Table &table, const Part &part,
               bool isDense);
  void emitRun(const Fields &fields, const WindowForm &form, const Table &table, const Part &part);
  void emitRuns(const Fields &fields, const WindowForm &form, const Table &table,
                llvm::Value *areOne, Part part, llvm::Value *column, llvm::Value *columns);
  /// Indices from the first to the last.
  struct Interval {
    llvm::Value *first, *last;
  };
  /// Of the digits of positions that follow each other.
  llvm::SmallVector<Interval> digitIntervals(llvm::Value *first, llvm::Value *count,
                                             llvm::ArrayRef<llvm::Value *> extents);

  Emitter &e;
  llvm::IRBuilder<> &b;
  cpu::ProductOp op;
  std::optional<unsigned> joined;     ///< the index that is joined with that of the run
  llvm::Value *innerExtent = nullptr; ///< of the run's dimension
};

/// A part of a window that is B: rows along k, columns, and the bytes of a packed column.
struct WindowPart {
  llvm::Value *row = nullptr, *rows = nullptr, *column = nullptr, *columns = nullptr,
              *columnBytes = nullptr;
};

/// Packs it for the micro-kernel, in panels as packPanels has them. `window`: its frame.
void packWindow(Emitter &e, cpu::ProductOp op, Multiply multiply, const std::string &name,
                llvm::Value *to, llvm::Value *window, const WindowPart &part);

} // namespace mmk
