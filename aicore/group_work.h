// The work of a kernel's fusion groups at given dimensions: what the closed form of their time
// reads.
#pragma once

#include "aicore/row_work.h"
#include "ir/image_limit.h"
#include "ir/mmk.h"
#include "machines/machine.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace mmk::aicore {

/// An operand of a product in global memory: a matrix of rows x depth.
struct OperandWork {
  bool isTransposed = false;    ///< its rows, not its depth, are contiguous
  int64_t pitch = 0;            ///< bytes from one contiguous run to the next
  bool variesByBatch = true;    ///< else one matrix serves all batches
  bool isIntermediate = false;  ///< written by an earlier group of the kernel
  bool staysInL2 = false;       ///< such a tensor, where it fits
  const void *tensor = nullptr; ///< the same for the same tensor
};

/// A left operand that is windows of an image, which the cube loads.
struct ImageWork {
  ImageLimit limit;               ///< its names are extents
  int64_t images = 1, pixels = 1; ///< of the rows of the product; of each image
  int64_t channels = 1, outWidth = 1;

  int64_t pixelsOfTile(int64_t tile) const;
  int64_t depthOfStage() const;
  /// The depth of the product, with whole blocks of channels.
  int64_t depth() const;
  int64_t stages() const { return (channels + limit.block - 1) / limit.block; }
  /// In which a tile loads its lines: channels that L1 holds.
  int64_t parts() const { return (channels + limit.held - 1) / limit.held; }
  /// Where a core begins with `skew = stages`: see place/window_transfers.cpp.
  int64_t firstPart(int64_t core) const { return core % parts(); }
  int64_t firstStage(int64_t core) const;
  /// The first line that a tile of `rows` pixels reads, counted over all images. Tiles of the same
  /// lines read the same pixels, whichever of these they need.
  int64_t firstLine(int64_t tile, int64_t rows) const;
  /// Whether L1 has room for a tile of `tile` pixels x `columns` of the result.
  bool fits(int64_t tile, int64_t columns, int64_t stage, int64_t bytes, int64_t copies,
            const Machine &machine) const;
};

struct ProductWork {
  std::string rowDim, columnDim, depthDim; ///< names, or numbers of literal dimensions
  int64_t rows = 0, columns = 0, depth = 0;
  ElementType type = ElementType::f16; ///< of the operands
  OperandWork a, b;
  std::optional<ImageWork> image; ///< nothing where both operands are matrices
};

/// Products of equal rows and columns with the elementwise work on them, elementwise work alone, or
/// a row group, which may be that of a product.
struct GroupWork {
  std::shared_ptr<RowWork> ofRows; ///< null: it is none
  std::vector<ProductWork> products;
  bool sharesLines = false; ///< the products read windows of one image, and the same other operand
  std::string rowDim, columnDim; ///< of the output; no row for rank 1
  int64_t batches = 1, rows = 1, columns = 1;

  /// Elementwise work, by element and by instruction.
  bool hasVector = false;
  double vectorPerElement = 0, vectorFixed = 0;
  int64_t scratchBytes = 0; ///< an element, between instructions; at most
  int64_t masks = 0;        ///< bits an element
  /// Bytes of an element: of tensors that are read besides the products, of those that are
  /// broadcast along the rows, of the results.
  std::vector<int64_t> reads, rowReads, stores;
  /// The last so many of `reads` are windows of tensors that others of them read: L2 has them.
  int64_t rereads = 0;
  bool addsRow = false;     ///< a row is added to the product: the bias table can hold it
  double addPerElement = 0; ///< of `vectorPerElement`, that the bias table spares
  bool onlyAddsRow = false; ///< with the bias table, the fixpipe does what is left

  bool usesVector(bool biasTable) const { return hasVector && !(biasTable && onlyAddsRow); }
};

/// The extent of a dimension by its name, or a literal one by its number. `dims`: of those of the
/// kernel, in its order.
int64_t extentOf(ir::KernelOp kernel, llvm::ArrayRef<int64_t> dims, llvm::StringRef name);

/// The groups that `fuse = none` makes of a product with elementwise work: the product, and the
/// rest.
std::pair<GroupWork, GroupWork> separate(const GroupWork &group);

/// The groups of a kernel after mmk-fuse-epilogue, in order. `dims`: the extents of the kernel's
/// dimensions, in its order.
std::vector<GroupWork> workOf(ir::KernelOp kernel, const Machine &machine,
                              llvm::ArrayRef<int64_t> dims);

} // namespace mmk::aicore
