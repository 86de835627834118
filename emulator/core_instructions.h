// The instructions of an AI core, each as a call of a function on the emulated memories.
#pragma once

#include "codegen/program_values.h"
#include "codegen/transfer.h"

namespace mmk {

class CoreInstructions {
public:
  /// `watched`: a watch reads the memories while the kernel runs.
  CoreInstructions(aicore::KernelOp kernel, Emitter &e, ProgramValues &values, bool watched)
      : kernel(kernel), e(e), b(e.b), values(values), watched(watched) {}

  void emit(aicore::Instruction op);

private:
  void load(aicore::LoadOp op);
  void loadL0(aicore::LoadL0Op op);
  void load3d(aicore::Load3dOp op);
  /// Rows x columns of an operand, at these steps in bytes, into L0 in the layout of the cube: the
  /// rows of A along m, those of B along k.
  void fillL0(mlir::Value target, mlir::Value slot, llvm::Value *source, llvm::Value *rowStep,
              llvm::Value *columnStep, llvm::Value *rows, llvm::Value *columns, llvm::Type *from,
              bool mayReadBeyond);
  void prefetchNextStep(aicore::LoadL0Op op, llvm::Value *source, llvm::Value *rowStep,
                        llvm::Value *columnStep, llvm::Value *rows, llvm::Value *columns);
  void mmad(aicore::MmadOp op);
  void vector(aicore::VectorOp op);
  void reduce(aicore::ReduceOp op);
  void store(aicore::StoreOp op);
  void fixpipe(aicore::FixpipeOp op);
  void spill(aicore::SpillOp op);
  void fetch(aicore::FetchOp op);
  void drain(aicore::DrainOp op);
  /// Copies rows of a buffer, from a row on, into another.
  template <typename Op>
  void move(Op op, std::optional<int64_t> part, llvm::Value *row, llvm::Value *rows);

  bool isView(mlir::Value buffer);
  void copy(llvm::Value *to, int64_t toRow, llvm::Value *from, int64_t fromRow, llvm::Value *rows,
            llvm::Value *columns, llvm::Type *element);
  /// From a buffer to a view of a tensor.
  template <typename Op>
  void writeOut(Op op, llvm::Value *source, OnTheWay onTheWay = OnTheWay::nothing,
                llvm::Value *slope = nullptr);
  llvm::Value *slopeOf(aicore::FixpipeOp op);
  template <typename Op>
  llvm::Value *stepOf(Op op, unsigned dim, const GlobalTensor &tensor, llvm::Value *size);
  template <typename Op>
  llvm::Value *
  forEachOuter(Op op, const GlobalTensor &tensor, llvm::Value *size,
               llvm::function_ref<void(llvm::Value *, llvm::Value *, llvm::Value *)> body);
  llvm::Value *rowsInside(aicore::LoadOp op, const GlobalTensor &tensor, llvm::Value *number);

  aicore::KernelOp kernel;
  Emitter &e;
  llvm::IRBuilder<> &b;
  ProgramValues &values;
  bool watched;
  llvm::DenseMap<mlir::Value, bool> views; ///< isView, where it is known
};

} // namespace mmk
