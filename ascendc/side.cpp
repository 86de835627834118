#include "ascendc/side.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mmk::ascendc {

bool isScalarCode(mlir::Operation *op) {
  return mlir::isa<aicore::SlotOp, aicore::TallyOp, aicore::ScalarBoundOp, aicore::ScalarRangeOp>(
             op) ||
         mlir::isa<mlir::arith::ArithDialect, mlir::math::MathDialect>(op->getDialect());
}

bool Side::finds(mlir::Operation *op) {
  auto hasInside = [&](mlir::Operation *inner) { return !isScalarCode(inner) && has(inner); };
  if (mlir::isa<mlir::scf::ForOp, mlir::scf::IfOp, aicore::PhaseOp, aicore::VectorCoresOp>(op))
    return llvm::any_of(op->getRegions(), [&](mlir::Region &region) {
      return llvm::any_of(region.getOps(),
                          [&](mlir::Operation &inner) { return hasInside(&inner); });
    });
  if (isHost())
    return mlir::isa<aicore::WorkspaceOp>(op);
  if (mlir::isa<aicore::AllocOp, aicore::WorkspaceOp>(op))
    return llvm::any_of(op->getUsers(), hasInside);
  return !mlir::isa<mlir::scf::YieldOp>(op) && aicore::unitOf(op) == unit_;
}

bool Side::has(mlir::Operation *op) {
  const auto found = known_.find(op);
  if (found != known_.end())
    return found->second;
  return known_[op] = finds(op);
}

} // namespace mmk::ascendc
