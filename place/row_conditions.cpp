// What conditions leave of the passes of a row group: the parts that are computed, those in which
// every element counts, and those in which none does.
#include "place/row_work.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mmk {

// Each output has all dimensions that are kept.
void TransferInserter::RowWork::findOffsets() {
  const RowOutput &output = p.outputs().front();
  for (const Destination &destination : destinations)
    if (destination.value == output.tensor)
      for (auto [i, dim] : llvm::enumerate(output.dims))
        if (dim >= 0 && !p.space().isReduced[dim])
          first[dim] = destination.view.offsets[destination.view.dims[i]];
  findGuards();
}

void TransferInserter::RowWork::findGuards() {
  for (auto [number, reduction] : llvm::enumerate(p.reductions()))
    if (std::optional<Guard> guard = guardOf(p, reduction))
      guards[number] = *guard;
  for (auto [number, each] : llvm::enumerate(p.outputs()))
    if (std::optional<GuardedOutput> guard = guardOf(p, each))
      guarded[number] = *guard;
}

/// The largest or least value of a form for the elements of the window; `ofPart`: and of the
/// current part, else but for what the reduced dimension of the plane adds. Nothing where data
/// decides.
std::optional<Value> TransferInserter::RowWork::bound(const LinearForm &form, bool isLargest,
                                                      bool ofPart) {
  const int64_t keptDim = p.plane().reducesColumns ? p.plane().rows : p.plane().columns;
  if (!form.inputs.empty())
    return std::nullopt;
  Value sum = t.index(form.constant);
  const auto addTimes = [&](Value value, int64_t factor) {
    if (value.getType() != b.getIndexType())
      value = arith::IndexCastOp::create(b, t.loc, b.getIndexType(), value);
    sum = t.add(sum, arith::MulIOp::create(b, t.loc, value, t.index(factor)));
  };
  const auto lastOf = [&](Value from, Value count) {
    return arith::SubIOp::create(b, t.loc, t.add(from, count), t.index(1)).getResult();
  };
  for (auto [scalar, factor] : form.scalars)
    addTimes(t.map.lookupOrDefault(scalar), factor);
  for (auto [dim, factor] : form.positions) {
    const bool takesLast = (factor > 0) == isLargest;
    // A part of a divided row starts behind its beginning.
    if (p.space().isDivided(dim))
      addTimes(originOf(dim), factor);
    if (dim == partDim()) {
      if (ofPart)
        addTimes(takesLast ? lastOf(partFrom, part) : partFrom, factor);
    } else if (dim == keptDim) {
      Value from = t.add(first.lookup(dim), keptFrom);
      addTimes(takesLast ? lastOf(from, kept) : from, factor);
    } else if (!p.space().isReduced[dim]) {
      addTimes(first.lookup(dim), factor);
    } else if (takesLast) { // of an outer loop
      addTimes(lastOf(t.index(0), extentOf(dim)), factor);
    }
  }
  return sum;
}

TransferInserter::RowWork::Range TransferInserter::RowWork::rangeOf(const Guard &guard,
                                                                    Value extent) {
  Range range = {t.index(0), extent};
  Value zero = t.index(0);
  for (const LinearForm &form : guard.atLeastZero) {
    const int64_t factor = form.factorOf(partDim());
    const std::optional<Value> rest = bound(form, /*isLargest=*/true, /*ofPart=*/false);
    if (factor == 0 || !rest)
      continue;
    // factor * position + rest >= 0.
    if (factor > 0) {
      Value below = arith::MaxSIOp::create(
          b, t.loc, arith::SubIOp::create(b, t.loc, zero, *rest).getResult(), zero);
      Value from = arith::CeilDivSIOp::create(b, t.loc, below, t.index(factor));
      range.first = arith::MaxSIOp::create(b, t.loc, range.first, from);
    } else {
      Value above = arith::MaxSIOp::create(b, t.loc, t.add(*rest, t.index(-factor)), zero);
      Value end = arith::DivSIOp::create(b, t.loc, above, t.index(-factor));
      range.end = arith::MinSIOp::create(b, t.loc, range.end, end);
    }
  }
  return range;
}

bool TransferInserter::RowWork::findGuards(const RowPass &pass, SmallVectorImpl<Guard *> &found) {
  bool haveAll = true;
  for (const RowStep &it : pass.body) {
    auto guard = it.kind == RowStep::Kind::reduce ? guards.find(it.reduction) : guards.end();
    if (guard != guards.end())
      found.push_back(&guard->second);
    else
      haveAll &= it.kind != RowStep::Kind::reduce && it.kind != RowStep::Kind::scan;
  }
  for (unsigned output : pass.outputs) {
    auto guard = guarded.find(output);
    if (guard != guarded.end())
      found.push_back(&guard->second.guard);
    else
      haveAll = false;
  }
  return haveAll;
}

TransferInserter::RowWork::Range TransferInserter::RowWork::rangeOf(const RowPass &pass) {
  Range all;
  SmallVector<Guard *> found;
  if (!findGuards(pass, found))
    return all;
  Value extent = partExtent();
  for (const Guard *guard : found) {
    const Range range = rangeOf(*guard, extent);
    all.first = all.first ? arith::MinSIOp::create(b, t.loc, all.first, range.first) : range.first;
    all.end = all.end ? arith::MaxSIOp::create(b, t.loc, all.end, range.end) : range.end;
  }
  return all;
}

/// Whether each element of the current part satisfies the guards of the pass; null where that is
/// not known, or there are none.
Value TransferInserter::RowWork::satisfiesAll(const RowPass &pass) {
  Value all;
  SmallVector<Guard *> found;
  findGuards(pass, found);
  for (const Guard *guard : found) {
    if (!guard->isExact)
      return {};
    for (const LinearForm &form : guard->atLeastZero) {
      const std::optional<Value> least = bound(form, /*isLargest=*/false, /*ofPart=*/true);
      if (!least)
        return {};
      Value holds = arith::CmpIOp::create(b, t.loc, arith::CmpIPredicate::sge, *least, t.index(0));
      all = all ? arith::AndIOp::create(b, t.loc, all, holds).getResult() : holds;
    }
  }
  return all;
}

// Parts in which a guard excludes nothing are computed without it.
void TransferInserter::RowWork::emitGuarded(const RowPass &pass) {
  Value all = whole ? Value() : satisfiesAll(pass);
  if (!all)
    return emitSteps(pass.body);
  auto branch = scf::IfOp::create(b, t.loc, all, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  emitSteps(pass.body);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  tally(aicore::Covered::full, part);
  SmallVector<Guard *> found;
  findGuards(pass, found);
  for (const Guard *own : found)
    unguarded.insert(own->masked.getDefiningOp());
  emitSteps(pass.body);
  unguarded.clear();
}

void TransferInserter::RowWork::tally(aicore::Covered covered, Value ofRow) {
  aicore::TallyOp::create(b, t.loc, covered, arith::MulIOp::create(b, t.loc, ofRow, kept));
}

void TransferInserter::RowWork::emitRest(const RowPass &pass, Value number) {
  for (unsigned output : pass.outputs) {
    Held &held = outputs[output];
    held.slot = t.slot(number, held.buffer);
    GuardedOutput &it = guarded.at(output);
    Attribute value;
    matchPattern(it.select.getFalseValue(), m_Constant(&value));
    Value element = arith::ConstantOp::create(b, t.loc, cast<TypedAttr>(value));
    for (Operation *conversion : it.conversions) {
      IRMapping map;
      map.map(conversion->getOperand(0), element);
      Operation *converted = b.clone(*conversion, map);
      SmallVector<Value> folded;
      element = succeeded(b.tryFold(converted, folded)) ? folded[0] : converted->getResult(0);
      if (element != converted->getResult(0))
        converted->erase();
    }
    createVector({}, {}, held, /*isKept=*/false,
                 [&](ValueRange) { return SmallVector<Value>{element}; });
    store(output);
  }
}

void TransferInserter::RowWork::setPart(Value from, Value extent, Value length) {
  partFrom = from;
  part = arith::MinSIOp::create(b, t.loc, arith::SubIOp::create(b, t.loc, extent, from), length);
}

/// The parts from one to another, in each of which no condition holds.
void TransferInserter::RowWork::emitRestParts(const RowPass &pass, Value from, Value to,
                                              Value length) {
  auto loop = scf::ForOp::create(b, t.loc, from, to, t.index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value number = loop.getInductionVar();
  setPart(arith::MulIOp::create(b, t.loc, number, length), partExtent(), length);
  emitRest(pass, number);
}

} // namespace mmk
