#include "passes/chains/known_constants.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {

Attribute KnownConstants::of(Value value) {
  if (const auto found = known_.find(value); found != known_.end())
    return found->second;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(of(operand));
  SmallVector<OpFoldResult> folded;
  if (llvm::is_contained(operands, Attribute()) || failed(op->fold(operands, folded)) ||
      folded.empty())
    return {};
  if (auto other = dyn_cast<Value>(folded.front()))
    constant = of(other);
  else
    constant = cast<Attribute>(folded.front());
  return known_[value] = constant;
}

bool KnownConstants::isFinite(Value value) {
  auto number = dyn_cast_if_present<FloatAttr>(of(value));
  return number && number.getValue().isFinite();
}

} // namespace mmk
