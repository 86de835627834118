// A row group while aicore-insert-transfers emits it, in three files: row_work.cpp has its buffers,
// transfers and instructions, row_passes.cpp its passes over the parts of a row, row_conditions.cpp
// what conditions leave of them.
#pragma once

#include "passes/conditions/bounds.h"
#include "place/guard.h"
#include "place/insert_transfers.h"
#include "place/row_memory.h"

#include <map>

namespace mmk {

/// The state of a row group while its code is emitted.
class TransferInserter::RowWork {
public:
  RowWork(TransferInserter &inserter, ir::FusionGroupOp group, Tile &ofBlock, RowProgram program,
          bool whole)
      : t(inserter), b(inserter.b), group(group), ofBlock(ofBlock), p(std::move(program)),
        whole(whole), s(scheduleRows(p, whole)) {}

  mlir::LogicalResult emit();

protected:
  using Place = RowPlace::Kind;
  /// A buffer and its slot.
  struct Held {
    mlir::Value buffer, slot;
  };

  void chooseSizes();
  llvm::StringRef nameOf(mlir::Value tensor);
  void allocate();
  mlir::Value alloc(llvm::StringRef name, llvm::StringRef buffers, bool isOnPlane,
                    aicore::Broadcast cover, mlir::Type element, int64_t copies = 1);
  void emitWindow();
  void emitPass(RowPass &pass, size_t number);
  void emitWhole(RowPass &pass);
  void emitParts(RowPass &pass, size_t number);
  /// Of a row, the parts that are computed.
  struct Parts {
    mlir::Value first, count, all;
    bool isGuarded = false;
    PositionRange some;     ///< outside of which no element satisfies the conditions; may be null
    PositionRange unmasked; ///< where all elements do
  };
  Parts partsOf(const RowPass &pass, mlir::Value extent, mlir::Value length);
  /// Counts elements of the rows of the window, for the report.
  void tally(aicore::Covered covered, mlir::Value ofRow);
  /// `ofOutputs`: the number by which the buffers of the outputs rotate; `unmasked`: the positions
  /// at which no condition excludes anything.
  void emitBody(RowPass &pass, mlir::Value number, mlir::Value ofOutputs, PositionRange unmasked);
  /// The bounds of a pass over the positions along the reduced dimension of the plane: `some` is
  /// null where conditions leave all, `all` where none is computed without them.
  ConditionBounds boundsOf(const RowPass &pass, mlir::Value extent);
  class WindowNumbers;
  /// Reads what bounds conditions on data in the rows of the window.
  void readBounds();
  /// Whether what was read bounds the pass.
  bool readsData(const RowPass &pass);
  void findOffsets();
  void findGuards();
  /// The conditions of a pass; whether each of its reductions and outputs has one.
  bool findGuards(const RowPass &pass, llvm::SmallVectorImpl<Guard *> &found);
  /// What the outputs of a pass are where no condition holds: they are stored without any input.
  void emitRest(const RowPass &pass, mlir::Value number);
  void emitRestParts(const RowPass &pass, mlir::Value from, mlir::Value to, mlir::Value length);
  void setPart(mlir::Value from, mlir::Value extent, mlir::Value length);
  void emitGuarded(const RowPass &pass, PositionRange unmasked);
  void emitSteps(llvm::ArrayRef<RowStep> steps);
  void emitStep(const RowStep &step);
  void emitCompute(const RowStep &step);
  void emitCombine(const RowStep &step);
  aicore::VectorOp
  createVector(llvm::ArrayRef<Held> inputs, llvm::ArrayRef<aicore::Broadcast> covers,
               llvm::ArrayRef<Held> outputs, bool isKept,
               llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> elements);
  llvm::SmallVector<mlir::Value> combined(const RowReduction &reduction, mlir::ValueRange elements);
  void load(unsigned input, mlir::Value slotNumber);
  /// The product of the tile that an input is; null for a tensor in memory.
  Product *productOf(mlir::Value tensor);
  void loadProduct(Product &product, Held &held, mlir::Value rows, mlir::Value columns);
  void spillProducts();
  void emitTile();
  void store(unsigned output);
  /// The dimension of global memory along rows and columns of the plane, with the offsets of the
  /// current part of the tile.
  std::pair<int64_t, int64_t> locate(GlobalView &view, llvm::ArrayRef<int64_t> dims);
  Held &heldBy(RowPlace place) {
    return place.kind == Place::input  ? inputs[place.number]
           : place.kind == Place::tile ? tiles[place.number]
                                       : outputs[place.number];
  }
  aicore::Broadcast coverOf(RowPlace place, bool onKept);
  mlir::Value planeRows() { return p.plane().reducesColumns ? kept : part; }
  mlir::Value planeColumns() { return p.plane().reducesColumns ? part : kept; }
  /// Dimensions of the space that are reduced, and no dimension of the plane.
  llvm::SmallVector<int64_t> outerReduced();
  mlir::Value partExtent();
  mlir::Value keptExtent();
  std::pair<mlir::Value, unsigned> inputAlong(int64_t dim);
  mlir::Value extentOf(int64_t dim);
  mlir::Value originOf(int64_t dim);
  /// Whether the rows are parts of longer ones.
  bool isDivided() const { return !p.space().parts.empty(); }
  void emitTileOfParts();
  bool isJoined(int64_t dim) const {
    return dim >= static_cast<int64_t>(p.space().names.size()) - p.joined();
  }
  /// For a transfer along these dimensions of the space: how many dimensions of the tensor its
  /// columns go over, where they go over several.
  mlir::IntegerAttr joinedBy(const GlobalView &view, llvm::ArrayRef<int64_t> dims);
  int64_t keptDim() const { return p.plane().reducesColumns ? p.plane().rows : p.plane().columns; }
  int64_t partDim() const { return p.plane().reducesColumns ? p.plane().columns : p.plane().rows; }

  TransferInserter &t;
  mlir::OpBuilder &b;
  ir::FusionGroupOp group;
  Tile &ofBlock;
  RowProgram p;
  bool whole;
  RowSchedule s;
  RowMemory::Sizes sizes;
  int64_t copiesOfKept = 1; ///< of tiles with one element for each row
  std::vector<Held> inputs, tiles, outputs;
  llvm::SmallVector<Destination> destinations;

  /// Of rows that are a product: what that reads along the reduced dimension, and its dimension.
  std::pair<mlir::Value, unsigned> ofProduct;
  mlir::Value tile, step;                     ///< numbers of the tile and of the window
  mlir::Value keptFrom, kept;                 ///< of the window, in the tile
  mlir::Value partFrom, part;                 ///< of the current part of the reduced dimension
  llvm::DenseMap<int64_t, mlir::Value> outer; ///< the current index of each outer reduced dimension
  llvm::DenseMap<int64_t, mlir::Value> first; ///< of the tile, along dimensions that are kept
  std::map<size_t, Guard> guards;             ///< of reductions, by their numbers
  std::map<size_t, GuardedOutput> guarded;    ///< outputs behind a condition, by their numbers
  std::map<unsigned, Extremes> bounding;      ///< of inputs that conditions read, in the window
  llvm::DenseSet<mlir::Operation *> unguarded; ///< selections of guards that all elements satisfy
};

} // namespace mmk
