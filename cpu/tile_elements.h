// Elements of a tile that come from no tensor of their own: positions, random numbers, and elements
// at computed indices.
#pragma once

#include "codegen/emitter.h"
#include "cpu/dialect.h"

#include "llvm/ADT/DenseMap.h"

#include <array>

namespace mmk {

/// Adds a position of some lanes, which all have this index in the tile. The scalars in `known`
/// have as many lanes.
void addPosition(Emitter &e, cpu::PositionOp position, llvm::Value *index, unsigned lanes,
                 llvm::DenseMap<mlir::Value, llvm::Value *> &known);

/// Adds the positions in `region` of some lanes to `known`, which holds its scalars. `indices`: the
/// place in the tile along each size, that of the first lane along the last one.
void addPositions(Emitter &e, mlir::Block &region, llvm::ArrayRef<llvm::Value *> indices,
                  llvm::DenseMap<mlir::Value, llvm::Value *> &known);

/// A run of elements of a cpu.gather_run, from its first column on, as scalars.
struct ElementRun {
  /// `operands`: those of the operation, of the first column; of vectors, their first lane.
  ElementRun(Emitter &e, cpu::GatherRunOp op, llvm::ArrayRef<llvm::Value *> operands);
  ElementRun(llvm::Type *element, int64_t step, llvm::Value *first, llvm::Value *stride,
             llvm::Value *here, llvm::Value *index, llvm::Value *extent)
      : element(element), step(step), first(first), stride(stride), here(here), index(index),
        extent(extent) {}

  /// Whether so many columns are all inside, and can be loaded (i1).
  llvm::Value *isInside(Emitter &e, int64_t columns) const {
    return isInside(e, e.number(columns));
  }
  llvm::Value *isInside(Emitter &e, llvm::Value *columns) const;
  /// A vector of elements from a column on: if all are inside; or those that are, else the padding.
  llvm::Value *load(Emitter &e, int64_t column) const;
  llvm::Value *loadInside(Emitter &e, int64_t column, llvm::Value *padding) const;
  /// Where a mask has the elements of such a vector, else the padding.
  llvm::Value *loadMasked(Emitter &e, int64_t column, llvm::Value *mask,
                          llvm::Value *padding) const;
  /// The same of a dense run of a short step; of a step of two, also those one further.
  using Loaded = std::array<llvm::Value *, 2>;
  Loaded loadDense(Emitter &e, int64_t column, llvm::Value *mask, llvm::Value *padding) const;
  /// Of two vectors of a dense run without steps, the even elements and the odd ones.
  std::array<llvm::Value *, 2> loadPair(Emitter &e, int64_t column, llvm::Value *mask,
                                        llvm::Value *padding) const;
  /// The first elements of this run and those of another one, each half a vector, of dense runs of
  /// a short step.
  Loaded loadHalves(Emitter &e, const ElementRun &other, llvm::Value *mask,
                    llvm::Value *padding) const;
  llvm::Value *isDense(Emitter &e) const { return e.b.CreateICmpEQ(stride, e.number(1)); }
  static bool isShort(int64_t step) { return step <= mostStep; }
  llvm::Value *isHere() const { return here; }
  /// The address of its first element.
  llvm::Value *start() const { return first; }
  /// A run like this one that starts at another address.
  ElementRun from(llvm::Value *address) const {
    return {element, step, address, stride, here, index, extent};
  }
  llvm::Type *elementType() const { return element; }
  /// The run from a column on.
  ElementRun movedBy(Emitter &e, llvm::Value *columns) const;
  /// One bit for each of maskLanes, or of another number, from a column on, of which the index is
  /// below the extent: where elements between those of the run are loaded, too, these have their
  /// own.
  static llvm::Value *mask(Emitter &e, llvm::Value *index, llvm::Value *extent, int64_t step,
                           int64_t column, unsigned lanes);

  static int64_t maskLanes(unsigned lanes, int64_t step) {
    return lanes * (isShort(step) ? step : 1);
  }

private:
  /// The most steps whose elements are loaded with those between them.
  static constexpr int64_t mostStep = 2;
  llvm::Type *vector(Emitter &e, unsigned lanes) const;
  /// Elements side by side in memory, zero where the mask has none.
  llvm::Value *loadWhere(Emitter &e, llvm::Value *from, llvm::Value *mask) const;
  Loaded paddedLanes(Emitter &e, llvm::Value *elements, llvm::Value *mask,
                     llvm::Value *padding) const;

  llvm::Type *element;
  int64_t step;
  llvm::Value *first, *stride, *here, *index, *extent;
};

/// The code of cpu.random, cpu.gather and cpu.gather_run; null for another operation.
llvm::Value *emitTileElement(Emitter &e, mlir::Operation *op,
                             llvm::ArrayRef<llvm::Value *> operands);

/// Whether an argument of a region is the source of elements at computed indices: it stands for its
/// address.
bool isSource(mlir::Value argument);

} // namespace mmk
