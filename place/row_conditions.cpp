// What conditions leave of the passes of a row group: the parts that are computed, those in which
// every element counts, and those in which none does.
#include "place/row_work.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

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

/// The i32 that a condition is taken to read where it is not known, so that it excludes nothing: a
/// large one where it adds to what has to be at least 0.
static int64_t excludingNothing(bool isAdded) {
  return isAdded ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int32_t>::min();
}

/// What the numbers of conditions are for the elements of the window.
class TransferInserter::RowWork::WindowNumbers : public TileNumbers {
public:
  explicit WindowNumbers(RowWork &work) : w(work), t(work.t), b(work.b) {}

  Extremes ofPosition(int64_t dim) override {
    if (dim == w.keptDim())
      return upTo(t.add(w.first.lookup(dim), w.keptFrom), w.kept);
    if (w.p.space().isReduced[dim]) // of an outer loop
      return upTo(w.p.space().isDivided(dim) ? w.originOf(dim) : t.index(0), w.extentOf(dim));
    return {w.first.lookup(dim), w.first.lookup(dim)};
  }
  // A part of a divided row starts behind its beginning.
  Value origin() override {
    return w.p.space().isDivided(w.partDim()) ? w.originOf(w.partDim()) : Value();
  }
  Value ofScalar(Value scalar, bool isAdded) override {
    Value value = t.map.lookupOrDefault(scalar);
    if (!isa<BlockArgument>(value) || !value.getType().isInteger(32))
      return value;
    return aicore::ScalarBoundOp::create(b, t.loc, b.getIndexType(), value,
                                         excludingNothing(isAdded));
  }
  std::optional<Extremes> ofInput(unsigned number) override {
    auto found = w.bounding.find(number);
    return found == w.bounding.end() ? std::nullopt : std::optional(found->second);
  }

private:
  Extremes upTo(Value from, Value count) {
    return {from, arith::SubIOp::create(b, t.loc, t.add(from, count), t.index(1))};
  }

  RowWork &w;
  TransferInserter &t;
  OpBuilder &b;
};

// Parameters do not change while the kernel runs. What an earlier phase computes is there as well,
// but no count knows it.
void TransferInserter::RowWork::readBounds() {
  bounding.clear();
  std::map<unsigned, std::array<bool, 2>> signs; // whether an input adds, and subtracts
  const auto note = [&](const Guard &guard) {
    for (const PositionForm &form : guard.atLeastZero)
      for (auto [input, factor] : form.inputs)
        signs[input][factor < 0] = true;
  };
  // Where something of a pass has no condition, all of it is computed, whatever the data.
  for (const RowPass &pass : s.passes) {
    SmallVector<Guard *> found;
    if (findGuards(pass, found))
      for (const Guard *guard : found)
        note(*guard);
  }
  for (const auto &[number, sign] : signs) {
    const RowInput &input = p.inputs()[number];
    if (productOf(input.tensor) || !input.element.getType().isInteger(32))
      continue;
    GlobalView view = t.viewOf(input.tensor);
    auto parameter = dyn_cast_or_null<BlockArgument>(view.memref);
    if (!parameter ||
        parameter.getArgNumber() >= t.kernel.getDims().size() + t.kernel.getArgs().size())
      continue;
    const auto [rowDim, columnDim] = locate(view, input.dims);
    const int64_t along = p.plane().reducesColumns ? rowDim : columnDim;
    const Type types[] = {b.getIndexType(), b.getIndexType()};
    auto range = aicore::ScalarRangeOp::create(
        b, t.loc, types, view.memref, view.offsets, b.getI64IntegerAttr(along),
        along < 0 ? t.index(1) : kept,
        b.getDenseI64ArrayAttr({excludingNothing(!sign[1]), excludingNothing(sign[0])}));
    bounding[number] = {range.getLeast(), range.getGreatest()};
  }
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

ConditionBounds TransferInserter::RowWork::boundsOf(const RowPass &pass, Value extent) {
  ConditionBounds all;
  SmallVector<Guard *> found;
  const bool haveAll = findGuards(pass, found);
  WindowNumbers numbers(*this);
  for (auto [number, guard] : llvm::enumerate(found)) {
    const ConditionBounds own = mmk::boundsOf(b, t.loc, *guard, partDim(), extent, numbers);
    all.some = number == 0 ? own.some : unite(b, t.loc, all.some, own.some);
    all.all = number == 0 ? own.all : intersect(b, t.loc, all.all, own.all);
  }
  if (!haveAll)
    all.some = {};
  return all;
}

bool TransferInserter::RowWork::readsData(const RowPass &pass) {
  SmallVector<Guard *> found;
  findGuards(pass, found);
  return llvm::any_of(found, [&](const Guard *guard) {
    return llvm::any_of(guard->atLeastZero, [&](const PositionForm &form) {
      return llvm::any_of(form.inputs, [&](auto &it) { return bounding.contains(it.first); });
    });
  });
}

// Parts in which a guard excludes nothing are computed without it. Of a whole row that is so where
// it ends with the data of all rows of the window.
void TransferInserter::RowWork::emitGuarded(const RowPass &pass, PositionRange unmasked) {
  if (!unmasked.first || (whole && !readsData(pass)))
    return emitSteps(pass.body);
  const auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, t.loc, predicate, x, y).getResult();
  };
  Value all = arith::AndIOp::create(
      b, t.loc, compare(arith::CmpIPredicate::sge, partFrom, unmasked.first),
      compare(arith::CmpIPredicate::sle, t.add(partFrom, part), unmasked.end));
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
  // Not the number of a part that is computed, also where both are known.
  emitRest(pass, t.add(number, t.index(s.passes.size())));
}

} // namespace mmk
