// Products with rows between, as one loop over the columns of the first ones
// (passes/chains/chain.h), while aicore-insert-transfers emits it. In each step of the loop
//
//   the cube computes a part of each first product            (firsts)
//   the vector cores make weights of them                     (weights)
//   the cube multiplies these with other operands             (seconds)
//   the vector cores add the results to what they have so far (collect)
//
// Sums that are not rescaled while a maximum grows stay in L0C instead, if it has room, and are
// collected after the last step. The first two run some steps ahead of the others (`preload`), so
// that neither side waits. Without a path between the sides they exchange data through rings in the
// block's own global memory. Else products go from L0C to UB, and weights from UB to L1.
//
// In two files: chain_work.cpp has the loop and the work of the vector cores, chain_products.cpp
// that of the cube.
#pragma once

#include "place/chain_rows.h"
#include "place/chain_sizes.h"
#include "place/row_work.h"

#include "llvm/ADT/MapVector.h"

namespace mmk {

class TransferInserter::ChainWork : public TransferInserter::RowWork {
public:
  ChainWork(TransferInserter &inserter, ir::FusionGroupOp group, Tile &ofBlock, RowProgram program,
            Chain chain);

  mlir::LogicalResult emit();

private:
  /// An operand of a product as it lies in memory, and so in L1.
  struct Operand {
    Operand(mlir::linalg::ContractOp product, unsigned which);
    mlir::Value tensor; ///< what a tile has of it
    unsigned outer = 0; ///< its dimension along the rows of A or the columns of B ...
    unsigned depth = 0; ///< ... and that along the depth; both are its last two
    bool transposed = false;
  };
  /// A part of an operand in L1.
  struct InL1 {
    mlir::Value buffer, slot;
    bool isDepthFirst = false; ///< its rows run along the depth
    bool transposed = false;   ///< it is the transpose of what the cube takes
  };
  /// A first product.
  struct First {
    explicit First(mlir::linalg::ContractOp product)
        : product(product), rows(product, 0), columns(product, 1) {}

    mlir::linalg::ContractOp product;
    Operand rows, columns;
    ChainSizes::First size;
    mlir::Value rowsL1, columnsL1; ///< its operands
    mlir::Value ring;              ///< in the block's global memory, where it passes that
    InL1 rowsOfTile, columnsOfPart;
  };
  /// The left operand of second products.
  struct Weights {
    unsigned output = 0; ///< its number
    mlir::Value ring;    ///< in the block's global memory, where they pass that
    mlir::Value l1;
    InL1 ofPart;
  };
  /// A second product, with what follows from it.
  struct Second {
    explicit Second(Chain::Second chain)
        : chain(chain), product(chain.product), values(product, 1) {}

    Chain::Second chain;
    mlir::linalg::ContractOp product;
    Operand values;
    size_t weights = 0; ///< its left operand
    ChainSizes::Second size;
    mlir::Value valuesL1, ring; ///< in the block's global memory, where it passes that
    InL1 valuesOfPart;
    mlir::Value sums, sumSlot; ///< in L0C, if they stay there
    Held taken;                ///< a part of it in UB
    Held result;               ///< its sum
    mlir::Value columns;
    /// Results of the epilogue, or the product itself.
    llvm::SmallVector<std::pair<mlir::Value, Held>> finished;
    llvm::MapVector<mlir::OpOperand *, mlir::Value> behind; ///< what the epilogue reads besides
  };

  // chain_work.cpp
  void allocate();
  void findTile();
  mlir::LogicalResult emitTile();
  bool leavesRange(const Weights &of);
  /// The loop over the parts.
  void loopOverParts(const Parts &parts);
  /// The part that is the `number`th of this core.
  void setPartAt(const Parts &parts, mlir::Value number);
  /// Computes the weights of a part, if there is such a part.
  void emitAhead(const Parts &parts, mlir::Value number);
  /// Vector work on the rows of the tile, window by window; `number` counts what its buffers hold.
  void onWindows(mlir::Value number, llvm::function_ref<void()> emit);
  void emitStart();
  void emitWeights(mlir::Value part);
  /// Adds second products of a part, or those that stay in L0C, to what is there before.
  void emitCollect(bool staysInL0C, mlir::Value number);
  void emitEnd();
  /// Loads what the steps read of inputs with one element for each row, or for all.
  void loadKeptInputs(llvm::ArrayRef<RowStep> of);
  void placeKept();
  void allocateResults(Second &of);
  void collect(Second &of);
  mlir::Value rescaled(const Second &of, mlir::Value sum, mlir::Value ratio);
  mlir::Value zeroWhereZero(mlir::Value sum, mlir::Value product);
  aicore::Broadcast coverBehind(Second &of, mlir::OpOperand *operand);
  Held loadBehind(Second &of, mlir::OpOperand *operand, mlir::Value buffer);
  /// The second product after the last part, from its sum and the factor of the row.
  mlir::Value finalElement(mlir::Value sum, mlir::Value factor);
  void finish(Second &of);
  void storeFinished(Second &of);

  // chain_products.cpp
  mlir::LogicalResult chooseSizes();
  void allocateProducts();
  mlir::Value allocIn(aicore::Space space, llvm::StringRef name, llvm::StringRef buffers,
                      int64_t rows, int64_t columns, mlir::Type element, int64_t copies = 1);
  mlir::Value allocOperand(const Operand &operand, llvm::StringRef buffers, int64_t outer,
                           int64_t depth);
  InL1 loadOperand(const Operand &operand, mlir::Value buffer, mlir::Value number,
                   mlir::Value outerFrom, mlir::Value outer, mlir::Value depthFrom,
                   mlir::Value depth);
  void loadRowsOfFirsts();
  void emitFirsts(mlir::Value part);
  void emitFirst(size_t which, mlir::Value part);
  void emitSeconds(mlir::Value part);
  void emitSecond(size_t which, mlir::Value part);
  /// A step of a product along its depth.
  struct Depth {
    mlir::Value from, columns; ///< of B
    mlir::Value depth;
    int64_t step = 1;
    mlir::Value number;       ///< by which L0 rotates
    mlir::Value acc, accSlot; ///< in L0C
    mlir::Value starts;       ///< whether nothing is there before; null: nothing is
  };
  /// The steps of a product along its depth: of all rows of A, and some columns of B.
  void emitDepth(const InL1 &a, const InL1 &b, const Depth &depth);
  /// By which L0 and the accumulator rotate: the products of one step of the loop follow each
  /// other, the first ones of a later part and the second ones of this one.
  struct Number {
    mlir::Value inL0, inL0C;
  };
  Number firstNumber(size_t which, mlir::Value part, mlir::Value ofPart);
  Number secondNumber(size_t which, mlir::Value part);
  /// Brings the rows of the window of a product to UB: from global memory, or from L0C.
  void fetchProduct(mlir::Value ring, mlir::Value number, mlir::Value columns, const Held &held);
  void drainProduct(mlir::Value acc, mlir::Value slot, mlir::Value columns, const Held &held);

  Chain chain;
  const ChainSizer sizer;
  ChainSizes chosen;
  std::vector<First> firsts;
  std::vector<Weights> weights;
  std::vector<Second> seconds;
  mlir::Value l0a, l0b, acc;
  mlir::Value rows; ///< of the tile
};

} // namespace mmk
