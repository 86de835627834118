#include "backend/backend.h"
#include "passes/passes.h"
#include "passes/row_members.h"
#include "passes/row_splitter.h"
#include "passes/variant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_SPLITROWS
#include "passes/Passes.h.inc"

RowCombination::RowCombination(linalg::GenericOp op) {
  Operation *end = op.getBody()->getTerminator();
  Operation *last = end->getOperand(0).getDefiningOp();
  ValueRange before = op.getRegionOutputArgs();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(last); select && before.size() == 2) {
    element = select.getTrueValue();
    position = cast<arith::SelectOp>(end->getOperand(1).getDefiningOp()).getTrueValue();
  } else if (last && before.size() == 1 && last->getNumOperands() == 2) {
    element = last->getOperand(last->getOperand(0) == before[0] ? 1 : 0);
  }
}

Value RowSplitter::number() { return dimValue(b, loc, std::to_string(count)); }

LogicalResult RowSplitter::run() {
  findOps();
  if (failed(checkOnline()) || failed(emitParts()))
    return failure();
  emitCombination();
  group->replaceAllUsesWith(combination);
  group.erase();
  return success();
}

void RowSplitter::findOps() {
  for (auto op : group.getBody().front().getOps<linalg::GenericOp>())
    if (op->hasAttr(loopsAttr))
      (isRowReduction(op) ? reductions : others).push_back(op);
  for (linalg::GenericOp op : reductions)
    if (std::optional<OnlineSum> sum = onlineSumOf(op))
      online[op] = *sum;
}

RankedTensorType RowSplitter::ofAllParts(Type type) {
  auto ranked = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(ranked.getRank() + 1, ShapedType::kDynamic);
  return RankedTensorType::get(shape, ranked.getElementType());
}

// A reduction that waits for another one of its group is a sum of exponentials.
LogicalResult RowSplitter::checkOnline() {
  for (linalg::GenericOp op : reductions)
    for (Value input : op.getInputs())
      if (llvm::is_contained(reductions, input.getDefiningOp()) && !online.count(op))
        return refuseOnline(kernel, space, group);
  return success();
}

/// The reductions alone, in a group that yields all of their results.
SmallVector<linalg::GenericOp> RowSplitter::cloneIntoParts() {
  SmallVector<Type> types;
  for (linalg::GenericOp op : reductions)
    for (Type type : op.getResultTypes())
      types.push_back(ofAllParts(type));
  ofParts = ir::FusionGroupOp::create(b, loc, types, group.getSpaceAttr(), group.getReducedAttr(),
                                      DenseI64ArrayAttr(), DenseI64ArrayAttr());
  ofParts->setAttr(partsAttr, b.getDenseI64ArrayAttr(parts));
  IRMapping cloned;
  group.getBody().cloneInto(&ofParts.getBody(), cloned);
  SmallVector<linalg::GenericOp> whole;
  SmallVector<Value> results;
  for (linalg::GenericOp op : reductions) {
    auto clone = cast<linalg::GenericOp>(cloned.lookup(op.getOperation()));
    if (auto sum = online.find(op); sum != online.end())
      avoidInfinity(b, clone, sum->second);
    whole.push_back(clone);
    llvm::append_range(results, clone->getResults());
  }
  cast<ir::YieldOp>(ofParts.getBody().front().getTerminator()).getValuesMutable().assign(results);
  for (linalg::GenericOp op : llvm::reverse(others))
    b.eraseOp(cloned.lookup(op.getOperation()));
  return whole;
}

/// Of a part: a whole number of tiles, where tiles divide the dimension.
Value RowSplitter::lengthOf(int64_t dim, Value extent) {
  const TilePlane plane = planeOf(space);
  const bool isOfTiles = dim == (plane.reducesColumns ? plane.columns : plane.rows);
  const ElementwiseTile literal = backendOf(machine).literalElementwiseTile();
  const int64_t otherwise = plane.reducesColumns ? literal.columns : literal.rows;
  const int64_t unit =
      isOfTiles ? kernel.chosenNumber(("tile." + space.names[dim]).str(), otherwise) : 1;
  Value share = arith::CeilDivSIOp::create(b, loc, extent, index(parts[dim]));
  Value tiles = arith::CeilDivSIOp::create(b, loc, share, index(unit));
  return arith::MulIOp::create(b, loc, tiles, index(unit));
}

// A part behind the end of its row is empty.
void RowSplitter::placePart(Value part, ArrayRef<Value> extents) {
  offsets.assign(extents.size(), b.getIndexAttr(0));
  sizes.assign(extents.begin(), extents.end());
  int64_t left = count;
  for (size_t dim = extents.size(); dim-- > 0;) {
    if (parts[dim] == 1)
      continue;
    left /= parts[dim];
    Value which = part;
    if (left > 1) {
      which = arith::RemSIOp::create(b, loc, part, index(parts[dim]));
      part = arith::DivSIOp::create(b, loc, part, index(parts[dim]));
    }
    Value length = lengthOf(dim, extents[dim]);
    Value first = arith::MinSIOp::create(
        b, loc, arith::MulIOp::create(b, loc, which, length).getResult(), extents[dim]);
    Value rest = arith::SubIOp::create(b, loc, extents[dim], first);
    offsets[dim] = first;
    sizes[dim] = arith::MinSIOp::create(b, loc, rest, length).getResult();
  }
}

LogicalResult RowSplitter::emitParts() {
  OpBuilder::InsertionGuard guard(b);
  const SmallVector<linalg::GenericOp> whole = cloneIntoParts();
  auto yield = cast<ir::YieldOp>(ofParts.getBody().front().getTerminator());
  RowMembers members(ofParts, b);
  if (failed(members.find()))
    return failure();
  b.setInsertionPoint(yield);
  SmallVector<Value> extents, all;
  for (StringRef name : space.names)
    extents.push_back(dimValue(b, loc, name));
  Value number = this->number();
  SmallVector<SmallVector<OpFoldResult>> shapes;
  for (linalg::GenericOp op : whole)
    for (Type type : op.getResultTypes()) {
      SmallVector<OpFoldResult> &shape = shapes.emplace_back();
      shape.push_back(number);
      for (int64_t dim : dimsOfResult(op, loopsOf(op)))
        shape.push_back(extents[dim]);
      all.push_back(
          tensor::EmptyOp::create(b, loc, shape, cast<RankedTensorType>(type).getElementType()));
    }
  auto loop = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(count)}, all,
                                    std::nullopt);
  b.setInsertionPointToStart(loop.getBody());
  placePart(loop.getInductionVar(0), extents);
  if (failed(members.tile(offsets, sizes)))
    return failure();
  b.setInsertionPointToEnd(loop.getTerminator().getBody());
  for (auto [value, into, shape] : llvm::zip(yield.getValues(), loop.getRegionIterArgs(), shapes)) {
    SmallVector<OpFoldResult> at(shape.size(), b.getIndexAttr(0)),
        strides(shape.size(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> extent(shape);
    at[0] = loop.getInductionVar(0);
    extent[0] = b.getIndexAttr(1);
    tensor::ParallelInsertSliceOp::create(b, loc, members.tileOf(value), into, at, extent, strides);
  }
  yield.getValuesMutable().assign(loop.getResults());
  members.eraseWhole();
  members.mergeSlices();
  return success();
}

/// The dimensions of the combination: the parts, then those that are kept.
SpaceLoops RowSplitter::inCombination(ArrayRef<int64_t> dims) {
  SpaceLoops loops;
  for (int64_t dim : dims) {
    int64_t kept = 0;
    for (int64_t before = 0; before < dim; ++before)
      kept += !space.isReduced[before];
    loops.push_back(dim < 0 ? -1 : kept + 1);
  }
  return loops;
}

/// A reduction over the parts, with results such as those of `op`. `alike` has an element for each
/// part, `kept` one for all of them.
linalg::GenericOp
RowSplitter::reduceParts(linalg::GenericOp op, ArrayRef<unsigned> results, ValueRange alike,
                         ValueRange kept,
                         function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  const SpaceLoops loops = inCombination(dimsOfResult(op, loopsOf(op)));
  const unsigned rank = loops.size() + 1;
  const AffineMap all = b.getMultiDimIdentityMap(rank), ofKept = all.dropResult(0);
  SmallVector<AffineMap> maps(alike.size(), all);
  maps.append(kept.size() + results.size(), ofKept);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  SmallVector<Value> inputs(alike), inits;
  inputs.append(kept.begin(), kept.end());
  SmallVector<Type> types;
  for (unsigned result : results) {
    inits.push_back(map.lookup(op.getDpsInits()[result]));
    types.push_back(inits.back().getType());
  }
  auto reduced =
      linalg::GenericOp::create(b, op.getLoc(), types, inputs, inits, maps, iterators, body);
  SpaceLoops own = {0};
  llvm::append_range(own, loops);
  reduced->setAttr(loopsAttr, b.getDenseI64ArrayAttr(own));
  if (Attribute name = op->getAttr("mmk.name"))
    reduced->setAttr("mmk.name", name);
  return reduced;
}

// The first of the parts with the best element; its position is that of the whole.
void RowSplitter::findPosition(linalg::GenericOp op, Value at, Value which) {
  Value positions = ir::PositionsOp::create(
      b, op.getLoc(), RankedTensorType::get({ShapedType::kDynamic}, b.getI32Type()),
      std::to_string(count));
  const SpaceLoops loops = inCombination(dimsOfResult(op, loopsOf(op)));
  const unsigned rank = loops.size() + 1;
  const AffineMap all = b.getMultiDimIdentityMap(rank), ofKept = all.dropResult(0);
  const AffineMap ofParts = AffineMap::get(rank, 0, b.getAffineDimExpr(0), b.getContext());
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  Value start = map.lookup(op.getDpsInits()[1]);
  auto sum = linalg::GenericOp::create(
      b, op.getLoc(), start.getType(), ValueRange{at, which, positions}, start,
      ArrayRef{all, ofKept, ofParts, ofKept}, iterators,
      [](OpBuilder &inner, Location where, ValueRange it) {
        const auto real = [&](Value value) {
          return arith::SIToFPOp::create(inner, where, inner.getF32Type(), value).getResult();
        };
        Value isFirst = arith::CmpFOp::create(inner, where, arith::CmpFPredicate::OEQ, real(it[2]),
                                              real(it[1]));
        Value none = arith::ConstantOp::create(inner, where, inner.getI32IntegerAttr(0));
        Value own = arith::SelectOp::create(inner, where, isFirst, it[0], none);
        linalg::YieldOp::create(inner, where,
                                arith::AddIOp::create(inner, where, it[3], own).getResult());
      });
  SpaceLoops own = {0};
  llvm::append_range(own, loops);
  sum->setAttr(loopsAttr, b.getDenseI64ArrayAttr(own));
  map.map(op.getResult(1), sum.getResult(0));
}

// The operations that combine an element with those before it, with the result of a part in place
// of the element.
void RowSplitter::combine(linalg::GenericOp op, ValueRange ofParts) {
  const RowCombination combination(op);
  SmallVector<unsigned> results;
  for (unsigned result = 0; result < op.getNumResults(); ++result)
    results.push_back(result);
  auto reduced = reduceParts(
      op, results, ofParts.front(), {}, [&](OpBuilder &inner, Location where, ValueRange it) {
        IRMapping elements;
        for (auto [from, to] : llvm::zip(op.getRegionOutputArgs(), it.drop_front(1)))
          elements.map(from, to);
        if (combination.element)
          elements.map(combination.element, it[0]);
        if (combination.position) {
          Value number = linalg::IndexOp::create(inner, where, 0);
          elements.map(
              combination.position,
              arith::IndexCastOp::create(inner, where, inner.getI32Type(), number).getResult());
        }
        linalg::YieldOp::create(
            inner, where,
            llvm::map_to_vector(op.getBody()->getTerminator()->getOperands(),
                                [&](Value value) { return cloneCone(inner, value, elements); }));
      });
  for (auto [from, to] : llvm::zip(op.getResults(), reduced.getResults()))
    map.map(from, to);
  if (combination.position)
    findPosition(op, ofParts[1], reduced.getResult(1));
}

// The sums of the parts go from their own maximum to that of all.
void RowSplitter::rescale(linalg::GenericOp op, const OnlineSum &sum, Value ofParts) {
  SmallVector<Value> kept = {map.lookup(sum.maximum)};
  for (unsigned input : sum.kept)
    kept.push_back(map.lookupOrDefault(op.getInputs()[input]));
  Value maxima = partsOfResult.lookup(sum.maximum);
  auto total = reduceParts(op, {0}, {ofParts, maxima}, kept,
                           [&](OpBuilder &inner, Location where, ValueRange it) {
                             emitRescaledPart(inner, where, sum, it);
                           });
  const SpaceLoops loops = inCombination(dimsOfResult(op, loopsOf(op)));
  const AffineMap identity = b.getMultiDimIdentityMap(loops.size());
  SmallVector<Value> inputs = {total.getResult(0)};
  llvm::append_range(inputs, kept);
  SmallVector<AffineMap> maps(inputs.size() + 1, identity);
  SmallVector<utils::IteratorType> iterators(loops.size(), utils::IteratorType::parallel);
  Value empty = map.lookup(op.getDpsInits()[0]).getDefiningOp<linalg::FillOp>().getOutputs()[0];
  auto result =
      linalg::GenericOp::create(b, op.getLoc(), empty.getType(), inputs, empty, maps, iterators,
                                [&](OpBuilder &inner, Location where, ValueRange it) {
                                  emitRescaledSum(inner, where, sum, it);
                                });
  result->setAttr(loopsAttr, b.getDenseI64ArrayAttr(loops));
  map.map(op.getResult(0), result.getResult(0));
}

void RowSplitter::emitCombination() {
  Block *inside = createCombination(group.getResultTypes(), {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(inside);
  combineRows();
  b.clone(*group.getBody().front().getTerminator(), map);
  eraseUnused(*inside);
}

/// An empty group over the parts, what rows keep, and `more`.
Block *RowSplitter::createCombination(TypeRange types, ArrayRef<StringRef> more) {
  SmallVector<std::string> names = {std::to_string(count)};
  for (auto [name, isReduced] : llvm::zip(space.names, space.isReduced))
    if (!isReduced)
      names.push_back(name.str());
  for (StringRef name : more)
    names.push_back(name.str());
  combination = ir::FusionGroupOp::create(
      b, loc, types,
      b.getStrArrayAttr(llvm::map_to_vector(names, [](auto &it) { return StringRef(it); })),
      b.getDenseI64ArrayAttr({0}), DenseI64ArrayAttr(), DenseI64ArrayAttr());
  combination->setAttr(combinesAttr, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *inside = b.createBlock(&combination.getBody(), {}, b.getIndexType(), loc);
  map.map(group.getBody().front().getArgument(0), inside->getArgument(0));
  return inside;
}

/// The reductions of all parts, with what else the group computes.
void RowSplitter::combineRows() {
  size_t next = 0;
  for (Operation &op : group.getBody().front().without_terminator()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || !isRowReduction(generic)) {
      Operation *clone = b.clone(op, map);
      if (generic)
        clone->setAttr(loopsAttr, b.getDenseI64ArrayAttr(inCombination(loopsOf(&op))));
      continue;
    }
    const ValueRange own = ofParts.getResults().slice(next, op.getNumResults());
    next += op.getNumResults();
    for (auto [result, values] : llvm::zip(op.getResults(), own))
      partsOfResult[result] = values;
    if (auto sum = online.find(&op); sum != online.end())
      rescale(generic, sum->second, own[0]);
    else
      combine(generic, own);
  }
}

void RowSplitter::eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {

struct SplitRowsPass : impl::SplitRowsBase<SplitRowsPass> {
  void runOnOperation() override {
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      SmallVector<ir::FusionGroupOp> groups;
      for (auto group : kernel.getBody().getOps<ir::FusionGroupOp>())
        if (group.getSpaceAttr() && group.getBody().getOps<ir::CumulateOp>().empty())
          groups.push_back(group);
      for (ir::FusionGroupOp group : groups) {
        if (!group.getBody().getOps<linalg::ContractOp>().empty()) {
          if (failed(splitChain(kernel, group)))
            return signalPassFailure();
          continue;
        }
        const SmallVector<int64_t> parts = partsOf(kernel, RowSpace(group));
        if (parts.empty())
          continue;
        aicore::MachineAttr machine = expectMachine(getOperation());
        if (!machine || failed(RowSplitter(kernel, group, machine, parts).run()))
          return signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace mmk
