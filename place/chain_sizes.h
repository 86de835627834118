// The sizes of products with rows between (passes/chains/chain.h): of parts, matrix instructions,
// accumulators and windows of rows. The pass that emits the products reads them of the kernel's
// variant, the closed form of their time of variants that are not compiled.
#pragma once

#include "passes/chains/chain.h"
#include "passes/variant.h"
#include "place/row_memory.h"

#include "llvm/ADT/SmallVector.h"

namespace mmk {

/// The sizes of one variant. Lengths are in elements.
struct ChainSizes {
  struct First {
    int64_t depth = 1, step = 1; ///< at most; of a matrix instruction
  };
  struct Second {
    int64_t width = 1;       ///< its columns, at most
    int64_t step = 1;        ///< the depth of a matrix instruction
    bool staysInL0C = false; ///< its sum, over all parts
  };
  int64_t tileM = 1, tileN = 1; ///< rows of a tile, and columns of a part
  llvm::SmallVector<First, 2> firsts;
  llvm::SmallVector<Second, 2> seconds;
  int64_t preload = 1;                    ///< parts of the first products ahead
  int64_t stepsInL0 = 1;                  ///< matrix instructions of a product, at most
  int64_t longestStep = 1;                ///< the deepest of them
  int64_t widestOperand = 1;              ///< columns of B in L0B
  int64_t accWidth = 1;                   ///< columns of a first product in an accumulator
  int64_t accsOfPart = 1;                 ///< accumulators for a first product of a part
  int64_t accumulators = 1;               ///< that a part needs at once
  int64_t widestResult = 1;               ///< columns of an accumulator
  int64_t stayingColumns = 0;             ///< of sums in L0C
  int64_t collectedColumns = 0;           ///< of sums in UB
  int64_t copies = 1, inL1 = 1, inL0 = 1; ///< requested: of the accumulator, and of operands
  RowMemory::Sizes rows;                  ///< of a vector core
  int64_t windows = 1;                    ///< that it divides them in
};

/// What the sizes of all variants of a group follow from.
class ChainSizer {
public:
  /// The operations are of whole tensors or of a tile; all outlive it.
  ChainSizer(ir::KernelOp kernel, Chain &chain, RowProgram &program, const RowSchedule &schedule,
             aicore::MachineAttr machine);

  /// For parts of tileM x tileN. `copies` are those of the buffers in UB.
  ChainSizes sizesOf(int64_t tileM, int64_t tileN, Chosen chosen,
                     const RowMemory::Copies &copies) const;
  /// In L1. What the vector cores write ahead is held in a ring, or there.
  int64_t copiesOfWeights(const ChainSizes &sizes) const;
  /// Bytes of the buffers in a memory of the cube core.
  int64_t bytesIn(aicore::Space space, const ChainSizes &sizes) const;
  /// Whether all memories have room for the buffers.
  bool fits(const ChainSizes &sizes) const;

  const bool productsPassMemory, weightsPassMemory; ///< the block's global memory

private:
  void chooseProducts(ChainSizes &sizes, Chosen chosen) const;
  /// The depth of a matrix instruction of a product for which a depth is chosen.
  int64_t stepInL0(const ChainSizes &sizes, mlir::linalg::ContractOp product, int64_t step) const;
  void chooseAccumulators(ChainSizes &sizes) const;
  void chooseWindows(ChainSizes &sizes, const RowMemory::Copies &copies,
                     int64_t copiesOfSums) const;
  RowMemory::Others otherMemory(const ChainSizes &sizes, const RowMemory &memory,
                                const RowMemory::Copies &copies, int64_t copiesOfSums,
                                int64_t spareRows) const;
  mlir::Type element() const { return operandType(chain.firsts[0]); }
  int64_t elementBytes() const { return element().getIntOrFloatBitWidth() / 8; }

  Chain &chain;
  RowProgram &p;
  const RowSchedule &s;
  aicore::MachineAttr machine;
  llvm::SmallVector<llvm::StringRef> outputs; ///< dimensions that products of the kernel give
  llvm::SmallVector<bool> isRescaled; ///< the sum of each second product, while a maximum grows
};

} // namespace mmk
