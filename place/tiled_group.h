// A tiled fusion group: its loops, and the operations in them, for the passes that assign its
// values to memories and insert transfers.
#pragma once

#include "ir/aicore.h"
#include "ir/mmk.h"
#include "passes/fixpipe_form.h"
#include "passes/variant.h"
#include "passes/windows/image_operand.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

namespace mmk {

/// A product of a group: one of its anchors, with loops of its own inside of the tile loop.
struct TiledProduct {
  mlir::linalg::ContractOp contract;
  mlir::scf::ForOp stageLoop, baseLoop;
  mlir::linalg::BroadcastOp bias; ///< the initial row of the product; null: zero
  mlir::Value hasBias;            ///< whether this tile starts from it; null: all do
  std::optional<unsigned> kept;   ///< operand whose panel stays in L1
  int64_t stage = 0, base = 0;    ///< depths, at most

  mlir::Value result() { return stageLoop.getResult(0); }
};

struct TiledGroup {
  mlir::scf::ForOp panelLoop; ///< around the tile loop, when a panel of an operand stays in L1
  mlir::scf::ForOp tileLoop;
  mlir::scf::ForOp partLoop; ///< in it, over parts of rows that are divided; else null
  llvm::SmallVector<TiledProduct> products; ///< in program order; all of the same tile
  /// Of products that read windows of one image out of the same lines in L1; else nothing.
  std::optional<PaddingRange> sharedLines;
  mlir::linalg::GenericOp generic;
  mlir::linalg::ReduceOp sum;   ///< of the splits of a product; null if it is not split
  int64_t tileM = 1, tileN = 1; ///< extents, at most
  unsigned rank = 0;            ///< of the output
  int64_t rowsAt = -1;          ///< its dimension along the rows of a tile; -1: it has only columns

  /// The loop whose body has the operations of a tile.
  mlir::scf::ForOp innermost() { return partLoop ? partLoop : tileLoop; }
  /// The last of its operations, to which its vector work belongs.
  mlir::Operation *last();
  /// The inputs of the vector unit from the cube, or the sum of splits, in the order of the
  /// products.
  llvm::SmallVector<mlir::Value> produced();
};

/// Analyses a fusion group; an error when it is not tiled, or has operations that no machine can
/// execute.
mlir::FailureOr<TiledGroup> findTiledGroup(ir::KernelOp kernel, ir::FusionGroupOp group);

/// Whether a tile reads and writes tensors of the kernel only; an error if not.
mlir::LogicalResult expectTensors(ir::FusionGroupOp group, TiledGroup &tile);

/// An operand of a product between its buffers: the value held in L1 and its slices, the last of
/// which comes to L0.
struct TiledOperand {
  TiledOperand(TiledProduct &product, unsigned which);

  mlir::Value inL1; ///< outside of the base loop, or of the tile loop for a panel
  llvm::SmallVector<mlir::tensor::ExtractSliceOp> slices; ///< of that; the innermost first
  bool transposed = false; ///< memory holds the transpose of the cube's operand
};

// Chosen for all machines: a transfer of 16 KiB or more reaches the full rate of a link of the
// Ascend chips; twice that leaves room for overlap.
constexpr int64_t stepBytes = 32768;

/// Where `value` is held in a memory; null if it is not.
aicore::PlaceOp placeIn(mlir::Value value, aicore::Space space);

/// The tensor of which a buffer holds `value`.
mlir::Value behindPlaces(mlir::Value value);

/// The broadcast of an operand with this map over the rows and columns of a tile.
aicore::Broadcast broadcastOf(mlir::AffineMap along, const TiledGroup &tile);

mlir::Type elementOf(mlir::Value tensor);

/// Names of a kernel's tensors in memory: parameters, and results of fusion groups.
llvm::DenseMap<mlir::Value, llvm::StringRef> tensorNames(ir::KernelOp kernel);

/// Vector cores that one cube core feeds.
int64_t vectorCoresOf(aicore::MachineAttr machine);

/// Whether the fixpipe stores the products of a tile to global memory.
bool leavesByFixpipe(TiledGroup &group, aicore::MachineAttr machine);

/// The leaky ReLUs that the fixpipe does in the kernel of an operation.
FixpipeSlopes fixpipeSlopes(mlir::Operation *op, aicore::MachineAttr machine);

/// Whether the products of the kernel go straight to UB, and what the vector cores make of them
/// straight to L1: where the machine has such a path, and `through` does not say global memory.
bool productsReachUb(ir::KernelOp kernel, aicore::MachineAttr machine);
bool weightsReachL1(ir::KernelOp kernel, aicore::MachineAttr machine);

/// Copies of a buffer that the variant requests.
int64_t requestedCopies(ir::KernelOp kernel, llvm::StringRef group, llvm::StringRef name);
int64_t requestedCopies(Chosen chosen, llvm::StringRef group, llvm::StringRef name);

} // namespace mmk
