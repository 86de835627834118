#include "place/chain_rows.h"

#include "ir/diagnostic_code.h"
#include "place/online_rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {

namespace {

/// Takes the factors that are the same for a whole row out of the weights. They move over a
/// rounding to the type of the product: its result is then that of other weights, each as exact.
class WeightsSplitter {
public:
  WeightsSplitter(RowProgram &program, Location loc) : p(program), b(loc.getContext()), loc(loc) {
    b.setInsertionPointToEnd(&p.block());
  }

  RowWeights split(size_t output) {
    Value &element = p.outputs()[output].element;
    RowWeights weights;
    weights.output = output;
    element = rest(element, weights.isGuarded);
    weights.factor = factor;
    return weights;
  }

private:
  bool waits(Value value) { return p.isOfBlock(value) && p.levelOf(value) > 0; }
  bool isOfRow(Value value) { return waits(value) && p.isKept(value); }

  Value rest(Value value, bool &isGuarded) {
    Operation *op = value.getDefiningOp();
    if (!op || (!waits(value) && !isa<arith::SelectOp, arith::TruncFOp>(op)))
      return value;
    if (isa<arith::TruncFOp, arith::ExtFOp>(op))
      return with(op, 0, rest(op->getOperand(0), isGuarded));
    if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
      if (isOfRow(quotient.getRhs()))
        return divide(quotient.getRhs()), rest(quotient.getLhs(), isGuarded);
      return waits(quotient.getRhs()) ? value : with(op, 0, rest(quotient.getLhs(), isGuarded));
    }
    if (auto product = dyn_cast<arith::MulFOp>(op)) {
      for (unsigned i : {0, 1})
        if (isOfRow(op->getOperand(i)))
          return multiply(op->getOperand(i)), rest(op->getOperand(1 - i), isGuarded);
      const bool left = waits(product.getLhs()), right = waits(product.getRhs());
      if (left && right)
        return value;
      return with(op, left ? 0 : 1, rest(op->getOperand(left ? 0 : 1), isGuarded));
    }
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select || waits(select.getCondition()))
      return value;
    for (unsigned i : {1, 2})
      if (matchPattern(op->getOperand(i), m_AnyZeroFloat())) {
        isGuarded = true;
        return behindConversion(select, 3 - i, rest(op->getOperand(3 - i), isGuarded));
      }
    return value;
  }

  /// The selection with another element, before that is converted to the type of the product.
  Value behindConversion(arith::SelectOp select, unsigned number, Value element) {
    auto conversion = element.getDefiningOp<arith::TruncFOp>();
    if (!conversion)
      return with(select, number, element);
    Value wide = conversion.getOperand();
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(wide.getType()));
    Value chosen = arith::SelectOp::create(b, loc, select.getCondition(), number == 1 ? wide : zero,
                                           number == 1 ? zero : wide);
    return arith::TruncFOp::create(b, loc, conversion.getType(), chosen);
  }

  /// The operation with another operand.
  Value with(Operation *op, unsigned number, Value operand) {
    if (op->getOperand(number) == operand)
      return op->getResult(0);
    IRMapping map;
    map.map(op->getOperand(number), operand);
    return b.clone(*op, map)->getResult(0);
  }
  void multiply(Value value) {
    factor = factor ? arith::MulFOp::create(b, loc, factor, value).getResult() : value;
  }
  void divide(Value value) {
    if (!factor)
      factor = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1));
    factor = arith::DivFOp::create(b, loc, factor, value);
  }

  RowProgram &p;
  OpBuilder b;
  Location loc;
  Value factor;
};

} // namespace

scf::ForOp tileLoopOf(ir::FusionGroupOp group) {
  scf::ForOp last;
  for (auto loop : group.getBody().front().getOps<scf::ForOp>())
    last = loop;
  return last;
}

std::optional<Chain> chainOf(ir::FusionGroupOp group) {
  scf::ForOp loop = tileLoopOf(group);
  return loop ? Chain::of(group, *loop.getBody()) : std::nullopt;
}

FailureOr<RowProgram> chainRows(ir::KernelOp kernel, ir::FusionGroupOp group, Chain &chain,
                                Block &operations) {
  FailureOr<RowProgram> program = RowProgram::of(group, operations);
  if (failed(program))
    return failure();
  std::vector<RowWeights> all;
  for (Value weights : chain.weights())
    for (auto [number, output] : llvm::enumerate(program->outputs()))
      if (output.tensor == weights)
        all.push_back(WeightsSplitter(*program, group.getLoc()).split(number));
  program->setWeights(std::move(all));
  const bool waitsForMany = llvm::any_of(program->reductions(), [&](const RowReduction &it) {
    return program->levelOf(it.operand) > 1 || it.isScan;
  });
  if (!waitsForMany && makeOnline(*program))
    return program;
  ir::ChoiceOp choice = kernel.choice("fuse");
  return nearestLegal(
      (choice ? choice.emitError() : group.emitError())
      << "fuse = products computes the rows between two products in one pass over them, with sums "
         "of exponentials rescaled while their maximum grows; here a value waits for a reduction "
         "in "
         "another way; nearest legal: fuse = all");
}

} // namespace mmk
