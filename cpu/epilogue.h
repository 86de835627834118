// The epilogue of a tile on the CPU: a region, applied to vectors in registers before their only
// store.
#pragma once

#include "codegen/emitter.h"
#include "cpu/dialect.h"

#include <optional>

namespace mmk {

/// A tensor, or a part of one, in memory; strides in bytes.
struct Plane {
  llvm::Value *pointer = nullptr, *row = nullptr, *column = nullptr;
};

/// The region of an cpu.product or cpu.elementwise, and the tensors of its elements. Its functions
/// receive them as one array of eight-byte fields in their caller's frame: pointer, row and column
/// stride of each input, pointer and row stride of each output, whether all inputs are dense along
/// their rows, scalars.
class Epilogue {
public:
  /// `sum`: type of the region's first argument that comes from no tensor, or null.
  Epilogue(Emitter &e, mlir::Block &region, llvm::Type *sum, mlir::ValueRange inputs,
           llvm::ArrayRef<int64_t> inputAlong, mlir::ValueRange outputs);

  /// Fills in the array.
  llvm::Value *context(llvm::ArrayRef<Plane> inputs, llvm::ArrayRef<Plane> outputs,
                       llvm::ArrayRef<llvm::Value *> scalars);
  llvm::Value *isDense(llvm::Value *context);

  /// Whether the region is so short that it may be repeated for every register of a tile. A longer
  /// one is emitted once, as a loop over sums in L1.
  bool isLight() const;

  /// A tile of whole rows with dense inputs at (row, column): applies the region to each of `sums`,
  /// row by row, `vectors` to a row, and stores the results. Only columns below `columns` where the
  /// target has masks, else all.
  void store(llvm::ArrayRef<llvm::Value *> sums, int64_t vectors, llvm::Value *context,
             llvm::Value *row, llvm::Value *column, llvm::Value *columns);

  /// Prefetches the lines of a tile's results, from (row, column) on, for writing.
  void prefetchOutput(int64_t rows, int64_t vectors, llvm::Value *context, llvm::Value *row,
                      llvm::Value *column);

  /// m rows of n elements without sums; their results have `total` bytes in all tiles. `finish`
  /// computes the elements after whole vectors.
  void storeRows(llvm::Value *context, llvm::Value *m, llvm::Value *n, llvm::Value *total,
                 llvm::Function *finish);

  /// void(ptr sums, ptr context, i64 sumRow, i64 row, i64 column, i64 rows, i64 columns): the same
  /// for ragged or strided elements, from sums in memory, in rows of `sumRow` bytes.
  llvm::Function *finish(const std::string &name);

  /// False once an operation of the region had no code.
  bool complete = true;

private:
  /// Whole vectors of some rows, below `columns`, with dense inputs: `vectors` of each row, then of
  /// the next. With `ahead` the stores are non-temporal and aligned, of the size of a vector of
  /// f32, and the inputs are prefetched `ahead` bytes ahead.
  void storeTogether(llvm::Value *context, llvm::ArrayRef<llvm::Value *> rows, llvm::Value *columns,
                     int64_t vectors, std::optional<int64_t> ahead);
  /// m rows with non-temporal stores.
  void streamRows(llvm::Value *context, llvm::Value *m, llvm::Value *columns);
  bool inBands() const;
  /// Vectors of the narrowest result that fill one of f32.
  int64_t vectorsOfStore();

  int64_t dense() const { return 3 * inputs.size() + 2 * outputs.size(); }
  llvm::Value *field(llvm::Value *context, int64_t index, llvm::Type *type);
  /// An element of a tensor in memory; and from there to the region.
  llvm::Type *elementOf(mlir::Value tensor);
  llvm::Value *toRegion(mlir::Value tensor, llvm::Value *stored);
  /// Address of element (row, column) of an input; column 0 when it does not vary along them.
  llvm::Value *inputAt(llvm::Value *context, int64_t i, llvm::Value *row, llvm::Value *column);
  llvm::Value *outputAt(llvm::Value *context, int64_t i, llvm::Value *row, llvm::Value *column);
  llvm::Value *loadAny(llvm::Value *context, int64_t i, llvm::Value *row, llvm::Value *column,
                       llvm::Value *count);
  void apply(llvm::DenseMap<mlir::Value, llvm::Value *> &known,
             llvm::SmallVectorImpl<llvm::Value *> &yielded);
  llvm::DenseMap<mlir::Value, llvm::Value *> scalarValues(llvm::Value *context);
  mlir::Value argument(int64_t input) { return region.getArgument(input + (sum ? 1 : 0)); }

  Emitter &e;
  llvm::IRBuilder<> &b;
  mlir::Block &region;
  llvm::Type *sum;
  llvm::SmallVector<mlir::Value> inputs, outputs;
  llvm::SmallVector<int64_t> inputAlong;
};

/// Emits an cpu.elementwise of m x n elements, `total` bytes of which its results have in all
/// tiles. False when an operation of the region has no code.
bool emitElementwise(Emitter &e, cpu::ElementwiseOp op, llvm::ArrayRef<Plane> inputs,
                     llvm::ArrayRef<Plane> outputs, llvm::ArrayRef<llvm::Value *> scalars,
                     llvm::Value *m, llvm::Value *n, llvm::Value *total);

} // namespace mmk
