#include "place/guard.h"
#include "passes/dimensions.h"
#include "passes/rows/weights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {

/// Of a position, a scalar of the kernel, or another integer that is kept.
static std::optional<PositionForm> leafOf(RowProgram &p, Value value) {
  for (auto [number, input] : llvm::enumerate(p.inputs())) {
    if (input.element != value)
      continue;
    Value tensor = input.tensor;
    tensor = behindViews(tensor);
    if (tensor.getDefiningOp<ir::PositionsOp>() && input.dims[0] >= 0)
      return PositionForm{0, {{input.dims[0], 1}}, {}, {}};
    if (p.isKept(input.element) && input.element.getType().isSignlessInteger())
      return PositionForm{0, {}, {}, {{static_cast<unsigned>(number), 1}}};
    return std::nullopt;
  }
  const bool isOfKernel = value.getParentBlock() != &p.block();
  if (isOfKernel && value.getType().isIntOrIndex())
    return PositionForm{0, {}, {{value, 1}}, {}};
  return std::nullopt;
}

/// Of the elements that `select` keeps.
static Guard guardOf(RowProgram &program, arith::SelectOp select) {
  Guard guard;
  static_cast<LinearCondition &>(guard) =
      linearConditionOf(select.getCondition(), [&](Value value) { return leafOf(program, value); });
  guard.masked = select;
  guard.element = select.getTrueValue();
  return guard;
}

std::optional<Guard> guardOf(RowProgram &program, const RowReduction &reduction) {
  arith::SelectOp select = reduction.masked ? reduction.masked.getDefiningOp<arith::SelectOp>()
                                            : selectionOf(reduction.operand, reduction.identity);
  if (!select)
    return std::nullopt;
  Guard guard = guardOf(program, select);
  return guard.atLeastZero.empty() ? std::nullopt : std::optional(guard);
}

std::optional<GuardedOutput> guardOf(RowProgram &program, const RowOutput &output) {
  GuardedOutput it;
  Value value = output.element;
  if (const RowWeights *weights = program.weightsOf(&output - program.outputs().data());
      weights && weights->masked)
    value = weights->masked;
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::FPToSIOp>(op))
      break;
    it.conversions.insert(it.conversions.begin(), op);
    value = op->getOperand(0);
  }
  it.select = value.getDefiningOp<arith::SelectOp>();
  if (!it.select || !matchPattern(it.select.getFalseValue(), m_Constant()))
    return std::nullopt;
  it.guard = guardOf(program, it.select);
  return it.guard.atLeastZero.empty() ? std::nullopt : std::optional(it);
}

} // namespace mmk
