#include "cpu/row_facts.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseSet.h"

using namespace llvm;

namespace mmk {

RowFacts::RowFacts(cpu::RowsOp op)
    : block(op.getBody().front()), elements(block.getTerminator()->getOperands()),
      inputs(op.getInputAlong()), outputs(op.getOutputAlong()) {
  findAll(op.getSizes().size(), op.getReduced());
}

RowFacts::RowFacts(cpu::ChainOp op)
    : block(op.getBody().front()), elements(block.getTerminator()->getOperands()) {
  for (size_t i = 0; i < op.getA().size(); ++i)
    append_range(inputs, std::initializer_list<int64_t>{0, 1});
  for (size_t i = 0; i < op.getV().size(); ++i)
    append_range(outputs, std::initializer_list<int64_t>{0, 1, 0, -1, 0, -1});
  append_range(inputs, op.getInputAlong());
  append_range(outputs, op.getOutputAlong());
  findAll(/*dims=*/2, /*reduced=*/1);
}

void RowFacts::findAll(size_t dims, ArrayRef<int64_t> reduced) {
  isReduced.assign(dims, false);
  for (int64_t dim : reduced)
    isReduced[dim] = true;
  for (int64_t dim = 0; dim < columns(); ++dim)
    if (isReduced[dim] != isReduced.back())
      rows = dim;
  for (int64_t dim = 0; dim < columns(); ++dim)
    if (dim != rows)
      (isReduced[dim] ? outerReduced : outerKept).push_back(dim);
  findFacts();
  findPasses();
  findWaiting();
}

bool RowFacts::variesAlong(ArrayRef<int64_t> along, size_t tensor) const {
  for (size_t dim = 0; dim < dims(); ++dim)
    if (isReduced[dim] && along[tensor * dims() + dim] >= 0)
      return true;
  return false;
}

void RowFacts::findFacts() {
  for (auto [i, argument] : enumerate(block.getArguments()))
    facts[argument] = {0, inputVaries(i)};
  for (mlir::Operation &inner : block.without_terminator()) {
    Facts all;
    for (mlir::Value operand : inner.getOperands()) {
      const Facts known = facts.lookup(operand);
      all.level = std::max(all.level, known.level);
      all.varies |= known.varies;
    }
    if (auto position = dyn_cast<cpu::PositionOp>(inner))
      all.varies = isReduced[position.getSizeAttr().getInt()];
    if (isa<cpu::ReduceOp>(inner))
      all = {all.level + 1, false};
    for (mlir::Value result : inner.getResults())
      facts[result] = all;
  }
}

void RowFacts::findPasses() {
  auto passAt = [&](unsigned level) -> Pass & {
    if (passes.size() <= level)
      passes.resize(level + 1);
    return passes[level];
  };
  passAt(0); // also for results that no reduction is left for
  for (auto reduction : block.getOps<cpu::ReduceOp>())
    passAt(levelOf(reduction.getElement())).reductions.push_back(reduction);
  for (auto [i, value] : enumerate(elements)) {
    if (outputVaries(i))
      passAt(levelOf(value)).outputs.push_back(i);
    else
      keptOutputs.push_back(i);
  }
  for (Pass &pass : passes) {
    for (cpu::ReduceOp reduction : pass.reductions)
      pass.wanted.push_back(reduction.getElement());
    for (unsigned output : pass.outputs)
      pass.wanted.push_back(elements[output]);
  }
}

void RowFacts::findWaiting() {
  DenseMap<mlir::Operation *, unsigned> firstPass;
  for (auto [level, pass] : enumerate(passes))
    for (mlir::Operation *inner : opsFor(pass.wanted, Known())) {
      const auto [at, isFirst] = firstPass.try_emplace(inner, level);
      const bool takesLong =
          cpu::isLongFunction(inner) || isa<cpu::RandomOp, cpu::GatherOp, cpu::GatherRunOp>(inner);
      mlir::Value value = inner->getResult(0);
      if (isFirst || !takesLong || !varies(value) || !value.getType().isF32() ||
          is_contained(map_range(waiting, [](const Waiting &known) { return known.value; }), value))
        continue;
      waiting.push_back({value, at->second});
    }
}

SmallVector<mlir::Operation *> RowFacts::opsFor(ArrayRef<mlir::Value> wanted,
                                                const Known &known) const {
  DenseSet<mlir::Operation *> needed;
  SmallVector<mlir::Value> open(wanted);
  while (!open.empty()) {
    mlir::Value value = open.pop_back_val();
    mlir::Operation *inner = value.getDefiningOp();
    if (known.contains(value) || !inner || inner->getBlock() != &block ||
        isa<cpu::ReduceOp>(inner) || !needed.insert(inner).second)
      continue;
    append_range(open, inner->getOperands());
  }
  SmallVector<mlir::Operation *> ops;
  for (mlir::Operation &inner : block)
    if (needed.contains(&inner))
      ops.push_back(&inner);
  return ops;
}

} // namespace mmk
