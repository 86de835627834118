// Reductions over windows along columns that are kept: a depthwise convolution, pooling. The sums
// of some vectors of columns are in registers over all taps. What a tap reads is a run of elements
// from an address on, a scalar: each is computed in the outermost loop that it depends on.
#include "codegen/region.h"
#include "codegen/scalar_ops.h"
#include "cpu/row_code.h"
#include "cpu/tile_elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>
#include <vector>

using namespace llvm;

namespace mmk {
namespace {

class WindowColumns : public RowCode {
public:
  using RowCode::RowCode;

  void emit();

private:
  /// What is the same for all rows of a block of columns, for taps that run along the columns.
  struct ColumnTap {
    Known ones;
    SmallVector<SmallVector<Value *>> masks; ///< of each run, by vector
  };
  /// Columns that are computed together.
  struct Block {
    int64_t vectors;
    Value *column, *count;
    SmallVector<ColumnTap> taps; ///< none where masks differ between rows
    Value *countAt(Emitter &e, int64_t vector) const {
      Value *left = e.b.CreateSub(count, e.number(vector * e.target.lanes));
      return e.min(left, e.number(e.target.lanes));
    }
  };
  /// The taps of some dimensions, added to states of each vector.
  struct Taps {
    Pointers pointers;
    SmallVector<int64_t> left; ///< dimensions that the loops around do not run along
    Known ones;                ///< of a vector of one lane, at the first column
    Carried states;
    size_t columnTap = 0;
    bool isCorner = true; ///< the first or last tap along each dimension
  };

  void findTaps();
  void addColumnTaps(Block &block);
  void emitBlock(const Pointers &pointers, const Block &block);
  Carried startOfStates();
  void finishBlock(const Pointers &pointers, const Block &block, ArrayRef<Value *> states);
  /// Adds the first column, and the scalars of all rows.
  Taps tapsOfRow(const Pointers &pointers, const Block &block);
  /// All taps of a row, where all are unrolled.
  std::vector<Taps> allTaps(const Pointers &pointers, const Block &block);
  Value *areRowsInside(ArrayRef<Pointers> rows);
  void emitTogether(ArrayRef<Pointers> rows, const Block &block);
  /// Calls a function with each block of columns, of so many vectors at most.
  using Blocks = function_ref<void(int64_t, function_ref<void(const Block &)>)>;
  void emitRows(const Pointers &pointers, Blocks forEach);
  void forEachBlock(int64_t mostVectors, function_ref<void(const Block &)> body);
  Carried emitTaps(const Block &block, Taps taps);
  Carried emitTap(const Block &block, const Taps &taps, bool areInside = false);
  SmallVector<ElementRun> runsAt(const Taps &taps, SmallVectorImpl<Value *> &paddings);
  void addOnes(Known &ones, const Pointers &pointers, ArrayRef<int64_t> left);
  SmallVector<SmallVector<Value *>> loadRuns(const Block &block, const Taps &taps);
  SmallVector<SmallVector<Value *>> loadRunsInside(const Block &block, const Taps &taps);
  SmallVector<Value *> loadMasked(const Block &block, const Taps &taps, size_t run,
                                  const ElementRun &elements, Value *padding);
  /// Vectors of inputs and of what is computed from them, from a column of the block on.
  Known valuesAt(const Pointers &pointers, const Block &block, int64_t vector,
                 ArrayRef<mlir::Value> wanted, Known known);

  MutableArrayRef<Accumulator> reductions() { return accumulators.front(); }
  std::optional<int64_t> literal(int64_t dim) {
    auto size = cast<cpu::RowsOp>(region.getParentOp()).getSizes()[dim];
    auto constant = size.getDefiningOp<mlir::arith::ConstantIndexOp>();
    return constant ? std::optional(constant.value()) : std::nullopt;
  }

  const SmallVector<cpu::GatherRunOp> runs{region.getOps<cpu::GatherRunOp>()};
  SmallVector<int64_t> reduced;    ///< dimensions, those of `columnTaps` last
  SmallVector<int64_t> columnTaps; ///< of these, those that the indices along a row depend on
  bool areUnrolled = false;        ///< all taps
  /// Whether taps between some that are inside of their tensors are inside, too: indices are sums
  /// of positions, and each is compared with an extent.
  bool areAffine = false;
};

Value *oneOf(Emitter &e, mlir::Value value, const RowFacts::Known &ones) {
  if (Value *known = ones.lookup(value))
    return known;
  return e.splat(emitConstant(e, value.getDefiningOp<mlir::arith::ConstantOp>().getValue()), 1);
}

/// The operands of a run that are the same for all of its columns, or those of the first one.
mlir::ValueRange scalarsOfRun(cpu::GatherRunOp run) {
  return run->getOperands().drop_front().drop_back();
}

// Taps are few where windows are written with their size.
void WindowColumns::findTaps() {
  llvm::SmallDenseSet<int64_t> alongRow;
  SmallVector<mlir::Value> indices;
  for (cpu::GatherRunOp run : runs)
    indices.append({run.getIndex(), run.getExtent()});
  for (mlir::Operation *op : facts.opsFor(indices, Known()))
    if (auto position = dyn_cast<cpu::PositionOp>(op))
      alongRow.insert(position.getSizeAttr().getInt());
  reduced = facts.outerReduced;
  reduced.push_back(facts.rows);
  int64_t taps = 1;
  for (int64_t dim : reduced)
    taps *= std::min<int64_t>(literal(dim).value_or(CpuTuning::unrolledTaps + 1),
                              CpuTuning::unrolledTaps + 1);
  areUnrolled = taps <= CpuTuning::unrolledTaps;
  // Rows share what they read along the other dimensions: in registers, where those are the inner
  // ones.
  std::ranges::stable_partition(reduced,
                                [&](int64_t dim) { return alongRow.contains(dim) == areUnrolled; });
  // A row's own position shifts its masks.
  const bool areForAllRows =
      none_of(facts.outerKept, [&](int64_t dim) { return alongRow.contains(dim); });
  if (areUnrolled && areForAllRows && e.target.masks())
    copy_if(reduced, std::back_inserter(columnTaps),
            [&](int64_t dim) { return alongRow.contains(dim); });
  indices.clear();
  for (cpu::GatherRunOp run : runs)
    indices.append({run.getHere(), run.getIndex(), run.getExtent()});
  const auto isScalar = [](mlir::Value value) {
    return !value.getDefiningOp() || value.getDefiningOp<mlir::arith::ConstantOp>();
  };
  areAffine = all_of(facts.opsFor(indices, Known()), [&](mlir::Operation *op) {
    namespace arith = mlir::arith;
    if (auto compared = dyn_cast<arith::CmpIOp>(op))
      return compared.getPredicate() == arith::CmpIPredicate::ult && isScalar(compared.getRhs());
    return isa<arith::AddIOp, arith::SubIOp, arith::AndIOp, arith::IndexCastOp, arith::ConstantOp,
               cpu::PositionOp>(op) ||
           (isa<arith::MulIOp>(op) && any_of(op->getOperands(), isScalar));
  });
}

// With no dimension, one tap.
void WindowColumns::addColumnTaps(Block &block) {
  if (!areUnrolled || !e.target.masks())
    return;
  int64_t count = 1;
  for (int64_t dim : columnTaps)
    count *= *literal(dim);
  SmallVector<int64_t> left = facts.outerKept;
  append_range(left, reduced);
  erase_if(left, [&](int64_t dim) { return is_contained(columnTaps, dim); });
  for (int64_t tap = 0; tap < count; ++tap) {
    ColumnTap &next = block.taps.emplace_back();
    Pointers pointers = start();
    pointers.indices[facts.columns()] = block.column;
    int64_t rest = tap;
    for (int64_t dim : reverse(columnTaps)) {
      pointers.indices[dim] = e.number(rest % *literal(dim));
      rest /= *literal(dim);
    }
    for (auto [i, scalar] : enumerate(scalarsOf(region)))
      next.ones[scalar] = e.splat(places.scalars[i], 1);
    addOnes(next.ones, pointers, left);
    for (cpu::GatherRunOp run : runs) {
      auto isKnown = [&](mlir::Value value) {
        return next.ones.contains(value) || value.getDefiningOp<mlir::arith::ConstantOp>();
      };
      if (!isKnown(run.getIndex()) || !isKnown(run.getExtent()))
        return block.taps.clear();
      auto scalar = [&](mlir::Value value) {
        return b.CreateExtractElement(oneOf(e, value, next.ones), uint64_t(0));
      };
      auto &masks = next.masks.emplace_back();
      for (int64_t v = 0; v < block.vectors; ++v)
        masks.push_back(ElementRun::mask(e, scalar(run.getIndex()), scalar(run.getExtent()),
                                         run.getStepAttr().getInt(), v * lanes()));
    }
  }
}

void WindowColumns::addOnes(Known &ones, const Pointers &pointers, ArrayRef<int64_t> left) {
  SmallVector<mlir::Value> wanted;
  for (cpu::GatherRunOp run : runs)
    append_range(wanted, scalarsOfRun(run));
  auto isKnown = [&](mlir::Value value) {
    return ones.contains(value) || value.getDefiningOp<mlir::arith::ConstantOp>();
  };
  for (mlir::Operation *op : facts.opsFor(wanted, ones)) {
    // In 64 bits from the start, so that equal indices of several rows and taps are found to be
    // equal.
    if (isa<mlir::arith::IndexCastOp>(op))
      if (auto position = op->getOperand(0).getDefiningOp<cpu::PositionOp>();
          position && ones.contains(position.getResult())) {
        Value *first = oneOf(e, position.getFirst(), ones);
        ones[op->getResult(0)] = b.CreateAdd(
            first, e.splat(pointers.indices[position.getSizeAttr().getInt()], /*lanes=*/1));
        continue;
      }
    auto position = dyn_cast<cpu::PositionOp>(op);
    if (!position) {
      if (all_of(op->getOperands(), isKnown))
        complete &= emitOps(e, op, /*lanes=*/1, ones, {});
      continue;
    }
    const int64_t dim = position.getSizeAttr().getInt();
    if (!is_contained(left, dim))
      addPosition(e, position, pointers.indices[dim], /*lanes=*/1, ones);
  }
}

// The masks are those of all rows.
SmallVector<Value *> WindowColumns::loadMasked(const Block &block, const Taps &taps, size_t run,
                                               const ElementRun &elements, Value *padding) {
  return e.eitherOf(
      elements.isHere(),
      [&] {
        SmallVector<Value *> loaded;
        for (auto [v, mask] : enumerate(block.taps[taps.columnTap].masks[run]))
          loaded.push_back(elements.loadMasked(e, v * lanes(), mask, padding));
        return loaded;
      },
      [&] { return SmallVector<Value *>(block.vectors, padding); });
}

SmallVector<ElementRun> WindowColumns::runsAt(const Taps &taps,
                                              SmallVectorImpl<Value *> &paddings) {
  SmallVector<ElementRun> all;
  for (cpu::GatherRunOp run : runs) {
    auto base = cast<mlir::BlockArgument>(run.getBase());
    SmallVector<Value *> operands = {taps.pointers.inputs[base.getArgNumber()]};
    for (mlir::Value operand : scalarsOfRun(run))
      operands.push_back(oneOf(e, operand, taps.ones));
    all.emplace_back(e, run, operands);
    paddings.push_back(valueOf(run.getPadding(), scalars));
  }
  return all;
}

/// The same where all rows of the runs are inside of their tensors, and dense.
SmallVector<SmallVector<Value *>> WindowColumns::loadRunsInside(const Block &block,
                                                                const Taps &taps) {
  SmallVector<Value *> paddings;
  SmallVector<SmallVector<Value *>> byRun;
  for (auto [i, run] : enumerate(runsAt(taps, paddings))) {
    auto &loaded = byRun.emplace_back();
    for (int64_t v = 0; v < block.vectors; ++v)
      loaded.push_back(
          run.loadDense(e, v * lanes(), block.taps[taps.columnTap].masks[i][v], paddings[i]));
  }
  return byRun;
}

/// The elements of each run, by vector.
SmallVector<SmallVector<Value *>> WindowColumns::loadRuns(const Block &block, const Taps &taps) {
  SmallVector<Value *> paddings;
  const SmallVector<ElementRun> all = runsAt(taps, paddings);
  Value *areInside = b.getTrue();
  SmallVector<SmallVector<Value *>> byRun;
  if (!block.taps.empty()) {
    for (size_t run = 0; run < all.size(); ++run)
      byRun.push_back(loadMasked(block, taps, run, all[run], paddings[run]));
    return byRun;
  }
  for (const ElementRun &run : all)
    areInside = b.CreateAnd(areInside, run.isInside(e, block.vectors * int64_t(lanes())));
  auto load = [&](function_ref<Value *(size_t run, int64_t column)> one) {
    SmallVector<Value *> loaded;
    for (size_t run = 0; run < all.size(); ++run)
      for (int64_t v = 0; v < block.vectors; ++v)
        loaded.push_back(one(run, v * lanes()));
    return loaded;
  };
  const SmallVector<Value *> loaded = e.eitherOf(
      areInside,
      [&] { return load([&](size_t run, int64_t column) { return all[run].load(e, column); }); },
      [&] {
        return load([&](size_t run, int64_t column) {
          return all[run].loadInside(e, column, paddings[run]);
        });
      });
  for (size_t run = 0; run < all.size(); ++run)
    byRun.emplace_back(ArrayRef(loaded).slice(run * block.vectors, block.vectors));
  return byRun;
}

RowCode::Known WindowColumns::valuesAt(const Pointers &pointers, const Block &block, int64_t vector,
                                       ArrayRef<mlir::Value> wanted, Known known) {
  Value *column = b.CreateAdd(block.column, e.number(vector * lanes()));
  if (any_of(facts.opsFor(wanted, known), llvm::IsaPred<cpu::PositionOp>)) {
    Pointers at = pointers;
    at.indices[facts.columns()] = column;
    addPositions(at, e.number(0), known);
  }
  for (unsigned i : inputsFor(wanted, known))
    known[region.getArgument(i)] =
        loadInput(i, inputAt(i, pointers.inputs[i], column), block.countAt(e, vector));
  compute(wanted, known);
  return known;
}

RowCode::Carried WindowColumns::emitTap(const Block &block, const Taps &taps, bool areInside) {
  const auto loaded = areInside ? loadRunsInside(block, taps) : loadRuns(block, taps);
  const RowFacts::Pass &pass = facts.passes.front();
  Carried next;
  ArrayRef<Value *> states = taps.states;
  const size_t each = states.size() / block.vectors;
  for (int64_t v = 0; v < block.vectors; ++v) {
    Known known = scalars;
    for (const auto &[run, elements] : zip(runs, loaded))
      known[run->getResult(0)] = elements[v];
    known = valuesAt(taps.pointers, block, v, pass.wanted, std::move(known));
    States after;
    for (auto [reduction, state] :
         zip(reductions(), parted(states.slice(v * each, each), reductions(), /*totals=*/false)))
      after.push_back(taken(reduction, state, known, nullptr, nullptr));
    next.append(flat(after));
  }
  return next;
}

RowCode::Carried WindowColumns::emitTaps(const Block &block, Taps taps) {
  if (taps.left.empty() && !block.taps.empty())
    for (auto [value, one] : block.taps[taps.columnTap].ones)
      taps.ones.try_emplace(value, one);
  addOnes(taps.ones, taps.pointers, taps.left);
  if (taps.left.empty())
    return emitTap(block, taps);
  const int64_t dim = taps.left.front();
  taps.left.erase(taps.left.begin());
  auto emitAt = [&](Value *index, size_t columnTap, ArrayRef<Value *> states) {
    Taps inside = taps;
    inside.pointers = moved(taps.pointers, dim, index);
    inside.states = Carried(states);
    inside.columnTap = columnTap;
    return emitTaps(block, std::move(inside));
  };
  if (!areUnrolled)
    return e.loop(e.number(0), places.sizes[dim], e.number(1), taps.states,
                  [&](Value *index, ArrayRef<Value *> states) { return emitAt(index, 0, states); });
  const int64_t extent = *literal(dim);
  for (int64_t i = 0; i < extent; ++i)
    taps.states = emitAt(
        e.number(i), is_contained(columnTaps, dim) ? taps.columnTap * extent + i : taps.columnTap,
        taps.states);
  return taps.states;
}

WindowColumns::Taps WindowColumns::tapsOfRow(const Pointers &pointers, const Block &block) {
  Taps taps{pointers, reduced, Known(), Carried()};
  taps.pointers.indices[facts.columns()] = block.column;
  for (auto [i, scalar] : enumerate(scalarsOf(region)))
    taps.ones[scalar] = e.splat(places.scalars[i], 1);
  return taps;
}

RowCode::Carried WindowColumns::startOfStates() {
  States first;
  for (Accumulator &reduction : reductions())
    first.push_back(reduction.start());
  return flat(first);
}

void WindowColumns::emitBlock(const Pointers &pointers, const Block &block) {
  Taps taps = tapsOfRow(pointers, block);
  for (int64_t v = 0; v < block.vectors; ++v)
    taps.states.append(startOfStates());
  finishBlock(pointers, block, emitTaps(block, taps));
}

std::vector<WindowColumns::Taps> WindowColumns::allTaps(const Pointers &pointers,
                                                        const Block &block) {
  std::vector<Taps> all = {tapsOfRow(pointers, block)};
  for (int64_t dim : reduced) {
    const int64_t extent = *literal(dim);
    std::vector<Taps> next;
    for (const Taps &taps : all)
      for (int64_t i = 0; i < extent; ++i) {
        Taps &tap = next.emplace_back(taps);
        tap.left.clear();
        tap.pointers = moved(taps.pointers, dim, e.number(i));
        tap.isCorner &= i == 0 || i + 1 == extent;
        if (is_contained(columnTaps, dim))
          tap.columnTap = taps.columnTap * extent + i;
      }
    all = std::move(next);
  }
  for (Taps &tap : all) {
    if (!block.taps.empty())
      for (auto [value, one] : block.taps[tap.columnTap].ones)
        tap.ones.try_emplace(value, one);
    addOnes(tap.ones, tap.pointers, {});
  }
  return all;
}

// Whether all taps of rows that follow each other are inside of their tensors, in all columns where
// masks tell which of these are.
Value *WindowColumns::areRowsInside(ArrayRef<Pointers> rows) {
  Value *are = b.getTrue();
  for (auto [i, pointers] : enumerate(rows)) {
    const bool isBetween = i > 0 && i + 1 < rows.size();
    for (const Taps &tap : allTaps(pointers, Block{1, e.number(0), e.number(0), {}})) {
      if (areAffine && (isBetween || !tap.isCorner))
        continue;
      SmallVector<Value *> paddings;
      for (const ElementRun &run : runsAt(tap, paddings))
        are = b.CreateAnd({are, run.isHere(), run.isDense(e)});
    }
  }
  return are;
}

// What rows share is loaded once.
void WindowColumns::emitTogether(ArrayRef<Pointers> rows, const Block &block) {
  SmallVector<Carried> states(rows.size());
  std::vector<std::vector<Taps>> taps;
  for (auto [pointers, ofRow] : zip(rows, states)) {
    taps.push_back(allTaps(pointers, block));
    for (int64_t v = 0; v < block.vectors; ++v)
      ofRow.append(startOfStates());
  }
  for (size_t tap = 0; tap < taps[0].size(); ++tap)
    for (size_t i = 0; i < rows.size(); ++i) {
      taps[i][tap].states = states[i];
      states[i] = emitTap(block, taps[i][tap], /*areInside=*/true);
    }
  for (auto [pointers, ofRow] : zip(rows, states))
    finishBlock(pointers, block, ofRow);
}

// Rows along the last dimension that is kept. Where all of their taps are inside, several rows are
// computed together, without a branch.
void WindowColumns::emitRows(const Pointers &pointers, Blocks forEach) {
  constexpr int64_t together = CpuTuning::rowsOfWindow;
  const bool haveShortSteps = all_of(
      runs, [](cpu::GatherRunOp run) { return ElementRun::isShort(run.getStepAttr().getInt()); });
  const int64_t dim = facts.outerKept.back();
  Value *rows = places.sizes[dim];
  e.loopWhile(e.number(0), rows, [&](Value *row) -> Value * {
    const Pointers first = moved(pointers, dim, row);
    SmallVector<Pointers> ofRows;
    for (int64_t i = 0; i < together; ++i)
      ofRows.push_back(moved(first, dim, e.number(i)));
    Value *areTogether = b.CreateICmpSLE(b.CreateAdd(row, e.number(together)), rows);
    Block any{1, e.number(0), e.number(0), {}};
    addColumnTaps(any);
    if (any.taps.empty() || !haveShortSteps) {
      areTogether = b.getFalse();
    } else {
      areTogether = b.CreateAnd(areTogether, areRowsInside(ofRows));
      e.when(areTogether, [&] {
        forEach(CpuTuning::vectorsOfRows, [&](const Block &block) { emitTogether(ofRows, block); });
      });
    }
    e.when(b.CreateNot(areTogether), [&] {
      forEach(CpuTuning::vectorsOfWindow, [&](const Block &block) { emitBlock(first, block); });
    });
    return b.CreateAdd(row, b.CreateSelect(areTogether, e.number(together), e.number(1)));
  });
}

void WindowColumns::finishBlock(const Pointers &pointers, const Block &block,
                                ArrayRef<Value *> states) {
  const size_t each = states.size() / block.vectors;
  SmallVector<mlir::Value> yielded;
  for (unsigned i : facts.keptOutputs)
    yielded.push_back(facts.yielded()[i]);
  for (int64_t v = 0; v < block.vectors; ++v) {
    Known known = scalars;
    for (auto [reduction, state] :
         zip(reductions(), parted(states.slice(v * each, each), reductions(), /*totals=*/false)))
      known[reduction.reduction().getResult()] = reduction.ofState(state)[0];
    known = valuesAt(pointers, block, v, yielded, std::move(known));
    Value *column = b.CreateAdd(block.column, e.number(v * lanes()));
    for (auto [i, value] : zip(facts.keptOutputs, yielded))
      storeOutput(i, valueOf(value, known), outputAt(i, pointers.outputs[i], column),
                  block.countAt(e, v));
  }
}

void WindowColumns::forEachBlock(int64_t mostVectors, function_ref<void(const Block &)> body) {
  Value *columns = places.sizes[facts.columns()];
  e.loopWhile(e.number(0), columns, [&](Value *column) {
    Value *left = b.CreateSub(columns, column), *taken = e.number(0);
    // As few vectors as hold the rest.
    for (int64_t vectors = 1; vectors <= mostVectors; vectors *= 2) {
      const bool isMost = vectors == mostVectors;
      Value *fits = b.CreateICmpSGT(left, e.number(vectors / 2 * lanes()));
      if (!isMost)
        fits = b.CreateAnd(fits, b.CreateICmpSLE(left, e.number(vectors * lanes())));
      Value *count = e.min(left, e.number(vectors * lanes()));
      e.when(fits, [&] {
        Block block{vectors, column, count, {}};
        addColumnTaps(block);
        body(block);
      });
      taken = b.CreateSelect(fits, count, taken);
    }
    return b.CreateAdd(column, taken);
  });
}

// The loop over blocks is where what is the same for all iterations takes longest: masks of taps
// that run along the columns, or else whether rows are inside.
void WindowColumns::emit() {
  findTaps();
  const auto emitAll = [&](Blocks forEach) {
    if (facts.outerKept.empty())
      return forEach(CpuTuning::vectorsOfWindow,
                     [&](const Block &block) { emitBlock(start(), block); });
    nest(ArrayRef(facts.outerKept).drop_back(), start(), e.number(0), {},
         [&](const Pointers &pointers, Value *, ArrayRef<Value *>) {
           emitRows(pointers, forEach);
           return Carried();
         });
  };
  if (columnTaps.empty())
    return emitAll(
        [&](int64_t most, function_ref<void(const Block &)> body) { forEachBlock(most, body); });
  forEachBlock(CpuTuning::vectorsOfRows, [&](const Block &block) {
    emitAll([&](int64_t, function_ref<void(const Block &)> body) { body(block); });
  });
}

} // namespace

Value *areWindows(Emitter &e, const RowFacts &facts, mlir::Block &region,
                  const SpacePlaces &places) {
  const bool haveRun = !region.getOps<cpu::GatherRunOp>().empty();
  if (!haveRun || facts.reducesColumns() || facts.rows < 0 || facts.passes.size() != 1 ||
      !facts.passes.front().outputs.empty() ||
      any_of(region.getOps<cpu::ReduceOp>(), [](cpu::ReduceOp op) { return op.getPosition(); }))
    return nullptr;
  Value *taps = places.sizes[facts.rows];
  for (int64_t dim : facts.outerReduced)
    taps = e.b.CreateMul(taps, places.sizes[dim]);
  return e.b.CreateICmpSLE(taps, e.number(CpuTuning::tapsOfWindow));
}

bool emitWindowColumns(Emitter &e, const RowFacts &facts, mlir::Block &region,
                       const SpacePlaces &places, RowAccess form) {
  WindowColumns code(e, facts, region, places, form);
  code.emit();
  return code.complete;
}

} // namespace mmk
