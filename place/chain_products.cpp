// The cube's part of products with rows between: parts of the first ones through the accumulator to
// the vector cores, and the weights that come back times the other operands.
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

LogicalResult TransferInserter::ChainWork::chooseSizes() {
  const Type element = operandType(firsts[0].product);
  const auto expectElement = [&](linalg::ContractOp product) -> LogicalResult {
    if (operandType(product) == element)
      return success();
    return product.emitOpError("multiplies ")
           << operandType(product) << ", but the first product of its fusion group " << element;
  };
  for (First &it : firsts)
    if (failed(expectElement(it.product)))
      return failure();
  for (Second &it : seconds)
    if (failed(expectElement(it.product)))
      return failure();
  const auto copiesOf = [&](Value tensor) {
    return tensor ? requestedCopies(t.kernel, "ub", nameOf(tensor))
                  : requestedCopies(t.kernel, "out", "");
  };
  const ArrayRef<int64_t> extents = *group.getTile();
  chosen = sizer.sizesOf(
      extents[0], extents[1],
      [&](StringRef key, int64_t otherwise) { return t.kernel.chosenNumber(key, otherwise); },
      copiesOf);
  for (auto [it, size] : llvm::zip(firsts, chosen.firsts))
    it.size = size;
  for (auto [it, size] : llvm::zip(seconds, chosen.seconds))
    it.size = size;
  sizes = chosen.rows;
  copiesOfKept = chosen.windows;
  return success();
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
  const int64_t tileM = chosen.tileM, tileN = chosen.tileN, ahead = chosen.preload + 1,
                padding = t.machine.padding();
  const Type element = operandType(firsts[0].product),
             sum = elementOf(firsts[0].product.getResult(0));
  for (First &it : firsts) {
    t.loc = it.product.getLoc();
    it.rowsL1 = allocOperand(it.rows, "l1", tileM, it.size.depth);
    it.columnsL1 = allocOperand(it.columns, "l1", tileN, it.size.depth);
    if (sizer.productsPassMemory)
      it.ring = allocIn(Space::gm, "scores", "out", tileM,
                        std::max(tileN, chosen.accWidth * chosen.accsOfPart), sum, ahead);
  }
  for (Weights &it : weights) {
    t.loc = p.outputs()[it.output].tensor.getLoc();
    it.l1 = allocIn(Space::l1, "weights", "l1", llvm::alignTo(tileM, padding),
                    llvm::alignTo(tileN, padding), element, sizer.copiesOfWeights(chosen));
    if (sizer.weightsPassMemory)
      it.ring = allocIn(Space::gm, "weights", "out", tileM, tileN, element, ahead);
  }
  for (Second &it : seconds) {
    t.loc = it.product.getLoc();
    it.valuesL1 = allocOperand(it.values, "l1", it.size.width, tileN);
    if (it.size.staysInL0C)
      it.sums = allocIn(Space::l0c, "sum", "scratch", tileM, it.size.width, sum);
    if (sizer.productsPassMemory)
      it.ring =
          allocIn(Space::gm, "result", "out", tileM,
                  it.size.staysInL0C ? it.size.width : std::max(chosen.accWidth, it.size.width),
                  sum, it.size.staysInL0C ? 1 : ahead);
  }
  t.loc = firsts[0].product.getLoc();
  l0a = allocIn(Space::l0a, "a", "l0", tileM, chosen.longestStep, element);
  l0b = allocIn(Space::l0b, "b", "l0", chosen.longestStep, chosen.widestOperand, element);
  acc = allocIn(Space::l0c, "acc", "acc", tileM, chosen.widestResult, sum,
                chosen.accumulators > chosen.copies ? chosen.accumulators : 1);
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

void TransferInserter::ChainWork::loadRowsOfFirsts() {
  for (First &it : firsts) {
    t.loc = it.product.getLoc();
    it.rowsOfTile = loadOperand(it.rows, it.rowsL1, tile, {}, rows, {},
                                t.extentOf(it.rows.tensor, it.rows.depth));
  }
}

TransferInserter::ChainWork::Number
TransferInserter::ChainWork::firstNumber(size_t which, Value part, Value ofPart) {
  const auto ofFirsts = static_cast<int64_t>(firsts.size()) * chosen.accsOfPart;
  const auto collects = [](const Second &it) { return !it.size.staysInL0C; };
  if (which > 0)
    ofPart = t.add(t.index(static_cast<int64_t>(which) * chosen.accsOfPart), ofPart);
  const auto numberOf = [&](int64_t products) {
    return t.add(arith::MulIOp::create(b, t.loc, part, t.index(products)), ofPart);
  };
  Value inL0C = numberOf(ofFirsts + llvm::count_if(seconds, collects));
  if (llvm::all_of(seconds, collects))
    return {inL0C, inL0C};
  return {numberOf(ofFirsts + static_cast<int64_t>(seconds.size())), inL0C};
}

TransferInserter::ChainWork::Number TransferInserter::ChainWork::secondNumber(size_t which,
                                                                              Value part) {
  // In L0C only those count that are collected in each part.
  const auto before = llvm::count_if(ArrayRef(seconds).take_front(which),
                                     [](const Second &it) { return !it.size.staysInL0C; });
  const auto ofFirsts = static_cast<int64_t>(firsts.size()) * chosen.accsOfPart;
  Value later = t.add(part, t.index(chosen.preload));
  Number number = firstNumber(0, later, t.index(ofFirsts + static_cast<int64_t>(which)));
  if (before != static_cast<int64_t>(which))
    number.inL0C = firstNumber(0, later, t.index(ofFirsts + before)).inL0C;
  return number;
}

void TransferInserter::ChainWork::emitDepth(const InL1 &left, const InL1 &right, const Depth &of) {
  Value zero = t.index(0);
  // No part is empty, which the proof of the flags does not see from here on.
  Value bound = arith::MaxSIOp::create(b, t.loc, of.depth, t.index(1));
  auto loop = scf::ForOp::create(b, t.loc, zero, bound, t.index(of.step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value done = loop.getInductionVar();
  Value rest = arith::SubIOp::create(b, t.loc, of.depth, done);
  Value length = arith::MinSIOp::create(b, t.loc, rest, t.index(of.step));
  Value number = t.add(arith::MulIOp::create(b, t.loc, of.number, t.index(chosen.stepsInL0)),
                       arith::DivSIOp::create(b, t.loc, done, t.index(of.step)));
  Value slots[2] = {t.slot(number, l0a), t.slot(number, l0b)};
  const auto toL0 = [&](const InL1 &in, Value outerFrom, Value outer, Value target, Value slot) {
    aicore::LoadL0Op::create(b, t.loc, in.buffer, in.slot, in.isDepthFirst ? done : outerFrom,
                             in.isDepthFirst ? outerFrom : done, in.isDepthFirst ? length : outer,
                             in.isDepthFirst ? outer : length, target, slot, in.transposed);
  };
  toL0(left, zero, rows, l0a, slots[0]);
  toL0(right, of.from, of.columns, l0b, slots[1]);
  Value isFirst = arith::CmpIOp::create(b, t.loc, arith::CmpIPredicate::eq, done, zero);
  if (of.starts)
    isFirst = arith::AndIOp::create(b, t.loc, isFirst, of.starts);
  aicore::MmadOp::create(b, t.loc, l0a, slots[0], l0b, slots[1], of.acc, of.accSlot, rows,
                         of.columns, length, isFirst, Value(), Value(), IntegerAttr());
}

// What follows each other is waited for by one flag.
void TransferInserter::ChainWork::emitFirsts(Value number) {
  for (First &it : firsts) {
    t.loc = it.product.getLoc();
    it.columnsOfPart = loadOperand(it.columns, it.columnsL1, number, partFrom, part, {},
                                   t.extentOf(it.columns.tensor, it.columns.depth));
  }
  for (size_t which = 0; which < firsts.size(); ++which)
    emitFirst(which, number);
}

// A part of a first product, in as many accumulators as it needs.
void TransferInserter::ChainWork::emitFirst(size_t which, Value number) {
  First &it = firsts[which];
  t.loc = it.product.getLoc();
  Value depth = t.extentOf(it.columns.tensor, it.columns.depth);
  Value ringSlot = sizer.productsPassMemory ? t.slot(number, it.ring) : Value();
  const auto emit = [&](Value from, Value columns, Value ofPart) {
    const Number own = firstNumber(which, number, ofPart);
    Value accSlot = t.slot(own.inL0C, acc);
    emitDepth(it.rowsOfTile, it.columnsOfPart,
              {from, columns, depth, it.size.step, own.inL0, acc, accSlot, {}});
    if (sizer.productsPassMemory)
      aicore::SpillOp::create(b, t.loc, acc, accSlot, rows, columns, it.ring, ringSlot,
                              /*row=*/Value(), from, IntegerAttr());
  };
  if (chosen.accsOfPart == 1)
    return emit(t.index(0), part, t.index(0));
  Value bound = arith::MaxSIOp::create(b, t.loc, part, t.index(1));
  auto loop = scf::ForOp::create(b, t.loc, t.index(0), bound, t.index(chosen.accWidth));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value from = loop.getInductionVar();
  Value rest = arith::SubIOp::create(b, t.loc, part, from);
  emit(from, arith::MinSIOp::create(b, t.loc, rest, t.index(chosen.accWidth)),
       arith::DivSIOp::create(b, t.loc, from, t.index(chosen.accWidth)));
}

// The weights are waited for; with the loads before them they share a flag.
void TransferInserter::ChainWork::emitSeconds(Value number) {
  for (Second &it : seconds) {
    t.loc = it.product.getLoc();
    it.valuesOfPart = loadOperand(it.values, it.valuesL1, number, {}, it.columns, partFrom, part);
  }
  for (Weights &it : weights) {
    it.ofPart = {it.l1, t.slot(number, it.l1), false, false};
    if (sizer.weightsPassMemory)
      aicore::FetchOp::create(b, t.loc, it.ring, t.slot(number, it.ring), t.index(0), rows, part,
                              it.l1, it.ofPart.slot);
  }
  for (size_t which = 0; which < seconds.size(); ++which)
    emitSecond(which, number);
}

void TransferInserter::ChainWork::emitSecond(size_t which, Value number) {
  Second &it = seconds[which];
  t.loc = it.product.getLoc();
  const Number own = secondNumber(which, number);
  Value buffer = it.size.staysInL0C ? it.sums : acc;
  Value accSlot = it.size.staysInL0C ? it.sumSlot : t.slot(own.inL0C, buffer), starts;
  if (it.size.staysInL0C)
    starts = arith::CmpIOp::create(b, t.loc, arith::CmpIPredicate::eq, number, t.index(0));
  emitDepth(weights[it.weights].ofPart, it.valuesOfPart,
            {t.index(0), it.columns, part, it.size.step, own.inL0, buffer, accSlot, starts});
  if (sizer.productsPassMemory && !it.size.staysInL0C)
    aicore::SpillOp::create(b, t.loc, acc, accSlot, rows, it.columns, it.ring,
                            t.slot(number, it.ring), /*row=*/Value(), t.index(0), IntegerAttr());
}

void TransferInserter::ChainWork::fetchProduct(Value ring, Value number, Value columns,
                                               const Held &held) {
  aicore::FetchOp::create(b, t.loc, ring, t.slot(number, ring), keptFrom, kept, columns,
                          held.buffer, held.slot);
}

void TransferInserter::ChainWork::drainProduct(Value from, Value slot, Value columns,
                                               const Held &held) {
  aicore::DrainOp::create(b, t.loc, from, slot, keptFrom, kept, columns, held.buffer, held.slot,
                          IntegerAttr());
}

//===--- limits ---------------------------------------------------------------------------===//

// L1 holds the depth of a first product whole, and UB the columns of a second.
LogicalResult TransferInserter::limitChains(NamedAttrList &limits) {
  for (auto group : kernel.getBody().getOps<ir::FusionGroupOp>()) {
    std::optional<Chain> chain = chainOf(group);
    if (!chain)
      continue;
    SmallVector<std::pair<StringRef, StringRef>> limited;
    for (linalg::ContractOp first : chain->firsts)
      limited.push_back({"stage", productNames(first).reduction});
    for (Chain::Second &second : chain->seconds)
      limited.push_back({"tile", productNames(second.product).columns});
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
