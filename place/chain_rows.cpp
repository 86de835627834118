#include "place/chain_rows.h"

#include "ir/diagnostic_code.h"
#include "passes/chains/known_constants.h"
#include "passes/rows/weights.h"
#include "place/online_rows.h"

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

/// Makes the factor 0 in rows of which all weights are 0, unless it is finite there.
void guardFactor(RowProgram &program, const WeightsOfRow &split, RowWeights &weights,
                 Location loc) {
  if (!weights.factor || split.conditions.empty())
    return;
  const bool isKnown = llvm::any_of(program.reductions(), [&](const RowReduction &it) {
    return split.areLeftOutBy(it.operand, it.identity);
  });
  if (isKnown && overNothing(program).isFinite(weights.factor))
    return;
  OpBuilder b(loc.getContext());
  b.setInsertionPointToEnd(&program.block());
  weights.factor = split.guarded(b, loc, weights.factor, [&](Value element, FloatAttr identity) {
    return program.addReduction(aicore::ReduceKind::max, element, identity, loc);
  });
}

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

FailureOr<RowProgram> chainRows(ir::KernelOp kernel, ir::FusionGroupOp group, Chain &chain) {
  FailureOr<RowProgram> program = RowProgram::of(group);
  if (failed(program))
    return failure();
  const Location loc = group.getLoc();
  OpBuilder b(loc.getContext());
  b.setInsertionPointToEnd(&program->block());
  const auto waits = [&](Value it) { return program->isOfBlock(it) && program->levelOf(it) > 0; };
  const auto isKept = [&](Value it) { return program->isKept(it); };
  std::vector<RowWeights> all;
  std::vector<WeightsOfRow> splits;
  for (Value weights : chain.weights())
    for (auto [number, output] : llvm::enumerate(program->outputs()))
      if (output.tensor == weights) {
        splits.push_back(withoutFactors(b, loc, output.element, waits, isKept));
        output.element = splits.back().rest;
        all.push_back({.output = number, .factor = splits.back().factor});
      }
  program->setWeights(std::move(all));
  const bool waitsForMany = llvm::any_of(program->reductions(), [&](const RowReduction &it) {
    return program->levelOf(it.operand) > 1 || it.isScan;
  });
  if (!waitsForMany && makeOnline(*program)) {
    all = program->weights();
    for (auto [split, weights] : llvm::zip(splits, all))
      guardFactor(*program, split, weights, loc);
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
