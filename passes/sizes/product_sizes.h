// The lengths that the buffers of a product's tile follow from. The passes allocate by them, and
// the closed form of the time holds them against the room of each memory.
#pragma once

#include "ir/aicore.h"

#include <cstdint>

namespace mmk {

/// Lengths in elements.
struct ProductSizes {
  int64_t rows = 128, columns = 256, depth = 64; ///< of the base tile
  int64_t stage = 256;                           ///< depth of a transfer into L1
  int64_t inL1 = 2, inL0 = 2, accumulators = 1;  ///< copies of buffers
  /// A panel of A, or of B, of this depth stays in L1 for a line of tiles.
  bool keepsA = false, keepsB = false;
  int64_t panelDepth = 0;
  bool hasBias = false; ///< a row of f32 is in L1, too

  /// What a buffer of L1 has of an operand.
  struct Held {
    int64_t outer, depth; ///< rows of A or columns of B
  };
  /// Of A (0) or B (1). Loads are zero-padded in both directions: 8 or 24 f32 along K end inside of
  /// a fractal.
  Held heldInL1(unsigned operand, aicore::MachineAttr machine) const;
  /// The most depth of a base tile that L0A and L0B have room for, of elements of so many bytes.
  int64_t mostDepth(aicore::MachineAttr machine, int64_t bytes) const;
  /// The most depth of a stage that L1 has room for beside what else is there.
  int64_t mostStage(aicore::MachineAttr machine, int64_t bytes) const;
  /// Bytes of the accumulators of so many products.
  int64_t bytesInL0C(int64_t products) const {
    return 4 * rows * columns * accumulators * products;
  }
};

} // namespace mmk
