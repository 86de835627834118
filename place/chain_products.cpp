// The cube's part of two products with rows between: a part of the first product through the
// accumulator to the vector cores, and the weights that come back times the other operand.
#include "backend/backend.h"
#include "ir/diagnostic_code.h"
#include "passes/variant.h"
#include "place/chain_work.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

using aicore::Space;

TransferInserter::ChainWork::Operand::Operand(linalg::ContractOp product, unsigned which)
    : tensor(product.getInputs()[which]) {
  const AffineMap map = product.getIndexingMapsArray()[which];
  const ProductDims dims = *productDims(product);
  const unsigned rank = map.getNumResults(), ofOuter = which == 0 ? dims.rows : dims.columns;
  outer = map.getDimPosition(rank - 1) == ofOuter ? rank - 1 : rank - 2;
  depth = outer == rank - 1 ? rank - 2 : rank - 1;
  transposed = (which == 0) == (outer == rank - 1);
}

//===--- sizes and buffers ----------------------------------------------------------------===//

/// A length of the schedule, or a literal extent in whole units.
static int64_t lengthOf(ir::KernelOp kernel, StringRef directive, StringRef dim, int64_t unit,
                        int64_t otherwise) {
  int64_t literal;
  if (!dim.getAsInteger(10, literal))
    return llvm::alignTo(literal, unit);
  return kernel.chosenNumber((directive + "." + dim).str(), otherwise);
}

LogicalResult TransferInserter::ChainWork::chooseProductSizes() {
  const ArrayRef<int64_t> extents = *group.getTile();
  const int64_t tileM = extents[0], tileN = extents[1], padding = t.machine.padding();
  const ProductNames first = productNames(chain.first), second = productNames(chain.second);
  const Type element = operandType(chain.first);
  const Backend &backend = backendOf(t.machine);
  const int64_t literal = backend.literalProductTile(t.machine, element).k;
  stepOfFirst = baseDepth(t.kernel, chain.first, t.machine, literal);
  depthOfFirst = llvm::alignTo(
      lengthOf(t.kernel, "stage", first.reduction, t.machine.depthOf(element), stepOfFirst),
      padding);
  stepOfFirst = std::min(stepOfFirst, depthOfFirst);
  stepOfSecond = std::min(tileN, baseDepth(t.kernel, chain.second, t.machine, literal));
  width =
      llvm::alignTo(lengthOf(t.kernel, "tile", second.columns, t.machine.getCubeN(), 128), padding);
  preload = t.kernel.chosenNumber("preload", 1);

  // As many columns of the first product in one accumulator as L0C and L0B have room for.
  const int64_t rowsOfB = std::max(stepOfFirst, stepOfSecond) * element.getIntOrFloatBitWidth() / 8;
  const int64_t room =
      std::min(t.machine.capacity(Space::l0c) /
                   (4 * tileM * requestedCopies(t.kernel, "acc", "acc")),
               t.machine.capacity(Space::l0b) / (rowsOfB * requestedCopies(t.kernel, "l0", "b"))) /
      padding * padding;
  accWidth = isSplit ? std::min(tileN, std::max(room, width)) : tileN;
  accsOfPart = llvm::divideCeil(tileN, accWidth);
  accWidth = llvm::alignTo(llvm::divideCeil(tileN, accsOfPart), padding);
  accsOfPart = llvm::divideCeil(tileN, accWidth);
  l0Steps =
      std::max(llvm::divideCeil(depthOfFirst, stepOfFirst), llvm::divideCeil(tileN, stepOfSecond));
  if (operandType(chain.second) == element)
    return success();
  return chain.second.emitOpError("multiplies ")
         << operandType(chain.second) << ", but the first product of its fusion group " << element;
}

Value TransferInserter::ChainWork::allocIn(Space space, StringRef name, StringRef buffers,
                                           int64_t rows, int64_t columns, Type element,
                                           int64_t copies) {
  auto type = MemRefType::get({rows, columns}, element, MemRefLayoutAttrInterface(),
                              aicore::SpaceAttr::get(b.getContext(), space));
  return aicore::AllocOp::create(b, t.loc, type, name, buffers, copies, /*parts=*/1, IntegerAttr());
}

Value TransferInserter::ChainWork::allocOperand(const Operand &operand, StringRef buffers,
                                                int64_t outer, int64_t depth) {
  const int64_t padding = t.machine.padding();
  outer = llvm::alignTo(outer, padding), depth = llvm::alignTo(depth, padding);
  const bool isDepthFirst = operand.depth < operand.outer;
  const StringRef name = nameOf(operand.tensor);
  return allocIn(Space::l1, name, buffers, isDepthFirst ? depth : outer,
                 isDepthFirst ? outer : depth, elementOf(operand.tensor),
                 requestedCopies(t.kernel, buffers, name));
}

void TransferInserter::ChainWork::allocateProducts() {
  const ArrayRef<int64_t> extents = *group.getTile();
  const int64_t tileM = extents[0], tileN = extents[1], ahead = preload + 1;
  const Type element = operandType(chain.first), sum = elementOf(chain.first.getResult(0));
  t.loc = chain.first.getLoc();
  rowsL1 = allocOperand(Operand(chain.first, 0), "l1", tileM, depthOfFirst);
  columnsL1 = allocOperand(Operand(chain.first, 1), "l1", tileN, depthOfFirst);
  const int64_t step = std::max(stepOfFirst, stepOfSecond);
  t.loc = chain.second.getLoc();
  weightsL1 = allocIn(Space::l1, "weights", "l1", llvm::alignTo(tileM, t.machine.padding()),
                      llvm::alignTo(tileN, t.machine.padding()), element,
                      requestedCopies(t.kernel, "l1", "weights"));
  valuesL1 = allocOperand(Operand(chain.second, 1), "l1", width, tileN);
  l0a = allocIn(Space::l0a, "a", "l0", tileM, step, element);
  l0b = allocIn(Space::l0b, "b", "l0", step, std::max(accWidth, width), element);
  acc = allocIn(Space::l0c, "acc", "acc", tileM, std::max(accWidth, width), sum);
  if (isSplit) {
    scoresRing = allocIn(Space::gm, "scores", "out", tileM, std::max(tileN, accWidth * accsOfPart),
                         sum, ahead);
    resultRing = allocIn(Space::gm, "result", "out", tileM, std::max(accWidth, width), sum, ahead);
  }
  weightsRing = allocIn(Space::gm, "weights", "out", tileM, tileN, element, ahead);
}

//===--- products -------------------------------------------------------------------------===//

TransferInserter::ChainWork::InL1
TransferInserter::ChainWork::loadOperand(const Operand &operand, Value buffer, Value number,
                                         Value outerFrom, Value outer, Value depthFrom,
                                         Value depth) {
  GlobalView view = t.matrixOf(operand.tensor);
  for (auto [dim, from] : {std::pair(operand.outer, outerFrom), {operand.depth, depthFrom}})
    if (from)
      view.offsets[view.dims[dim]] = t.add(view.offsets[view.dims[dim]], from);
  for (Value &offset : view.offsets)
    if (!offset)
      offset = t.index(0);
  InL1 in{buffer, t.slot(number, buffer), operand.depth < operand.outer, operand.transposed};
  const unsigned rank = view.dims.size();
  aicore::LoadOp::create(b, t.loc, view.memref, view.offsets,
                         ArrayRef<int64_t>{view.dims[rank - 2], view.dims[rank - 1]},
                         in.isDepthFirst ? depth : outer, in.isDepthFirst ? outer : depth, buffer,
                         in.slot, t.machine.padding());
  return in;
}

void TransferInserter::ChainWork::loadRowsOfFirst() {
  t.loc = chain.first.getLoc();
  const Operand operand(chain.first, 0);
  rowsOfFirst =
      loadOperand(operand, rowsL1, tile, {}, rows, {}, t.extentOf(operand.tensor, operand.depth));
}

Value TransferInserter::ChainWork::firstNumber(Value part, Value ofPart) {
  return t.add(arith::MulIOp::create(b, t.loc, part, t.index(accsOfPart + 1)), ofPart);
}

Value TransferInserter::ChainWork::secondNumber(Value part) {
  return firstNumber(t.add(part, t.index(preload)), t.index(accsOfPart));
}

void TransferInserter::ChainWork::emitDepth(const InL1 &left, const InL1 &right, Value from,
                                            Value columns, Value depth, int64_t step,
                                            Value accNumber) {
  Value zero = t.index(0), accSlot = t.slot(accNumber, acc);
  // No part is empty, which the proof of the flags does not see from here on.
  Value bound = arith::MaxSIOp::create(b, t.loc, depth, t.index(1));
  auto loop = scf::ForOp::create(b, t.loc, zero, bound, t.index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value done = loop.getInductionVar();
  Value rest = arith::SubIOp::create(b, t.loc, depth, done);
  Value length = arith::MinSIOp::create(b, t.loc, rest, t.index(step));
  Value number = t.add(arith::MulIOp::create(b, t.loc, accNumber, t.index(l0Steps)),
                       arith::DivSIOp::create(b, t.loc, done, t.index(step)));
  Value slots[2] = {t.slot(number, l0a), t.slot(number, l0b)};
  const auto toL0 = [&](const InL1 &in, Value outerFrom, Value outer, Value target, Value slot) {
    aicore::LoadL0Op::create(b, t.loc, in.buffer, in.slot, in.isDepthFirst ? done : outerFrom,
                             in.isDepthFirst ? outerFrom : done, in.isDepthFirst ? length : outer,
                             in.isDepthFirst ? outer : length, target, slot, in.transposed);
  };
  toL0(left, zero, rows, l0a, slots[0]);
  toL0(right, from, columns, l0b, slots[1]);
  Value isFirst = arith::CmpIOp::create(b, t.loc, arith::CmpIPredicate::eq, done, zero);
  aicore::MmadOp::create(b, t.loc, l0a, slots[0], l0b, slots[1], acc, accSlot, rows, columns,
                         length, isFirst, Value(), Value(), IntegerAttr());
}

// A part of the first product, in as many accumulators as it needs.
void TransferInserter::ChainWork::emitFirst(Value number) {
  t.loc = chain.first.getLoc();
  const Operand operand(chain.first, 1);
  Value depth = t.extentOf(operand.tensor, operand.depth);
  const InL1 right = loadOperand(operand, columnsL1, number, partFrom, part, {}, depth);
  Value scoresSlot = isSplit ? t.slot(number, scoresRing) : Value();
  const auto emit = [&](Value from, Value columns, Value ofPart) {
    Value accNumber = firstNumber(number, ofPart);
    emitDepth(rowsOfFirst, right, from, columns, depth, stepOfFirst, accNumber);
    if (isSplit)
      aicore::SpillOp::create(b, t.loc, acc, t.slot(accNumber, acc), rows, columns, scoresRing,
                              scoresSlot, /*row=*/Value(), from, IntegerAttr());
  };
  if (accsOfPart == 1)
    return emit(t.index(0), part, t.index(0));
  Value bound = arith::MaxSIOp::create(b, t.loc, part, t.index(1));
  auto loop = scf::ForOp::create(b, t.loc, t.index(0), bound, t.index(accWidth));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value from = loop.getInductionVar();
  Value rest = arith::SubIOp::create(b, t.loc, part, from);
  emit(from, arith::MinSIOp::create(b, t.loc, rest, t.index(accWidth)),
       arith::DivSIOp::create(b, t.loc, from, t.index(accWidth)));
}

void TransferInserter::ChainWork::emitSecond(Value number) {
  t.loc = chain.second.getLoc();
  // The weights are waited for; with the load behind them they share a flag.
  const Operand operand(chain.second, 1);
  const InL1 right = loadOperand(operand, valuesL1, number, {}, columns, partFrom, part);
  InL1 left{weightsL1, t.slot(number, weightsL1), false, false};
  aicore::FetchOp::create(b, t.loc, weightsRing, t.slot(number, weightsRing), t.index(0), rows,
                          part, weightsL1, left.slot);
  Value accNumber = secondNumber(number);
  emitDepth(left, right, t.index(0), columns, part, stepOfSecond, accNumber);
  if (isSplit)
    aicore::SpillOp::create(b, t.loc, acc, t.slot(accNumber, acc), rows, columns, resultRing,
                            t.slot(number, resultRing), /*row=*/Value(), t.index(0), IntegerAttr());
}

void TransferInserter::ChainWork::takeProduct(Value ring, Value number, Value accNumber,
                                              Value columns, const Held &held) {
  if (isSplit)
    aicore::FetchOp::create(b, t.loc, ring, t.slot(number, ring), keptFrom, kept, columns,
                            held.buffer, held.slot);
  else
    aicore::DrainOp::create(b, t.loc, acc, t.slot(accNumber, acc), keptFrom, kept, columns,
                            held.buffer, held.slot, IntegerAttr());
}

//===--- limits ---------------------------------------------------------------------------===//

// L1 holds the depth of the first product whole, and UB the columns of the second.
LogicalResult TransferInserter::limitChains(NamedAttrList &limits) {
  for (auto group : kernel.getBody().getOps<ir::FusionGroupOp>()) {
    std::optional<Chain> chain = chainOf(group);
    if (!chain)
      continue;
    const std::pair<StringRef, StringRef> limited[] = {
        {"stage", productNames(chain->first).reduction},
        {"tile", productNames(chain->second).columns}};
    for (auto [directive, dim] : limited) {
      int64_t literal;
      if (!dim.getAsInteger(10, literal))
        continue;
      int64_t longest = kernel.chosenNumber((directive + "." + dim).str(), 0);
      if (auto known = dyn_cast_or_null<IntegerAttr>(limits.get(dim)))
        longest = std::min(longest, known.getInt());
      limits.set(dim, b.getI64IntegerAttr(longest));
    }
  }
  return success();
}

} // namespace mmk
