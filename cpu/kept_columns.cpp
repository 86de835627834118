// Columns that are kept, and rows that are reduced: strips of columns, over all rows. The states of
// a strip are in L1, and are updated once for several rows.
#include "cpu/row_code.h"
#include "cpu/row_guard.h"
#include "cpu/tile_memory.h"

using namespace llvm;

namespace mmk {
namespace {

class KeptColumns : public RowCode {
public:
  using RowCode::RowCode;

  void emit();

private:
  /// Columns of a strip.
  Value *stripWidth();
  void emitStrip(const Pointers &strip, Value *width);
  void emitPass(unsigned level, const Pointers &strip, Value *width);
  /// Rows that are combined before the states of their columns are updated.
  struct Rows {
    Pointers pointers; ///< of the strip's row 0
    Value *first, *end;
    int64_t together;      ///< rows of an iteration
    bool areWhole = false; ///< the guard's condition holds for all of them and all columns
  };
  void step(unsigned level, const Rows &rows, Value *column, Value *count);
  States ofRows(unsigned level, const Rows &rows, Value *first, Value *column, Value *count,
                const Known &kept);
  void forColumns(Value *width, function_ref<void(Value *column, Value *count)> body);
  /// What is equal for all rows, at some columns: inputs, and the results of earlier passes.
  Known keptAt(unsigned passes, const Pointers &strip, Value *column, Value *count,
               ArrayRef<mlir::Value> wanted);

  /// The address of a part of a state.
  Value *stateAt(unsigned slot, Value *column);
  unsigned slotOf(unsigned level, unsigned reduction);
  Parts loadState(unsigned level, unsigned reduction, Value *column);
  void storeState(unsigned level, unsigned reduction, Value *column, const Parts &parts);
  int64_t elementsOfSlot();
  int64_t rowsTogether() const;

  /// The rows of a pass over a strip: those of its guard, and in these the rows for which it holds
  /// for all columns.
  struct PassRows {
    RowGuard::Range some, whole;
  };
  PassRows rowsOf(unsigned level, const Pointers &strip, Value *width);
  void addRows(unsigned level, const Pointers &pointers, RowGuard::Range rows, Value *width,
               bool areWhole);

  const CpuTuning tuning{e.target};
  const std::optional<RowGuard> guard = RowGuard::of(facts, region);
};

//===--- states in memory -------------------------------------------------------------------===//

unsigned KeptColumns::slotOf(unsigned level, unsigned reduction) {
  unsigned slot = 0;
  for (unsigned pass = 0; pass <= level; ++pass)
    for (unsigned r = 0; r < accumulators[pass].size() && (pass < level || r < reduction); ++r)
      slot += accumulators[pass][r].typesOfTotal().size();
  return slot;
}

int64_t KeptColumns::elementsOfSlot() {
  const unsigned last = accumulators.size() - 1;
  const unsigned slots = std::max(1u, slotOf(last, accumulators[last].size()));
  int64_t bytes = 4;
  for (unsigned i = 0; i < region.getNumArguments(); ++i)
    if (facts.inputAlong(i, facts.columns()) >= 0 && facts.inputVaries(i))
      bytes = std::min(bytes, bytesOfInput(i));
  return std::min(tuning.stripBytes / bytes, tuning.rowScratchElements / slots / lanes() * lanes());
}

Value *KeptColumns::stateAt(unsigned slot, Value *column) {
  return e.offset(places.scratch, e.plus(e.number(slot * elementsOfSlot() * 4), column, 4));
}

Parts KeptColumns::loadState(unsigned level, unsigned reduction, Value *column) {
  Parts parts;
  unsigned slot = slotOf(level, reduction);
  for (Type *type : accumulators[level][reduction].typesOfTotal()) {
    Value *stored = e.load(inMemory(e, type), stateAt(slot++, column));
    parts.push_back(fromMemory(e, stored, type));
  }
  return parts;
}

void KeptColumns::storeState(unsigned level, unsigned reduction, Value *column,
                             const Parts &parts) {
  unsigned slot = slotOf(level, reduction);
  for (Value *part : parts)
    e.store(toMemory(e, part), stateAt(slot++, column));
}

//===--- passes -----------------------------------------------------------------------------===//

void KeptColumns::forColumns(Value *width, function_ref<void(Value *, Value *)> body) {
  LaneLoop loop{e.number(0), width, {}};
  if (streams || (isDense && !e.target.masks()))
    loop.steps = {1};
  emitLoop(e, loop, [&](const LaneStep &vector) { body(vector.at, vector.count); });
}

RowCode::Known KeptColumns::keptAt(unsigned passes, const Pointers &strip, Value *column,
                                   Value *count, ArrayRef<mlir::Value> wanted) {
  Known known = scalars;
  addPositions(strip, column, known);
  for (unsigned level = 0; level < passes; ++level)
    for (auto [r, accumulator] : enumerate(accumulators[level]))
      addResult(accumulator, accumulator.ofTotal(loadState(level, r, column)), known);
  for (unsigned i : inputsFor(wanted, known))
    if (!facts.inputVaries(i))
      known[region.getArgument(i)] = loadInput(i, inputAt(i, strip.inputs[i], column), count);
  compute(wanted, known, /*keptOnly=*/true);
  return known;
}

void KeptColumns::step(unsigned level, const Rows &rows, Value *column, Value *count) {
  MutableArrayRef<Accumulator> of = accumulators[level];
  Known kept = keptAt(level, rows.pointers, column, count, facts.passes[level].wanted);
  if (rows.areWhole)
    kept[guard->condition()] = e.splat(b.getTrue(), lanes());
  const Carried last =
      e.loop(rows.first, rows.end, e.number(rows.together), flat(started(of, 1)),
             [&](Value *row, ArrayRef<Value *> carried) {
               const States added = ofRows(level, rows, row, column, count, kept);
               States next;
               for (auto [accumulator, before, more] : zip(of, parted(carried, of, false), added))
                 next.push_back(accumulator.joined(before, more));
               return flat(next);
             });
  for (auto [r, state] : enumerate(parted(last, of, /*totals=*/false)))
    storeState(level, r, column, of[r].addToTotal(loadState(level, r, column), state));
}

RowCode::States KeptColumns::ofRows(unsigned level, const Rows &rows, Value *first, Value *column,
                                    Value *count, const Known &kept) {
  const RowFacts::Pass &pass = facts.passes[level];
  MutableArrayRef<Accumulator> of = accumulators[level];
  SmallVector<States> states;
  Pointers pointers = moved(rows.pointers, facts.rows, first);
  for (int64_t r = 0; r < rows.together; ++r) {
    Value *row = b.CreateAdd(first, e.number(r));
    if (r > 0)
      pointers = moved(pointers, facts.rows, e.number(1));
    Known known = kept;
    addPositions(pointers, column, known);
    for (unsigned i : inputsFor(pass.wanted, known))
      known[region.getArgument(i)] = loadInput(i, inputAt(i, pointers.inputs[i], column), count);
    compute(pass.wanted, known);
    for (unsigned i : pass.outputs)
      storeOutput(i, valueOf(facts.yielded()[i], known), outputAt(i, pointers.outputs[i], column),
                  count);
    states.emplace_back();
    Value *position = e.splat(b.CreateTrunc(row, b.getInt32Ty()), lanes());
    for (Accumulator &accumulator : of)
      states.back().push_back(
          accumulator.ofElement(valueOf(accumulator.element(), known), position));
  }
  return joinedPairwise(of, std::move(states));
}

// Rows of a long computation are not worth repeating its code.
int64_t KeptColumns::rowsTogether() const {
  if (!isDense)
    return 1;
  return facts.opsFor(facts.yielded(), Known()).size() + facts.waiting.size() * 20 <=
                 size_t(tuning.lightRegion)
             ? tuning.rowsOfState
             : tuning.rowsOfState / 2;
}

// A pass of guarded reductions alone leaves out the rows that they exclude for all of the strip.
KeptColumns::PassRows KeptColumns::rowsOf(unsigned level, const Pointers &strip, Value *width) {
  Value *height = places.sizes[facts.rows];
  const RowGuard::Range none = {e.number(0), e.number(0)};
  if (!guard || !guard->guardsAll(facts.passes[level]))
    return {{e.number(0), height}, none};
  const Known known = keptAt(/*passes=*/0, strip, e.number(0), nullptr, guard->terms());
  Value *first = strip.indices[facts.columns()];
  const RowGuard::Range columns = {first, b.CreateAdd(first, width)};
  const RowGuard::Range some = guard->range(e, known, height, columns, /*ofAll=*/false);
  if (!guard->isExact())
    return {some, none};
  RowGuard::Range whole = guard->range(e, known, height, columns, /*ofAll=*/true);
  whole.end =
      b.CreateAdd(whole.first, e.roundDown(b.CreateSub(whole.end, whole.first), rowsTogether()));
  Value *isEmpty = b.CreateICmpEQ(whole.first, whole.end);
  return {some,
          {b.CreateSelect(isEmpty, some.first, whole.first),
           b.CreateSelect(isEmpty, some.first, whole.end)}};
}

void KeptColumns::addRows(unsigned level, const Pointers &pointers, RowGuard::Range rows,
                          Value *width, bool areWhole) {
  const int64_t together = rowsTogether();
  // The rows of a narrow strip that are a page, so that they are read nearly in order.
  Value *fits = e.roundDown(
      b.CreateUDiv(e.number(tuning.elementsOfBlock), e.roundUp(width, lanes())), together);
  Value *block = b.CreateBinaryIntrinsic(Intrinsic::smax, e.number(together),
                                         e.min(fits, e.number(tuning.rowsOfBlock)));
  auto add = [&](Value *first, Value *end, int64_t each) {
    forColumns(width, [&](Value *column, Value *valid) {
      step(level, {pointers, first, end, each, areWhole}, column, valid);
    });
  };
  Value *last = b.CreateAdd(rows.first, e.roundDown(b.CreateSub(rows.end, rows.first), together));
  e.loop(rows.first, last, block,
         [&](Value *row) { add(row, e.min(b.CreateAdd(row, block), last), together); });
  if (together > 1 && !areWhole)
    e.when(b.CreateICmpSLT(last, rows.end), [&] { add(last, rows.end, 1); });
}

void KeptColumns::emitPass(unsigned level, const Pointers &strip, Value *width) {
  forColumns(e.roundUp(width, lanes()), [&](Value *column, Value *) {
    for (auto [r, accumulator] : enumerate(accumulators[level]))
      storeState(level, r, column, accumulator.startTotal());
  });
  nest(facts.outerReduced, strip, [&](const Pointers &pointers) {
    const PassRows rows = rowsOf(level, pointers, width);
    if (!guard || !guard->isExact() || !guard->guardsAll(facts.passes[level])) {
      addRows(level, pointers, rows.some, width, /*areWhole=*/false);
      return;
    }
    addRows(level, pointers, rows.whole, width, /*areWhole=*/true);
    // Before these and behind them.
    e.loop(e.number(0), e.number(2), e.number(1), [&](Value *part) {
      Value *isFirst = b.CreateICmpEQ(part, e.number(0));
      addRows(level, pointers,
              {b.CreateSelect(isFirst, rows.some.first, rows.whole.end),
               b.CreateSelect(isFirst, rows.whole.first, rows.some.end)},
              width, /*areWhole=*/false);
    });
  });
}

void KeptColumns::emitStrip(const Pointers &strip, Value *width) {
  for (unsigned level = 0; level < facts.passes.size(); ++level)
    emitPass(level, strip, width);
  if (facts.keptOutputs.empty())
    return;
  SmallVector<mlir::Value> values;
  for (unsigned i : facts.keptOutputs)
    values.push_back(facts.yielded()[i]);
  forColumns(width, [&](Value *column, Value *count) {
    const Known known = keptAt(facts.passes.size(), strip, column, count, values);
    for (auto [i, value] : zip(facts.keptOutputs, values))
      storeOutput(i, valueOf(value, known), outputAt(i, strip.outputs[i], column), count);
  });
}

// With several passes, a strip stays in L2 from one to the next, if it need not be too narrow.
Value *KeptColumns::stripWidth() {
  Value *most = e.number(elementsOfSlot());
  if (facts.passes.size() == 1)
    return most;
  Value *height = places.sizes[facts.rows];
  for (int64_t dim : facts.outerReduced)
    height = b.CreateMul(height, places.sizes[dim]);
  Value *fits =
      e.roundDown(b.CreateUDiv(e.number(tuning.l2Bytes / 2 / 4),
                               b.CreateBinaryIntrinsic(Intrinsic::smax, height, e.number(1))),
                  4 * lanes());
  return e.min(most, b.CreateBinaryIntrinsic(Intrinsic::smax, fits, e.number(4 * lanes())));
}

void KeptColumns::emit() {
  Value *columns = places.sizes[facts.columns()], *width = stripWidth();
  nest(facts.outerKept, start(), [&](const Pointers &pointers) {
    e.loop(e.number(0), columns, width, [&](Value *first) {
      emitStrip(moved(pointers, facts.columns(), first), e.min(b.CreateSub(columns, first), width));
    });
  });
}

} // namespace

bool emitKeptColumns(Emitter &e, const RowFacts &facts, mlir::Block &region,
                     const SpacePlaces &places, RowAccess form) {
  KeptColumns code(e, facts, region, places, form);
  code.emit();
  return code.complete;
}

} // namespace mmk
