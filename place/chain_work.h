// Two products with rows between, as one loop over the columns of the first, while
// aicore-insert-transfers emits it. In each step of the loop
//
//   the cube computes a part of the first product          (first)
//   the vector cores make weights of it                     (weights)
//   the cube multiplies these with the other operand        (second)
//   the vector cores add the result to what they have so far (collect)
//
// The first two run some steps ahead of the others (`preload`), so that neither side waits. On a
// split chip the sides exchange data through rings in the block's own global memory; on a coupled
// one the vector unit takes products out of L0C.
//
// In two files: chain_work.cpp has the loop and the work of the vector cores, chain_products.cpp
// that of the cube.
#pragma once

#include "place/chain_rows.h"
#include "place/row_work.h"

#include "llvm/ADT/MapVector.h"

namespace mmk {

class TransferInserter::ChainWork : public TransferInserter::RowWork {
public:
  ChainWork(TransferInserter &inserter, ir::FusionGroupOp group, Tile &ofBlock, RowProgram program,
            Chain chain)
      : RowWork(inserter, group, ofBlock, std::move(program), /*whole=*/false), chain(chain),
        isSplit(t.machine.getTopology() == aicore::Topology::split) {}

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

  // chain_work.cpp
  mlir::LogicalResult chooseSizes();
  void allocate();
  void findTile();
  mlir::LogicalResult emitTile();
  bool leavesRange();
  /// The part that is the `number`th of this core.
  void setPartAt(const Parts &parts, mlir::Value number);
  /// Computes the weights of a part, if there is such a part.
  void emitAhead(const Parts &parts, mlir::Value number);
  /// Vector work on the rows of the tile, window by window; `number` counts what its buffers hold.
  void onWindows(mlir::Value number, llvm::function_ref<void()> emit);
  void emitStart();
  void emitWeights(mlir::Value part);
  void emitCollect(mlir::Value part);
  void emitEnd();
  /// Loads what the steps read of inputs with one element for each row, or for all.
  void loadKeptInputs(llvm::ArrayRef<RowStep> of);
  void placeKept();
  mlir::Value rescaled(mlir::Value sum, mlir::Value ratio);
  mlir::Value zeroWhereZero(mlir::Value sum, mlir::Value product);
  aicore::Broadcast coverBehind(mlir::OpOperand *operand);
  Held loadBehind(mlir::OpOperand *operand, mlir::Value buffer);
  /// The second product after the last part, from its sum and the factor of the row.
  mlir::Value finalElement(mlir::Value sum, mlir::Value factor);
  void finish();
  void storeFinished();

  // chain_products.cpp
  mlir::LogicalResult chooseProductSizes();
  void allocateProducts();
  mlir::Value allocIn(aicore::Space space, llvm::StringRef name, llvm::StringRef buffers,
                      int64_t rows, int64_t columns, mlir::Type element, int64_t copies = 1);
  mlir::Value allocOperand(const Operand &operand, llvm::StringRef buffers, int64_t outer,
                           int64_t depth);
  InL1 loadOperand(const Operand &operand, mlir::Value buffer, mlir::Value number,
                   mlir::Value outerFrom, mlir::Value outer, mlir::Value depthFrom,
                   mlir::Value depth);
  void loadRowsOfFirst();
  void emitFirst(mlir::Value part);
  void emitSecond(mlir::Value part);
  /// The steps of a product along its depth: of all rows of A, and of columns of B from `from` on.
  void emitDepth(const InL1 &a, const InL1 &b, mlir::Value from, mlir::Value columns,
                 mlir::Value depth, int64_t step, mlir::Value accNumber);
  /// By which the accumulator rotates: the products of one step of the loop follow each other, the
  /// first of a later part and the second of this one.
  mlir::Value firstNumber(mlir::Value part, mlir::Value ofPart);
  mlir::Value secondNumber(mlir::Value part);
  /// Brings the rows of the window of a product to UB.
  void takeProduct(mlir::Value ring, mlir::Value part, mlir::Value accNumber, mlir::Value columns,
                   const Held &held);

  Chain chain;
  const bool isSplit;
  int64_t preload = 1;
  int64_t steps = 1;                         ///< windows of a vector core's rows
  int64_t width = 1;                         ///< columns of the second product, at most
  int64_t depthOfFirst = 1;                  ///< at most
  int64_t stepOfFirst = 1, stepOfSecond = 1; ///< depths of a matrix instruction
  int64_t accWidth = 1;                      ///< columns of an accumulator
  int64_t accsOfPart = 1;                    ///< accumulators for the first product of a part

  mlir::Value rowsL1, columnsL1, weightsL1, valuesL1; ///< operands of both products
  int64_t l0Steps = 1;                                ///< of a product, at most
  mlir::Value l0a, l0b, acc;
  mlir::Value scoresRing, weightsRing, resultRing; ///< in the block's global memory
  InL1 rowsOfFirst;
  Held taken;  ///< a part of the second product in UB
  Held result; ///< its sum
  /// What follows from that: results of the epilogue, or the product itself.
  llvm::SmallVector<std::pair<mlir::Value, Held>> finished;
  llvm::MapVector<mlir::OpOperand *, mlir::Value> behind; ///< what the epilogue reads besides
  mlir::Value rows;                                       ///< of the tile
  mlir::Value columns;                                    ///< of the second product
};

} // namespace mmk
