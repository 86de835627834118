// Reductions over windows along columns that are kept: a depthwise convolution, pooling. The sums
// of some vectors of columns are in registers over all taps. What a tap reads is a run of elements
// from an address on, a scalar: each is computed in the outermost loop that it depends on.
#include "codegen/region.h"
#include "codegen/scalar_ops.h"
#include "cpu/row_code.h"
#include "cpu/tile_elements.h"
#include "cpu/windows/offsets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
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
    SmallVector<SmallVector<Value *>> masks;        ///< of each run, by vector
    SmallVector<SmallVector<Value *>> masksOfPairs; ///< the same of two vectors
  };
  /// The lanes of vectors: columns that follow each other; of two vectors, the even and the odd
  /// ones; or of one vector, the columns of two rows along `dimOfHalves`.
  enum class Lanes { inOrder, pairs, halves };
  /// Columns that are computed together.
  struct Block {
    int64_t vectors;
    Value *column, *count;
    SmallVector<ColumnTap> taps; ///< none where masks differ between rows
    Lanes lanes = Lanes::inOrder;
    bool isWhole = false; ///< all columns of all vectors, and what runs have for them, are there
    bool inPairs() const { return lanes == Lanes::pairs; }
    bool inHalves() const { return lanes == Lanes::halves; }
    /// The place of a vector, or of a pair, and its columns.
    int64_t placeOf(Emitter &e, int64_t vector) const {
      return (inPairs() ? vector / 2 * 2 : vector) * e.target.lanes;
    }
    Value *countAt(Emitter &e, int64_t vector) const {
      Value *left = e.b.CreateSub(count, e.number(placeOf(e, vector)));
      return e.min(left, e.number((inPairs() ? 2 : 1) * e.target.lanes));
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
  bool hasAnyOrder();
  bool canReadPairs();
  bool canJoinRows();
  Block blockAt(int64_t vectors, Value *column, Value *count, Lanes lanes = Lanes::inOrder,
                bool isWhole = false) {
    Block block{vectors, column, count, {}, lanes, isWhole};
    addColumnTaps(block);
    return block;
  }
  void addColumnTaps(Block &block);
  void emitBlock(const Pointers &pointers, const Block &block);
  /// Scalars of the tile, as vectors of one lane, and a scalar of such vectors.
  Known onesOfScalars();
  Value *scalarOf(mlir::Value value, const Known &ones);
  void finishBlock(const Pointers &pointers, const Block &block, ArrayRef<Value *> states);
  /// Adds the first column, and the scalars of all rows.
  Taps tapsOfRow(const Pointers &pointers, const Block &block);
  /// How far each tap is from the first one along each dimension, where all are unrolled.
  std::vector<SmallVector<int64_t>> movesOfTaps();
  /// The runs of the first tap of a row, from which those of others are computed.
  struct FirstRuns {
    SmallVector<ElementRun> runs;
    SmallVector<Value *> paddings;
    SmallVector<SmallVector<Value *>> indices; ///< of each run, those of its bounds
  };
  FirstRuns firstRuns(const Pointers &pointers, const Block &block);
  Value *isInside(const FirstRuns &first, size_t run, size_t bound, int64_t distance);
  Value *areRowsInside(const Pointers &pointers, Lanes lanes);
  Value *scalarOf(mlir::Value value);
  Value *areDense();
  /// Where a run is, so far from the first one. `outside`: null, or what is read where it is not
  /// there.
  ElementRun runFrom(const FirstRuns &first, size_t run, ArrayRef<int64_t> moves, Value *outside);
  struct LoadedRun {
    SmallVector<Value *> elements, between; ///< of steps of two, those one further
  };
  LoadedRun loadFrom(const Block &block, const FirstRuns &first, size_t run,
                     SmallVector<int64_t> moves, const ColumnTap &tap, Value *outside);
  /// The elements of a run that were loaded for it, or between those of another one.
  using KnownRuns = std::map<std::tuple<size_t, size_t, RunOffsets::Distance>, LoadedRun>;
  ArrayRef<Value *> findLoaded(const KnownRuns &known, size_t run, size_t columnTap,
                               const RunOffsets::Distance &distance);
  Value *paddingInMemory(size_t run, Value *padding, int64_t vectors);
  void emitTogether(ArrayRef<Pointers> rows, Block block, bool areInside);
  /// Calls a function with each block of columns, of so many vectors at most.
  using Blocks = function_ref<void(int64_t, function_ref<void(const Block &)>)>;
  void emitRows(const Pointers &pointers, Blocks forEach);
  void emitTogether(const Pointers &first, Blocks forEach, Lanes lanes);
  void forGroups(const Pointers &pointers, int64_t dim, int64_t together,
                 function_ref<void(const Pointers &)> body);
  Value *areHalves();
  void emitHalves();
  void emitInOrder();
  /// Columns of a tile.
  struct Strip {
    Value *first, *end;
  };
  void forEachBlock(const Strip &strip, int64_t mostVectors,
                    function_ref<void(const Block &)> body);
  void forWholeBlocks(const Strip &strip, function_ref<void(const Block &)> body);
  Value *areColumnsInside();
  Value *stripWidth();
  Carried emitTaps(const Block &block, Taps taps);
  using Loaded = SmallVector<SmallVector<Value *>>; ///< the elements of each run, by vector
  Carried emitTap(const Block &block, const Taps &taps, const Loaded &loaded);
  SmallVector<ElementRun> runsAt(const Taps &taps, SmallVectorImpl<Value *> &paddings);
  void addOnes(Known &ones, const Pointers &pointers, ArrayRef<int64_t> left);
  Loaded loadRuns(const Block &block, const Taps &taps);
  SmallVector<Value *> loadMasked(const Block &block, const Taps &taps, size_t run,
                                  const ElementRun &elements, Value *padding);
  /// Vectors of inputs and of what is computed from them, from a column of the block on.
  Known valuesAt(const Pointers &pointers, const Block &block, int64_t vector,
                 ArrayRef<mlir::Value> wanted, Known known);

  Type *elementOf(size_t run) {
    cpu::GatherRunOp op = runs[run];
    return e.elementType(op.getType());
  }
  int64_t dimOfHalves() const { return facts.outerKept.end()[-2]; }
  /// The pointers of a vector's two halves.
  std::array<Pointers, 2> halvesAt(const Pointers &pointers) {
    return {pointers, moved(pointers, dimOfHalves(), e.number(1))};
  }
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
  bool readsPairs = false;         ///< rows together read the even and the odd elements apart
  std::vector<RunOffsets> offsets; ///< of each run; none where one of them has none
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
  for (cpu::GatherRunOp run : runs)
    if (std::optional<RunOffsets> ofRun = RunOffsets::of(run, facts.dims()))
      offsets.push_back(std::move(*ofRun));
  if (offsets.size() != runs.size())
    offsets.clear();
  readsPairs = canReadPairs();
}

/// Whether columns may be anywhere in vectors: what is computed depends on no position.
bool WindowColumns::hasAnyOrder() {
  Known known;
  for (cpu::GatherRunOp run : runs)
    known[run.getResult()] = nullptr;
  SmallVector<mlir::Value> wanted = facts.passes.front().wanted;
  append_range(wanted, facts.yielded());
  return isDense && none_of(facts.opsFor(wanted, known),
                            llvm::IsaPred<cpu::PositionOp, cpu::RandomOp, cpu::GatherOp>);
}

// Where all that runs read is widened from bf16.
bool WindowColumns::canReadPairs() {
  auto isWidened = [](cpu::GatherRunOp run) {
    return run.getType().isBF16() && run.getStepAttr().getInt() == 1 &&
           all_of(run->getUsers(), llvm::IsaPred<mlir::arith::ExtFOp>);
  };
  return hasAnyOrder() && all_of(runs, isWidened) &&
         none_of(reductions(), [](Accumulator &each) { return each.element().getType().isBF16(); });
}

/// Whether several rows can be computed together.
bool WindowColumns::canJoinRows() {
  return !blockAt(1, e.number(0), e.number(0)).taps.empty() && !offsets.empty() &&
         all_of(runs, [](cpu::GatherRunOp run) {
           return ElementRun::isShort(run.getStepAttr().getInt());
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
    next.ones = onesOfScalars();
    addOnes(next.ones, pointers, left);
    for (cpu::GatherRunOp run : runs) {
      if (!isKnown(run.getIndex(), next.ones) || !isKnown(run.getExtent(), next.ones))
        return block.taps.clear();
      auto masksOf = [&](unsigned columns) {
        SmallVector<Value *> masks;
        const int64_t step = run.getStepAttr().getInt();
        for (int64_t first = 0; first < block.vectors * lanes(); first += columns)
          masks.push_back(block.isWhole ? e.splat(b.getTrue(), ElementRun::maskLanes(columns, step))
                                        : ElementRun::mask(e, scalarOf(run.getIndex(), next.ones),
                                                           scalarOf(run.getExtent(), next.ones),
                                                           step, first, columns));
        return masks;
      };
      next.masks.push_back(masksOf(block.inHalves() ? lanes() / 2 : lanes()));
      if (readsPairs)
        next.masksOfPairs.push_back(masksOf(2 * lanes()));
    }
  }
}

void WindowColumns::addOnes(Known &ones, const Pointers &pointers, ArrayRef<int64_t> left) {
  SmallVector<mlir::Value> wanted;
  for (cpu::GatherRunOp run : runs)
    append_range(wanted, scalarsOfRun(run));
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
      if (all_of(op->getOperands(), [&](mlir::Value value) { return isKnown(value, ones); }))
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

WindowColumns::Loaded WindowColumns::loadRuns(const Block &block, const Taps &taps) {
  SmallVector<Value *> paddings;
  const SmallVector<ElementRun> all = runsAt(taps, paddings);
  Value *areInside = b.getTrue();
  Loaded byRun;
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
  Value *column = b.CreateAdd(block.column, e.number(block.placeOf(e, vector)));
  if (any_of(facts.opsFor(wanted, known), llvm::IsaPred<cpu::PositionOp>)) {
    Pointers at = pointers;
    at.indices[facts.columns()] = column;
    addPositions(at, e.number(0), known);
  }
  for (unsigned i : inputsFor(wanted, known)) {
    Value *&value = known[region.getArgument(i)], *count = block.countAt(e, vector);
    auto at = [&](const Pointers &from) { return inputAt(i, from.inputs[i], column); };
    if (block.inHalves()) {
      const auto [one, other] = halvesAt(pointers);
      value = loadHalves(i, {at(one), at(other)}, count);
    } else if (block.inPairs() && facts.inputAlong(i, facts.columns()) >= 0) {
      value = loadPair(i, at(pointers), count)[vector % 2];
    } else {
      value = loadInput(i, at(pointers), count);
    }
  }
  compute(wanted, known);
  return known;
}

Carried WindowColumns::emitTap(const Block &block, const Taps &taps, const Loaded &loaded) {
  const RowFacts::Pass &pass = facts.passes.front();
  const States before = parted(taps.states, reductions(), /*totals=*/false);
  States next;
  for (int64_t v = 0; v < block.vectors; ++v) {
    Known known = scalars;
    for (const auto &[run, elements] : zip(runs, loaded))
      known[run->getResult(0)] = elements[v];
    known = valuesAt(taps.pointers, block, v, pass.wanted, std::move(known));
    for (Accumulator &reduction : reductions())
      next.push_back(taken(reduction, before[next.size()], known, nullptr, nullptr));
  }
  return flat(next);
}

Carried WindowColumns::emitTaps(const Block &block, Taps taps) {
  if (taps.left.empty() && !block.taps.empty())
    for (auto [value, one] : block.taps[taps.columnTap].ones)
      taps.ones.try_emplace(value, one);
  addOnes(taps.ones, taps.pointers, taps.left);
  if (taps.left.empty())
    return emitTap(block, taps, loadRuns(block, taps));
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
  Taps taps{pointers, reduced, onesOfScalars(), Carried()};
  taps.pointers.indices[facts.columns()] = block.column;
  return taps;
}

RowCode::Known WindowColumns::onesOfScalars() {
  Known ones;
  for (auto [i, scalar] : enumerate(scalarsOf(region)))
    ones[scalar] = e.splat(places.scalars[i], 1);
  return ones;
}

Value *WindowColumns::scalarOf(mlir::Value value, const Known &ones) {
  return b.CreateExtractElement(oneOf(e, value, ones), uint64_t(0));
}

void WindowColumns::emitBlock(const Pointers &pointers, const Block &block) {
  Taps taps = tapsOfRow(pointers, block);
  taps.states = flat(started(reductions(), block.vectors));
  finishBlock(pointers, block, emitTaps(block, taps));
}

std::vector<SmallVector<int64_t>> WindowColumns::movesOfTaps() {
  std::vector<SmallVector<int64_t>> all = {SmallVector<int64_t>(facts.dims(), 0)};
  for (int64_t dim : reduced) {
    std::vector<SmallVector<int64_t>> next;
    for (SmallVector<int64_t> &moves : all)
      for (moves[dim] = 0; moves[dim] < *literal(dim); ++moves[dim])
        next.push_back(moves);
    all = std::move(next);
  }
  return all;
}

WindowColumns::FirstRuns WindowColumns::firstRuns(const Pointers &pointers, const Block &block) {
  Taps tap = tapsOfRow(pointers, block);
  if (!block.taps.empty())
    for (auto [value, one] : block.taps.front().ones)
      tap.ones.try_emplace(value, one);
  addOnes(tap.ones, tap.pointers, {});
  FirstRuns first;
  first.runs = runsAt(tap, first.paddings);
  for (const RunOffsets &run : offsets) {
    auto &indices = first.indices.emplace_back();
    for (const RunOffsets::Bound &bound : run.bounds())
      indices.push_back(scalarOf(bound.index, tap.ones));
  }
  return first;
}

// Whether all taps of rows that follow each other are inside of their tensors, columns aside: the
// first and the last index of each bound are.
Value *WindowColumns::areRowsInside(const Pointers &pointers, Lanes lanes) {
  const FirstRuns first = firstRuns(pointers, Block{1, e.number(0), e.number(0), {}});
  Value *are = b.getTrue();
  for (auto [run, offset] : enumerate(offsets)) {
    std::vector<RunOffsets::Distance> distances;
    for (SmallVector<int64_t> moves : movesOfTaps())
      for (bool isLast : {false, true}) {
        if (lanes == Lanes::halves)
          moves[dimOfHalves()] = isLast;
        for (int64_t row : {int64_t(0), CpuTuning::rowsOfWindow - 1}) {
          moves[facts.outerKept.back()] = row;
          distances.push_back(offset.distance(moves));
        }
      }
    for (size_t bound = 0; bound < offset.bounds().size(); ++bound) {
      const auto at = [&](const RunOffsets::Distance &each) { return each.bounded[bound]; };
      const auto [least, most] = std::ranges::minmax_element(distances, {}, at);
      for (int64_t distance : {at(*least), at(*most)})
        are = b.CreateAnd(are, isInside(first, run, bound, distance));
    }
  }
  return are;
}

Value *WindowColumns::isInside(const FirstRuns &first, size_t run, size_t bound, int64_t distance) {
  return b.CreateICmpULT(b.CreateAdd(first.indices[run][bound], e.number(distance)),
                         scalarOf(offsets[run].bounds()[bound].extent));
}

ElementRun WindowColumns::runFrom(const FirstRuns &first, size_t run, ArrayRef<int64_t> moves,
                                  Value *outside) {
  cpu::GatherRunOp op = runs[run];
  const RunOffsets::Distance distance = offsets[run].distance(moves);
  const int64_t bytes = e.bytesOf(first.runs[run].elementType());
  Value *place = first.runs[run].start();
  int64_t elements = 0;
  for (auto [stride, moved] : zip(offsets[run].strides(), distance.indices)) {
    // Runs are dense here.
    if (!stride || stride == op.getStride())
      elements += moved;
    else if (moved != 0)
      place = e.offset(
          place, b.CreateMul(b.CreateMul(scalarOf(stride), e.number(bytes)), e.number(moved)));
  }
  place = e.offset(place, elements * bytes);
  if (outside) {
    Value *isHere = b.getTrue();
    for (auto [bound, indices] : enumerate(distance.bounded))
      isHere = b.CreateAnd(isHere, isInside(first, run, bound, indices));
    place = b.CreateSelect(isHere, place, outside);
  }
  return first.runs[run].from(place);
}

WindowColumns::LoadedRun WindowColumns::loadFrom(const Block &block, const FirstRuns &first,
                                                 size_t run, SmallVector<int64_t> moves,
                                                 const ColumnTap &tap, Value *outside) {
  const ElementRun from = runFrom(first, run, moves, outside);
  Value *padding = first.paddings[run];
  LoadedRun loaded;
  auto add = [&](ElementRun::Loaded vectors) {
    loaded.elements.push_back(vectors[0]);
    if (vectors[1])
      loaded.between.push_back(vectors[1]);
  };
  if (block.inHalves()) {
    moves[dimOfHalves()] = 1;
    const ElementRun other = runFrom(first, run, moves, outside);
    add(from.loadHalves(e, other, tap.masks[run].front(), padding));
  } else if (block.inPairs()) {
    for (auto [pair, mask] : enumerate(tap.masksOfPairs[run]))
      append_range(loaded.elements, from.loadPair(e, 2 * pair * lanes(), mask, padding));
  } else {
    for (auto [v, mask] : enumerate(tap.masks[run]))
      add(from.loadDense(e, v * lanes(), mask, padding));
  }
  return loaded;
}

ArrayRef<Value *> WindowColumns::findLoaded(const KnownRuns &known, size_t run, size_t columnTap,
                                            const RunOffsets::Distance &distance) {
  if (const auto found = known.find({run, columnTap, distance}); found != known.end())
    return found->second.elements;
  cpu::GatherRunOp op = runs[run];
  const auto stride = find(offsets[run].strides(), op.getStride());
  if (op.getStepAttr().getInt() != 2 || stride == offsets[run].strides().end())
    return {};
  RunOffsets::Distance before = distance;
  --before.indices[stride - offsets[run].strides().begin()];
  for (const auto &[key, loaded] : known)
    if (std::get<0>(key) == run && std::get<2>(key) == before)
      return loaded.between;
  return {};
}

/// In memory, as many elements of padding as vectors of a run may read.
Value *WindowColumns::paddingInMemory(size_t run, Value *padding, int64_t vectors) {
  cpu::GatherRunOp op = runs[run];
  const int64_t count = vectors * op.getStepAttr().getInt();
  Value *place = e.local(ArrayType::get(padding->getType(), count));
  for (int64_t v = 0; v < count; ++v)
    e.store(padding, e.offset(place, v * lanes() * e.bytesOf(padding->getType()->getScalarType())));
  return place;
}

// What several taps and rows read is loaded once. A tap outside of its tensor reads padding.
void WindowColumns::emitTogether(ArrayRef<Pointers> rows, Block block, bool areInside) {
  if (readsPairs && block.vectors % 2 == 0)
    block.lanes = Lanes::pairs;
  const FirstRuns first = firstRuns(rows.front(), block);
  SmallVector<Value *> outside(runs.size());
  if (!areInside)
    for (size_t run = 0; run < runs.size(); ++run)
      outside[run] = paddingInMemory(run, first.paddings[run], block.vectors);
  SmallVector<Carried> states(rows.size(), flat(started(reductions(), block.vectors)));
  KnownRuns known;
  for (SmallVector<int64_t> moves : movesOfTaps()) {
    size_t columnTap = 0;
    for (int64_t dim : columnTaps)
      columnTap = columnTap * *literal(dim) + moves[dim];
    for (auto [i, pointers] : enumerate(rows)) {
      Taps at{pointers, {}, Known(), states[i], columnTap};
      for (int64_t dim : reduced)
        at.pointers = moved(at.pointers, dim, e.number(moves[dim]));
      moves[facts.outerKept.back()] = static_cast<int64_t>(i);
      Loaded loaded;
      for (size_t run = 0; run < runs.size(); ++run) {
        const RunOffsets::Distance distance = offsets[run].distance(moves);
        ArrayRef<Value *> found = findLoaded(known, run, columnTap, distance);
        if (found.empty()) {
          LoadedRun &next = known[{run, columnTap, distance}];
          next = loadFrom(block, first, run, moves, block.taps[columnTap], outside[run]);
          found = next.elements;
        }
        loaded.emplace_back(found);
      }
      states[i] = emitTap(block, at, loaded);
    }
  }
  for (auto [pointers, ofRow] : zip(rows, states))
    finishBlock(pointers, block, ofRow);
}

/// A value that is the same for the whole tile.
Value *WindowColumns::scalarOf(mlir::Value value) {
  if (auto constant = value.getDefiningOp<mlir::arith::ConstantOp>())
    return emitConstant(e, constant.getValue());
  const auto all = scalarsOf(region);
  return places.scalars[find(all, value) - all.begin()];
}

/// Whether elements of runs along the columns follow each other (i1).
Value *WindowColumns::areDense() {
  Value *are = b.getTrue();
  for (cpu::GatherRunOp run : runs)
    are = b.CreateAnd(are, b.CreateICmpEQ(scalarOf(run.getStride()), e.number(1)));
  return are;
}

// Rows along the last dimension that is kept: several together, without a branch, where that can
// be.
void WindowColumns::emitRows(const Pointers &pointers, Blocks forEach) {
  const int64_t dim = facts.outerKept.back();
  Value *rows = places.sizes[dim];
  const auto oneByOne = [&] {
    e.loop(e.number(0), rows, e.number(1), [&](Value *row) {
      const Pointers at = moved(pointers, dim, row);
      forEach(CpuTuning::vectorsOfWindow, [&](const Block &block) { emitBlock(at, block); });
    });
  };
  if (!canJoinRows())
    return oneByOne();
  Value *areTogether = b.CreateAnd(
      {b.CreateICmpSGE(rows, e.number(CpuTuning::rowsOfWindow)), areDense(), areColumnsInside()});
  e.when(areTogether, [&] {
    forGroups(pointers, dim, CpuTuning::rowsOfWindow,
              [&](const Pointers &first) { emitTogether(first, forEach, Lanes::inOrder); });
  });
  e.when(b.CreateNot(areTogether), oneByOne);
}

/// So many indices of a dimension together. The last ones begin earlier, so that they are as many.
void WindowColumns::forGroups(const Pointers &pointers, int64_t dim, int64_t together,
                              function_ref<void(const Pointers &)> body) {
  Value *size = places.sizes[dim], *each = e.number(together);
  e.loop(e.number(0), size, each,
         [&](Value *index) { body(moved(pointers, dim, e.min(index, b.CreateSub(size, each)))); });
}

/// Whether columns fill half of a vector only, and others can fill the rest (i1).
Value *WindowColumns::areHalves() {
  if (facts.outerKept.size() < 2 || !hasAnyOrder() || !canJoinRows())
    return b.getFalse();
  auto hasMost = [&](int64_t dim, int64_t most) {
    return b.CreateICmpSLE(places.sizes[dim], e.number(most));
  };
  auto hasLeast = [&](int64_t dim, int64_t least) {
    return b.CreateICmpSGE(places.sizes[dim], e.number(least));
  };
  return b.CreateAnd({areDense(), hasMost(facts.columns(), lanes() / 2),
                      hasLeast(facts.outerKept.back(), CpuTuning::rowsOfWindow),
                      hasLeast(dimOfHalves(), 2)});
}

void WindowColumns::emitHalves() {
  const Block block = blockAt(1, e.number(0), places.sizes[facts.columns()], Lanes::halves);
  nest(ArrayRef(facts.outerKept).drop_back(2), start(), [&](const Pointers &pointers) {
    forGroups(pointers, dimOfHalves(), 2, [&](const Pointers &pair) {
      forGroups(pair, facts.outerKept.back(), CpuTuning::rowsOfWindow, [&](const Pointers &first) {
        emitTogether(
            first, [&](int64_t, function_ref<void(const Block &)> body) { body(block); },
            Lanes::halves);
      });
    });
  });
}

/// As many rows as are computed together; some of their taps may be outside of their tensors.
void WindowColumns::emitTogether(const Pointers &first, Blocks forEach, Lanes lanes) {
  SmallVector<Pointers> rows;
  for (int64_t i = 0; i < CpuTuning::rowsOfWindow; ++i)
    rows.push_back(moved(first, facts.outerKept.back(), e.number(i)));
  Value *areAllInside = areRowsInside(first, lanes);
  for (bool areInside : {true, false})
    e.when(areInside ? areAllInside : b.CreateNot(areAllInside), [&] {
      forEach(CpuTuning::vectorsOfRows,
              [&](const Block &block) { emitTogether(rows, block, areInside); });
    });
}

/// What is narrowed to 16 bits by a pair at a time, else the value.
mlir::Value beforeNarrowing(mlir::Value value) {
  auto narrowed = value.getDefiningOp<mlir::arith::TruncFOp>();
  return narrowed && narrowed.getIn().getType().isF32() ? narrowed.getIn() : value;
}

void WindowColumns::finishBlock(const Pointers &pointers, const Block &block,
                                ArrayRef<Value *> states) {
  const size_t each = states.size() / block.vectors;
  SmallVector<mlir::Value> yielded;
  for (unsigned i : facts.keptOutputs)
    yielded.push_back(block.inPairs() ? beforeNarrowing(facts.yielded()[i]) : facts.yielded()[i]);
  auto valuesOf = [&](int64_t v) {
    Known known = scalars;
    for (auto [reduction, state] :
         zip(reductions(), parted(states.slice(v * each, each), reductions(), /*totals=*/false)))
      known[reduction.reduction().getResult()] = reduction.ofState(state)[0];
    return valuesAt(pointers, block, v, yielded, std::move(known));
  };
  const int64_t together = block.inPairs() ? 2 : 1;
  for (int64_t v = 0; v < block.vectors; v += together) {
    const Known known = valuesOf(v), next = block.inPairs() ? valuesOf(v + 1) : Known();
    Value *column = b.CreateAdd(block.column, e.number(block.placeOf(e, v))),
          *count = block.countAt(e, v);
    for (auto [i, value] : zip(facts.keptOutputs, yielded)) {
      auto at = [&, i = i](const Pointers &from) { return outputAt(i, from.outputs[i], column); };
      if (block.inHalves()) {
        const auto [one, other] = halvesAt(pointers);
        storeHalves(valueOf(value, known), {at(one), at(other)}, count);
      } else if (block.inPairs()) {
        storePair(i, {valueOf(value, known), valueOf(value, next)}, at(pointers), count);
      } else {
        storeOutput(i, valueOf(value, known), at(pointers), count);
      }
    }
  }
}

void WindowColumns::forEachBlock(const Strip &strip, int64_t mostVectors,
                                 function_ref<void(const Block &)> body) {
  e.loopWhile(strip.first, strip.end, [&](Value *column) {
    Value *left = b.CreateSub(strip.end, column), *taken = e.number(0);
    // As few vectors as hold the rest.
    for (int64_t vectors = 1; vectors <= mostVectors; vectors *= 2) {
      const bool isMost = vectors == mostVectors;
      Value *fits = b.CreateICmpSGT(left, e.number(vectors / 2 * lanes()));
      if (!isMost)
        fits = b.CreateAnd(fits, b.CreateICmpSLE(left, e.number(vectors * lanes())));
      Value *count = e.min(left, e.number(vectors * lanes()));
      e.when(fits, [&] { body(blockAt(vectors, column, count)); });
      taken = b.CreateSelect(fits, count, taken);
    }
    return b.CreateAdd(column, taken);
  });
}

/// The same of rows together whose columns are inside: whole blocks have no masks. A vector at a
/// time holds the rest.
void WindowColumns::forWholeBlocks(const Strip &strip, function_ref<void(const Block &)> body) {
  const int64_t columns = CpuTuning::vectorsOfRows * lanes();
  Value *rest = b.CreateAdd(strip.first, e.roundDown(b.CreateSub(strip.end, strip.first), columns));
  e.loop(strip.first, rest, e.number(columns), [&](Value *column) {
    body(blockAt(CpuTuning::vectorsOfRows, column, e.number(columns), Lanes::inOrder,
                 /*isWhole=*/true));
  });
  e.loop(rest, strip.end, e.number(lanes()), [&](Value *column) {
    body(blockAt(1, column, e.min(b.CreateSub(strip.end, column), e.number(lanes()))));
  });
}

/// Whether runs have all columns of the tile, where these do not depend on taps (i1).
Value *WindowColumns::areColumnsInside() {
  const Block block = blockAt(1, e.number(0), e.number(0));
  if (!columnTaps.empty() || block.taps.empty())
    return b.getTrue();
  Value *are = b.getTrue(), *last = b.CreateSub(places.sizes[facts.columns()], e.number(1));
  for (cpu::GatherRunOp run : runs) {
    const Known &ones = block.taps.front().ones;
    Value *first = scalarOf(run.getIndex(), ones), *extent = scalarOf(run.getExtent(), ones);
    are = b.CreateAnd({are, b.CreateICmpULT(first, extent),
                       b.CreateICmpULT(e.plus(first, last, run.getStepAttr().getInt()), extent)});
  }
  return are;
}

/// Equal strips of whole blocks, of which L1 holds what the taps of some rows read: it is read
/// again for the next rows.
Value *WindowColumns::stripWidth() {
  int64_t bytes = 0;
  for (auto [run, offset] : enumerate(offsets)) {
    std::set<RunOffsets::Distance> places;
    for (SmallVector<int64_t> moves : movesOfTaps())
      for (int64_t row = 0; row < CpuTuning::rowsOfWindow; ++row) {
        moves[facts.outerKept.back()] = row;
        places.insert(offset.distance(moves));
      }
    bytes += static_cast<int64_t>(places.size()) * e.bytesOf(elementOf(run));
  }
  for (unsigned i : inputsFor(facts.passes.front().wanted, Known()))
    if (facts.inputAlong(i, facts.columns()) >= 0 && facts.inputVaries(i))
      bytes += static_cast<int64_t>(movesOfTaps().size()) * bytesOfInput(i);
  const int64_t block = CpuTuning::vectorsOfRows * lanes(),
                most = std::max(CpuTuning().l1Bytes / 2 / std::max<int64_t>(bytes, 1), block);
  Value *columns = places.sizes[facts.columns()],
        *strips = e.ceilDiv(b.CreateBinaryIntrinsic(Intrinsic::smax, columns, e.number(1)),
                            e.number(most));
  return e.roundUp(e.ceilDiv(columns, strips), block);
}

// The loop over blocks is where what is the same for all iterations takes longest: masks of taps
// that run along the columns, or else whether rows are inside.
void WindowColumns::emitInOrder() {
  const auto emitAll = [&](Blocks forEach) {
    if (facts.outerKept.empty())
      return forEach(CpuTuning::vectorsOfWindow,
                     [&](const Block &block) { emitBlock(start(), block); });
    nest(ArrayRef(facts.outerKept).drop_back(), start(),
         [&](const Pointers &pointers) { emitRows(pointers, forEach); });
  };
  Value *columns = places.sizes[facts.columns()];
  if (!columnTaps.empty())
    return forEachBlock({e.number(0), columns}, CpuTuning::vectorsOfRows, [&](const Block &block) {
      emitAll([&](int64_t, function_ref<void(const Block &)> body) { body(block); });
    });
  Value *width = areUnrolled && !offsets.empty() ? stripWidth() : columns;
  e.loop(e.number(0), columns, width, [&](Value *first) {
    const Strip strip{first, e.min(b.CreateAdd(first, width), columns)};
    emitAll([&](int64_t most, function_ref<void(const Block &)> body) {
      if (most == CpuTuning::vectorsOfRows)
        forWholeBlocks(strip, body);
      else
        forEachBlock(strip, most, body);
    });
  });
}

void WindowColumns::emit() {
  findTaps();
  Value *are = areHalves();
  if (!isa<Constant>(are))
    e.when(are, [&] { emitHalves(); });
  e.when(b.CreateNot(are), [&] { emitInOrder(); });
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
