// The dimensions for which a product can read windows of an image out of L1: its lines, its taps
// and its padding have to fit the buffers and the fields of the load.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace mmk::aicore {

class KernelOp;

/// The largest values of the fields of aicore.load3d (LoadData3DParamsV2), and the bytes of a block
/// of channels.
namespace load3d {
inline constexpr int64_t mostTaps = 255, mostStride = 63, mostDilation = 255, mostPadding = 255,
                         mostExtent = 32767, blockBytes = 32;
}

/// What a variant holds of an image, and the kernel's names of its dimensions; "1" for none.
struct ImageLimit {
  struct Axis {
    std::string pixels, extent, taps; ///< of the result, of the image, of the window
    int64_t stride = 1, dilation = 1, padding = 0;
    int64_t further = 0; ///< pixels of the image behind those taps, which other windows read
  };
  Axis lines, columns;
  std::string channels, depth; ///< the latter of the product, which names its directives
  int64_t tile = 0;            ///< pixels of the result
  int64_t pixels = 0;          ///< of the image, that L1 holds
  int64_t stage = 0;           ///< depth that L1 holds of the other operand
  int64_t held = 0;            ///< channels that L1 holds of a pixel
  int64_t block = 16;          ///< channels of a block

  using Extents = llvm::function_ref<int64_t(llvm::StringRef)>;
  /// Pixels of the image for the tile that takes the most.
  int64_t pixelsOfTile(Extents extentOf) const;
  /// Depth of a stage: a block of channels, with all taps.
  int64_t depthOfStage(Extents extentOf) const;
  /// Why the variant does not run with these extents, with what is legal; empty if it runs.
  std::string problem(Extents extentOf) const;

  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;
  explicit ImageLimit(mlir::DictionaryAttr attribute);
  ImageLimit() = default;
};

/// Those of a kernel's products.
std::vector<ImageLimit> imageLimits(KernelOp kernel);
void setImageLimits(KernelOp kernel, llvm::ArrayRef<ImageLimit> limits);
/// The first problem that one of them has with a kernel's dimensions; empty if none has.
std::string problemOf(llvm::ArrayRef<ImageLimit> limits, llvm::ArrayRef<std::string> names,
                      llvm::ArrayRef<int64_t> dims);

} // namespace mmk::aicore
