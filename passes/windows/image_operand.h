// Operands of products that are windows of an image, as the cube loads them: its lines and columns
// have taps, and its channels are summed. In tiled IR such an operand is the collapsed mmk.window
// itself, which aicore-insert-transfers reads from lines of the image in L1.
#pragma once

#include "ir/image_limit.h"
#include "ir/mmk.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>
#include <string>

namespace mmk {

/// A window as an operand of a product. Its dimensions are batches, then pixels and depth, each of
/// several dimensions, in the order of the operand. Numbers are those of its dimensions, and of the
/// dimensions of its tensor where they are `source`s.
struct ImageOperand {
  struct Axis {
    std::optional<unsigned> pixel, tap; ///< without a tap, there is one
    std::optional<unsigned> source;     ///< without one, the image has one line
    int64_t stride = 1, dilation = 1, padding = 0;
  };
  mlir::Value tensor; ///< the operand, of which slices are computed
  mlir::tensor::CollapseShapeOp collapse;
  ir::WindowOp window;
  Axis lines, columns;
  std::array<Axis, 2> axes() const { return {lines, columns}; }
  unsigned channel = 0, channelSource = 0;
  std::optional<unsigned> images; ///< that are one dimension with the pixels
  llvm::SmallVector<int64_t> pixels, depth;

  /// The kernel's name of the extent of a dimension of the window; "1" for none.
  llvm::StringRef nameOf(std::optional<unsigned> dim);
  /// The same of the tensor.
  llvm::StringRef nameOfSource(std::optional<unsigned> dim);
  /// Whether the channels of a pixel, and the pixels of a line, follow each other in memory.
  bool isChannelsLast();
};

/// The window that the left operand of a product reads in place, behind slices; nothing where it is
/// another tensor.
std::optional<ImageOperand> imageOperand(mlir::linalg::ContractOp contract);

/// The rows of padding in front of the first and of the last of some images' windows: those of the
/// taps of a pooling begin one line after the other.
struct PaddingRange {
  int64_t most = 0, least = 0;
};
/// Of products that multiply windows of one image with one matrix. Their windows are alike, but for
/// where they begin, so that one load of lines serves them all. Nothing for others.
std::optional<PaddingRange> sharedLines(llvm::ArrayRef<mlir::linalg::ContractOp> contracts);

/// The windows of the kernel's products that are copied into a matrix: what the cube can load
/// itself. Where it cannot load one, the reason for the user.
struct CopiedWindow {
  mlir::linalg::ContractOp contract;
  unsigned which;
  mlir::linalg::GenericOp copy;
};
llvm::SmallVector<CopiedWindow> copiedWindows(ir::KernelOp kernel);
std::string problemOf(const CopiedWindow &copied);

/// Of a copied window, the one that a product can read in place of the copy, in the order of the
/// copy's dimensions.
ir::WindowOp inOrderOfCopy(mlir::OpBuilder &b, mlir::linalg::GenericOp copy);

/// Channels of a block on the chip, which has 32 bytes.
int64_t channelsOfBlock(mlir::Type element);

/// `window = direct(n)`: the channels of a stage, at the least those of a block; nothing for
/// `window = unfolded`.
std::optional<int64_t> directChannels(ir::KernelOp kernel, mlir::Type element);

/// What limits the dimensions of a product of that depth, by its name, with so many channels of a
/// stage; without the sizes of the variant's tile and buffers.
aicore::ImageLimit limitOf(ImageOperand &image, llvm::StringRef depth, int64_t channels);

} // namespace mmk
