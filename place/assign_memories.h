// aicore-assign-memories in two files: assign_memories.cpp handles kernels, fusion groups and the
// product of a tile, vector_buffers.cpp the buffers of the vector cores.
#pragma once

#include "passes/sizes/product_sizes.h"
#include "place/tiled_group.h"

namespace mmk {

class MemoryAssignment {
public:
  MemoryAssignment(ir::KernelOp kernel, aicore::MachineAttr machine)
      : kernel(kernel), machine(machine), names(tensorNames(kernel)), b(kernel.getContext()) {}

  mlir::LogicalResult run();

private:
  struct VectorBuffers;
  struct VectorBytes {
    int64_t shared = 0, perRow = 0;
  };

  // assign_memories.cpp
  mlir::LogicalResult assign(ir::FusionGroupOp group);
  /// What two products of a group can share: the ring of an operand in L0.
  using L0Rings = llvm::SmallVector<mlir::Value, 4>;
  ProductSizes sizesOf(const TiledGroup &tile, const TiledProduct &product);
  mlir::LogicalResult placeProduct(TiledGroup &tile, size_t number, L0Rings &rings);
  mlir::LogicalResult placeOperand(TiledGroup &tile, TiledProduct &product, unsigned which,
                                   mlir::Value inL1, mlir::Value inL0);
  mlir::LogicalResult placeImage(TiledGroup &tile, TiledProduct &product, mlir::Value &inL1);
  void placeBias(TiledGroup &tile, TiledProduct &product);
  mlir::LogicalResult placeRows(ir::FusionGroupOp group, TiledGroup &tile);
  /// A buffer of the current fusion group; buffers are declared at its beginning in this order.
  aicore::AllocOp alloc(llvm::StringRef name, llvm::StringRef group, aicore::Space space,
                        int64_t rows, int64_t columns, mlir::Type element, mlir::Location where);
  mlir::Value place(mlir::Value value, mlir::Value buffer);
  llvm::StringRef nameOf(mlir::Value tensor);
  /// Of the buffers of a product: "acc", "acc1", ...
  static std::string productName(size_t number) {
    return number == 0 ? "acc" : "acc" + std::to_string(number);
  }
  mlir::Location placeOf(llvm::StringRef directive, mlir::Location otherwise);

  // vector_buffers.cpp
  void placeVectorValues(TiledGroup &tile);
  void findInputs(TiledGroup &tile, VectorBuffers &buffers);
  VectorBytes bytesOfRows(TiledGroup &tile, const VectorBuffers &buffers);
  void chooseSteps(TiledGroup &tile, VectorBuffers &buffers);
  void allocate(TiledGroup &tile, VectorBuffers &buffers);

  ir::KernelOp kernel;
  aicore::MachineAttr machine;
  llvm::DenseMap<mlir::Value, llvm::StringRef> names;
  mlir::OpBuilder b;
  mlir::OpBuilder::InsertPoint allocs; ///< where the next buffer is declared
  /// Of the first product of a group, for those that read the same lines and the same matrix.
  std::array<mlir::Value, 2> sharedL1;
  std::array<mlir::Value, 2> sharedBias;   ///< in L1 and in the bias table
  llvm::SmallVector<aicore::AllocOp> accs; ///< the products of the current tile in L0C
};

} // namespace mmk
