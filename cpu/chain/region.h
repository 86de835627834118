// The rows between the products of a chain, as the first region of a cpu.chain.
#pragma once

#include "cpu/row_region.h"

#include <array>

namespace mmk {

class ChainRegion : public RowRegion {
public:
  /// `program`: in its online form, with weights.
  ChainRegion(mlir::OpBuilder &b, mlir::Location loc, RowProgram &program,
              const mlir::IRMapping &scalars)
      : RowRegion(b, loc, program, scalars) {}

  /// The region, whose arguments are scores and inputs. `weights`: for each product of weights,
  /// which ones of the program.
  void emit(mlir::Region &region, llvm::ArrayRef<mlir::Type> types,
            llvm::ArrayRef<mlir::Value> scores, const RowElements &elements,
            llvm::ArrayRef<size_t> weights, llvm::ArrayRef<mlir::Value> outputs);

private:
  bool computeReduction(mlir::Value value) override;
  /// A value that only the online form has.
  void forgetUsersOf(mlir::Value value);
  bool computeOnline(mlir::Value value);
  /// An element with the condition that `masked` has in its place (place/row_program.h); null:
  /// none.
  mlir::Value withCondition(mlir::Value element, mlir::Value masked);
  /// Weights, the ratio of their product, and its factor after the last part.
  std::array<mlir::Value, cpu::ChainOp::yieldedOfProduct> valuesOf(const RowWeights &weights);
  mlir::Value factorOf(const RowWeights &weights);
  mlir::Value one();
};

} // namespace mmk
