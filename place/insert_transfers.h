// aicore-insert-transfers in eight files: insert_transfers.cpp handles fusion groups,
// product_transfers.cpp the product of a tile, window_transfers.cpp one of windows of an image,
// resident.cpp operands kept on the chip, vector_work.cpp the work of the vector cores,
// row_work.cpp that of row groups, chain_work.cpp that of products with rows between,
// generation.cpp generated tensors.
#pragma once

#include "ir/image_limit.h"
#include "passes/windows/image_operand.h"
#include "place/kernel_lowering.h"

#include <vector>

namespace mmk {

class TransferInserter : public KernelLowering {
public:
  using KernelLowering::KernelLowering;

private:
  /// Lines of an image that hold the windows of a tile.
  struct ImageLines {
    GlobalView view;                  ///< of the image, from the first line on
    mlir::Value count, width;         ///< lines and columns
    mlir::Value taps[2];              ///< along lines and columns
    mlir::Value top, outWidth, first; ///< as aicore.load3d takes them
    mlir::Value channel, channels;    ///< that L1 holds: the first, and how many
    mlir::Value stages;               ///< of those, a block each
    mlir::Value from;                 ///< where the current stage begins in their depth
  };

  /// A product while its code is emitted.
  struct Product : TiledProduct {
    explicit Product(TiledProduct product)
        : TiledProduct(product), operands{TiledOperand(product, 0), TiledOperand(product, 1)} {}

    TiledOperand operands[2];
    mlir::Value l1[2], l0[2]; ///< buffers of its operands
    mlir::Value panelSlot;    ///< of the operand that is kept
    mlir::Value biasTable;    ///< null where the product starts from zero
    mlir::Value biasSlot;     ///< in the bias table
    aicore::AllocOp acc;      ///< in L0C ...
    mlir::Value accSlot;      ///< ... and its slot
    mlir::Value inOthers; ///< base tiles of the other products before those of this one, so that
                          ///< all rotate over the same slots; null without others
    mlir::Value slots[2]; ///< of the operands in L1, of the current stage
    mlir::Value inPart;   ///< depth of those in the current loop over stages
    mlir::Value done;     ///< depth of the stages before the current one
    mlir::Value before;   ///< depth of the steps before the current one
    mlir::Value start;    ///< where that one starts; not at `done` when cores are skewed
    mlir::Value isFirst;  ///< whether it is the first of its tile; null where that is not used
    /// The left operand as windows of an image; its channels of a stage, and of a block. Nothing
    /// where both operands are matrices.
    std::optional<ImageOperand> image;
    int64_t channels = 0, block = 0;
    ImageLines lines;
    mlir::Value depthOfStage;   ///< of the channels and taps of the current one
    mlir::Value startsFromBias; ///< whether it takes the bias from the table; null without one
  };

  /// One output tile of a group, while its code is emitted.
  struct Tile : TiledGroup {
    mlir::Value number;           ///< of the tile in this core's share
    mlir::Value rows, columns;    ///< valid extents
    int64_t parts = 1;            ///< of the accumulator, each drained by itself
    std::optional<int64_t> part;  ///< of a part as a tile of its own: its number,
    mlir::Value firstColumn;      ///< and its first column in the tile
    std::vector<Product> anchors; ///< its products, while their code is emitted
  };

  // insert_transfers.cpp
  mlir::FailureOr<mlir::DictionaryAttr> limits() override;
  void limitPanels(mlir::NamedAttrList &limits);
  mlir::LogicalResult limitRows(mlir::NamedAttrList &limits);
  mlir::LogicalResult refuseLongRow(ir::FusionGroupOp group, llvm::StringRef dim, int64_t length,
                                    int64_t longest, bool ofProduct);
  mlir::LogicalResult emitGroup(ir::FusionGroupOp group) override;
  /// Begins the phase of a group: its buffers.
  mlir::LogicalResult startTiles(ir::FusionGroupOp group, Tile &tile);
  /// Begins the loop over its tiles, and the one over lines that share a panel.
  void emitTileLoop(Tile &tile);
  mlir::LogicalResult findBuffers(ir::FusionGroupOp group, Tile &tile);
  mlir::Value slot(mlir::Value number, mlir::Value buffer);
  mlir::Value bufferOf(aicore::PlaceOp place) { return map.lookup(place.getBuffer()); }

  // product_transfers.cpp
  /// Of a loop over stages: the depth before it, that of its own, and whether it is the first and
  /// the last of its tile; null: it is the only one.
  struct StageRange {
    mlir::Value before, length, isFirst, isLast;
  };
  void emitProducts(Tile &tile);
  void emitProduct(Tile &tile, Product &product);
  bool isSkewed();
  /// Whether a tile begins in parts of its only accumulator, while the last one is still drained.
  bool startsInParts(const Tile &tile);
  mlir::Value both(mlir::Value x, mlir::Value y);
  mlir::Value skewed(mlir::Value stage, mlir::Value stages, int64_t depth);
  void emitLoads(Tile &tile, Product &product, mlir::Value stageNumber);
  void emitStageInParts(Tile &tile, Product &product, mlir::Value stages, mlir::Value stageNumber,
                        const StageRange &range);
  void emitStage(Tile &tile, Product &product, mlir::Value generations,
                 std::optional<int64_t> part);
  void emitSteps(Tile &tile, Product &product, mlir::Value generations, std::optional<int64_t> part,
                 bool startsFromBias);
  void multiplyStep(Tile &tile, const Product &lead, Product &product,
                    const mlir::Value (&l0Slots)[2], mlir::Value columns, mlir::Value depth,
                    std::optional<int64_t> part, bool startsFromBias);
  Tile partOf(const Tile &tile, int64_t part);
  /// `extent`, or 0 when there are no columns.
  mlir::Value whereAny(mlir::Value columns, mlir::Value extent);

  // window_transfers.cpp
  mlir::Value multiply(mlir::Value x, mlir::Value y);
  mlir::Value channelsOf(Product &product);
  /// Where the stages of a product end.
  mlir::Value depthOf(Product &product);
  /// Begins the loop over the parts of an image's channels.
  StageRange emitImageLoop(Tile &tile, Product &product);
  void findLines(Tile &tile, Product &product);
  /// Lines of padding in front of the first window of a product, and of those beside it.
  PaddingRange paddingOf(const Tile &tile, const Product &product);
  void emitImageLoad(Product &product, mlir::Value number);
  void emitTapsLoad(Product &product, mlir::Value stageNumber);
  /// Parts of the channels, which L1 holds one after the other.
  mlir::Value partsOf(Product &product);
  /// Some pixels, counted from the first of the tile, and a part of the depth.
  struct ImageStep {
    mlir::Value from, depth, firstPixel, pixels;
  };
  /// Loads those windows of `product`, out of the lines that `lead` has in L1.
  void emitImageStep(Tile &tile, const Product &lead, const Product &product, const ImageStep &step,
                     mlir::Value targetSlot);
  aicore::ImageLimit limitOf(Tile &tile, Product &product);

  // resident.cpp: data on the chip before the first stage of a tile
  void emitPanel(Tile &tile, Product &product);
  void emitBias(Tile &tile, Product &product);
  /// Whether the current stage is the one that starts from the bias, and frees it.
  mlir::Value startsFromBias(Tile &tile, Product &product);
  /// `emit` in a branch.
  void when(mlir::Value condition, llvm::function_ref<void()> emit);

  // vector_work.cpp
  struct VectorWork;
  void emitEpilogue(Tile &tile, llvm::ArrayRef<Destination> destinations);
  void emitDrain(Tile &tile, llvm::ArrayRef<Destination> destinations);
  static Product &productOf(Tile &tile, mlir::Value value);
  VectorWork findVectorWork(Tile &tile);
  void emitVectorWork(Tile &tile, VectorWork &work, llvm::ArrayRef<Destination> destinations);
  void takeInputs(Tile &tile, VectorWork &work);
  void loadInput(Tile &tile, VectorWork &work, size_t number);
  void emitVectorOp(Tile &tile, VectorWork &work);
  void emitSum(Tile &tile, VectorWork &work, mlir::Value into, mlir::Value intoSlot);
  void storeResult(Tile &tile, VectorWork &work, const Destination &destination);

  // generation.cpp
  /// Fills a buffer with a part of a tensor: loads it, or generates it. `joined`: of aicore.load.
  void fill(const GlobalView &view, llvm::ArrayRef<int64_t> along, mlir::Value rows,
            mlir::Value columns, mlir::Value buffer, mlir::Value slot,
            mlir::IntegerAttr joined = {});
  void generate(ir::RandomOp random, const GlobalView &view, llvm::ArrayRef<int64_t> along,
                mlir::Value rows, mlir::Value columns, mlir::Value buffer, mlir::Value slot);
  void generate(ir::WindowOp window, const GlobalView &view, llvm::ArrayRef<int64_t> along,
                mlir::Value rows, mlir::Value columns, mlir::Value buffer, mlir::Value slot);

  // row_work.cpp: tiles of a row group
  class RowWork;
  mlir::LogicalResult emitRows(ir::FusionGroupOp group, Tile &tile);

  // chain_work.cpp: tiles of products with rows between
  class ChainWork;
  mlir::LogicalResult emitChain(ir::FusionGroupOp group);
  mlir::LogicalResult limitChains(mlir::NamedAttrList &limits);
};

} // namespace mmk
