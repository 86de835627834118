// aicore-insert-transfers in four files: insert_transfers.cpp does fusion groups,
// product_transfers.cpp what the cube does for a tile, resident.cpp what it finds on the chip by
// then, vector_work.cpp what the vector cores do with the tile.
#pragma once

#include "place/kernel_lowering.h"

namespace mmk {

class TransferInserter : public KernelLowering {
public:
  using KernelLowering::KernelLowering;

private:
  /// One output tile of a fusion group, while its code is emitted.
  struct Tile : TiledGroup {
    mlir::Value number;          ///< of the tile in this core's share
    mlir::Value rows, columns;   ///< valid extents
    mlir::Value l1[2], l0[2];    ///< buffers of its operands
    mlir::Value panelSlot;       ///< of the operand that is kept
    mlir::Value biasSlot;        ///< in the bias table
    mlir::Value biasTable;       ///< null where the product starts from zero
    aicore::AllocOp acc;         ///< the product in L0C ...
    mlir::Value accSlot;         ///< ... and its slot
    int64_t parts = 1;           ///< of the accumulator, each drained by itself
    std::optional<int64_t> part; ///< of a part as a tile of its own: which one it is,
    mlir::Value firstColumn;     ///< and where it starts in the tile
  };

  // insert_transfers.cpp
  mlir::DictionaryAttr limits() override;
  mlir::LogicalResult emitGroup(ir::FusionGroupOp group) override;
  mlir::LogicalResult findBuffers(ir::FusionGroupOp group, Tile &tile);
  mlir::Value slot(mlir::Value number, mlir::Value buffer);
  mlir::Value bufferOf(aicore::PlaceOp place) { return map.lookup(place.getBuffer()); }

  // product_transfers.cpp
  struct Product;
  void emitProduct(Tile &tile);
  bool isSkewed();
  mlir::Value skewed(mlir::Value stage, mlir::Value stages, int64_t depth);
  void emitLoads(Tile &tile, Product &product, mlir::Value stageNumber);
  void emitStage(Tile &tile, const Product &product, mlir::Value generations,
                 std::optional<int64_t> part);
  void emitSteps(Tile &tile, const Product &product, mlir::Value generations,
                 std::optional<int64_t> part, bool startsFromBias);
  Tile partOf(const Tile &tile, int64_t part);
  /// `extent`, or 0 when there are no columns.
  mlir::Value whereAny(mlir::Value columns, mlir::Value extent);

  // resident.cpp: what a tile finds on the chip before its first stage
  void emitPanel(Tile &tile);
  void emitBias(Tile &tile);
  /// Whether the stage at hand is the one that starts from the bias, and frees it.
  mlir::Value startsFromBias(Tile &tile, const Product &product);
  /// `emit` in a branch.
  void when(mlir::Value condition, llvm::function_ref<void()> emit);

  // vector_work.cpp
  struct VectorWork;
  void emitEpilogue(Tile &tile, llvm::ArrayRef<Destination> destinations);
  void emitDrain(Tile &tile, llvm::ArrayRef<Destination> destinations);
  VectorWork findVectorWork(Tile &tile);
  void emitVectorWork(Tile &tile, VectorWork &work, llvm::ArrayRef<Destination> destinations);
  void takeInputs(Tile &tile, VectorWork &work);
  void loadInput(Tile &tile, VectorWork &work, size_t number);
  void emitVectorOp(Tile &tile, VectorWork &work);
  void emitSum(Tile &tile, VectorWork &work, mlir::Value into, mlir::Value intoSlot);
  void storeResult(Tile &tile, VectorWork &work, const Destination &destination);
};

/// A product while its code is emitted.
struct TransferInserter::Product {
  explicit Product(Tile &tile) : operands{TiledOperand(tile, 0), TiledOperand(tile, 1)} {}

  TiledOperand operands[2];
  mlir::Value slots[2];       ///< of the operands in L1, of the stage at hand
  mlir::Value done;           ///< depth of the stages before the one at hand
  mlir::Value start;          ///< where that one starts; not at `done` when cores are skewed
  mlir::Value isFirst;        ///< whether it is the first of its tile; null where that is not used
  mlir::Value startsFromBias; ///< whether it takes the bias from the table; null without one
};

} // namespace mmk
