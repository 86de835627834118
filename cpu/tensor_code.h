// The tensors of a tile in its code: where they are at an iteration, and vectors of their elements.
#pragma once

#include "codegen/lane_loop.h"
#include "codegen/program_values.h"
#include "cpu/dialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mmk {

/// Tensors of a tile: addresses, bytes from one index to the next along each dimension of its
/// space, extents of the space.
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

/// The values of scalarsOf a region.
llvm::SmallVector<llvm::Value *> scalarsFor(mlir::Block &region, ProgramValues &values);

/// What an operation reads and writes; with the scalars of its region.
template <typename Op> SpacePlaces tensorsIn(Emitter &e, Op op, ProgramValues &values) {
  SpacePlaces places;
  places.inputs = placesOf(e, values, op.getInputs(), op.getInputOffsets(), op.getInputAlong());
  places.outputs = placesOf(e, values, op.getOutputs(), op.getOutputOffsets(), op.getOutputAlong());
  return places;
}
template <typename Op>
SpacePlaces tensorsIn(Emitter &e, Op op, ProgramValues &values, mlir::Block &region) {
  SpacePlaces places = tensorsIn(e, op, values);
  places.scalars = scalarsFor(region, values);
  return places;
}
/// Those of an operation on sizes of a space, with its scratch.
template <typename Op> SpacePlaces spaceOf(Emitter &e, Op op, ProgramValues &values) {
  SpacePlaces places = tensorsIn(e, op, values);
  for (mlir::Value size : op.getSizes())
    places.sizes.push_back(values.value(size));
  places.scratch = values.buffer(op.getScratch(), {});
  return places;
}

/// Whether the tensors that run along the columns are dense there (i1).
llvm::Value *areDense(Emitter &e, llvm::ArrayRef<mlir::Value> tensors,
                      llvm::ArrayRef<int64_t> along, llvm::ArrayRef<SpacePlaces::Place> places);
llvm::Value *areDense(Emitter &e, const cpu::TileTensors &tensors, const SpacePlaces &places);
/// Whether every vector of f32 of these, dense along the columns, can be stored aligned (i1).
llvm::Value *areAligned(Emitter &e, llvm::ArrayRef<SpacePlaces::Place> outputs);

/// A place in a tile.
class SpaceCode {
public:
  SpaceCode(Emitter &e, cpu::TileTensors tensors, SpacePlaces places)
      : e(e), b(e.b), tensors(std::move(tensors)), places(std::move(places)) {}

  /// Addresses of all tensors at the current iteration, and the iteration.
  struct Pointers {
    llvm::SmallVector<llvm::Value *> inputs, outputs;
    llvm::SmallVector<llvm::Value *> indices; ///< in the tile, along each dimension
  };
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
            llvm::function_ref<void(const Pointers &)> body);

  int64_t columns() const { return static_cast<int64_t>(tensors.dims) - 1; }
  int64_t inputAlong(size_t i, int64_t dim) const { return tensors.inputAt(i, dim); }
  int64_t outputAlong(size_t i, int64_t dim) const { return tensors.outputAt(i, dim); }
  unsigned lanes() const { return e.target.lanes; }

  Emitter &e;
  llvm::IRBuilder<> &b;
  cpu::TileTensors tensors;
  const SpacePlaces places;
};

/// The elements there.
class TensorCode : public SpaceCode {
public:
  using Known = llvm::DenseMap<mlir::Value, llvm::Value *>;

  /// `isDense`: the tensors that run along the columns are dense there.
  TensorCode(Emitter &e, mlir::Block &region, cpu::TileTensors tensors, SpacePlaces places,
             bool isDense);

  /// False when an operation of the region had no code.
  bool complete = true;
  /// Where code for dense tensors also reads others: whether all inputs are dense (i1).
  llvm::Value *haveDenseInputs = nullptr;

  /// The argument of the region that stands for an input.
  mlir::BlockArgument argument(size_t input) {
    return region.getArgument(region.getNumArguments() - tensors.inputs.size() + input);
  }
  /// An element of an input, or of an output, in memory; and its bytes.
  llvm::Type *inputType(size_t i) { return memoryType(tensors.inputs[i]); }
  llvm::Type *outputType(size_t i) { return memoryType(tensors.outputs[i]); }
  int64_t bytesOfInput(size_t i) { return e.bytesOf(inputType(i)); }
  int64_t bytesOfOutput(size_t i) { return e.bytesOf(outputType(i)); }
  /// Address of column `c`, where the tensor runs along the columns.
  llvm::Value *inputAt(size_t input, llvm::Value *pointer, llvm::Value *c);
  llvm::Value *outputAt(size_t output, llvm::Value *pointer, llvm::Value *c);
  /// The lanes below `count` of an input at its pointer, all when that is null; one element for all
  /// of them where it does not run along the columns.
  llvm::Value *loadInput(size_t input, llvm::Value *pointer, llvm::Value *count);
  void storeOutput(size_t output, llvm::Value *value, llvm::Value *pointer, llvm::Value *count);
  /// An element as it is stored, as those of the region.
  llvm::Value *fromInput(size_t input, llvm::Value *stored);

  /// Adds the positions at column `c`, or takes the place of others.
  void addPositions(const Pointers &pointers, llvm::Value *c, Known &known);
  /// Adds what these operations give.
  void compute(llvm::ArrayRef<mlir::Operation *> ops, Known &known);
  llvm::Value *valueOf(mlir::Value value, const Known &known);

  mlir::Block &region;
  const bool isDense;
  Known scalars;

private:
  llvm::Type *elementType(mlir::Value tensor);
  llvm::Type *memoryType(mlir::Value tensor);
};

} // namespace mmk
