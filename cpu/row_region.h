// The elements of a row program, as the region of a cpu.rows.
#pragma once

#include "cpu/dialect.h"
#include "cpu/generated.h"
#include "place/row_program.h"

#include "mlir/IR/IRMapping.h"

namespace mmk {

/// What the inputs of a row program are in a region: arguments, or generated.
struct RowElements {
  llvm::SmallVector<mlir::Value> ofArguments; ///< of the program; null: the source of a window
  llvm::SmallVector<std::pair<mlir::Value, GeneratedInput>, 1> generated;
};

class RowRegion {
public:
  /// `scalars`: values of the kernel that the elements are computed from.
  RowRegion(mlir::OpBuilder &b, mlir::Location loc, RowProgram &program,
            const mlir::IRMapping &scalars)
      : b(b), loc(loc), program(program), map(scalars) {}
  virtual ~RowRegion() = default;

  /// The region, whose arguments are inputs. Each reduction stands before the first operation
  /// that needs its result.
  void emit(mlir::Region &region, llvm::ArrayRef<mlir::Type> types, const RowElements &elements,
            llvm::ArrayRef<mlir::Value> yielded);
  /// The region of the second step: its first arguments are parts of the results of the reductions,
  /// which it combines.
  void emitOfParts(mlir::Region &region, llvm::ArrayRef<mlir::Type> types,
                   const RowElements &elements, llvm::ArrayRef<mlir::Value> yielded);

protected:
  mlir::Block *createBody(mlir::Region &region, llvm::ArrayRef<mlir::Type> elements);
  void mapElements(mlir::Block &body, unsigned first, const RowElements &elements);
  cpu::ReduceOp reduce(const RowReduction &reduction, mlir::Value element);
  /// Emits the operations that the value needs.
  void compute(mlir::Value value);
  /// The same of a value that a reduction gives; false for another one.
  virtual bool computeReduction(mlir::Value value);
  void yield(llvm::ArrayRef<mlir::Value> yielded);

  mlir::OpBuilder &b;
  mlir::Location loc;
  RowProgram &program;
  mlir::IRMapping map;
};

} // namespace mmk
