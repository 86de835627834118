// From a phase in the aicore dialect to a count::CountProgram: control flow and arithmetic in
// program_builder.cpp, instructions in instructions.cpp.
#pragma once

#include "count/program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace mmk::count {

class ProgramBuilder {
public:
  ProgramBuilder(aicore::PhaseOp phase, const Machine &machine, const Call &call, Scope scope);
  llvm::Expected<CountProgram> run();

private:
  void tensor(mlir::Value value);
  bool isInScope(mlir::Operation &op) const;
  llvm::Error statements(mlir::Block &block);
  llvm::Error statement(mlir::Operation &op);
  llvm::Error translate(mlir::Operation &op);
  bool isData(mlir::Operation &op) const;
  llvm::Error arithmetic(mlir::Operation &op);
  llvm::Error loop(mlir::scf::ForOp op);
  llvm::Error branch(mlir::scf::IfOp op);
  llvm::Error vectorCores(aicore::VectorCoresOp op);
  llvm::Error slot(aicore::SlotOp op);
  llvm::Error scalarBound(aicore::ScalarBoundOp op);
  llvm::Error instruction(aicore::Instruction op);

  template <typename Op>
  llvm::Error transfer(Op op, Work work, llvm::StringRef link, mlir::Value tensor);
  int32_t firstOfWindow(aicore::WindowOp op, const TensorShape &shape);
  /// Place of the number of an element of a tensor, in row-major order; by its offsets, or by the
  /// places of these.
  int32_t numberOf(mlir::Operation *op, const TensorShape &shape, llvm::ArrayRef<int32_t> places);
  int32_t elementNumber(mlir::Operation *op, const TensorShape &shape, mlir::ValueRange offsets);
  llvm::Error exchange(aicore::Instruction op, Work work, llvm::StringRef link, mlir::Value buffer,
                       mlir::Value rows, mlir::Value columns);
  llvm::Expected<Instruction> move(aicore::Instruction op, Work work, llvm::StringRef link,
                                   mlir::Value target, mlir::Value rows, mlir::Value columns);
  llvm::Error windows(aicore::Load3dOp op);
  llvm::Error loadL0(aicore::LoadL0Op op);
  llvm::Error drain(aicore::DrainOp op);
  llvm::Error intoL1(aicore::SpillOp op);
  /// Of a vector unit that works on registers.
  Cost loopCost(mlir::Operation *op, double perElement, int64_t loaded, int64_t stored) const;
  llvm::Error reduceInRegisters(aicore::ReduceOp op, const std::vector<std::string> &figures);
  llvm::Error product(aicore::MmadOp op);
  llvm::Error vector(aicore::VectorOp op);
  llvm::Error reduce(aicore::ReduceOp op);
  llvm::Error scan(aicore::ScanOp op);
  llvm::Error scalarRange(aicore::ScalarRangeOp op);
  llvm::Error tally(aicore::TallyOp op);
  template <typename Op> llvm::Error tree(Op op, Tree tree, llvm::ArrayRef<std::string> figures);
  llvm::Error window(aicore::WindowOp op);
  llvm::Error positions(aicore::PositionsOp op);
  llvm::Error random(aicore::RandomOp op);
  llvm::Error repeated(aicore::Instruction op, int32_t rows, mlir::Value columns,
                       const std::string &figure, int32_t count);
  llvm::Expected<const Link *> linkOf(mlir::Operation *op, llvm::StringRef name);

  int32_t place(int64_t initial = 0);
  int32_t placeOf(mlir::Value value);
  int32_t constant(int64_t value);
  /// Emits the product of two places, and gives its own.
  int32_t multiply(mlir::Operation *op, int32_t a, int32_t b);
  size_t emit(mlir::Operation *op, Step step);
  void emit(aicore::Instruction op, StepKind kind, const Instruction &it);
  void compute(mlir::Operation *op, StepKind kind, int32_t target, int32_t a, int32_t b = 0,
               int32_t c = 0);
  /// For a place that is written nowhere else. A value that depends only on the dimensions is
  /// folded and takes no step: more loops that depend on it are then found equal.
  void define(mlir::Operation *op, StepKind kind, int32_t target, int32_t a, int32_t b, int32_t c);
  bool isKnown(int32_t place) const { return known_.contains(place); }
  /// A parallel copy: a place may be read and written.
  void copyAll(mlir::Operation *op, mlir::ValueRange from, mlir::ValueRange to);
  /// Makes a step jump to what is emitted next.
  void jumpHere(size_t step);

  aicore::PhaseOp phase_;
  aicore::KernelOp kernel_;
  const Machine &machine_;
  Call call_;
  Scope scope_;
  CountProgram program_;
  llvm::DenseMap<mlir::Value, int32_t> places_, tensors_;
  std::map<int64_t, int32_t> constants_;
  llvm::DenseSet<int32_t> known_;       ///< places whose value is that of the program
  llvm::DenseSet<mlir::Value> unknown_; ///< values that depend on data
  bool needsData_ = false;              ///< the current statement needs such a value
};

} // namespace mmk::count
