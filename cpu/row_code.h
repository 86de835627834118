// What the two forms of code for a cpu.rows share: its tensors, their elements, and its passes.
#pragma once

#include "codegen/lane_loop.h"
#include "codegen/program_values.h"
#include "cpu/accumulator.h"
#include "cpu/row_facts.h"
#include "cpu/tuning.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>

namespace mmk {

/// Tensors of a cpu.rows with their tile: addresses, bytes from one index to the next along each
/// dimension of the space, extents of the space.
struct SpacePlaces {
  struct Place {
    llvm::Value *pointer = nullptr;
    llvm::SmallVector<llvm::Value *> strides;
  };
  llvm::SmallVector<Place> inputs, outputs;
  llvm::SmallVector<llvm::Value *> sizes;
  llvm::Value *scratch = nullptr;
  llvm::Value *streams = nullptr; ///< i64, not 0: results are stored with non-temporal stores
  llvm::SmallVector<llvm::Value *> scalars;

  /// All of them, to be passed from function to function.
  llvm::SmallVector<llvm::Value **> fields();
};

/// The bytes of a tensor.
llvm::Value *bytesOf(Emitter &e, ProgramValues &values, mlir::Value tensor);

/// Those of tensors that each name their dimension along each one of the space.
llvm::SmallVector<SpacePlaces::Place> placesOf(Emitter &e, ProgramValues &values,
                                               mlir::OperandRange tensors, mlir::ValueRange offsets,
                                               llvm::ArrayRef<int64_t> along);

/// Those of an operation on sizes of a space, with its scratch.
template <typename Op> SpacePlaces placesOf(Emitter &e, Op op, ProgramValues &values) {
  SpacePlaces places;
  places.inputs = placesOf(e, values, op.getInputs(), op.getInputOffsets(), op.getInputAlong());
  places.outputs = placesOf(e, values, op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong());
  for (mlir::Value size : op.getSizes())
    places.sizes.push_back(values.value(size));
  places.scratch = values.buffer(op.getScratch(), {});
  return places;
}

/// What the code of a tile may assume.
enum class RowAccess {
  strided, ///< nothing
  dense,   ///< tensors that run along the columns are dense there
  streamed ///< as well, and they come from memory: stores of results are aligned and non-temporal
};

class RowCode {
public:
  RowCode(Emitter &e, const RowFacts &facts, mlir::Block &region, SpacePlaces places,
          RowAccess form);

  /// False when an operation of the region had no code.
  bool complete = true;

protected:
  using Known = RowFacts::Known;
  /// Addresses of all tensors at the current iteration, and the iteration.
  struct Pointers {
    llvm::SmallVector<llvm::Value *> inputs, outputs;
    llvm::SmallVector<llvm::Value *> indices; ///< in the tile, along each dimension
  };
  using States = llvm::SmallVector<Parts>;

  Pointers start() const;
  Pointers moved(const Pointers &pointers, int64_t dim, llvm::Value *index);
  /// Loops over some dimensions of the space, carrying values. The body receives the number of the
  /// iteration.
  using NestBody = llvm::function_ref<Carried(const Pointers &, llvm::Value *number,
                                              llvm::ArrayRef<llvm::Value *>)>;
  Carried nest(llvm::ArrayRef<int64_t> dims, const Pointers &pointers, llvm::Value *number,
               llvm::ArrayRef<llvm::Value *> carried, NestBody body);
  /// The same without values.
  void nest(llvm::ArrayRef<int64_t> dims, const Pointers &pointers,
            llvm::function_ref<void(const Pointers &)> body) {
    nest(dims, pointers, e.number(0), {},
         [&](const Pointers &inside, llvm::Value *, llvm::ArrayRef<llvm::Value *>) {
           body(inside);
           return Carried();
         });
  }

  /// The lanes below `count` of an input at its pointer, all when that is null; one element for all
  /// of them where it does not run along the columns.
  llvm::Value *loadInput(size_t input, llvm::Value *pointer, llvm::Value *count);
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
  /// Address of column `c`, where the tensor runs along the columns.
  llvm::Value *inputAt(size_t input, llvm::Value *pointer, llvm::Value *c);
  llvm::Value *outputAt(size_t output, llvm::Value *pointer, llvm::Value *c);
  int64_t bytesOfInput(size_t input); ///< of an element
  /// Inputs that the wanted values need and that are not known yet.
  llvm::SmallVector<unsigned> inputsFor(llvm::ArrayRef<mlir::Value> wanted, const Known &known);

  /// Adds what the wanted values need; only what is equal for all reduced iterations if `keptOnly`.
  void compute(llvm::ArrayRef<mlir::Value> wanted, Known &known, bool keptOnly = false);
  llvm::Value *valueOf(mlir::Value value, const Known &known);
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
  /// Adds the positions at column `c`, or takes the place of others.
  void addPositions(const Pointers &pointers, llvm::Value *c, Known &known);

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
  unsigned lanes() const { return e.target.lanes; }

  Emitter &e;
  llvm::IRBuilder<> &b;
  const RowFacts &facts;
  mlir::Block &region;
  const SpacePlaces places;
  const bool isDense, streams;
  Known scalars;
  llvm::SmallVector<llvm::SmallVector<Accumulator>> accumulators; ///< of each pass

private:
  llvm::Value *columnStride(const SpacePlaces::Place &place, mlir::Value tensor);
  llvm::Type *memoryType(mlir::Value tensor);
  llvm::Type *elementType(mlir::Value tensor);
  mlir::Value input(size_t i) const;
  mlir::Value output(size_t i) const;
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
