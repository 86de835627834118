// A product while aicore-place emits its code.
#pragma once

#include "place/placer.h"

namespace mmk {

struct Placer::Product {
  /// An operand: its slices inside the base loop (L0), the one tensor outside (L1), that outside of
  /// the loop over stages, and whether memory holds it the other way round than the cube wants it.
  struct Operand {
    Operand(mlir::linalg::ContractOp contract, unsigned which);
    mlir::Value inL1, panel;
    llvm::SmallVector<mlir::tensor::ExtractSliceOp> inL0;
    bool transposed = false;
    mlir::Value slot; ///< in L1, of the stage at hand
  };

  explicit Product(Tile &tile);

  Operand operands[2];
  int64_t stage, base; ///< depths
  mlir::Value done;    ///< depth of the stages before the one at hand
  mlir::Value start;   ///< where that one starts; elsewhere than at `done` when cores are skewed
  mlir::Value isFirst; ///< whether it is the first of its tile; null where nobody asks
  mlir::Value startsFromBias; ///< whether it takes the bias from the table; null without one
};

} // namespace mmk
