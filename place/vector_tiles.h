// Assigns a tile to the result of each vector instruction of a list: an output, or a tile of
// scratch. An instruction may overwrite an operand at its last use, so that few tiles of scratch
// are needed; an output serves as scratch until its value is written.
#pragma once

#include "ir/aicore.h"

#include "llvm/ADT/DenseMap.h"

#include <string>
#include <string_view>

namespace mmk {

/// An instruction whose tiles are not known yet. Its operands are elements of the region that it
/// was selected from, and scalars.
struct SelectedInstruction {
  std::string_view name;
  std::string predicate; ///< of a comparison; else empty
  llvm::SmallVector<mlir::Value> inputs;
  mlir::Value result; ///< null: a copy to an output
  mlir::Location location;
};

/// Whether a value is the same for all elements: not of the region.
inline bool isScalar(mlir::Value value, mlir::Block *region) {
  return value.getParentBlock() != region;
}

/// A copy of a buffer for elements of so many bits; of 1 bit: of masks.
struct ScratchTile {
  unsigned bits = 32;
  int64_t copy = 0;
  mlir::Type element;
};

class TileAssignment {
public:
  /// Appends to `instructions` the copies to outputs that no instruction can write by itself: an
  /// output that is an input, a scalar, or the same as another one.
  TileAssignment(aicore::VectorOp vector, llvm::SmallVectorImpl<SelectedInstruction> &instructions);

  /// Elements of all tiles: of the inputs, of the outputs, and of the scratch tiles.
  llvm::ArrayRef<mlir::Type> elements() const { return elements_; }
  llvm::ArrayRef<ScratchTile> scratch() const { return scratch_; }
  /// The number of the tile that holds an element of the region.
  unsigned tileOf(mlir::Value element) const { return tiles_.lookup(element); }
  /// The tile that an instruction writes.
  unsigned targetOf(size_t instruction) const { return targets_[instruction]; }

private:
  struct Output {
    size_t written = 0;   ///< the instruction that writes its value
    size_t freeFrom = 0;  ///< before it, an input that is still read
    size_t busyUntil = 0; ///< holds another value up to this instruction
  };

  void findLives(llvm::ArrayRef<SelectedInstruction> instructions);
  void chooseOutputs(llvm::SmallVectorImpl<SelectedInstruction> &instructions);
  unsigned place(size_t number, mlir::Value result);
  unsigned scratchTile(size_t number, size_t last, mlir::Type element);

  aicore::VectorOp vector_;
  llvm::SmallVector<mlir::Type> elements_;
  llvm::SmallVector<ScratchTile> scratch_;
  llvm::DenseMap<mlir::Value, unsigned> tiles_;
  llvm::SmallVector<unsigned> targets_;
  llvm::DenseMap<mlir::Value, size_t> lastUse_; ///< the last instruction that reads it
  llvm::SmallVector<Output> outputs_;
  llvm::DenseMap<mlir::Value, unsigned> outputOf_; ///< that takes the value from its instruction
  llvm::DenseMap<unsigned, llvm::SmallVector<size_t>> busyUntil_; ///< by bits: of each copy
};

/// The buffers of the scratch tiles of a phase. No value in them outlives its aicore.vector, so all
/// of a phase share them.
class ScratchBuffers {
public:
  explicit ScratchBuffers(aicore::PhaseOp phase) : phase_(phase) {}

  /// The buffer of which the tile is a copy; created if there is none of its shape.
  mlir::Value of(const ScratchTile &tile, aicore::VectorOp vector);

private:
  aicore::PhaseOp phase_;
  llvm::SmallVector<std::pair<unsigned, aicore::AllocOp>> buffers_; ///< with their bits
};

} // namespace mmk
