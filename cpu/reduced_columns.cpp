// Rows that are reduced: one after the other, each in passes over its elements, which stay in the
// caches from one pass to the next. Short ones are several side by side: what a row ends with, the
// sum across the lanes of a vector and what is computed from it, takes as long as a few hundred
// elements, and one row does not wait for another. Inputs that all rows share are loaded once for
// them.
#include "cpu/row_code.h"
#include "cpu/row_guard.h"

using namespace llvm;

namespace mmk {
namespace {

class ReducedColumns : public RowCode {
public:
  using RowCode::RowCode;

  /// `keeps`: what waits for a later pass.
  void emitOneByOne(bool keeps);
  void emitSideBySide();

private:
  struct Row {
    Pointers pointers;
    Known known;
    Value *waitingAt; ///< the place of its first element in the scratch
  };
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
  void emitRows(const Pointers &first, int64_t count, bool keeps);
  void emitPass(unsigned level, MutableArrayRef<Row> rows, bool keeps);
  /// The results of a pass by lane: of one row; and of short ones, one row after the other.
  States totalsOf(unsigned level, const Row &row, bool keeps);
  States sumsOf(unsigned level, ArrayRef<Row> rows);
  /// The states of some columns. `steps`: those of the loop.
  States ofColumns(unsigned level, ArrayRef<Row> rows, Value *first, Value *end, bool keeps,
                   ArrayRef<int64_t> steps);
  /// The elements of a vector, added to the states of each row.
  States step(unsigned level, ArrayRef<Row> rows, const LaneStep &vector, bool keeps,
              ArrayRef<Parts> before);
  bool prefetches(unsigned level);
  void prefetchNextRows(const Pointers &pointers, Value *column);
  int64_t vectorsTogether(unsigned level);
  Value *waitingPlace(size_t i, Value *at);

  const CpuTuning tuning{e.target};
  const std::optional<RowGuard> guard = RowGuard::of(facts, region);
  int64_t rowsTogether = 1;
};

int64_t elementsOfWaiting(const RowFacts &facts, const CpuTuning &tuning) {
  return tuning.rowScratchElements / static_cast<int64_t>(facts.waiting.size());
}

Value *ReducedColumns::waitingPlace(size_t i, Value *at) {
  const int64_t first = static_cast<int64_t>(i) * elementsOfWaiting(facts, tuning);
  return e.offset(places.scratch, e.plus(e.number(first * 4), at, 4));
}

// The next row is read in the pass that takes longest, else in that which writes: memory does both
// at once. Its own first pass would only read. A short row ends before the hardware prefetcher
// follows it.
bool ReducedColumns::prefetches(unsigned level) {
  const bool isShort = rowsTogether > 1;
  if ((!streams && !isShort) || facts.rows < 0 || level == 0)
    return false;
  for (const RowFacts::Waiting &waiting : facts.waiting)
    if (waiting.pass > 0 && !isShort)
      return waiting.pass == level;
  return level + 1 == facts.passes.size();
}

void ReducedColumns::prefetchNextRows(const Pointers &pointers, Value *column) {
  for (size_t i = 0; i < region.getNumArguments(); ++i)
    if (facts.inputAlong(i, facts.columns()) >= 0 && facts.inputAlong(i, facts.rows) >= 0) {
      Value *ahead = places.inputs[i].strides[facts.rows];
      if (rowsTogether > 1)
        ahead = b.CreateMul(ahead, e.number(rowsTogether));
      e.prefetch(e.offset(inputAt(i, pointers.inputs[i], column), ahead), /*level=*/2);
    }
}

RowCode::States ReducedColumns::step(unsigned level, ArrayRef<Row> rows, const LaneStep &vector,
                                     bool keeps, ArrayRef<Parts> before) {
  const RowFacts::Pass &pass = facts.passes[level];
  DenseMap<unsigned, Value *> ofAllRows;
  States next;
  for (const Row &row : rows) {
    Known known = row.known;
    addPositions(row.pointers, vector.at, known);
    Value *at = b.CreateAdd(row.waitingAt, vector.at);
    for (auto [i, waiting] : enumerate(facts.waiting))
      if (keeps && waiting.pass < level)
        known[waiting.value] = e.load(e.vectorOf(e.f32(), lanes()), waitingPlace(i, at));
    for (unsigned i : inputsFor(pass.wanted, known)) {
      Value *loaded = ofAllRows.lookup(i);
      if (!loaded)
        loaded = loadInput(i, inputAt(i, row.pointers.inputs[i], vector.at), vector.count);
      if (rows.size() > 1 && facts.inputAlong(i, facts.rows) < 0)
        ofAllRows[i] = loaded;
      known[region.getArgument(i)] = loaded;
    }
    compute(pass.wanted, known);
    for (auto [i, waiting] : enumerate(facts.waiting))
      if (keeps && waiting.pass == level)
        e.store(known.lookup(waiting.value), waitingPlace(i, at));
    if (prefetches(level))
      prefetchNextRows(row.pointers, vector.at);
    for (unsigned i : pass.outputs)
      storeOutput(i, valueOf(facts.yielded()[i], known),
                  outputAt(i, row.pointers.outputs[i], vector.at), vector.count);
    for (Accumulator &accumulator : accumulators[level])
      next.push_back(taken(accumulator, before[next.size()], known, vector.at, vector.count));
  }
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

RowCode::States ReducedColumns::ofColumns(unsigned level, ArrayRef<Row> rows, Value *first,
                                          Value *end, bool keeps, ArrayRef<int64_t> steps) {
  MutableArrayRef<Accumulator> of = accumulators[level];
  const bool arePairs = readsPairs(level, rows.front().known);
  std::array<SmallVector<Row>, 2> pair;
  return overColumns(of, rows.size(), {first, end, SmallVector<int64_t, 2>(steps)},
                     [&](const LaneStep &vector, ArrayRef<Parts> before) {
                       if (!arePairs || vector.together == 1)
                         return step(level, rows, vector, keeps, before);
                       if (vector.number % 2 == 0) {
                         pair.fill(SmallVector<Row>(rows));
                         for (auto [row, even, odd] : zip(rows, pair[0], pair[1])) {
                           auto known = pairAt(level, row.pointers, vector.at, row.known);
                           even.known = std::move(known[0]);
                           odd.known = std::move(known[1]);
                         }
                       }
                       return step(level, pair[vector.number % 2], vector, keeps, before);
                     });
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

RowCode::States ReducedColumns::totalsOf(unsigned level, const Row &row, bool keeps) {
  const RowFacts::Pass &pass = facts.passes[level];
  MutableArrayRef<Accumulator> of = accumulators[level];
  States totals;
  for (Accumulator &accumulator : of)
    totals.push_back(accumulator.startTotal());
  Value *columns = places.sizes[facts.columns()], *width = e.roundUp(columns, lanes());
  SmallVector<int64_t> steps;
  if (isDense)
    steps = {vectorsTogether(level), 1};
  const Carried last = nest(
      facts.outerReduced, row.pointers, e.number(0), flat(totals),
      [&](const Pointers &pointers, Value *number, ArrayRef<Value *> carried) {
        Value *waitingAt = b.CreateMul(number, width);
        Carried values(carried);
        Known here = row.known;
        addPositions(pointers, e.number(0), here);
        for (const Segment &segment : segmentsOf(pass, here)) {
          const Row inside = {pointers, knownIn(segment, row.known), waitingAt};
          // What waits is there for the columns that every pass computes.
          const bool isThere = keeps && segment.condition != false;
          const auto ofSegment = ArrayRef(steps).drop_front(isDense && !segment.isLong ? 1 : 0);
          values = e.loop(segment.first, segment.end, e.number(tuning.columnsOfState), values,
                          [&](Value *first, ArrayRef<Value *> before) {
                            Value *end = e.min(b.CreateAdd(first, e.number(tuning.columnsOfState)),
                                               segment.end);
                            const States states =
                                ofColumns(level, inside, first, end, isThere, ofSegment);
                            States sums;
                            for (auto [accumulator, total, state] :
                                 zip(of, parted(before, of, /*totals=*/true), states))
                              sums.push_back(accumulator.addToTotal(total, state));
                            return flat(sums);
                          });
        }
        return values;
      });
  States results;
  for (auto [accumulator, total] : zip(of, parted(last, of, /*totals=*/true)))
    results.push_back(accumulator.ofTotal(total));
  return results;
}

RowCode::States ReducedColumns::sumsOf(unsigned level, ArrayRef<Row> rows) {
  MutableArrayRef<Accumulator> of = accumulators[level];
  States results = ofColumns(level, rows, e.number(0), places.sizes[facts.columns()],
                             /*keeps=*/true, {tuning.vectorsOfShortRow, 1});
  for (auto [i, state] : enumerate(results))
    state = of[i % of.size()].ofState(state);
  return results;
}

void ReducedColumns::emitPass(unsigned level, MutableArrayRef<Row> rows, bool keeps) {
  MutableArrayRef<Accumulator> of = accumulators[level];
  for (Row &row : rows)
    compute(facts.passes[level].wanted, row.known, /*keptOnly=*/true);
  const States results =
      rowsTogether > 1 ? sumsOf(level, rows) : totalsOf(level, rows.front(), keeps);
  for (auto [i, result] : enumerate(results)) {
    Accumulator &accumulator = of[i % of.size()];
    addResult(accumulator, accumulator.acrossLanes(result), rows[i / of.size()].known);
  }
}

void ReducedColumns::emitRows(const Pointers &first, int64_t count, bool keeps) {
  SmallVector<Row> rows;
  for (int64_t i = 0; i < count; ++i) {
    Row row{first, scalars, e.number(0)};
    if (i > 0) {
      row.pointers = moved(first, facts.rows, e.number(i));
      row.waitingAt = b.CreateMul(e.roundUp(places.sizes[facts.columns()], lanes()), e.number(i));
    }
    addPositions(row.pointers, e.number(0), row.known);
    for (auto [input, argument] : enumerate(region.getArguments()))
      if (!facts.inputVaries(input))
        row.known[argument] = loadInput(input, row.pointers.inputs[input], nullptr);
    if (guard)
      compute(guard->terms(), row.known, /*keptOnly=*/true);
    rows.push_back(std::move(row));
  }
  for (unsigned level = 0; level < facts.passes.size(); ++level)
    emitPass(level, rows, keeps);
  for (Row &row : rows)
    for (unsigned i : facts.keptOutputs) {
      mlir::Value value = facts.yielded()[i];
      compute(value, row.known);
      storeElement(valueOf(value, row.known), row.pointers.outputs[i]);
    }
}

void ReducedColumns::emitOneByOne(bool keeps) {
  SmallVector<int64_t> kept = facts.outerKept;
  if (facts.rows >= 0)
    kept.push_back(facts.rows);
  nest(kept, start(), [&](const Pointers &row) { emitRows(row, 1, keeps); });
}

void ReducedColumns::emitSideBySide() {
  rowsTogether = CpuTuning::shortRowsTogether;
  nest(facts.outerKept, start(), [&](const Pointers &pointers) {
    Value *height = places.sizes[facts.rows], *whole = e.roundDown(height, rowsTogether);
    auto emitAt = [&](Value *row, int64_t count) {
      emitRows(moved(pointers, facts.rows, row), count, /*keeps=*/true);
    };
    e.loop(e.number(0), whole, e.number(rowsTogether),
           [&](Value *row) { emitAt(row, rowsTogether); });
    e.loop(whole, height, e.number(1), [&](Value *row) { emitAt(row, 1); });
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

/// Bytes of the widest element of a tensor that has both the rows and the columns.
static int64_t widestElement(const RowFacts &facts, mlir::Block &region) {
  int64_t widest = 1;
  for (auto [i, argument] : enumerate(region.getArguments()))
    if (facts.inputAlong(i, facts.columns()) >= 0 && facts.inputAlong(i, facts.rows) >= 0)
      widest = std::max<int64_t>(widest, argument.getType().getIntOrFloatBitWidth() / 8);
  return widest;
}

/// Whether a tile's rows take longer to read than to compute: rows side by side are several
/// streams, which memory serves more slowly than one.
static bool isBoundByReading(const RowFacts &facts, mlir::Block &region, RowAccess form) {
  const size_t passes = facts.passes.size();
  return passes == 1 ||
         (form == RowAccess::streamed && (passes == 2 || widestElement(facts, region) > 2));
}

Value *areShort(Emitter &e, const RowFacts &facts, mlir::Block &region, const SpacePlaces &places,
                RowAccess form) {
  const CpuTuning tuning(e.target);
  const int64_t most =
      isBoundByReading(facts, region, form) ? tuning.shortRowRead : tuning.shortRow;
  const int64_t fits = tuning.rowScratchElements / std::max<int64_t>(1, facts.waiting.size()) /
                       CpuTuning::shortRowsTogether;
  if (form == RowAccess::strided || !facts.reducesColumns() || facts.rows < 0 ||
      !facts.outerReduced.empty() || RowGuard::of(facts, region) || fits < most + e.target.lanes)
    return nullptr;
  return e.b.CreateAnd(
      e.b.CreateICmpSLE(places.sizes[facts.columns()], e.number(most)),
      e.b.CreateICmpSGE(places.sizes[facts.rows], e.number(CpuTuning::shortRowsTogether)));
}

bool emitReducedColumns(Emitter &e, const RowFacts &facts, mlir::Block &region,
                        const SpacePlaces &places, RowAccess form) {
  ReducedColumns code(e, facts, region, places, form);
  code.emitOneByOne(/*keeps=*/false);
  return code.complete;
}

bool emitWaitingColumns(Emitter &e, const RowFacts &facts, mlir::Block &region,
                        const SpacePlaces &places, RowAccess form) {
  ReducedColumns code(e, facts, region, places, form);
  code.emitOneByOne(/*keeps=*/true);
  return code.complete;
}

bool emitShortRows(Emitter &e, const RowFacts &facts, mlir::Block &region,
                   const SpacePlaces &places, RowAccess form) {
  ReducedColumns code(e, facts, region, places, form);
  code.emitSideBySide();
  return code.complete;
}

} // namespace mmk
