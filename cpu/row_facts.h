// What the code of a cpu.rows, or of the rows of a cpu.chain, depends on: which dimensions its
// loops run along, and in which pass each value of its region is computed.
#pragma once

#include "cpu/dialect.h"

#include "llvm/ADT/DenseMap.h"

namespace mmk {

class RowFacts {
public:
  explicit RowFacts(cpu::RowsOp op);
  /// Of the scores of a chain, the first inputs of its region, and of what it yields.
  explicit RowFacts(cpu::ChainOp op);

  size_t dims() const { return isReduced.size(); }
  bool reducesColumns() const { return isReduced.back(); }
  /// The loop around the columns: the last dimension that is not like them; -1 where there is none.
  int64_t rows = -1;
  int64_t columns() const { return static_cast<int64_t>(dims()) - 1; }
  /// The others: loops of their own, outside.
  llvm::SmallVector<int64_t> outerReduced, outerKept;
  llvm::SmallVector<bool> isReduced;

  int64_t inputAlong(size_t input, int64_t dim) const { return inputs[input * dims() + dim]; }
  int64_t outputAlong(size_t output, int64_t dim) const { return outputs[output * dims() + dim]; }
  bool inputVaries(size_t input) const { return variesAlong(inputs, input); }
  bool outputVaries(size_t output) const { return variesAlong(outputs, output); }

  /// The pass in which it is first known: as many as the reductions one after the other that it
  /// needs.
  unsigned levelOf(mlir::Value value) const { return facts.lookup(value).level; }
  /// Whether it differs between iterations that are reduced.
  bool varies(mlir::Value value) const { return facts.lookup(value).varies; }

  struct Pass {
    llvm::SmallVector<cpu::ReduceOp> reductions;
    llvm::SmallVector<unsigned> outputs; ///< that it stores; the others are stored at the end
    /// The operands of the reductions, then the elements of the outputs.
    llvm::SmallVector<mlir::Value> wanted;
  };
  llvm::SmallVector<Pass> passes;
  llvm::SmallVector<unsigned> keptOutputs;
  /// The element of each output.
  llvm::ArrayRef<mlir::Value> yielded() const { return elements; }

  /// A value that takes long to compute, and is needed by several passes.
  struct Waiting {
    mlir::Value value;
    unsigned pass; ///< the first of them
  };
  llvm::SmallVector<Waiting> waiting;

  using Known = llvm::DenseMap<mlir::Value, llvm::Value *>;
  /// The operations for these values, in order, from those that are known.
  llvm::SmallVector<mlir::Operation *> opsFor(llvm::ArrayRef<mlir::Value> wanted,
                                              const Known &known) const;

private:
  struct Facts {
    unsigned level = 0;
    bool varies = false;
  };
  void findAll(size_t dims, llvm::ArrayRef<int64_t> reduced);
  bool variesAlong(llvm::ArrayRef<int64_t> along, size_t tensor) const;
  void findFacts();
  void findPasses();
  void findWaiting();

  mlir::Block &block;
  llvm::SmallVector<mlir::Value> elements;
  llvm::SmallVector<int64_t> inputs, outputs; ///< along each dimension of the space
  llvm::DenseMap<mlir::Value, Facts> facts;
};

} // namespace mmk
