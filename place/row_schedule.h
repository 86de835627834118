// The order in which a vector core computes a row group on a tile in UB: steps of vector work and
// reductions, and the tiles that hold values between them. Nothing is emitted here, so that the
// memory which the steps need is known before.
#pragma once

#include "place/row_program.h"

#include <optional>
#include <vector>

namespace mmk {

/// What holds a value: an input, a tile between two steps, or an output.
struct RowPlace {
  enum class Kind { input, tile, output } kind = Kind::tile;
  unsigned number = 0;
  bool operator==(const RowPlace &) const = default;
};

/// A tile between two steps: of the whole plane, or of what is kept.
struct RowTile {
  mlir::Type element;
  bool isKept = false;
};

struct RowStep {
  enum class Kind {
    compute, ///< values of the block, elementwise
    fill,    ///< the identity of a reduction
    reduce,  ///< a tile to what is kept of it
    scan,    ///< the sums of a tile up to each element: the second target carries the last ones
    combine, ///< what a reduction has so far with what it gives for a part of its elements
  } kind = Kind::compute;
  llvm::SmallVector<mlir::Value> values; ///< of compute
  llvm::SmallVector<RowPlace> targets;   ///< of each value; of a reduction with its position
  llvm::SmallVector<RowPlace> sources;   ///< of reduce, and of combine: what it gives for a part
  llvm::SmallVector<std::pair<mlir::Value, RowPlace>> reads; ///< of compute
  llvm::SmallVector<mlir::Operation *> operations; ///< of the block, from those to the values
  size_t reduction = 0;                            ///< number of it, of all but compute
  bool isKept = false;                             ///< whether it works on what is kept
};

/// One pass over the reduced dimensions: `body` is done for each part of them.
struct RowPass {
  std::vector<RowStep> before, body, after;
  llvm::SmallVector<unsigned> inputs;  ///< that the body reads
  llvm::SmallVector<unsigned> outputs; ///< that the body writes
};

struct RowSchedule {
  std::vector<RowTile> tiles;
  std::vector<RowPass> passes;
  llvm::SmallVector<unsigned> keptInputs; ///< that do not vary along the reduced dimensions
  llvm::SmallVector<unsigned> keptOutputs;
  int64_t scratch = 0; ///< tiles of the plane that the selection of instructions may need, of f32
  int64_t masks = 0;   ///< the same, of bits
  /// What the products of each weights are multiplied with when the maximum grows, and after the
  /// last part.
  struct OfWeights {
    std::optional<RowPlace> ratio, factor;
  };
  std::vector<OfWeights> ofWeights;
};

/// `whole`: in one pass, with the reduced dimensions whole in each tile; else in a pass for each
/// level, over parts of them. Of a program in its online form not `whole`.
RowSchedule scheduleRows(RowProgram &program, bool whole);

/// Whether a tensor of these dimensions of the space has some that are reduced.
bool varies(const RowProgram &program, llvm::ArrayRef<int64_t> dims);

/// How an input covers the plane of a tile.
aicore::Broadcast broadcastOf(const RowProgram &program, llvm::ArrayRef<int64_t> dims);

} // namespace mmk
