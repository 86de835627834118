// Short rows that are reduced: several side by side. What a row ends with, the sum across the lanes
// of a vector and what is computed from it, takes as long as a few hundred elements, and one row
// does not wait for another. Inputs that all rows share are loaded once for them.
#include "cpu/row_code.h"
#include "cpu/row_guard.h"

using namespace llvm;

namespace mmk {
namespace {

class ShortRows : public RowCode {
public:
  using RowCode::RowCode;

  void emit();

private:
  struct Row {
    Pointers pointers;
    Known known;
    Value *waitingAt; ///< the place of its first element in the scratch
  };
  using RowStates = SmallVector<States>; ///< by row

  void emitRows(const Pointers &first, int64_t count);
  void emitPass(unsigned level, MutableArrayRef<Row> rows);
  /// The elements of each row at a column, of which `count` are valid (null: all), added to states.
  RowStates step(unsigned level, ArrayRef<Row> rows, Value *column, Value *count,
                 const RowStates &states);
  Known elementsAt(unsigned level, const Row &row, Value *column, Value *count,
                   DenseMap<unsigned, Value *> &shared);
  void prefetchNextRows(const Row &row, Value *column);
  Value *waitingPlace(size_t i, const Row &row, Value *column);
  Carried flatRows(const RowStates &states);
  RowStates partedRows(ArrayRef<Value *> values, unsigned level, size_t rows);

  const CpuTuning tuning{e.target};
};

RowCode::Carried ShortRows::flatRows(const RowStates &states) {
  Carried values;
  for (const States &row : states)
    values.append(flat(row));
  return values;
}

ShortRows::RowStates ShortRows::partedRows(ArrayRef<Value *> values, unsigned level, size_t rows) {
  const size_t each = values.size() / rows;
  RowStates states;
  for (size_t row = 0; row < rows; ++row)
    states.push_back(parted(values.slice(row * each, each), accumulators[level], /*totals=*/false));
  return states;
}

Value *ShortRows::waitingPlace(size_t i, const Row &row, Value *column) {
  const int64_t elements = tuning.rowScratchElements / static_cast<int64_t>(facts.waiting.size());
  Value *at = b.CreateAdd(row.waitingAt, column);
  return e.offset(places.scratch, e.plus(e.number(i * elements * 4), at, 4));
}

RowCode::Known ShortRows::elementsAt(unsigned level, const Row &row, Value *column, Value *count,
                                     DenseMap<unsigned, Value *> &shared) {
  const RowFacts::Pass &pass = facts.passes[level];
  Known known = row.known;
  addPositions(row.pointers, column, known);
  for (auto [i, waiting] : enumerate(facts.waiting))
    if (waiting.pass < level)
      known[waiting.value] = e.load(e.vectorOf(e.f32(), lanes()), waitingPlace(i, row, column));
  for (unsigned i : inputsFor(pass.wanted, known)) {
    const bool isShared = facts.inputAlong(i, facts.rows) < 0;
    Value *loaded = isShared ? shared.lookup(i) : nullptr;
    if (!loaded)
      loaded = loadInput(i, inputAt(i, row.pointers.inputs[i], column), count);
    if (isShared)
      shared[i] = loaded;
    known[region.getArgument(i)] = loaded;
  }
  compute(pass.wanted, known);
  for (auto [i, waiting] : enumerate(facts.waiting))
    if (waiting.pass == level)
      e.store(known.lookup(waiting.value), waitingPlace(i, row, column));
  return known;
}

// A short row ends before the hardware prefetcher follows it. The next ones are read while these
// are computed, as their own first pass would only read.
void ShortRows::prefetchNextRows(const Row &row, Value *column) {
  for (size_t i = 0; i < region.getNumArguments(); ++i)
    if (facts.inputAlong(i, facts.columns()) >= 0 && facts.inputAlong(i, facts.rows) >= 0) {
      Value *ahead =
          b.CreateMul(places.inputs[i].strides[facts.rows], e.number(CpuTuning::shortRowsTogether));
      e.prefetch(e.offset(inputAt(i, row.pointers.inputs[i], column), ahead), /*level=*/2);
    }
}

ShortRows::RowStates ShortRows::step(unsigned level, ArrayRef<Row> rows, Value *column,
                                     Value *count, const RowStates &states) {
  const RowFacts::Pass &pass = facts.passes[level];
  DenseMap<unsigned, Value *> shared;
  RowStates next;
  for (auto [row, before] : zip(rows, states)) {
    const Known known = elementsAt(level, row, column, count, shared);
    if (level > 0 && level + 1 == facts.passes.size())
      prefetchNextRows(row, column);
    for (unsigned i : pass.outputs)
      storeOutput(i, valueOf(facts.yielded()[i], known),
                  outputAt(i, row.pointers.outputs[i], column), count);
    next.emplace_back();
    for (auto [accumulator, state] : zip(accumulators[level], before))
      next.back().push_back(taken(accumulator, state, known, column, count));
  }
  return next;
}

void ShortRows::emitPass(unsigned level, MutableArrayRef<Row> rows) {
  MutableArrayRef<Accumulator> of = accumulators[level];
  const int64_t together = tuning.vectorsOfShortRow;
  Value *columns = places.sizes[facts.columns()];
  RowStates started(rows.size());
  for (auto [row, states] : zip(rows, started)) {
    compute(facts.passes[level].wanted, row.known, /*keptOnly=*/true);
    for (Accumulator &accumulator : of)
      states.push_back(accumulator.start());
  }
  auto advance = [&](ArrayRef<Row> at, Value *column, Value *count, ArrayRef<Value *> values) {
    return flatRows(step(level, at, column, count, partedRows(values, level, rows.size())));
  };
  const bool arePairs = readsPairs(level, rows.front().known);
  const Carried one = flatRows(started);
  Carried all;
  for (int64_t v = 0; v < together; ++v)
    all.append(one);
  Value *whole = e.roundDown(columns, together * lanes()), *last = e.roundDown(columns, lanes());
  all = e.loop(e.number(0), whole, e.number(together * lanes()), all,
               [&](Value *column, ArrayRef<Value *> values) {
                 Carried next;
                 std::array<SmallVector<Row>, 2> pair;
                 pair.fill(SmallVector<Row>(rows));
                 for (int64_t v = 0; v < together; ++v) {
                   Value *at = b.CreateAdd(column, e.number(v * lanes()));
                   for (size_t row = 0; arePairs && v % 2 == 0 && row < rows.size(); ++row) {
                     auto known = pairAt(level, rows[row].pointers, at, rows[row].known);
                     pair[0][row].known = std::move(known[0]);
                     pair[1][row].known = std::move(known[1]);
                   }
                   next.append(
                       advance(pair[v % 2], at, nullptr, values.slice(v * one.size(), one.size())));
                 }
                 return next;
               });
  RowStates states = partedRows(ArrayRef(all).take_front(one.size()), level, rows.size());
  for (int64_t v = 1; v < together; ++v) {
    const RowStates more =
        partedRows(ArrayRef(all).slice(v * one.size(), one.size()), level, rows.size());
    for (size_t row = 0; row < rows.size(); ++row)
      for (size_t r = 0; r < of.size(); ++r)
        states[row][r] = of[r].joined(states[row][r], more[row][r]);
  }
  Carried carried = e.loop(whole, last, e.number(lanes()), flatRows(states),
                           [&](Value *column, ArrayRef<Value *> values) {
                             return advance(rows, column, nullptr, values);
                           });
  carried = e.loop(last, columns, e.number(lanes()), carried,
                   [&](Value *column, ArrayRef<Value *> values) {
                     return advance(rows, column, b.CreateSub(columns, column), values);
                   });
  states = partedRows(carried, level, rows.size());
  for (auto [row, ofRow] : zip(rows, states))
    for (auto [accumulator, state] : zip(of, ofRow)) {
      const Parts result = accumulator.acrossLanes(accumulator.ofState(state));
      cpu::ReduceOp reduction = accumulator.reduction();
      row.known[reduction.getResult()] = result[0];
      if (accumulator.hasPosition())
        row.known[reduction.getPosition()] = result[1];
    }
}

void ShortRows::emitRows(const Pointers &first, int64_t count) {
  SmallVector<Row> rows;
  Value *width = e.roundUp(places.sizes[facts.columns()], lanes());
  for (int64_t i = 0; i < count; ++i) {
    Row row{i ? moved(first, facts.rows, e.number(i)) : first, scalars,
            b.CreateMul(width, e.number(i))};
    addPositions(row.pointers, e.number(0), row.known);
    for (auto [input, argument] : enumerate(region.getArguments()))
      if (!facts.inputVaries(input))
        row.known[argument] = loadInput(input, row.pointers.inputs[input], nullptr);
    rows.push_back(std::move(row));
  }
  for (unsigned level = 0; level < facts.passes.size(); ++level)
    emitPass(level, rows);
  for (Row &row : rows)
    for (unsigned i : facts.keptOutputs) {
      mlir::Value value = facts.yielded()[i];
      compute(value, row.known);
      storeElement(i, valueOf(value, row.known), row.pointers.outputs[i]);
    }
}

void ShortRows::emit() {
  const int64_t together = CpuTuning::shortRowsTogether;
  nest(facts.outerKept, start(), e.number(0), {},
       [&](const Pointers &pointers, Value *, ArrayRef<Value *>) {
         Value *height = places.sizes[facts.rows], *whole = e.roundDown(height, together);
         auto emitAt = [&](Value *row, int64_t count) {
           emitRows(moved(pointers, facts.rows, row), count);
         };
         e.loop(e.number(0), whole, e.number(together), [&](Value *row) { emitAt(row, together); });
         e.loop(whole, height, e.number(1), [&](Value *row) { emitAt(row, 1); });
         return Carried();
       });
}

} // namespace

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

bool emitShortRows(Emitter &e, const RowFacts &facts, mlir::Block &region,
                   const SpacePlaces &places, RowAccess form) {
  ShortRows code(e, facts, region, places, form);
  code.emit();
  return code.complete;
}

} // namespace mmk
