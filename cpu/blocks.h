// Cache blocking of a product (MC, NC, KC): a block of B is packed and resident in L2, while rows
// of A stream past it.
#pragma once

#include "codegen/micro_kernel.h"
#include "cpu/tuning.h"

namespace mmk {

/// Upper limits: elements along k of a pass, bytes of a packed block of B, partial sums kept for
/// the next pass, bytes of packed rows of A.
struct BlockLimits {
  llvm::Value *depth = nullptr, *blockBytes = nullptr, *accElements = nullptr,
              *packedBytes = nullptr;
};

/// Elements along k of one pass, and in each pass rows and columns of a block.
struct Blocks {
  llvm::Value *depth = nullptr, *rows = nullptr, *columns = nullptr;
};

/// A block in one of its passes along k, and whether its sums begin or end there (i1).
struct BlockPass {
  llvm::Value *column, *columns, *row, *rowEnd, *from, *depth, *isFirst, *isLast;
};
/// Calls `body` for each pass of each block of m x n x k.
void forEachPass(Emitter &e, const Blocks &blocks, llvm::Value *m, llvm::Value *n, llvm::Value *k,
                 llvm::function_ref<void(const BlockPass &)> body);

/// The size of a product, and which of its operands are read in place (i1).
struct BlockedProduct {
  llvm::Value *m = nullptr, *n = nullptr, *k = nullptr;
  llvm::Value *aInPlace = nullptr, *bInPlace = nullptr;
};

class BlockChooser {
public:
  /// Passes begin at multiples of `depthUnit` elements, blocks at multiples of `height` rows.
  /// `rowsCanStay`: rows of A can mostly be read in place.
  BlockChooser(Emitter &e, Multiply multiply, int64_t depthUnit, int64_t height, bool rowsCanStay)
      : e(e), b(e.b), tuning(e.target), multiply(multiply), depthUnit(depthUnit), height(height),
        rowsCanStay(rowsCanStay) {}

  /// The most elements along k of a pass whose packed block of B has so many bytes.
  int64_t depthOf(int64_t blockBytes);
  /// Bytes of `depth` elements along k, of packed A and of each column of packed B.
  llvm::Value *bytesAlong(llvm::Value *depth);
  Blocks choose(const BlockedProduct &product, BlockLimits limits);

private:
  BlockLimits ofRows(const BlockedProduct &product, BlockLimits limits);
  llvm::Value *equalPart(llvm::Value *whole, llvm::Value *most);

  Emitter &e;
  llvm::IRBuilder<> &b;
  const CpuTuning tuning;
  Multiply multiply;
  int64_t depthUnit, height;
  bool rowsCanStay;
};

} // namespace mmk
