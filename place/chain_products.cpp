// The cube's part of products with rows between: parts of the first ones through the accumulator to
// the vector cores, and the weights that come back times the other operands.
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
  const int64_t tileN = (*group.getTile())[1], padding = t.machine.padding();
  const Type element = operandType(firsts[0].product);
  const int64_t literal = backendOf(t.machine).literalProductTile(t.machine, element).k;
  const auto expectElement = [&](linalg::ContractOp product) -> LogicalResult {
    if (operandType(product) == element)
      return success();
    return product.emitOpError("multiplies ")
           << operandType(product) << ", but the first product of its fusion group " << element;
  };
  for (Second &it : seconds) {
    it.width = llvm::alignTo(
        lengthOf(t.kernel, "tile", productNames(it.product).columns, t.machine.getCubeN(), 128),
        padding);
    if (failed(expectElement(it.product)))
      return failure();
  }
  for (First &it : firsts) {
    it.step = stepInL0(it.product, literal);
    it.depth = llvm::alignTo(lengthOf(t.kernel, "stage", productNames(it.product).reduction,
                                      t.machine.depthOf(element), it.step),
                             padding);
    it.step = std::min(it.step, it.depth);
    l0Steps = std::max<int64_t>(l0Steps, llvm::divideCeil(it.depth, it.step));
    if (failed(expectElement(it.product)))
      return failure();
  }
  for (Second &it : seconds) {
    it.step = std::min(tileN, stepInL0(it.product, literal));
    l0Steps = std::max<int64_t>(l0Steps, llvm::divideCeil(tileN, it.step));
  }
  preload = t.kernel.chosenNumber("preload", 1);
  chooseAccumulators();
  return success();
}

// All products of a part share the buffers of L0, so that the widest limits the steps of all. A
// step that the schedule names, of a dimension that is no output, stays as it is.
int64_t TransferInserter::ChainWork::stepInL0(linalg::ContractOp product, int64_t literal) {
  const int64_t step = baseDepth(t.kernel, product, t.machine, literal);
  if (!llvm::is_contained(dimsOf(t.kernel).outputs, productNames(product).reduction))
    return step;
  int64_t widest = productsPassMemory ? 1 : (*group.getTile())[1];
  for (const Second &it : seconds)
    widest = std::max(widest, it.width);
  const Type element = operandType(product);
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8 * widest,
                most =
                    t.machine.capacity(Space::l0b) / (bytes * requestedCopies(t.kernel, "l0", "b"));
  return halvedTo(most, step, t.machine.depthOf(element));
}

// Sums stay in L0C where it has room for them and for some columns of the first products. These
// take as many columns at once as L0C and L0B have room for.
void TransferInserter::ChainWork::chooseAccumulators() {
  constexpr int64_t fewColumns = 64;
  const ArrayRef<int64_t> extents = *group.getTile();
  const int64_t tileM = extents[0], tileN = extents[1], padding = t.machine.padding(),
                bytesOfColumn = 4 * tileM, copies = requestedCopies(t.kernel, "acc", "acc"),
                inL0C = t.machine.capacity(Space::l0c) / bytesOfColumn;
  int64_t staying = 0, collected = 0;
  const auto isRescaled = [&](const Second &it) {
    return p.weights()[it.weights].ratio.has_value();
  };
  for (const Second &it : seconds)
    if (isRescaled(it))
      collected = std::max(collected, it.width);
    else
      staying += it.width;
  const int64_t least =
      accumulators(llvm::count_if(seconds, isRescaled)) *
      std::max(collected, productsPassMemory ? std::min(tileN, fewColumns) : tileN);
  if (staying + least > inL0C)
    staying = 0;
  int64_t rowBytes = 1, width = 0;
  for (const First &it : firsts)
    rowBytes = std::max(rowBytes, it.step * operandType(it.product).getIntOrFloatBitWidth() / 8);
  for (Second &it : seconds) {
    it.staysInL0C = staying > 0 && !isRescaled(it);
    if (!it.staysInL0C)
      width = std::max(width, it.width);
    rowBytes = std::max(rowBytes, it.step * operandType(it.product).getIntOrFloatBitWidth() / 8);
  }
  const int64_t room =
      std::min((inL0C - staying) / copies,
               t.machine.capacity(Space::l0b) / (rowBytes * requestedCopies(t.kernel, "l0", "b"))) /
      padding * padding;
  accWidth = productsPassMemory ? std::min(tileN, std::max({room, width, padding})) : tileN;
  accsOfPart = llvm::divideCeil(tileN, accWidth);
  accWidth = llvm::alignTo(llvm::divideCeil(tileN, accsOfPart), padding);
  accsOfPart = llvm::divideCeil(tileN, accWidth);
}

// Products that leave L0C for UB stay until all of them do: the first ones of a part, and the
// second ones.
int64_t TransferInserter::ChainWork::accumulators(int64_t collected) const {
  const int64_t copies = requestedCopies(t.kernel, "acc", "acc");
  return productsPassMemory ? copies
                            : std::max(copies * static_cast<int64_t>(firsts.size()), collected);
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
  const int64_t tileM = extents[0], tileN = extents[1], ahead = preload + 1,
                padding = t.machine.padding();
  const Type element = operandType(firsts[0].product),
             sum = elementOf(firsts[0].product.getResult(0));
  int64_t step = 1, width = accWidth, inL0 = accWidth;
  for (First &it : firsts) {
    t.loc = it.product.getLoc();
    it.rowsL1 = allocOperand(it.rows, "l1", tileM, it.depth);
    it.columnsL1 = allocOperand(it.columns, "l1", tileN, it.depth);
    if (productsPassMemory)
      it.ring = allocIn(Space::gm, "scores", "out", tileM, std::max(tileN, accWidth * accsOfPart),
                        sum, ahead);
    step = std::max(step, it.step);
  }
  for (Weights &it : weights) {
    t.loc = p.outputs()[it.output].tensor.getLoc();
    // What the vector cores write ahead is held in the ring, or in L1.
    const int64_t copies = requestedCopies(t.kernel, "l1", "weights");
    it.l1 = allocIn(Space::l1, "weights", "l1", llvm::alignTo(tileM, padding),
                    llvm::alignTo(tileN, padding), element,
                    weightsPassMemory ? copies : std::max(copies, ahead));
    if (weightsPassMemory)
      it.ring = allocIn(Space::gm, "weights", "out", tileM, tileN, element, ahead);
  }
  for (Second &it : seconds) {
    t.loc = it.product.getLoc();
    it.valuesL1 = allocOperand(it.values, "l1", it.width, tileN);
    if (it.staysInL0C)
      it.sums = allocIn(Space::l0c, "sum", "scratch", tileM, it.width, sum);
    else
      width = std::max(width, it.width);
    if (productsPassMemory)
      it.ring = allocIn(Space::gm, "result", "out", tileM,
                        it.staysInL0C ? it.width : std::max(accWidth, it.width), sum,
                        it.staysInL0C ? 1 : ahead);
    step = std::max(step, it.step);
    inL0 = std::max(inL0, it.width);
  }
  t.loc = firsts[0].product.getLoc();
  l0a = allocIn(Space::l0a, "a", "l0", tileM, step, element);
  l0b = allocIn(Space::l0b, "b", "l0", step, inL0, element);
  const int64_t held =
      accumulators(llvm::count_if(seconds, [](const Second &it) { return !it.staysInL0C; }));
  acc = allocIn(Space::l0c, "acc", "acc", tileM, width, sum,
                held > requestedCopies(t.kernel, "acc", "acc") ? held : 1);
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
  const auto ofFirsts = static_cast<int64_t>(firsts.size()) * accsOfPart;
  const auto collects = [](const Second &it) { return !it.staysInL0C; };
  if (which > 0)
    ofPart = t.add(t.index(static_cast<int64_t>(which) * accsOfPart), ofPart);
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
                                     [](const Second &it) { return !it.staysInL0C; });
  const auto ofFirsts = static_cast<int64_t>(firsts.size()) * accsOfPart;
  Value later = t.add(part, t.index(preload));
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
  Value number = t.add(arith::MulIOp::create(b, t.loc, of.number, t.index(l0Steps)),
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
  Value ringSlot = productsPassMemory ? t.slot(number, it.ring) : Value();
  const auto emit = [&](Value from, Value columns, Value ofPart) {
    const Number own = firstNumber(which, number, ofPart);
    Value accSlot = t.slot(own.inL0C, acc);
    emitDepth(it.rowsOfTile, it.columnsOfPart,
              {from, columns, depth, it.step, own.inL0, acc, accSlot, {}});
    if (productsPassMemory)
      aicore::SpillOp::create(b, t.loc, acc, accSlot, rows, columns, it.ring, ringSlot,
                              /*row=*/Value(), from, IntegerAttr());
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

// The weights are waited for; with the loads before them they share a flag.
void TransferInserter::ChainWork::emitSeconds(Value number) {
  for (Second &it : seconds) {
    t.loc = it.product.getLoc();
    it.valuesOfPart = loadOperand(it.values, it.valuesL1, number, {}, it.columns, partFrom, part);
  }
  for (Weights &it : weights) {
    it.ofPart = {it.l1, t.slot(number, it.l1), false, false};
    if (weightsPassMemory)
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
  Value buffer = it.staysInL0C ? it.sums : acc;
  Value accSlot = it.staysInL0C ? it.sumSlot : t.slot(own.inL0C, buffer), starts;
  if (it.staysInL0C)
    starts = arith::CmpIOp::create(b, t.loc, arith::CmpIPredicate::eq, number, t.index(0));
  emitDepth(weights[it.weights].ofPart, it.valuesOfPart,
            {t.index(0), it.columns, part, it.step, own.inL0, buffer, accSlot, starts});
  if (productsPassMemory && !it.staysInL0C)
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
