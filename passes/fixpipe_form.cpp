#include "passes/fixpipe_form.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {

FixpipeForm fixpipeFormOf(Value element) {
  while (auto narrowed = element.getDefiningOp<arith::TruncFOp>())
    element = narrowed.getIn();
  auto max = element.getDefiningOp<arith::MaximumFOp>();
  if (!max || !element.getType().isF32())
    return {element};
  for (auto [x, zero] : {std::pair(max.getLhs(), max.getRhs()), {max.getRhs(), max.getLhs()}})
    if (matchPattern(zero, m_PosZeroFloat()))
      return {x, /*relu=*/true};
  return {element};
}

} // namespace mmk
