// The rows between the two products of a chain, as the first region of a cpu.chain.
#pragma once

#include "cpu/row_region.h"

namespace mmk {

class ChainRegion : public RowRegion {
public:
  /// `program`: in its online form, with weights.
  ChainRegion(mlir::OpBuilder &b, mlir::Location loc, RowProgram &program,
              const mlir::IRMapping &scalars)
      : RowRegion(b, loc, program, scalars) {}

  /// The region, whose arguments are scores and inputs.
  void emit(mlir::Region &region, llvm::ArrayRef<mlir::Type> types, mlir::Value score,
            const RowElements &elements, llvm::ArrayRef<mlir::Value> outputs);

private:
  bool computeReduction(mlir::Value value) override;
  /// A value that only the online form has.
  void forgetUsersOf(mlir::Value value);
  bool computeOnline(mlir::Value value);
  /// An element with the condition that `masked` has in its place (place/row_program.h); null:
  /// none.
  mlir::Value withCondition(mlir::Value element, mlir::Value masked);
  /// By which the product is multiplied after the last part.
  mlir::Value factor();
  mlir::Value one();
};

} // namespace mmk
