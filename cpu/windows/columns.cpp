// Reductions over windows along columns that are kept: a depthwise convolution, pooling. The sums
// of some vectors of columns are in registers over all taps. What a tap reads is a run of elements
// from an address on, a scalar: each is computed in the outermost loop that it depends on.
#include "codegen/region.h"
#include "codegen/scalar_ops.h"
#include "cpu/row_code.h"
#include "cpu/tile_elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

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
  };

  void findTaps();
  void addColumnTaps(Block &block);
  void emitBlock(const Pointers &pointers, const Block &block);
  Carried emitTaps(const Block &block, Taps taps);
  Carried emitTap(const Block &block, const Taps &taps);
  void addOnes(Known &ones, const Pointers &pointers, ArrayRef<int64_t> left);
  SmallVector<SmallVector<Value *>> loadRuns(const Block &block, const Taps &taps);
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
  std::ranges::stable_partition(reduced, [&](int64_t dim) { return !alongRow.contains(dim); });
  // A row's own position shifts its masks.
  const bool areForAllRows =
      none_of(facts.outerKept, [&](int64_t dim) { return alongRow.contains(dim); });
  if (areUnrolled && areForAllRows && e.target.masks())
    copy_if(reduced, std::back_inserter(columnTaps),
            [&](int64_t dim) { return alongRow.contains(dim); });
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

/// The elements of each run, by vector.
SmallVector<SmallVector<Value *>> WindowColumns::loadRuns(const Block &block, const Taps &taps) {
  SmallVector<ElementRun> all;
  SmallVector<Value *> paddings;
  Value *areInside = b.getTrue();
  for (cpu::GatherRunOp run : runs) {
    auto base = cast<mlir::BlockArgument>(run.getBase());
    SmallVector<Value *> operands = {taps.pointers.inputs[base.getArgNumber()]};
    for (mlir::Value operand : scalarsOfRun(run))
      operands.push_back(oneOf(e, operand, taps.ones));
    all.emplace_back(e, run, operands);
    paddings.push_back(valueOf(run.getPadding(), scalars));
  }
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

RowCode::Carried WindowColumns::emitTap(const Block &block, const Taps &taps) {
  const auto loaded = loadRuns(block, taps);
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
        e.number(i), is_contained(columnTaps, dim) ? taps.columnTap * extent + i : 0, taps.states);
  return taps.states;
}

void WindowColumns::emitBlock(const Pointers &pointers, const Block &block) {
  Taps taps{pointers, reduced, Known(), Carried()};
  taps.pointers.indices[facts.columns()] = block.column;
  for (auto [i, scalar] : enumerate(scalarsOf(region)))
    taps.ones[scalar] = e.splat(places.scalars[i], 1);
  States first;
  for (Accumulator &reduction : reductions())
    first.push_back(reduction.start());
  for (int64_t v = 0; v < block.vectors; ++v)
    taps.states.append(flat(first));
  const Carried states = emitTaps(block, taps);
  const size_t each = states.size() / block.vectors;
  SmallVector<mlir::Value> yielded;
  for (unsigned i : facts.keptOutputs)
    yielded.push_back(facts.yielded()[i]);
  for (int64_t v = 0; v < block.vectors; ++v) {
    Known known = scalars;
    for (auto [reduction, state] : zip(reductions(), parted(ArrayRef(states).slice(v * each, each),
                                                            reductions(), /*totals=*/false)))
      known[reduction.reduction().getResult()] = reduction.ofState(state)[0];
    known = valuesAt(pointers, block, v, yielded, std::move(known));
    Value *column = b.CreateAdd(block.column, e.number(v * lanes()));
    for (auto [i, value] : zip(facts.keptOutputs, yielded))
      storeOutput(i, valueOf(value, known), outputAt(i, pointers.outputs[i], column),
                  block.countAt(e, v));
  }
}

void WindowColumns::emit() {
  findTaps();
  Value *columns = places.sizes[facts.columns()];
  e.loopWhile(e.number(0), columns, [&](Value *column) {
    Value *left = b.CreateSub(columns, column), *taken = e.number(0);
    // As few vectors as hold the rest.
    for (int64_t vectors = 1; vectors <= CpuTuning::vectorsOfWindow; vectors *= 2) {
      const bool isMost = vectors == CpuTuning::vectorsOfWindow;
      Value *fits = b.CreateICmpSGT(left, e.number(vectors / 2 * lanes()));
      if (!isMost)
        fits = b.CreateAnd(fits, b.CreateICmpSLE(left, e.number(vectors * lanes())));
      Value *count = e.min(left, e.number(vectors * lanes()));
      e.when(fits, [&] {
        Block block{vectors, column, count, {}};
        addColumnTaps(block);
        nest(facts.outerKept, start(), e.number(0), {},
             [&](const Pointers &pointers, Value *, ArrayRef<Value *>) {
               emitBlock(pointers, block);
               return Carried();
             });
      });
      taken = b.CreateSelect(fits, count, taken);
    }
    return b.CreateAdd(column, taken);
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
