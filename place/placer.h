// aicore-place in seven files: place.cpp does kernels and nests, product_section.cpp what the cube
// does for a tile, resident.cpp what it finds on the chip by then, vector_section.cpp what the
// vector cores do with the tile, vector_buffers.cpp in which buffers, partial_sums.cpp how they
// come by a product that was split, host.cpp what a tile is on the host.
#pragma once

#include "ir/aicore.h"
#include "passes/variant.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace mmk {

/// Loads into L1 fill fractals of so many rows and columns with zeros, and a buffer there has room
/// for whole ones: a tile of 8 or 24 f32 along K ends inside of a fractal.
constexpr int64_t fractalExtent = 16;

/// A part of a tensor in global memory: offsets in all its dimensions, and which of them the
/// dimensions of the slice run along.
struct GlobalView {
  mlir::Value memref;
  llvm::SmallVector<mlir::Value> offsets;
  llvm::SmallVector<unsigned> dims;
};

class Placer {
public:
  Placer(ir::KernelOp kernel, aicore::MachineAttr machine)
      : kernel(kernel), machine(machine), b(kernel.getContext()), loc(kernel.getLoc()) {}

  mlir::LogicalResult run();

private:
  /// One output tile of a nest, while its code is emitted.
  struct Tile {
    mlir::scf::ForOp loop;      ///< the tile loop of the nest, in mmk IR
    mlir::scf::ForOp panelLoop; ///< around it, when a panel of an operand stays in L1
    mlir::scf::ForOp stageLoop; ///< of its product; null without one
    mlir::linalg::ContractOp contract;
    mlir::linalg::GenericOp generic;
    mlir::linalg::ReduceOp sum; ///< of the parts of a product; null where that was not split
    int64_t tileM = 1, tileN = 1;
    unsigned rank = 0;               ///< of the output
    mlir::Value number;              ///< of the tile in this core's share
    mlir::Value rows, columns;       ///< valid extents
    mlir::Value l1[2], l0[2];        ///< buffers of its operands
    std::optional<unsigned> kept;    ///< operand whose panel stays in L1 ...
    mlir::Value panelSlot;           ///< ... and its slot
    mlir::linalg::BroadcastOp bias;  ///< what the product starts from; null: from zero
    mlir::Value biasInL1, biasTable; ///< its buffers
    mlir::Value biasSlot;            ///< in the table
    mlir::Value hasBias;             ///< whether this tile has it, in mmk IR; null: all have
    aicore::AllocOp acc;             ///< the product in L0C ...
    mlir::Value accSlot;             ///< ... and its slot
    int64_t parts = 1;               ///< of the accumulator, each drained by itself
    /// Of a part as a tile of its own: which one it is, and where it starts in the tile.
    std::optional<int64_t> part;
    mlir::Value firstColumn;

    /// The last of its operations, which its vector work is a part of.
    mlir::Operation *last() {
      return generic ? generic.getOperation() : sum ? sum.getOperation() : contract.getOperation();
    }
    /// What the cube, or a sum of parts, gives the vector unit; null without a product.
    mlir::Value product() {
      if (stageLoop)
        return stageLoop.getResult(0);
      return sum ? sum.getResult(0) : mlir::Value();
    }
  };
  /// Where a result of the tile goes.
  struct Destination {
    mlir::Value value; ///< in mmk IR
    GlobalView view;
    llvm::StringRef name;
  };

  // place.cpp
  void createKernel();
  mlir::LogicalResult emitNest(ir::NestOp nest);
  mlir::LogicalResult findTile(ir::NestOp nest, Tile &tile);
  mlir::LogicalResult findStages(Tile &tile);
  mlir::LogicalResult expectKnownTensors(Tile &tile);
  void emitShared(ir::NestOp nest, Tile &tile);
  mlir::LogicalResult findDestinations(ir::NestOp nest, Tile &tile,
                                       llvm::SmallVector<Destination> &destinations);
  void clonePure(mlir::Operation &op);
  GlobalView viewOf(mlir::Value tensor);
  mlir::Value extentOf(mlir::Value tensor, unsigned dim);
  mlir::Value dimension(llvm::StringRef name);
  mlir::Value mapped(mlir::OpFoldResult value);
  mlir::scf::ForOp emitLoop(mlir::scf::ForOp loop);
  mlir::Value index(int64_t value);
  aicore::AllocOp alloc(llvm::StringRef name, llvm::StringRef group, aicore::Space space,
                        int64_t rows, int64_t columns, mlir::Type element, mlir::Location where);
  mlir::Value slot(mlir::Value number, mlir::Value buffer);
  llvm::StringRef nameOf(mlir::Value tensor);
  mlir::Location placeOf(llvm::StringRef directive, mlir::Location otherwise);
  int64_t copies(llvm::StringRef group, llvm::StringRef name);
  mlir::DictionaryAttr bufferWishes();
  mlir::Value add(mlir::Value x, mlir::Value y);

  // product_section.cpp
  struct Product;
  void allocateProduct(Tile &tile);
  void emitProduct(Tile &tile);
  bool isSkewed();
  mlir::Value skewed(mlir::Value stage, mlir::Value stages, const Product &product);
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
  void allocateBias(Tile &tile);
  void emitBias(Tile &tile);
  /// Whether the stage at hand is the one that starts from the bias, and frees it.
  mlir::Value startsFromBias(Tile &tile, const Product &product);
  /// `emit` in a branch.
  void when(mlir::Value condition, llvm::function_ref<void()> emit);
  mlir::DictionaryAttr limits();

  // host.cpp
  /// Tensors of a tile on the host: one operation reads and writes them where they are.
  struct HostTensors;
  bool isForHost(const Tile &tile);
  void allocateHostProduct(Tile &tile);
  HostTensors hostInputs(Tile &tile);
  HostTensors hostOutputs(Tile &tile, llvm::ArrayRef<Destination> destinations);
  void emitHostRegion(Tile &tile, mlir::Region &region, const HostTensors &inputs,
                      llvm::ArrayRef<Destination> destinations);
  void emitHostTile(Tile &tile, llvm::ArrayRef<Destination> destinations);
  void emitHostProduct(Tile &tile, llvm::ArrayRef<Destination> destinations);

  // vector_buffers.cpp
  struct VectorBuffers;
  struct VectorBytes {
    int64_t shared = 0, perRow = 0;
  };
  /// Whether the fixpipe takes the product of a tile to global memory.
  bool leavesByFixpipe(const Tile &tile);
  /// That one cube core feeds.
  int64_t vectorCores();
  void allocateVectorSection(Tile &tile, VectorBuffers &buffers);
  void findVectorInputs(Tile &tile, VectorBuffers &buffers);
  VectorBytes vectorBytes(Tile &tile, const VectorBuffers &buffers);
  void chooseVectorSteps(Tile &tile, VectorBuffers &buffers);
  void allocateVectorBuffers(Tile &tile, VectorBuffers &buffers);

  // vector_section.cpp
  struct VectorStep;
  void emitEpilogue(Tile &tile, VectorBuffers &buffers, llvm::ArrayRef<Destination> destinations);
  void emitDrain(Tile &tile, VectorBuffers &buffers, llvm::ArrayRef<Destination> destinations);
  void emitVectorSection(Tile &tile, VectorBuffers &buffers,
                         llvm::ArrayRef<Destination> destinations, mlir::Value core, int64_t cores);
  VectorStep shareOfCore(Tile &tile, mlir::Value core, int64_t cores);
  void takeInputs(Tile &tile, VectorBuffers &buffers, VectorStep &at);
  void loadInput(Tile &tile, const VectorBuffers &buffers, const VectorStep &at, size_t number);
  void emitVectorOp(Tile &tile, VectorBuffers &buffers, VectorStep &at);
  void storeResult(Tile &tile, VectorBuffers &buffers, const VectorStep &at,
                   const Destination &destination);

  // partial_sums.cpp
  /// Rows x columns of the sum of all parts, from (row, column) of the tile on, into slot
  /// `intoSlot` of `into`; `number` is that of the vector step.
  void emitSum(Tile &tile, VectorBuffers &buffers, mlir::Value into, mlir::Value intoSlot,
               mlir::Value number, mlir::Value row, mlir::Value column, mlir::Value rows,
               mlir::Value columns);

  ir::KernelOp kernel;
  aicore::MachineAttr machine;
  mlir::OpBuilder b;
  mlir::Location loc;
  aicore::KernelOp target;
  mlir::Value block;                                  ///< number of the core in the phase at hand
  mlir::IRMapping map;                                ///< scalars: mmk IR -> aicore IR
  llvm::DenseMap<mlir::Value, mlir::Value> tensors;   ///< kernel tensors -> global memory
  llvm::DenseMap<mlir::Value, llvm::StringRef> names; ///< of those
};

/// The buffers of the vector cores for a tile, and how many of its rows they take at once.
struct Placer::VectorBuffers {
  /// How an operand of the tile's elementwise op reaches the vector unit.
  struct Input {
    mlir::OpOperand *operand = nullptr; ///< of the generic; null for a plain product
    aicore::Spread spread = aicore::Spread::full;
    bool isProduct = false;
    mlir::Type element;
    llvm::StringRef name, group; ///< of its buffer, see alloc
    mlir::Value buffer;          ///< in UB
  };
  llvm::SmallVector<Input> inputs;
  llvm::SmallVector<mlir::Value> outputs; ///< of the generic, in UB
  mlir::Value scratch;
  mlir::Value part;      ///< of a product that was split: one part, in UB
  mlir::Value spilled;   ///< on a split chip: the product in the block's global memory
  int64_t width = 1;     ///< columns of the tile that one vector core takes
  int64_t rowsAStep = 1; ///< of the tile that one vector step takes
  int64_t steps = 1;     ///< of a full tile, on one vector core
  bool needed = false;   ///< false: the fixpipe alone writes the result
};

/// What one vector core takes of a tile, and the step of it at hand.
struct Placer::VectorStep {
  mlir::Value zero;
  mlir::Value firstRow, rows, firstColumn, columns; ///< of the core
  mlir::Value number, row, count;                   ///< of the step: so many rows, from `row` on
  llvm::SmallVector<mlir::Value> inputSlots, outputSlots;
  mlir::Value spillSlot;
};

} // namespace mmk
