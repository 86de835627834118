#include "codegen/plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace arith = mlir::arith;
using namespace llvm;

namespace mmk {
namespace {

/// Whether it depends only on dimensions and constants, so that it is computed before the phases.
bool isOfDimensions(mlir::Value value) {
  if (isa<mlir::BlockArgument>(value))
    return value.getType().isIndex();
  return value.getType().isIntOrIndex() &&
         llvm::all_of(value.getDefiningOp()->getOperands(), isOfDimensions);
}

/// The change of integers from block to block.
class Trends {
public:
  enum Trend { same, rises, falls, unknown };

  Trends(const PhasePlan &plan, aicore::PhaseOp phase) : plan(plan), phase(phase) {
    known[phase.getBody().getArgument(0)] = rises;
  }

  Trend of(mlir::Value value) {
    auto [at, isNew] = known.try_emplace(value, same);
    if (!isNew)
      return at->second;
    mlir::Operation *op = value.getDefiningOp();
    if (!op || op->getParentOp() != phase || plan.ops.contains(op))
      return same;
    return known[value] = ofResult(op);
  }

  static Trend against(Trend trend) {
    return trend == rises ? falls : trend == falls ? rises : trend;
  }
  static Trend both(Trend x, Trend y) { return x == same || x == y ? y : y == same ? x : unknown; }

private:
  Trend ofResult(mlir::Operation *op) {
    Trend all = same;
    for (mlir::Value operand : op->getOperands())
      all = all == same && of(operand) == same ? same : unknown;
    if (all == same || op->getNumOperands() != 2)
      return all;
    const Trend x = of(op->getOperand(0)), y = of(op->getOperand(1));
    auto constant = op->getOperand(1).getDefiningOp<arith::ConstantIndexOp>();
    return TypeSwitch<mlir::Operation *, Trend>(op)
        .Case<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp>([&](auto) { return both(x, y); })
        .Case([&](arith::SubIOp) { return both(x, against(y)); })
        .Case<arith::MulIOp, arith::DivSIOp, arith::CeilDivSIOp>(
            [&](auto) { return constant && constant.value() > 0 ? x : unknown; })
        .Default(unknown);
  }

  const PhasePlan &plan;
  aicore::PhaseOp phase;
  DenseMap<mlir::Value, Trend> known;
};

} // namespace

PhasePlan::PhasePlan(aicore::PhaseOp phase) {
  mlir::Block &body = phase.getBody().front();
  auto isPlanned = [&](mlir::Value value) {
    mlir::Operation *op = value.getDefiningOp();
    if (value.getParentBlock() == &body)
      return op && ops.contains(op);
    return isOfDimensions(value);
  };
  for (mlir::Operation &op : body)
    if (op.getNumResults() == 1 && op.getNumRegions() == 0 && mlir::isMemoryEffectFree(&op) &&
        op.getResult(0).getType().isIntOrIndex() && llvm::all_of(op.getOperands(), isPlanned))
      ops.insert(&op);
  for (mlir::Operation *op : ops)
    if (!isa<arith::ConstantOp>(op) &&
        llvm::any_of(op->getUsers(), [&](mlir::Operation *user) { return !ops.contains(user); }))
      values.push_back(op->getResult(0));

  Trends trends(*this, phase);
  for (mlir::Operation &op : body) {
    if (auto loop = dyn_cast<mlir::scf::ForOp>(op)) {
      const auto trips = Trends::both(trends.of(loop.getUpperBound()),
                                      Trends::against(trends.of(loop.getLowerBound())));
      laterBlocksIdleIfSecondIs &= trips == Trends::same || trips == Trends::falls;
    } else {
      laterBlocksIdleIfSecondIs &= mlir::isMemoryEffectFree(&op) || isa<aicore::AllocOp>(op);
    }
  }
}

} // namespace mmk
