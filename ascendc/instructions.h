// Instructions and flags as calls of Ascend C.
#pragma once

#include "ascendc/expressions.h"

namespace mmk::ascendc {

/// One or more lines; or the operation has been reported.
using Statement = mlir::FailureOr<std::string>;

class Instructions {
public:
  Instructions(aicore::KernelOp kernel, VariableNames &names, Expressions &expressions)
      : kernel_(kernel), names_(names), expressions_(expressions) {}

  /// The statement of an instruction or a flag. An operation that has none is reported at its
  /// place.
  Statement statement(mlir::Operation *op);
  /// The variables of the least and the greatest of some elements in global memory.
  Statement rangeOf(aicore::ScalarRangeOp op);
  /// A tensor that the kernel computes and whose elements the scalar unit then reads in a pass;
  /// null without one.
  mlir::Value readByScalars(aicore::PhaseOp pass);
  /// The declaration of a buffer.
  Statement declaration(aicore::AllocOp buffer);
  /// The LocalTensor of a tile of vector work.
  std::string tileOf(const aicore::VectorTile &tile);

private:
  Statement load(aicore::LoadOp op);
  // Of the cube: cube_statements.cpp.
  Statement loadL0(aicore::LoadL0Op op);
  Statement loadWindows(aicore::Load3dOp op);
  Statement multiply(aicore::MmadOp op);
  Statement storeSums(aicore::FixpipeOp op);
  Statement drain(aicore::DrainOp op);
  Statement spill(aicore::SpillOp op);
  template <typename Op> mlir::FailureOr<std::string> rowsInL0(Op load, const std::string &loaded);
  Statement fetch(aicore::FetchOp op);
  Statement store(aicore::StoreOp op);
  Statement window(aicore::WindowOp op);
  /// The number of an event or a flag: those of a buffer's copies follow each other.
  std::string eventOf(int64_t first, mlir::Value slot);
  template <typename Op> Statement flag(Op op, const char *function);
  template <typename Op> Statement crossFlag(Op op, const char *function);

  std::string copyOf(mlir::Value buffer, mlir::Value slot);
  template <typename Op>
  std::string storeTile(Op op, const std::string &element, const std::string &rowStride,
                        bool relu = false, mlir::Value slope = {});
  std::string sumsOf(mlir::Value buffer, mlir::Value slot, std::optional<int64_t> part);
  std::string meetingPlace(mlir::Value buffer, mlir::Value slot, mlir::Value row,
                           mlir::Value column);

  /// Loops around a transfer: the dimension of the view, and the name of the index.
  using Loops = llvm::SmallVector<std::pair<size_t, std::string>>;
  /// A transfer of the view's rows and columns: its first element, the index of the outer
  /// dimensions in row-major order.
  using TransferText = llvm::function_ref<std::string(const std::string &element,
                                                      const std::string &index, const Loops &)>;
  template <typename Op>
  Statement overRows(Op transfer, mlir::Value tensor, TransferText transferText);
  bool movesElements(aicore::LoadOp op);
  template <typename Op> std::string firstOf(Op transfer, mlir::Value tensor);
  template <typename Op> std::string rowStride(Op transfer, mlir::Value tensor);
  template <typename Op> std::string strideIn(Op transfer, mlir::Value tensor, size_t viewDim);
  std::string imageWidth(aicore::Load3dOp op);
  std::string rowsInside(aicore::LoadOp op, const Loops &loops);
  std::string fromRow(const std::string &tile, const std::string &index, const std::string &rows,
                      int64_t elements);
  std::string extentOf(mlir::Value tensor, int64_t dim);
  std::string strideOf(mlir::Value tensor, int64_t dim, int64_t step = 1);
  std::string times(mlir::Value value, const std::string &factor);

  aicore::KernelOp kernel_;
  VariableNames &names_;
  Expressions &expressions_;
};

/// Bytes from one copy of a buffer to the next.
int64_t copyBytesOf(aicore::AllocOp buffer);
/// The same in the source: with room for the rest of fractals and squares that a tile does not
/// fill.
int64_t pitchOf(aicore::AllocOp buffer);
/// Where a buffer begins in the source: behind all that the plan has in front of it.
int64_t startOf(aicore::AllocOp buffer);
/// Whether all copies have this room.
bool hasRoom(aicore::AllocOp buffer);
/// The end of a kernel's last buffer in a memory, in bytes; 0 without one.
int64_t endOf(aicore::KernelOp kernel, aicore::Space space);
/// Rows and columns.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value buffer);
/// Of a buffer, or of a tile of vector work; the type of a scalar.
mlir::Type elementOf(mlir::Value value);
/// As spelled in a .mmk file, for messages.
std::string typeText(mlir::Type element);

} // namespace mmk::ascendc
