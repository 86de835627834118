// aicore-insert-transfers in five files: insert_transfers.cpp does kernels and nests,
// product_transfers.cpp what the cube does for a tile, resident.cpp what it finds on the chip by
// then, vector_work.cpp what the vector cores do with the tile, host.cpp what a tile is on the
// host.
#pragma once

#include "place/tiled_nest.h"

#include "mlir/IR/IRMapping.h"

namespace mmk {

/// A part of a tensor in global memory: offsets in all its dimensions (null: 0), and which of them
/// the dimensions of the slice run along.
struct GlobalView {
  mlir::Value memref;
  llvm::SmallVector<mlir::Value> offsets;
  llvm::SmallVector<unsigned> dims;
};

class TransferInserter {
public:
  TransferInserter(ir::KernelOp kernel, aicore::MachineAttr machine)
      : kernel(kernel), machine(machine), b(kernel.getContext()), loc(kernel.getLoc()),
        names(tensorNames(kernel)) {}

  mlir::LogicalResult run();

private:
  /// One output tile of a nest, while its code is emitted.
  struct Tile : TiledNest {
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
  /// Where a result of the tile goes.
  struct Destination {
    mlir::Value value; ///< in mmk IR: held in UB, or else written by the fixpipe
    GlobalView view;
  };

  // insert_transfers.cpp
  void createKernel();
  mlir::DictionaryAttr limits();
  mlir::LogicalResult emitNest(ir::NestOp nest);
  mlir::LogicalResult findBuffers(ir::NestOp nest, Tile &tile);
  void emitShared(ir::NestOp nest);
  llvm::SmallVector<Destination> findDestinations(ir::NestOp nest, Tile &tile);
  void clonePure(mlir::Operation &op);
  GlobalView viewOf(mlir::Value tensor);
  mlir::Value extentOf(mlir::Value tensor, unsigned dim);
  mlir::Value dimension(llvm::StringRef name);
  mlir::Value mapped(mlir::OpFoldResult value);
  mlir::scf::ForOp emitLoop(mlir::scf::ForOp loop);
  mlir::Value index(int64_t value);
  mlir::Value slot(mlir::Value number, mlir::Value buffer);
  mlir::Value bufferOf(aicore::PlaceOp place) { return map.lookup(place.getBuffer()); }
  mlir::DictionaryAttr requestedBuffers();
  mlir::Value add(mlir::Value x, mlir::Value y);

  // product_transfers.cpp
  struct Product;
  void emitProduct(Tile &tile);
  bool isSkewed();
  mlir::Value skewed(mlir::Value stage, mlir::Value stages, int64_t depth);
  void emitLoads(Tile &tile, Product &product, mlir::Value stageNumber);
  void emitStage(Tile &tile, const Product &product, mlir::Value fillings,
                 std::optional<int64_t> part);
  void emitSteps(Tile &tile, const Product &product, mlir::Value fillings,
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

  // host.cpp
  /// Tensors of a tile on the host: one operation reads and writes them where they are.
  struct HostTensors;
  void allocateHostProduct(Tile &tile);
  HostTensors hostInputs(Tile &tile);
  HostTensors hostOutputs(Tile &tile, llvm::ArrayRef<Destination> destinations);
  void emitHostRegion(Tile &tile, mlir::Region &region, const HostTensors &inputs,
                      llvm::ArrayRef<Destination> destinations);
  void emitHostTile(Tile &tile, llvm::ArrayRef<Destination> destinations);
  void emitHostProduct(Tile &tile, llvm::ArrayRef<Destination> destinations);
  aicore::AllocOp alloc(llvm::StringRef name, llvm::StringRef group, aicore::Space space,
                        int64_t rows, int64_t columns, mlir::Type element, mlir::Location where);
  llvm::StringRef nameOf(mlir::Value tensor);
  mlir::Location placeOf(llvm::StringRef directive, mlir::Location otherwise);

  ir::KernelOp kernel;
  aicore::MachineAttr machine;
  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::DenseMap<mlir::Value, llvm::StringRef> names; ///< of the kernel's tensors
  aicore::KernelOp target;
  mlir::Value block;                                ///< number of the core in the phase at hand
  mlir::IRMapping map;                              ///< scalars and buffers: mmk IR -> aicore IR
  llvm::DenseMap<mlir::Value, mlir::Value> tensors; ///< kernel tensors -> global memory
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
