// The LLVM values of a kernel's values in the current function: scalars, tensors in global memory,
// and buffers in the memories of the block that runs it.
#pragma once

#include "codegen/emitter.h"
#include "ir/aicore.h"
#include "runtime/abi.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace mmk {

/// A tensor in global memory: its pointer, and the extent and stride (in elements) of each
/// dimension.
struct GlobalTensor {
  llvm::Value *pointer = nullptr;
  llvm::SmallVector<llvm::Value *> extents, strides;
};

/// The arrays of KernelArguments. Without `scalars` or `tensors`, those stay unknown.
struct ArgumentArrays {
  llvm::Value *dims = nullptr, *scalars = nullptr, *tensors = nullptr, *strides = nullptr;
};

/// Bytes of the emulated memory for each byte of a buffer in the machine's memory (runtime/abi.h).
int64_t emulatedBytesPerByte(aicore::MachineAttr machine, aicore::Space space, mlir::Type buffer);

class ProgramValues {
public:
  ProgramValues(aicore::KernelOp kernel, Emitter &e)
      : kernel(kernel), machine(aicore::machineOf(kernel)), e(e), b(e.b) {}

  /// At the start of a function: drops the values of the last one, and loads dimensions, scalars
  /// and tensors.
  void bindArguments(const ArgumentArrays &arrays);
  /// The next scalar or tensor in the kernel's order.
  void bindWorkspace(aicore::WorkspaceOp workspace, const ArgumentArrays &arrays);
  /// Loads the memories that `core` points to (CoreMemories).
  void bindMemories(llvm::Value *core);
  void bind(mlir::Value v, llvm::Value *value) { values[v] = value; }

  bool isKnown(mlir::Value v) const { return values.contains(v); }
  llvm::Value *value(mlir::Value v);
  /// Bytes from one copy of a buffer to the next.
  int64_t copyBytes(aicore::AllocOp alloc) const;
  /// A copy of a buffer (without a slot, the first one), or a part of it; in UB, that of the
  /// current vector core.
  llvm::Value *buffer(mlir::Value alloc, mlir::Value slot, std::optional<int64_t> part = {});
  const GlobalTensor &global(mlir::Value tensor) { return globals[tensor]; }
  /// The address of the element of a tensor at these indices.
  llvm::Value *address(const GlobalTensor &tensor, mlir::ValueRange offsets, llvm::Type *element);

  llvm::Type *elementOf(mlir::Value memref);
  int64_t rowBytes(mlir::Value memref);

  /// Records an op without code.
  void fail(mlir::Operation *op) {
    if (!problem)
      problem = op;
  }

  mlir::Operation *problem = nullptr; ///< the first one that failed
  llvm::Value *vectorCore = nullptr;  ///< null on the cube core

private:
  llvm::Value *loadElement(llvm::Value *array, llvm::Type *type, unsigned index);
  llvm::Value *loadPointer(llvm::Value *array, unsigned index);
  void bindDimensions(llvm::Value *dims);
  void bindParameters(mlir::ArrayAttr parameters, const ArgumentArrays &arrays);

  aicore::KernelOp kernel;
  aicore::MachineAttr machine;
  Emitter &e;
  llvm::IRBuilder<> &b;
  llvm::DenseMap<mlir::Value, llvm::Value *> values;
  llvm::DenseMap<mlir::Value, GlobalTensor> globals;
  llvm::StringMap<llvm::Value *> extents; ///< of the kernel's dimensions, by name
  unsigned boundArguments = 0, boundTensors = 0;
  llvm::Value *memoryBase[memories] = {};
  llvm::Value *ubStride = nullptr;
};

} // namespace mmk
