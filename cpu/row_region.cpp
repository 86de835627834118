#include "cpu/row_region.h"

using namespace mlir;

namespace mmk {

Block *RowRegion::createBody(Region &region, ArrayRef<Type> elements) {
  return b.createBlock(&region, {}, elements, SmallVector<Location>(elements.size(), loc));
}

cpu::ReduceOp RowRegion::reduce(const RowReduction &reduction, Value element) {
  auto op = cpu::ReduceOp::create(b, reduction.location, element.getType(),
                                  reduction.position ? reduction.position.getType() : Type(),
                                  reduction.kind, element, reduction.identity);
  map.map(reduction.result, op.getResult());
  if (reduction.position)
    map.map(reduction.position, op.getPosition());
  return op;
}

bool RowRegion::computeReduction(Value value) {
  for (const RowReduction &reduction : program.reductions())
    if (reduction.result == value || reduction.position == value) {
      compute(reduction.operand);
      reduce(reduction, map.lookupOrDefault(reduction.operand));
      return true;
    }
  return false;
}

void RowRegion::compute(Value value) {
  if (map.contains(value) || computeReduction(value))
    return;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &program.block())
    return;
  for (Value operand : op->getOperands())
    compute(operand);
  b.clone(*op, map);
}

void RowRegion::yield(ArrayRef<Value> yielded) {
  SmallVector<Value> values;
  for (Value value : yielded) {
    compute(value);
    values.push_back(map.lookupOrDefault(value));
  }
  cpu::YieldOp::create(b, loc, values);
}

void RowRegion::mapElements(Block &body, unsigned first, const RowElements &elements) {
  for (auto [element, argument] :
       llvm::zip(elements.ofArguments, body.getArguments().drop_front(first)))
    if (element)
      map.map(element, argument);
  for (const auto &[element, input] : elements.generated)
    map.map(element, emitGenerated(b, loc, input, body, first));
}

void RowRegion::emit(Region &region, ArrayRef<Type> types, const RowElements &elements,
                     ArrayRef<Value> yielded) {
  OpBuilder::InsertionGuard guard(b);
  mapElements(*createBody(region, types), /*first=*/0, elements);
  yield(yielded);
}

void RowRegion::emitOfParts(Region &region, ArrayRef<Type> types, const RowElements &elements,
                            ArrayRef<Value> yielded) {
  OpBuilder::InsertionGuard guard(b);
  Block *body = createBody(region, types);
  for (auto [reduction, part] : llvm::zip(program.reductions(), body->getArguments()))
    reduce(reduction, part);
  mapElements(*body, program.reductions().size(), elements);
  yield(yielded);
}

} // namespace mmk
