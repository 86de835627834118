#include "place/chain_rows.h"

#include "ir/diagnostic_code.h"
#include "passes/chains/known_constants.h"
#include "place/guard.h"
#include "place/online_rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mmk {

namespace {

/// What values of a row are where its reductions go over nothing.
KnownConstants overNothing(RowProgram &program) {
  KnownConstants known;
  for (const RowReduction &reduction : program.reductions())
    known.set(reduction.result, reduction.identity);
  if (const OnlineRows *online = program.online()) {
    known.set(online->running, known.of(online->start));
    for (const OnlineRows::Sum &sum : online->sums) {
      const RowReduction &reduction = program.reductions()[sum.number];
      known.set(sum.sum, reduction.identity);
      // The sum is rescaled once more, which makes NaN of it where the ratio is infinite.
      known.set(reduction.result, known.of(sum.result));
    }
  }
  return known;
}

/// Takes the factors that are the same for a whole row out of the weights. They move over a
/// rounding to the type of the product: its result is then that of other weights, each as exact.
class WeightsSplitter {
public:
  WeightsSplitter(RowProgram &program, Location loc) : p(program), b(loc.getContext()), loc(loc) {
    b.setInsertionPointToEnd(&p.block());
  }

  RowWeights split(size_t output) {
    Value element = rest(p.outputs()[output].element);
    p.outputs()[output].element = element;
    RowWeights weights;
    weights.output = output;
    weights.factor = factor;
    return weights;
  }

  /// Makes the factor 0 in rows for which the conditions hold nowhere: the weights are all 0 there,
  /// and the factor may be infinite or NaN.
  void guardFactor(RowWeights &weights) {
    if (!weights.factor || conditions.empty())
      return;
    const bool isKnown = llvm::any_of(conditions, [&](Condition it) { return isOfReduction(it); });
    if (isKnown && overNothing(p).isFinite(weights.factor))
      return;
    b.setInsertionPointToEnd(&p.block());
    Value holds;
    for (Condition condition : conditions) {
      Value own = condition.value;
      if (!condition.isTrue)
        own = arith::XOrIOp::create(
            b, loc, own, arith::ConstantOp::create(b, loc, b.getBoolAttr(true)).getResult());
      holds = holds ? arith::AndIOp::create(b, loc, holds, own).getResult() : own;
    }
    // As numbers: no AI core reduces conditions.
    const FloatAttr none = b.getF32FloatAttr(0);
    Value zero = arith::ConstantOp::create(b, loc, none),
          one = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1)),
          number = arith::SelectOp::create(b, loc, holds, one, zero),
          most = p.addReduction(aicore::ReduceKind::max, number, none, loc),
          any = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, most, zero);
    weights.factor = arith::SelectOp::create(b, loc, any, weights.factor, zero);
  }

private:
  bool waits(Value value) { return p.isOfBlock(value) && p.levelOf(value) > 0; }
  bool isOfRow(Value value) { return waits(value) && p.isKept(value); }

  /// A condition that elements other than 0 need, and whether it has to be true.
  struct Condition {
    Value value;
    bool isTrue = true;
  };

  /// Whether a reduction of the row goes over the same elements alone.
  bool isOfReduction(Condition condition) {
    return condition.isTrue && llvm::any_of(p.reductions(), [&](const RowReduction &reduction) {
             arith::SelectOp select = selectionOf(reduction.operand, reduction.identity);
             return select && select.getCondition() == condition.value;
           });
  }

  Value rest(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || (!waits(value) && !isa<arith::SelectOp, arith::TruncFOp>(op)))
      return value;
    if (isa<arith::TruncFOp, arith::ExtFOp>(op))
      return with(op, 0, rest(op->getOperand(0)));
    if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
      if (isOfRow(quotient.getRhs()))
        return divide(quotient.getRhs()), rest(quotient.getLhs());
      return waits(quotient.getRhs()) ? value : with(op, 0, rest(quotient.getLhs()));
    }
    if (auto product = dyn_cast<arith::MulFOp>(op)) {
      for (unsigned i : {0, 1})
        if (isOfRow(op->getOperand(i)))
          return multiply(op->getOperand(i)), rest(op->getOperand(1 - i));
      const bool left = waits(product.getLhs()), right = waits(product.getRhs());
      if (left && right)
        return value;
      return with(op, left ? 0 : 1, rest(op->getOperand(left ? 0 : 1)));
    }
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select || waits(select.getCondition()))
      return value;
    for (unsigned i : {1, 2})
      if (matchPattern(op->getOperand(i), m_AnyZeroFloat())) {
        conditions.push_back({select.getCondition(), /*isTrue=*/i == 2});
        return behindConversion(select, 3 - i, rest(op->getOperand(3 - i)));
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
  SmallVector<Condition> conditions; ///< of the weights
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
  std::vector<WeightsSplitter> splitters;
  for (Value weights : chain.weights())
    for (auto [number, output] : llvm::enumerate(program->outputs()))
      if (output.tensor == weights)
        all.push_back(splitters.emplace_back(*program, group.getLoc()).split(number));
  program->setWeights(std::move(all));
  const bool waitsForMany = llvm::any_of(program->reductions(), [&](const RowReduction &it) {
    return program->levelOf(it.operand) > 1 || it.isScan;
  });
  if (!waitsForMany && makeOnline(*program)) {
    all = program->weights();
    for (auto [splitter, weights] : llvm::zip(splitters, all))
      splitter.guardFactor(weights);
    program->setWeights(std::move(all));
    return program;
  }
  ir::ChoiceOp choice = kernel.choice("fuse");
  return nearestLegal(
      (choice ? choice.emitError() : group.emitError())
      << "fuse = products computes the rows between two products in one pass over them, with sums "
         "of exponentials rescaled while their maximum grows; here a value waits for a reduction "
         "in "
         "another way; nearest legal: fuse = all");
}

} // namespace mmk
