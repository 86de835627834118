// The epilogue of a tile on the CPU: a region, applied to vectors in registers before their only
// store.
#pragma once

#include "cpu/tensor_code.h"

#include <optional>

namespace mmk {

/// A tensor, or a part of one, in memory; strides in bytes.
struct Plane {
  llvm::Value *pointer = nullptr, *row = nullptr, *column = nullptr;
};

/// The region of a cpu.product or cpu.elementwise, or behind a product of a chain. Its functions
/// receive the places of its tensors, which run along rows and columns, and the scalars, in the
/// frame of their caller.
class Epilogue {
public:
  /// `sum`: type of the region's first argument that comes from no tensor, or null.
  Epilogue(Emitter &e, mlir::Block &region, llvm::Type *sum);

  /// Fills in the frame.
  llvm::Value *context(SpacePlaces places);
  /// What rows share is read for each of them.
  void readEachRow() {
    for (size_t i = 0; i < tensors.inputAlong.size(); i += 2)
      tensors.inputAlong[i] = tensors.inputAlong[i + 1];
  }
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
  using Known = TensorCode::Known;
  using Pointers = TensorCode::Pointers;
  /// In a function that has the frame.
  TensorCode in(llvm::Value *context);
  static Pointers placeOf(TensorCode &code, llvm::Value *row, llvm::Value *column);
  /// What the region yields from a column behind the place on, by these elements.
  llvm::SmallVector<llvm::Value *> apply(TensorCode &code, const Pointers &at, llvm::Value *column,
                                         Known known);
  /// Whole vectors of some rows, below `columns`, with dense inputs: `vectors` of each row, then of
  /// the next. With `ahead` the stores are non-temporal and aligned, of the size of a vector of
  /// f32, and the inputs are prefetched `ahead` bytes ahead.
  void storeTogether(TensorCode &code, llvm::ArrayRef<llvm::Value *> rows, llvm::Value *columns,
                     int64_t vectors, std::optional<int64_t> ahead);
  /// m rows with non-temporal stores.
  void streamRows(TensorCode &code, llvm::Value *m, llvm::Value *columns);
  bool inBands() const;
  /// Vectors of the narrowest result that fill one of f32.
  int64_t vectorsOfStore();

  Emitter &e;
  llvm::IRBuilder<> &b;
  mlir::Block &region;
  llvm::Type *sum;
  cpu::TileTensors tensors;
};

/// Emits a cpu.elementwise of m x n elements, `total` bytes of which its results have in all tiles.
/// False when an operation of the region has no code.
bool emitElementwise(Emitter &e, cpu::ElementwiseOp op, const SpacePlaces &places, llvm::Value *m,
                     llvm::Value *n, llvm::Value *total);

} // namespace mmk
