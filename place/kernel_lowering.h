// Lowers tiled mmk IR to the program of a machine, as far as it is the same on all machines: the
// kernel, a phase for each fusion group, its loops and scalars, and the views of tensors in global
// memory. A back end derives from it and emits the work of a tile.
#pragma once

#include "ir/image_limit.h"
#include "ir/merged_dims.h"
#include "place/tiled_group.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace mmk {

/// A part of a tensor in global memory, or of a generated one: offsets in all its dimensions (null:
/// 0), and the dimensions of the slice among them.
struct GlobalView {
  mlir::Value memref; ///< null for a generated tensor
  llvm::SmallVector<mlir::Value> offsets;
  llvm::SmallVector<unsigned> dims;
  mlir::Operation *generated = nullptr; ///< what gives the generated tensor
  /// Positions of the memref for one along each dimension; empty: 1. A dimension that has several
  /// is outside of tiles.
  std::vector<int64_t> scales = {};
};

class KernelLowering {
public:
  KernelLowering(ir::KernelOp kernel, aicore::MachineAttr machine)
      : kernel(kernel), machine(machine), b(kernel.getContext()), loc(kernel.getLoc()),
        names(tensorNames(kernel)) {}
  virtual ~KernelLowering() = default;

  /// Replaces the kernel by one of the machine. On failure an error has been emitted.
  mlir::LogicalResult run();

protected:
  /// The destination of a result of the tile.
  struct Destination {
    mlir::Value value; ///< in mmk IR: held in UB, or else written by the fixpipe
    GlobalView view;
    llvm::SmallVector<mlir::Value> sizes; ///< of the tile, for each dimension of the result
  };

  /// Emits a fusion group; the builder is at the end of the kernel.
  virtual mlir::LogicalResult emitGroup(ir::FusionGroupOp group) = 0;
  /// The largest dimensions that the kernel may run with; null: any. Fails, with a message, where a
  /// literal one is larger.
  virtual mlir::FailureOr<mlir::DictionaryAttr> limits();
  /// Adds the dimensions that the variant takes to be of extent 1.
  void limitUnits(mlir::NamedAttrList &limits);

  /// Emits the values that a fusion group needs before its phase.
  void emitShared(ir::FusionGroupOp group);
  /// The extent of a dimension of the kernel, or a literal one.
  mlir::Value dimension(llvm::StringRef name);
  /// Emits the values that a fusion group needs before its phase, then the phase; the builder is
  /// then in it.
  void startPhase(ir::FusionGroupOp group);
  /// The scalar code of a fusion group, outside of its loops.
  void emitScalars(ir::FusionGroupOp group);
  /// Emits an empty loop like the one in mmk IR; the builder is then in it.
  mlir::scf::ForOp emitLoop(mlir::scf::ForOp loop);
  llvm::SmallVector<Destination> findDestinations(ir::FusionGroupOp group,
                                                  mlir::scf::ForOp tileLoop);
  /// The same, with the rows and columns of the current tile.
  llvm::SmallVector<Destination> findDestinations(ir::FusionGroupOp group, TiledGroup &tile,
                                                  mlir::Value &rows, mlir::Value &columns);
  void clonePure(mlir::Operation &op);
  GlobalView viewOf(mlir::Value tensor);
  /// All of a tensor that is no slice.
  GlobalView wholeOf(mlir::Value tensor);
  /// The matrix that a product reads, also one of a window.
  GlobalView matrixOf(mlir::Value tensor);
  /// The view of a tensor with each of these pieces of its dimensions as one.
  void mergeDims(GlobalView &view, llvm::ArrayRef<mlir::ReassociationIndices> pieces);
  /// Along the memref, of a position along one of the dimensions of a view.
  mlir::Value positionIn(const GlobalView &view, size_t dim, mlir::Value position);
  /// Makes each dimension of a view several, whose names are given.
  static void splitDims(GlobalView &view, llvm::ArrayRef<mlir::ReassociationIndices> pieces,
                        llvm::ArrayRef<llvm::StringRef> names);
  mlir::Value extentOf(mlir::Value tensor, unsigned dim);
  mlir::Value mapped(mlir::OpFoldResult value);
  /// The dimensions of the memory of a tensor, where they are more than its own: for each of its
  /// own the piece of them, and the names of their extents.
  struct MemoryDims {
    llvm::SmallVector<mlir::ReassociationIndices> pieces;
    llvm::SmallVector<llvm::StringRef> names;
    /// Where memory has fewer than these: for each of memory the piece of these; else empty.
    llvm::SmallVector<mlir::ReassociationIndices> joined;
  };
  std::optional<MemoryDims> memoryDims(mlir::Value tensor);
  /// The tensor behind slices and buffers.
  static mlir::Value behindSlices(mlir::Value tensor);
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);

  ir::KernelOp kernel;
  aicore::MachineAttr machine;
  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::DenseMap<mlir::Value, llvm::StringRef> names; ///< of the kernel's tensors
  mlir::Value block;                                  ///< number of the core in the current phase
  std::vector<aicore::ImageLimit> images;             ///< that limit its dimensions
  mlir::IRMapping map; ///< scalars and buffers: mmk IR -> the machine's

private:
  void readExtremes(ir::ExtremesOp op);
  mlir::LogicalResult createKernel();
  mlir::DictionaryAttr requestedBuffers();
  void splitDepths();

  aicore::KernelOp target;
  llvm::StringMap<mlir::Value> joined; ///< extents of joined dimensions
  /// Tensors with the first and the last of dimensions that are one in some view.
  llvm::SetVector<std::pair<mlir::Value, std::pair<int64_t, int64_t>>> merged;
  llvm::DenseMap<mlir::Value, MemoryDims> split;    ///< by intermediate tensor
  llvm::DenseMap<mlir::Value, mlir::Value> tensors; ///< kernel tensors -> global memory
};

} // namespace mmk
