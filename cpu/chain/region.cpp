#include "cpu/chain/region.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace mmk {

Value ChainRegion::one() { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1)); }

// All that was computed from the value is computed again where it is needed.
void ChainRegion::forgetUsersOf(Value value) {
  llvm::DenseSet<Value> from = {value};
  for (Operation &op : program.block())
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return from.contains(operand); }))
      for (Value result : op.getResults()) {
        from.insert(result);
        map.erase(result);
      }
}

// The maximum that sums have is, in a part, the one after it; in the ratio from one to the other it
// is the one before.
bool ChainRegion::computeOnline(Value value) {
  const OnlineRows *online = program.online();
  if (!online)
    return false;
  if (value == online->running) {
    compute(online->next);
    map.map(value, map.lookup(online->next));
    return true;
  }
  for (const OnlineRows::Ratio &ratio : online->ratios) {
    if (value != ratio.ratio)
      continue;
    compute(online->next);
    compute(online->start);
    const IRMapping outside = map;
    Value before = cpu::BeforeOp::create(b, loc, b.getF32Type(), map.lookupOrDefault(online->next),
                                         map.lookupOrDefault(online->start));
    forgetUsersOf(online->running);
    map.map(online->running, before);
    compute(ratio.nextRatio);
    Value next = map.lookup(ratio.nextRatio);
    // What was computed from the maximum before is of this ratio alone.
    map = outside;
    map.map(value, next);
    return true;
  }
  return false;
}

// Where it holds for a whole part, it is not computed.
Value ChainRegion::withCondition(Value element, Value masked) {
  auto select = masked ? masked.getDefiningOp<arith::SelectOp>() : arith::SelectOp();
  if (!select)
    return element;
  compute(select.getCondition());
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(element.getType()));
  return arith::SelectOp::create(b, loc, map.lookup(select.getCondition()), element, none);
}

bool ChainRegion::computeReduction(Value value) {
  if (computeOnline(value))
    return true;
  const OnlineRows *online = program.online();
  for (auto [number, reduction] : llvm::enumerate(program.reductions())) {
    if (reduction.result != value && reduction.position != value)
      continue;
    const OnlineRows::Sum *own = nullptr;
    if (online)
      for (const OnlineRows::Sum &sum : online->sums)
        own = sum.number == number ? &sum : own;
    compute(reduction.operand);
    if (!own) {
      reduce(reduction, map.lookupOrDefault(reduction.operand));
      return true;
    }
    // The one by which `next` rescales it.
    Value ratio;
    for (const OnlineRows::Ratio &each : online->ratios)
      for (Operation *user : each.ratio.getUsers())
        if (llvm::is_contained(user->getOperands(), own->sum))
          ratio = each.ratio;
    compute(ratio);
    Value element = withCondition(map.lookupOrDefault(reduction.operand), reduction.masked);
    auto sum =
        cpu::ReduceOp::create(b, reduction.location, element.getType(), Type(), reduction.kind,
                              element, reduction.identity, map.lookup(ratio));
    map.map(own->sum, sum.getResult());
    compute(own->result);
    map.map(reduction.result, map.lookup(own->result));
    return true;
  }
  return false;
}

Value ChainRegion::factorOf(const RowWeights &weights) {
  if (!weights.factor)
    return one();
  compute(weights.factor);
  return map.lookupOrDefault(weights.factor);
}

std::array<Value, cpu::ChainOp::yieldedOfProduct> ChainRegion::valuesOf(const RowWeights &weights) {
  Value weight = program.outputs()[weights.output].element;
  compute(weight);
  Value ratio = one();
  if (weights.ratio) {
    Value own = program.online()->ratios[*weights.ratio].ratio;
    compute(own);
    ratio = map.lookup(own);
  }
  return {withCondition(map.lookupOrDefault(weight), weights.masked), ratio, factorOf(weights)};
}

void ChainRegion::emit(Region &region, ArrayRef<Type> types, ArrayRef<Value> scores,
                       const RowElements &elements, ArrayRef<size_t> weights,
                       ArrayRef<Value> outputs) {
  OpBuilder::InsertionGuard guard(b);
  Block *body = createBody(region, types);
  for (auto [score, argument] : llvm::zip(scores, body->getArguments()))
    map.map(score, argument);
  mapElements(*body, /*first=*/scores.size(), elements);
  SmallVector<std::array<Value, cpu::ChainOp::yieldedOfProduct>> ofWeights;
  for (const RowWeights &each : program.weights())
    ofWeights.push_back(valuesOf(each));
  SmallVector<Value> values;
  for (size_t number : weights)
    llvm::append_range(values, ofWeights[number]);
  for (Value output : outputs) {
    compute(output);
    values.push_back(map.lookupOrDefault(output));
  }
  cpu::YieldOp::create(b, loc, values);
}

} // namespace mmk
