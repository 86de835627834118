#include "cpu/chain/rows.h"

#include "codegen/element_pairs.h"
#include "codegen/scalar_ops.h"
#include "cpu/tile_elements.h"
#include "cpu/tile_memory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace arith = mlir::arith;
using namespace llvm;

namespace mmk {

using aicore::ReduceKind;

//===--- facts -----------------------------------------------------------------------------===//

/// Whether the reduction leaves out the elements for which the condition does not hold.
static bool isGuardedBy(cpu::ReduceOp reduction, mlir::Value condition) {
  if (reduction.getElement() == condition)
    return mlir::matchPattern(reduction.getIdentity(), mlir::m_Zero());
  mlir::arith::SelectOp select = reduction.getElement().getDefiningOp<arith::SelectOp>();
  mlir::TypedAttr otherwise;
  return select && select.getCondition() == condition &&
         mlir::matchPattern(select.getFalseValue(), mlir::m_Constant(&otherwise)) &&
         otherwise == reduction.getIdentity();
}

static mlir::Value withoutRounding(mlir::Value value) {
  auto rounded = value.getDefiningOp<arith::TruncFOp>();
  return rounded ? rounded.getIn() : value;
}

/// Of weights that are 0 where a condition does not hold.
static arith::SelectOp selectionIn(mlir::Value weight) {
  auto select = withoutRounding(weight).getDefiningOp<arith::SelectOp>();
  return select && mlir::matchPattern(select.getFalseValue(), mlir::m_AnyZeroFloat())
             ? select
             : arith::SelectOp();
}

ChainFacts::ChainFacts(cpu::ChainOp op, ArrayRef<Multiply> seconds) : op(op), rows(op) {
  findWeights(seconds);
  findConditions();
}

void ChainFacts::findWeights(ArrayRef<Multiply> seconds) {
  for (auto [i, multiply] : enumerate(seconds)) {
    mlir::Value value = op.yielded(i, cpu::ChainOp::weight);
    const auto known = find_if(weights, [&](auto &it) { return it.value == value; });
    weightsOf.push_back(known - weights.begin());
    if (known == weights.end())
      weights.push_back({value, {}, withoutRounding(value), multiply});
  }
}

// A condition on reductions is one on the sums of weights, too, and so is one that is linear: what
// it excludes is left out of their products.
void ChainFacts::findConditions() {
  SmallVector<mlir::Value> conditions;
  for (const ChainWeights &each : weights)
    if (arith::SelectOp select = selectionIn(each.value))
      conditions.push_back(select.getCondition());
  guard = RowGuard::of(rows, region(), conditions);
  auto reductions = region().getOps<cpu::ReduceOp>();
  for (ChainWeights &each : weights) {
    arith::SelectOp select = selectionIn(each.value);
    if (!select)
      continue;
    mlir::Value condition = select.getCondition();
    if ((guard && condition == guard->condition()) ||
        any_of(reductions, [&](auto it) { return isGuardedBy(it, condition); })) {
      each.excludes = condition;
      each.element = withoutRounding(select.getTrueValue());
    }
  }
  skips = guard && all_of(weights, [&](const ChainWeights &it) { return isOfGuard(it); }) &&
          all_of(reductions, [&](auto it) { return isGuardedBy(it, guard->condition()); });
}

int64_t ChainFacts::stateCount() const {
  int64_t count = 0;
  for (mlir::Operation &inner : region())
    count += isa<cpu::ReduceOp>(inner) ? 2 : isa<cpu::BeforeOp>(inner) ? 1 : 0;
  return count;
}

int64_t ChainRows::partialBytes(const ChainFacts &facts, const Emitter &e) {
  return facts.stateCount() * e.target.lanes * e.target.lanes * 4;
}

//===--- what rows hold --------------------------------------------------------------------===//

int64_t ChainRows::stateOfReduction(cpu::ReduceOp reduction, bool position) {
  int64_t number = 0;
  for (auto each : region.getOps<cpu::ReduceOp>()) {
    if (each == reduction)
      return number + position;
    number += 2;
  }
  llvm_unreachable("a reduction of the region");
}

int64_t ChainRows::stateOfBefore(cpu::BeforeOp before) {
  auto reductions = region.getOps<cpu::ReduceOp>();
  int64_t number = 2 * std::distance(reductions.begin(), reductions.end());
  for (auto each : region.getOps<cpu::BeforeOp>()) {
    if (each == before)
      return number;
    ++number;
  }
  llvm_unreachable("a value of the region");
}

Value *ChainRows::statePlace(const Group &group, int64_t number) {
  return e.offset(group.states, number * lanes() * 8);
}

Value *ChainRows::loadState(const Group &group, int64_t number, Type *element) {
  Type *stored = e.vectorOf(inMemory(e, element), lanes());
  return fromMemory(e, e.load(stored, statePlace(group, number)), element);
}

void ChainRows::storeState(const Group &group, int64_t number, Value *value) {
  e.store(toMemory(e, value), statePlace(group, number));
}

// Lanes behind the last row have what it has.
void ChainRows::addRows(const Group &group) {
  ofRows = scalars;
  Value *row = b.CreateAdd(e.splat(group.row, lanes()), laneNumbers(e, e.i64()));
  row = e.min(row, e.splat(b.CreateSub(group.rows, e.number(1)), lanes()));
  for (auto position : region.getOps<cpu::PositionOp>())
    if (position.getSizeAttr().getInt() == facts.rows)
      ofRows[position.getResult()] =
          b.CreateTrunc(b.CreateAdd(valueOf(position.getFirst(), scalars), row),
                        e.vectorOf(b.getInt32Ty(), lanes()));
  for (auto [i, argument] : enumerate(region.getArguments())) {
    if (facts.inputVaries(i) || argument.use_empty())
      continue;
    if (isSource(argument) || facts.inputAlong(i, facts.rows) < 0) {
      ofRows[argument] = loadInput(i, places.inputs[i].pointer, nullptr);
      continue;
    }
    Value *offsets = b.CreateMul(row, e.splat(places.inputs[i].strides[facts.rows], lanes()));
    ofRows[argument] =
        gatherInput(i, b.CreateGEP(b.getInt8Ty(), places.inputs[i].pointer, offsets));
  }
  for (auto before : region.getOps<cpu::BeforeOp>())
    ofRows[before.getResult()] = loadState(group, stateOfBefore(before), e.f32());
}

void ChainRows::loadResults(const Group &group) {
  for (auto reduction : region.getOps<cpu::ReduceOp>()) {
    ofRows[reduction.getResult()] = loadState(group, stateOfReduction(reduction, false),
                                              e.elementType(reduction.getResult().getType()));
    if (reduction.getPosition())
      ofRows[reduction.getPosition()] =
          loadState(group, stateOfReduction(reduction, true), b.getInt32Ty());
  }
}

void ChainRows::start(const Group &group) {
  addRows(group);
  for (auto &pass : accumulators)
    for (Accumulator &accumulator : pass) {
      cpu::ReduceOp reduction = accumulator.reduction();
      const Parts none = accumulator.ofState(accumulator.start());
      storeState(group, stateOfReduction(reduction, false), none[0]);
      if (accumulator.hasPosition())
        storeState(group, stateOfReduction(reduction, true), none[1]);
    }
  for (auto before : region.getOps<cpu::BeforeOp>()) {
    computeRows(before.getStart());
    storeState(group, stateOfBefore(before), rowOf(before.getStart()));
  }
}

RowFacts::Known ChainRows::termsOfGuard() {
  computeRows(c.guard->terms());
  Known known = ofRows;
  for (mlir::Value term : c.guard->terms())
    known[term] = rowOf(term);
  return known;
}

RowGuard::Bounds ChainRows::bounds(const Group &group, Value *count) {
  addRows(group);
  return c.guard->boundsOfRows(e, termsOfGuard(), count);
}

// An exact condition is a range of columns for each row: one comparison tells it, without wide
// integers.
void ChainRows::findRanges(Value *end) {
  if (isFull || !c.guard || !c.guard->isExact())
    return;
  const RowGuard::Range rows = c.guard->rangeOfRows(e, termsOfGuard(), end);
  auto store = [&](Value *numbers) {
    Type *vector = e.vectorOf(b.getInt32Ty(), lanes());
    Value *array = e.local(vector);
    e.store(b.CreateTrunc(numbers, vector), array);
    return array;
  };
  Value *zero = Constant::getNullValue(rows.end->getType());
  Value *last = b.CreateBinaryIntrinsic(Intrinsic::smax, rows.end, zero);
  Value *first = e.min(rows.first, last);
  ranges = {store(first), store(b.CreateSub(last, first))};
}

void ChainRows::addGuard(Value *row, Value *column, Known &known) {
  if (isFull && c.guard)
    known[c.guard->condition()] = e.splat(b.getTrue(), lanes());
  if (!ranges.first)
    return;
  auto ofRow = [&](Value *array) {
    Value *place = e.offset(array, b.CreateMul(row, e.number(4)));
    return e.splat(e.load(b.getInt32Ty(), place), lanes());
  };
  known[c.guard->condition()] =
      b.CreateICmpULT(b.CreateSub(positionsFrom(column), ofRow(ranges.first)), ofRow(ranges.count));
}

//===--- elements --------------------------------------------------------------------------===//

// The weights take the place of the scores, so they are computed in the last pass.
SmallVector<mlir::Value> ChainRows::wantedIn(unsigned level) const {
  SmallVector<mlir::Value> wanted;
  for (cpu::ReduceOp reduction : facts.passes[level].reductions)
    wanted.push_back(reduction.getElement());
  if (level == lastLevel())
    for (const ChainWeights &weights : c.weights) {
      wanted.push_back(weights.element);
      if (weights.excludes)
        wanted.push_back(weights.excludes);
    }
  return wanted;
}

mlir::Value ChainRows::waitingScore() {
  if (facts.waiting.size() != 1 || facts.waiting[0].pass > 0)
    return nullptr;
  Known known = scalars;
  known[facts.waiting[0].value] = nullptr;
  for (unsigned level = 1; level <= lastLevel(); ++level)
    if (any_of(inputsFor(wantedIn(level), known), [&](unsigned i) { return i < scoreCount; }))
      return nullptr;
  return facts.waiting[0].value;
}

SmallVector<mlir::Value> ChainRows::keptFor(ArrayRef<mlir::Value> wanted) {
  SetVector<mlir::Value> kept;
  auto add = [&](mlir::Value value) {
    mlir::Operation *op = value.getDefiningOp();
    const bool isOfRegion =
        op ? op->getBlock() == &region : cast<mlir::BlockArgument>(value).getOwner() == &region;
    if (isOfRegion && !facts.varies(value) && !isa_and_nonnull<arith::ConstantOp>(op) &&
        !isSource(value))
      kept.insert(value);
  };
  for (mlir::Value value : wanted)
    add(value);
  for (mlir::Operation *op : facts.opsFor(wanted, scalars))
    if (facts.varies(op->getResult(0)))
      for (mlir::Value operand : op->getOperands())
        add(operand);
  return kept.takeVector();
}

void ChainRows::storeWeights(const ChainWeights &weights, Value *to, Value *count,
                             const Known &known) {
  Value *weight = e.convert(valueOf(weights.element, known), e.f32());
  if (weights.excludes && !(isFull && c.isOfGuard(weights))) {
    // Of the other weights none is a negative zero.
    Value *positive = b.CreateFAdd(weight, Constant::getNullValue(weight->getType()));
    weight = b.CreateSelect(valueOf(weights.excludes, known), positive,
                            ConstantFP::getNegativeZero(weight->getType()));
  }
  if (count)
    weight = b.CreateSelect(e.lanesBelow(count, lanes()), weight,
                            Constant::getNullValue(weight->getType()));
  if (isBf16(weights.multiply)) // which takes denormals for zeros, as the product does
    weight = b.CreateIntrinsic(Intrinsic::x86_avx512bf16_cvtneps2bf16_512, {}, {weight});
  else if (!weights.value.getType().isF32())
    weight = e.convert(e.convert(weight, e.elementType(weights.value.getType())), e.f32());
  e.store(weight, to);
}

RowCode::States ChainRows::step(unsigned level, const Pointers &pointers, Value *scoresOfRow,
                                Value *first, const LaneStep &vector, const Known &before,
                                ArrayRef<Parts> states) {
  Value *column = vector.at, *count = vector.count;
  Known known = before;
  Value *absolute = b.CreateAdd(first, column);
  addPositions(pointers, absolute, known);
  const SmallVector<mlir::Value> wanted = wantedIn(level);
  const mlir::Value waiting = waitingScore();
  auto placeIn = [&](unsigned matrix, int64_t bytes) {
    return e.offset(e.offset(scoresOfRow, matrix * scoreBytes(lanes())),
                    b.CreateMul(column, e.number(bytes)));
  };
  auto loadScore = [&](unsigned i) { return e.load(e.vectorOf(e.f32(), lanes()), placeIn(i, 4)); };
  if (waiting && level > 0)
    known[waiting] = loadScore(0);
  for (unsigned i : inputsFor(wanted, known))
    known[region.getArgument(i)] =
        i < scoreCount ? loadScore(i)
                       : loadInput(i, inputAt(i, pointers.inputs[i], absolute), count);
  compute(wanted, known);
  if (waiting && level == 0)
    e.store(known.lookup(waiting), placeIn(0, 4));
  States next;
  for (auto [accumulator, state] : zip(accumulators[level], states))
    next.push_back(taken(accumulator, state, known, absolute, count));
  if (level == lastLevel())
    for (auto [i, weights] : enumerate(c.weights))
      storeWeights(weights, placeIn(i, weights.bytes()), count, known);
  return next;
}

void ChainRows::emitPass(unsigned level, const Group &group, Value *scores, Value *partials,
                         Value *first, Value *count) {
  const SmallVector<mlir::Value> wanted = wantedIn(level), kept = keptFor(wanted);
  computeRows(kept);
  SmallVector<Value *> arrays;
  for (mlir::Value value : kept) {
    Value *ofRow = toMemory(e, rowOf(value));
    arrays.push_back(e.local(ofRow->getType()));
    e.store(ofRow, arrays.back());
  }
  MutableArrayRef<Accumulator> of = accumulators[level];
  Value *rows = e.min(e.number(lanes()), b.CreateSub(group.rows, group.row));
  e.loop(e.number(0), rows, e.number(1), [&](Value *r) {
    Known known = scalars;
    for (auto [value, array] : zip(kept, arrays)) {
      Type *element = e.elementType(value.getType());
      Value *place = e.offset(array, b.CreateMul(r, e.number(e.bytesOf(element))));
      Value *own = e.load(inMemory(e, element), place);
      known[value] = e.splat(fromMemory(e, own, element), lanes());
    }
    for (mlir::BlockArgument argument : region.getArguments())
      if (isSource(argument))
        known[argument] = ofRows.lookup(argument);
    const Pointers pointers = moved(RowCode::start(), facts.rows, b.CreateAdd(group.row, r));
    Value *scoresOfRow = e.offset(scores, b.CreateMul(r, e.number(CpuTuning::chainScoreRowBytes)));
    constexpr int64_t together = 4;
    const LaneLoop columns{e.number(0), count, {together}};
    const States last =
        overColumns(of, /*rows=*/1, columns, [&](const LaneStep &vector, ArrayRef<Parts> before) {
          Known here = known;
          addGuard(r, b.CreateAdd(first, vector.at), here);
          return step(level, pointers, scoresOfRow, first, vector, here, before);
        });
    int64_t number = 0;
    for (auto [accumulator, state] : zip(of, last))
      for (Value *part : accumulator.ofState(state)) {
        if (part->getType()->getScalarType()->isIntegerTy(1))
          part = b.CreateSExt(part, e.vectorOf(b.getInt32Ty(), lanes()));
        e.store(part, e.offset(partials, b.CreateMul(b.CreateAdd(e.number(number++ * lanes()), r),
                                                     e.number(lanes() * 4))));
      }
  });
}

//===--- parts -----------------------------------------------------------------------------===//

// A maximum of f32 has its state as one number here.
Parts ChainRows::joined(Accumulator &accumulator, const Parts &x, const Parts &y) {
  cpu::ReduceOp reduction = accumulator.reduction();
  const ReduceKind kind = reduction.getKind();
  if (reduction.getElement().getType().isF32() &&
      (kind == ReduceKind::max || kind == ReduceKind::min))
    return {b.CreateBinaryIntrinsic(
        kind == ReduceKind::max ? Intrinsic::maximum : Intrinsic::minimum, x[0], y[0])};
  return accumulator.joined(x, y);
}

// A vector for each row becomes one lane for each: halves of pairs of vectors are exchanged, and
// joined, until one vector is left.
Parts ChainRows::ofRowsFrom(Accumulator &accumulator, Value *partials, int64_t number) {
  Type *element = e.elementType(accumulator.reduction().getElement().getType());
  const int count = static_cast<int>(lanes());
  const bool isCondition = element->isIntegerTy(1);
  auto load = [&](int64_t part, int row) -> Value * {
    Type *type = part > 0 || isCondition ? b.getInt32Ty() : element;
    Value *value = e.load(e.vectorOf(type, lanes()),
                          e.offset(partials, ((number + part) * lanes() + row) * lanes() * 4));
    return isCondition && part == 0 ? b.CreateTrunc(value, e.vectorOf(element, lanes())) : value;
  };
  SmallVector<Parts> rows;
  for (int row = 0; row < count; ++row) {
    Parts parts = {load(0, row)};
    if (accumulator.hasPosition())
      parts.push_back(load(1, row));
    rows.push_back(parts);
  }
  for (int distance = count / 2; distance > 0; distance /= 2)
    for (int row = 0; row < distance; ++row) {
      Parts x, y;
      for (auto [p, q] : zip(rows[row], rows[row + distance])) {
        const auto [one, other] = exchanged(e, p, q, distance);
        x.push_back(one);
        y.push_back(other);
      }
      rows[row] = joined(accumulator, x, y);
    }
  return rows[0];
}

void ChainRows::combine(unsigned level, const Group &group, Value *partials) {
  int64_t number = 0;
  for (Accumulator &accumulator : accumulators[level]) {
    cpu::ReduceOp reduction = accumulator.reduction();
    Parts part = ofRowsFrom(accumulator, partials, number);
    number += static_cast<int64_t>(part.size());
    const int64_t state = stateOfReduction(reduction, false);
    Parts before = {loadState(group, state, e.elementType(reduction.getElement().getType()))};
    if (accumulator.hasPosition())
      before.push_back(loadState(group, state + 1, b.getInt32Ty()));
    if (reduction.getRatio()) {
      computeRows(reduction.getRatio());
      Value *zero = Constant::getNullValue(before[0]->getType());
      before[0] = b.CreateSelect(b.CreateFCmpOEQ(before[0], zero), zero,
                                 b.CreateFMul(before[0], rowOf(reduction.getRatio())));
    }
    const Parts both = joined(accumulator, before, part);
    storeState(group, state, both[0]);
    ofRows[reduction.getResult()] = both[0];
    if (accumulator.hasPosition()) {
      storeState(group, state + 1, both[1]);
      ofRows[reduction.getPosition()] = both[1];
    }
  }
}

void ChainRows::multiplySums(const Group::Sums &sums, Value *rows, mlir::Value factor,
                             bool keepsZeros) {
  Value *factors = rowOf(factor), *array = e.local(factors->getType());
  e.store(factors, array);
  Type *vector = e.vectorOf(e.f32(), lanes());
  Value *zero = Constant::getNullValue(vector);
  e.loop(e.number(0), rows, e.number(1), [&](Value *r) {
    Value *own = e.splat(e.load(e.f32(), e.offset(array, b.CreateMul(r, e.number(4)))), lanes());
    Value *ofRow = e.offset(sums.pointer, b.CreateMul(r, sums.rowBytes));
    e.loop(e.number(0), sums.bytes, e.number(lanes() * 4), [&](Value *at) {
      Value *place = e.offset(ofRow, at), *sum = e.load(vector, place);
      Value *multiplied = b.CreateFMul(sum, own);
      e.store(keepsZeros ? b.CreateSelect(b.CreateFCmpOEQ(sum, zero), zero, multiplied)
                         : multiplied,
              place);
    });
  });
}

/// Products of weights that do not depend on a maximum have the ratio 1.
void ChainRows::rescale(const Group &group) {
  for (auto [i, sums] : enumerate(group.sums)) {
    mlir::Value ratio = c.op.yielded(i, cpu::ChainOp::ratio);
    if (ratio.getDefiningOp<arith::ConstantOp>())
      continue;
    computeRows(ratio);
    Value *ratios = rowOf(ratio);
    Value *others = b.CreateFCmpUNE(ratios, ConstantFP::get(ratios->getType(), 1));
    Value *any = b.CreateICmpNE(b.CreateBitCast(others, b.getIntNTy(lanes())),
                                ConstantInt::get(b.getIntNTy(lanes()), 0));
    e.when(any, [&] { multiplySums(sums, e.number(lanes()), ratio, /*keepsZeros=*/true); });
  }
}

void ChainRows::addPart(const Group &group, Value *scores, Value *partials, Value *first,
                        Value *count) {
  addRows(group);
  findRanges(b.CreateAdd(first, count));
  for (unsigned level = 0; level < facts.passes.size(); ++level) {
    emitPass(level, group, scores, partials, first, count);
    combine(level, group, partials);
  }
  for (auto before : region.getOps<cpu::BeforeOp>()) {
    computeRows(before.getValue());
    storeState(group, stateOfBefore(before), rowOf(before.getValue()));
  }
  rescale(group);
}

void ChainRows::finish(const Group &group) {
  addRows(group);
  loadResults(group);
  Value *rows = e.min(e.number(lanes()), b.CreateSub(group.rows, group.row));
  for (auto [i, sums] : enumerate(group.sums)) {
    mlir::Value factor = c.op.yielded(i, cpu::ChainOp::factor);
    computeRows(factor);
    if (!mlir::matchPattern(factor, mlir::m_OneFloat()))
      multiplySums(sums, rows, factor, /*keepsZeros=*/false);
  }
  const size_t firstOutput = c.op.firstOutput();
  for (size_t i = 0; i + firstOutput < facts.yielded().size(); ++i) {
    mlir::Value value = facts.yielded()[firstOutput + i];
    computeRows(value);
    Value *elements = toMemory(e, rowOf(value));
    Type *stored = elements->getType()->getScalarType();
    Value *waiting = e.local(elements->getType());
    e.store(elements, waiting);
    e.loop(e.number(0), rows, e.number(1), [&](Value *r) {
      Value *to = e.offset(places.outputs[i].pointer,
                           b.CreateMul(b.CreateAdd(group.row, r), places.outputs[i].strides[0]));
      e.store(e.load(stored, e.offset(waiting, b.CreateMul(r, e.number(e.bytesOf(stored))))), to);
    });
  }
}

} // namespace mmk
