// Rows that are reduced: one after the other, each in passes over its elements, which stay in the
// caches from one pass to the next.
#include "cpu/row_code.h"
#include "cpu/row_guard.h"

using namespace llvm;

namespace mmk {
namespace {

int64_t elementsOfWaiting(const RowFacts &facts, const CpuTuning &tuning) {
  return tuning.rowScratchElements / static_cast<int64_t>(facts.waiting.size());
}

class ReducedColumns : public RowCode {
public:
  using RowCode::RowCode;

  void emit(bool keeps);

private:
  /// A run of columns, of which the guard's condition holds for all, for none, or which is computed
  /// (nothing). One without `isLong` has a few vectors.
  struct Segment {
    Value *first, *end;
    std::optional<bool> condition;
    bool isLong;
  };
  /// The columns of a pass, for which `known` holds.
  SmallVector<Segment> segmentsOf(const RowFacts::Pass &pass, const Known &known);
  Known knownIn(const Segment &segment, const Known &known);
  void emitRow(const Pointers &row, bool keeps);
  void emitPass(unsigned level, const Pointers &row, Known &known, bool keeps);
  /// The elements of some columns, added to the totals. With few columns, vector by vector.
  States addColumns(unsigned level, const Pointers &pointers, Value *first, Value *end,
                    Value *waitingAt, const Known &known, bool keeps, bool isLong,
                    const States &totals);
  /// The elements of a vector at a column, of which `count` are valid (null: all), added to states.
  States step(unsigned level, const Pointers &pointers, Value *column, Value *count,
              Value *waitingAt, const Known &known, bool keeps, const States &states);
  bool prefetches(unsigned level);
  void prefetchNextRow(const Pointers &pointers, Value *column);
  void loadWaiting(unsigned level, Value *at, Known &known);
  void storeWaiting(unsigned level, Value *at, const Known &known);
  int64_t vectorsTogether(unsigned level);
  int64_t waitingElements() const { return elementsOfWaiting(facts, tuning); }
  Value *waitingPlace(size_t i, Value *at);

  const CpuTuning tuning{e.target};
  const std::optional<RowGuard> guard = RowGuard::of(facts, region);
};

Value *ReducedColumns::waitingPlace(size_t i, Value *at) {
  return e.offset(places.scratch, e.plus(e.number(i * waitingElements() * 4), at, 4));
}

void ReducedColumns::loadWaiting(unsigned level, Value *at, Known &known) {
  for (auto [i, waiting] : enumerate(facts.waiting))
    if (waiting.pass < level)
      known[waiting.value] = e.load(e.vectorOf(e.f32(), lanes()), waitingPlace(i, at));
}

void ReducedColumns::storeWaiting(unsigned level, Value *at, const Known &known) {
  for (auto [i, waiting] : enumerate(facts.waiting))
    if (waiting.pass == level)
      e.store(known.lookup(waiting.value), waitingPlace(i, at));
}

// The next row is read in the pass that takes longest, else in that which writes: memory does both
// at once. Its own first pass would only read.
bool ReducedColumns::prefetches(unsigned level) {
  if (!streams || facts.rows < 0 || level == 0)
    return false;
  for (const RowFacts::Waiting &waiting : facts.waiting)
    if (waiting.pass > 0)
      return waiting.pass == level;
  return level + 1 == facts.passes.size();
}

void ReducedColumns::prefetchNextRow(const Pointers &pointers, Value *column) {
  for (size_t i = 0; i < region.getNumArguments(); ++i)
    if (facts.inputAlong(i, facts.columns()) >= 0 && facts.inputAlong(i, facts.rows) >= 0)
      e.prefetch(
          e.offset(inputAt(i, pointers.inputs[i], column), places.inputs[i].strides[facts.rows]),
          /*level=*/2);
}

RowCode::States ReducedColumns::step(unsigned level, const Pointers &pointers, Value *column,
                                     Value *count, Value *waitingAt, const Known &before,
                                     bool keeps, const States &states) {
  const RowFacts::Pass &pass = facts.passes[level];
  Known known = before;
  addPositions(pointers, column, known);
  Value *at = b.CreateAdd(waitingAt, column);
  if (keeps)
    loadWaiting(level, at, known);
  for (unsigned i : inputsFor(pass.wanted, known))
    known[region.getArgument(i)] = loadInput(i, inputAt(i, pointers.inputs[i], column), count);
  compute(pass.wanted, known);
  if (keeps)
    storeWaiting(level, at, known);
  if (prefetches(level))
    prefetchNextRow(pointers, column);
  for (unsigned i : pass.outputs)
    storeOutput(i, valueOf(facts.yielded()[i], known), outputAt(i, pointers.outputs[i], column),
                count);
  States next;
  for (auto [accumulator, state] : zip(accumulators[level], states))
    next.push_back(taken(accumulator, state, known, column, count));
  return next;
}

// A long computation has enough instructions that need not wait for each other.
int64_t ReducedColumns::vectorsTogether(unsigned level) {
  const bool isLight =
      int64_t(facts.opsFor(facts.passes[level].wanted, scalars).size()) < tuning.lightRegion &&
      none_of(
          facts.waiting, [&](const RowFacts::Waiting &waiting) { return waiting.pass == level; });
  return isLight ? 2 * tuning.vectorsOfRow : tuning.vectorsOfRow;
}

RowCode::States ReducedColumns::addColumns(unsigned level, const Pointers &pointers, Value *first,
                                           Value *end, Value *waitingAt, const Known &known,
                                           bool keeps, bool isLong, const States &totals) {
  MutableArrayRef<Accumulator> of = accumulators[level];
  const int64_t together = vectorsTogether(level);
  const bool arePairs = readsPairs(level, known);
  States started;
  for (Accumulator &accumulator : of)
    started.push_back(accumulator.start());
  const Carried one = flat(started);
  Carried carried = one;
  Value *whole = first;
  if (isDense && isLong) {
    Carried all;
    for (int64_t v = 0; v < together; ++v)
      all.append(one);
    whole = b.CreateAdd(first, e.roundDown(b.CreateSub(end, first), together * lanes()));
    all = e.loop(first, whole, e.number(together * lanes()), all,
                 [&](Value *column, ArrayRef<Value *> values) {
                   Carried next;
                   std::array<Known, 2> pair = {known, known};
                   for (int64_t v = 0; v < together; ++v) {
                     Value *at = b.CreateAdd(column, e.number(v * lanes()));
                     if (arePairs && v % 2 == 0)
                       pair = pairAt(level, pointers, at, known);
                     next.append(
                         flat(step(level, pointers, at, nullptr, waitingAt, pair[v % 2], keeps,
                                   parted(values.slice(v * one.size(), one.size()), of,
                                          /*totals=*/false))));
                   }
                   return next;
                 });
    // In pairs, so that the states wait for each other least.
    SmallVector<States> states;
    for (int64_t v = 0; v < together; ++v)
      states.push_back(parted(ArrayRef(all).slice(v * one.size(), one.size()), of, false));
    for (size_t count = states.size(); count > 1; count /= 2)
      for (size_t v = 0; v < count / 2; ++v)
        for (size_t r = 0; r < of.size(); ++r)
          states[v][r] = of[r].joined(states[v][r], states[v + count / 2][r]);
    carried = flat(states[0]);
  }
  if (isDense) {
    Value *last = b.CreateAdd(first, e.roundDown(b.CreateSub(end, first), lanes()));
    carried = e.loop(whole, last, e.number(lanes()), carried,
                     [&](Value *column, ArrayRef<Value *> values) {
                       return flat(step(level, pointers, column, nullptr, waitingAt, known, keeps,
                                        parted(values, of, /*totals=*/false)));
                     });
    whole = last;
  }
  carried =
      e.loop(whole, end, e.number(lanes()), carried, [&](Value *column, ArrayRef<Value *> values) {
        Value *count = e.min(b.CreateSub(end, column), e.number(lanes()));
        return flat(step(level, pointers, column, count, waitingAt, known, keeps,
                         parted(values, of, /*totals=*/false)));
      });
  States sums;
  for (auto [accumulator, total, state] : zip(of, totals, parted(carried, of, false)))
    sums.push_back(accumulator.addToTotal(total, state));
  return sums;
}

// Between the vectors for which the condition holds whole and those for which it does not, one is
// masked by it. A pass of guarded reductions alone leaves out the columns that they exclude.
SmallVector<ReducedColumns::Segment> ReducedColumns::segmentsOf(const RowFacts::Pass &pass,
                                                                const Known &known) {
  Value *zero = e.number(0), *count = places.sizes[facts.columns()];
  if (!guard)
    return {{zero, count, std::nullopt, /*isLong=*/true}};
  const auto [first, end] = guard->range(e, known, count);
  auto most = [&](Value *x, Value *y) { return b.CreateBinaryIntrinsic(Intrinsic::smax, x, y); };
  Value *from = e.roundDown(first, lanes()), *to = e.min(e.roundUp(end, lanes()), count);
  SmallVector<Segment> segments;
  auto add = [&](Value *begin, Value *behind, std::optional<bool> condition, bool isLong) {
    if (begin != behind)
      segments.push_back({begin, behind, condition, isLong});
  };
  const bool skips = guard->guardsAll(pass);
  if (!skips)
    add(zero, from, false, /*isLong=*/true);
  if (guard->isExact()) {
    Value *holds = e.min(e.roundUp(first, lanes()), count),
          *last = most(holds, e.roundDown(end, lanes()));
    to = most(to, last);
    add(from, holds, std::nullopt, /*isLong=*/false);
    add(holds, last, true, /*isLong=*/true);
    add(last, to, std::nullopt, /*isLong=*/false);
  } else {
    to = most(to, from);
    add(from, to, std::nullopt, /*isLong=*/true);
  }
  if (!skips)
    add(to, count, false, /*isLong=*/true);
  return segments;
}

RowCode::Known ReducedColumns::knownIn(const Segment &segment, const Known &known) {
  Known inside = known;
  if (segment.condition)
    inside[guard->condition()] = e.splat(b.getInt1(*segment.condition), lanes());
  return inside;
}

void ReducedColumns::emitPass(unsigned level, const Pointers &row, Known &known, bool keeps) {
  const RowFacts::Pass &pass = facts.passes[level];
  MutableArrayRef<Accumulator> of = accumulators[level];
  compute(pass.wanted, known, /*keptOnly=*/true);
  States totals;
  for (Accumulator &accumulator : of)
    totals.push_back(accumulator.startTotal());
  Value *columns = places.sizes[facts.columns()], *width = e.roundUp(columns, lanes());
  const Carried last =
      nest(facts.outerReduced, row, e.number(0), flat(totals),
           [&](const Pointers &pointers, Value *number, ArrayRef<Value *> carried) {
             Value *waitingAt = b.CreateMul(number, width);
             Carried values(carried);
             Known here = known;
             addPositions(pointers, e.number(0), here);
             for (const Segment &segment : segmentsOf(pass, here)) {
               const Known inside = knownIn(segment, known);
               // What waits is there for the columns that every pass computes.
               const bool isThere = keeps && segment.condition != false;
               values = e.loop(
                   segment.first, segment.end, e.number(tuning.columnsOfState), values,
                   [&](Value *first, ArrayRef<Value *> before) {
                     Value *end =
                         e.min(b.CreateAdd(first, e.number(tuning.columnsOfState)), segment.end);
                     return flat(addColumns(level, pointers, first, end, waitingAt, inside, isThere,
                                            segment.isLong, parted(before, of, /*totals=*/true)));
                   });
             }
             return values;
           });
  for (auto [accumulator, total] : zip(of, parted(last, of, /*totals=*/true))) {
    const Parts all = accumulator.acrossLanes(accumulator.ofTotal(total));
    cpu::ReduceOp reduction = accumulator.reduction();
    known[reduction.getResult()] = all[0];
    if (accumulator.hasPosition())
      known[reduction.getPosition()] = all[1];
  }
}

void ReducedColumns::emitRow(const Pointers &row, bool keeps) {
  Known known = scalars;
  addPositions(row, e.number(0), known);
  for (auto [i, argument] : enumerate(region.getArguments()))
    if (!facts.inputVaries(i))
      known[argument] = loadInput(i, row.inputs[i], nullptr);
  if (guard)
    compute(guard->terms(), known, /*keptOnly=*/true);
  for (unsigned level = 0; level < facts.passes.size(); ++level)
    emitPass(level, row, known, keeps);
  for (unsigned i : facts.keptOutputs) {
    mlir::Value value = facts.yielded()[i];
    compute(value, known);
    storeElement(i, valueOf(value, known), row.outputs[i]);
  }
}

void ReducedColumns::emit(bool keeps) {
  SmallVector<int64_t> kept = facts.outerKept;
  if (facts.rows >= 0)
    kept.push_back(facts.rows);
  nest(kept, start(), e.number(0), {}, [&](const Pointers &row, Value *, ArrayRef<Value *>) {
    emitRow(row, keeps);
    return Carried();
  });
}

} // namespace

Value *waitingFits(Emitter &e, const RowFacts &facts, const SpacePlaces &places) {
  const CpuTuning tuning(e.target);
  Value *elements = e.roundUp(places.sizes[facts.columns()], e.target.lanes);
  for (int64_t dim : facts.outerReduced)
    elements = e.b.CreateMul(elements, places.sizes[dim]);
  return e.b.CreateICmpSLE(elements, e.number(elementsOfWaiting(facts, tuning) - e.target.lanes));
}

bool emitReducedColumns(Emitter &e, const RowFacts &facts, mlir::Block &region,
                        const SpacePlaces &places, RowAccess form, bool keeps) {
  ReducedColumns code(e, facts, region, places, form);
  code.emit(keeps);
  return code.complete;
}

} // namespace mmk
