// What the two forms of code for a cpu.rows share: its tensors, their elements, and its passes.
#pragma once

#include "cpu/accumulator.h"
#include "cpu/row_facts.h"
#include "cpu/tensor_code.h"
#include "cpu/tuning.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>

namespace mmk {

/// What the code of a tile may assume.
enum class RowAccess {
  strided, ///< nothing
  dense,   ///< tensors that run along the columns are dense there
  streamed ///< as well, and they come from memory: stores of results are aligned and non-temporal
};

class RowCode : public TensorCode {
public:
  RowCode(Emitter &e, const RowFacts &facts, mlir::Block &region, SpacePlaces places,
          RowAccess form);

protected:
  using States = llvm::SmallVector<Parts>;

  /// One element at each of these addresses.
  llvm::Value *gatherInput(size_t input, llvm::Value *pointers);
  void storeOutput(size_t output, llvm::Value *value, llvm::Value *pointer, llvm::Value *count);
  /// Of so many elements, at most two vectors, the even ones and the odd ones; of an input, and of
  /// an output, in f32 if that is narrower, that are dense along the columns.
  std::array<llvm::Value *, 2> loadPair(size_t input, llvm::Value *pointer, llvm::Value *count);
  void storePair(size_t output, std::array<llvm::Value *, 2> values, llvm::Value *pointer,
                 llvm::Value *count);
  /// Of so many elements, at most half a vector, of two rows, one after the other; of an input and
  /// an output, dense as well.
  llvm::Value *loadHalves(size_t input, std::array<llvm::Value *, 2> pointers, llvm::Value *count);
  void storeHalves(llvm::Value *value, std::array<llvm::Value *, 2> pointers, llvm::Value *count);
  /// The first lane.
  void storeElement(llvm::Value *value, llvm::Value *pointer);
  /// Inputs that the wanted values need and that are not known yet.
  llvm::SmallVector<unsigned> inputsFor(llvm::ArrayRef<mlir::Value> wanted, const Known &known);

  /// Adds what the wanted values need; only what is equal for all reduced iterations if `keptOnly`.
  void compute(llvm::ArrayRef<mlir::Value> wanted, Known &known, bool keptOnly = false);
  static bool isKnown(mlir::Value value, const Known &known);
  /// A state of the reduction with the elements at a column, of which `count` are valid (null:
  /// all). A sum of products takes them without rounding each.
  Parts taken(Accumulator &accumulator, const Parts &state, const Known &known, llvm::Value *column,
              llvm::Value *count);
  /// Whether what a pass reduces may be read in another order, and is all widened from bf16. Two
  /// vectors at a time are then as many elements of even places and of odd ones: a shift and a mask
  /// widen both, without moving any.
  bool readsPairs(unsigned level, const Known &known);
  /// Of two vectors from a column on: the widened elements of even places, and those of odd ones.
  std::array<Known, 2> pairAt(unsigned level, const Pointers &pointers, llvm::Value *column,
                              const Known &known);

  /// States as values, one after the other, and back; of several rows those of each.
  Carried flat(const States &states) const;
  States parted(llvm::ArrayRef<llvm::Value *> values, llvm::MutableArrayRef<Accumulator> of,
                bool totals);
  /// The states of no elements, of so many rows or vectors.
  States started(llvm::MutableArrayRef<Accumulator> of, size_t count);
  /// Joined in pairs, so that the states wait for each other least.
  States joinedPairwise(llvm::MutableArrayRef<Accumulator> of, llvm::SmallVector<States> states);
  /// The states of some rows, one after the other, after a loop over columns, of which `body` adds
  /// a vector to those before.
  States
  overColumns(llvm::MutableArrayRef<Accumulator> of, size_t rows, const LaneLoop &loop,
              llvm::function_ref<States(const LaneStep &, llvm::ArrayRef<Parts> before)> body);
  /// Adds the result of a reduction, and its position.
  void addResult(Accumulator &accumulator, const Parts &result, Known &known);
  /// 0, 1, 2 ... from `first` on, as positions.
  llvm::Value *positionsFrom(llvm::Value *first);

  const RowFacts &facts;
  const bool streams;
  llvm::SmallVector<llvm::SmallVector<Accumulator>> accumulators; ///< of each pass
};

/// Whether what waits for a later pass over a row fits the scratch (i1); else it is computed again.
llvm::Value *waitingFits(Emitter &e, const RowFacts &facts, const SpacePlaces &places);

/// Whether rows that are reduced are short, and enough of them, to be computed side by side (i1);
/// null where none are.
llvm::Value *areShort(Emitter &e, const RowFacts &facts, mlir::Block &region,
                      const SpacePlaces &places, RowAccess form);

/// Whether few elements are reduced, along windows, and the columns are kept (i1); null where none
/// are.
llvm::Value *areWindows(Emitter &e, const RowFacts &facts, mlir::Block &region,
                        const SpacePlaces &places);

/// The code for a tile; false when an operation has none.
using EmitTile = bool(Emitter &e, const RowFacts &facts, mlir::Block &region,
                      const SpacePlaces &places, RowAccess form);
EmitTile emitReducedColumns;
EmitTile emitWaitingColumns; ///< where what waits for a later pass fits the scratch
EmitTile emitShortRows;
EmitTile emitKeptColumns;
EmitTile emitWindowColumns;

} // namespace mmk
