#include "cpu/row_code.h"

#include "codegen/element_pairs.h"
#include "codegen/region.h"
#include "codegen/scalar_ops.h"
#include "cpu/tile_elements.h"
#include "cpu/tile_memory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;

namespace mmk {

static bool isWidening(mlir::Operation *op) {
  return isa<mlir::arith::ExtFOp>(op) && op->getOperand(0).getType().isBF16();
}

SmallVector<Value **> SpacePlaces::fields() {
  SmallVector<Value **> all;
  for (auto *group : {&inputs, &outputs})
    for (Place &place : *group) {
      all.push_back(&place.pointer);
      for (Value *&stride : place.strides)
        all.push_back(&stride);
    }
  for (auto *group : {&sizes, &scalars})
    for (Value *&value : *group)
      all.push_back(&value);
  all.push_back(&scratch);
  return all;
}

Value *bytesOf(Emitter &e, ProgramValues &values, mlir::Value tensor) {
  Value *bytes = e.number(e.bytesOf(values.elementOf(tensor)));
  for (Value *extent : values.global(tensor).extents)
    bytes = e.b.CreateMul(bytes, extent);
  return bytes;
}

SmallVector<SpacePlaces::Place> placesOf(Emitter &e, ProgramValues &values,
                                         mlir::OperandRange tensors, mlir::ValueRange offsets,
                                         ArrayRef<int64_t> along) {
  SmallVector<SpacePlaces::Place> places;
  cpu::forEachView(tensors, offsets, along, [&](mlir::Value tensor, auto own, auto dims) {
    const GlobalTensor &global = values.global(tensor);
    Type *element = values.elementOf(tensor);
    SpacePlaces::Place place{values.address(global, own, element), {}};
    for (int64_t dim : dims)
      place.strides.push_back(
          dim < 0 ? e.number(0) : e.b.CreateMul(global.strides[dim], e.number(e.bytesOf(element))));
    places.push_back(place);
  });
  return places;
}

RowCode::RowCode(Emitter &e, const RowFacts &facts, mlir::Block &region, SpacePlaces places,
                 RowAccess form)
    : e(e), b(e.b), facts(facts), region(region), places(std::move(places)),
      isDense(form != RowAccess::strided), streams(form == RowAccess::streamed) {
  for (auto [i, scalar] : enumerate(scalarsOf(region)))
    scalars[scalar] = e.splat(this->places.scalars[i], lanes());
  for (const RowFacts::Pass &pass : facts.passes) {
    accumulators.emplace_back();
    for (cpu::ReduceOp reduction : pass.reductions)
      accumulators.back().emplace_back(e, reduction);
  }
}

//===--- tensors ----------------------------------------------------------------------------===//

// Of a chain, the scores are those in its scratch, and what it yields before its outputs is not
// stored here.
mlir::Value RowCode::input(size_t i) const {
  if (auto chain = dyn_cast<cpu::ChainOp>(region.getParentOp()))
    return i < chain.getA().size() ? chain.getScratch()
                                   : chain.getInputs()[i - chain.getA().size()];
  return cast<cpu::RowsOp>(region.getParentOp()).getInputs()[i];
}
mlir::Value RowCode::output(size_t i) const {
  if (auto chain = dyn_cast<cpu::ChainOp>(region.getParentOp()))
    return chain.getOutputs()[i];
  return cast<cpu::RowsOp>(region.getParentOp()).getOutputs()[i];
}

Type *RowCode::elementType(mlir::Value tensor) {
  return e.elementType(cast<mlir::MemRefType>(tensor.getType()).getElementType());
}

Type *RowCode::memoryType(mlir::Value tensor) { return inMemory(e, elementType(tensor)); }

int64_t RowCode::bytesOfInput(size_t i) { return e.bytesOf(memoryType(input(i))); }

RowCode::Pointers RowCode::start() const {
  Pointers pointers;
  for (const SpacePlaces::Place &place : places.inputs)
    pointers.inputs.push_back(place.pointer);
  for (const SpacePlaces::Place &place : places.outputs)
    pointers.outputs.push_back(place.pointer);
  pointers.indices.assign(facts.dims(), e.number(0));
  return pointers;
}

RowCode::Pointers RowCode::moved(const Pointers &pointers, int64_t dim, Value *index) {
  Pointers next = pointers;
  next.indices[dim] = b.CreateAdd(next.indices[dim], index);
  for (size_t i = 0; i < next.inputs.size(); ++i)
    if (facts.inputAlong(i, dim) >= 0)
      next.inputs[i] = e.offset(next.inputs[i], b.CreateMul(index, places.inputs[i].strides[dim]));
  for (size_t i = 0; i < next.outputs.size(); ++i)
    if (facts.outputAlong(i, dim) >= 0)
      next.outputs[i] =
          e.offset(next.outputs[i], b.CreateMul(index, places.outputs[i].strides[dim]));
  return next;
}

Carried RowCode::nest(ArrayRef<int64_t> dims, const Pointers &pointers, Value *number,
                      ArrayRef<Value *> carried, NestBody body) {
  if (dims.empty())
    return body(pointers, number, carried);
  const int64_t dim = dims.front();
  Value *size = places.sizes[dim];
  return e.loop(e.number(0), size, e.number(1), carried,
                [&](Value *index, ArrayRef<Value *> inside) {
                  Value *inner = b.CreateAdd(b.CreateMul(number, size), index);
                  return nest(dims.drop_front(), moved(pointers, dim, index), inner, inside, body);
                });
}

Value *RowCode::columnStride(const SpacePlaces::Place &place, mlir::Value tensor) {
  return isDense ? e.number(e.bytesOf(memoryType(tensor))) : place.strides[facts.columns()];
}

Value *RowCode::inputAt(size_t i, Value *pointer, Value *c) {
  if (facts.inputAlong(i, facts.columns()) < 0)
    return pointer;
  return e.offset(pointer, b.CreateMul(c, columnStride(places.inputs[i], input(i))));
}

Value *RowCode::outputAt(size_t i, Value *pointer, Value *c) {
  if (facts.outputAlong(i, facts.columns()) < 0)
    return pointer;
  return e.offset(pointer, b.CreateMul(c, columnStride(places.outputs[i], output(i))));
}

Value *RowCode::loadInput(size_t i, Value *pointer, Value *count) {
  if (isSource(region.getArgument(i)))
    return pointer;
  Type *stored = memoryType(input(i)), *vector = e.vectorOf(stored, lanes());
  auto load = [&]() -> Value * {
    if (facts.inputAlong(i, facts.columns()) < 0)
      return e.load(stored, pointer);
    if (!isDense)
      return loadStrided(e, vector, pointer, places.inputs[i].strides[facts.columns()], count);
    return count ? e.loadSome(vector, pointer, count) : e.load(vector, pointer);
  };
  Value *loaded = fromMemory(e, load(), elementType(input(i)));
  return loaded->getType()->isVectorTy() ? loaded : e.splat(loaded, lanes());
}

Value *RowCode::gatherInput(size_t i, Value *pointers) {
  Type *stored = memoryType(input(i));
  Value *value =
      b.CreateMaskedGather(e.vectorOf(stored, lanes()), pointers, Align(e.bytesOf(stored)));
  return fromMemory(e, value, elementType(input(i)));
}

void RowCode::storeOutput(size_t i, Value *value, Value *pointer, Value *count) {
  value = toMemory(e, value);
  if (isDense) {
    if (count)
      return e.storeSome(value, pointer, count);
    if (!streams || !facts.outputVaries(i))
      return e.store(value, pointer);
    return storeStreamed(e, value, pointer);
  }
  storeStrided(e, value, pointer, places.outputs[i].strides[facts.columns()], count);
}

std::array<Value *, 2> RowCode::loadPair(size_t i, Value *pointer, Value *count) {
  Type *both = e.vectorOf(memoryType(input(i)), 2 * lanes());
  std::array<Value *, 2> pair = evenAndOdd(e, e.loadSome(both, pointer, count));
  for (Value *&value : pair)
    value = fromMemory(e, value, elementType(input(i)));
  return pair;
}

void RowCode::storePair(size_t i, std::array<Value *, 2> values, Value *pointer, Value *count) {
  for (Value *&value : values)
    value = toMemory(e, value);
  e.storeSome(interleaved(e, values, memoryType(output(i))), pointer, count);
}

Value *RowCode::loadHalves(size_t i, std::array<Value *, 2> pointers, Value *count) {
  Type *stored = memoryType(input(i));
  const bool isAlong = facts.inputAlong(i, facts.columns()) >= 0;
  std::array<Value *, 2> halves;
  for (auto [half, pointer] : zip(halves, pointers))
    half = isAlong ? e.loadSome(e.vectorOf(stored, lanes() / 2), pointer, count)
                   : e.splat(e.load(stored, pointer), lanes() / 2);
  return fromMemory(e, concatenated(e, halves), elementType(input(i)));
}

void RowCode::storeHalves(Value *value, std::array<Value *, 2> pointers, Value *count) {
  for (auto [half, pointer] : zip(halvesOf(e, toMemory(e, value)), pointers))
    e.storeSome(half, pointer, count);
}

void RowCode::storeElement(Value *value, Value *pointer) {
  e.store(toMemory(e, b.CreateExtractElement(value, uint64_t(0))), pointer);
}

//===--- elements ---------------------------------------------------------------------------===//

SmallVector<unsigned> RowCode::inputsFor(ArrayRef<mlir::Value> wanted, const Known &known) {
  DenseSet<mlir::Value> read(wanted.begin(), wanted.end());
  for (mlir::Operation *inner : facts.opsFor(wanted, known))
    read.insert_range(inner->getOperands());
  SmallVector<unsigned> inputs;
  for (mlir::BlockArgument argument : region.getArguments())
    if (read.contains(argument) && !known.contains(argument))
      inputs.push_back(argument.getArgNumber());
  return inputs;
}

void RowCode::compute(ArrayRef<mlir::Value> wanted, Known &known, bool keptOnly) {
  SmallVector<mlir::Operation *> ops = facts.opsFor(wanted, known);
  if (keptOnly)
    erase_if(ops, [&](mlir::Operation *op) { return facts.varies(op->getResult(0)); });
  complete &= emitOps(e, ops, lanes(), known, [&](mlir::Operation *op, ArrayRef<Value *> operands) {
    return emitTileElement(e, op, operands);
  });
}

Value *RowCode::valueOf(mlir::Value value, const Known &known) {
  if (Value *found = known.lookup(value))
    return found;
  auto constant = value.getDefiningOp<mlir::arith::ConstantOp>();
  return e.splat(emitConstant(e, constant.getValue()), lanes());
}

bool RowCode::isKnown(mlir::Value value, const Known &known) {
  return known.contains(value) || value.getDefiningOp<mlir::arith::ConstantOp>();
}

Parts RowCode::taken(Accumulator &accumulator, const Parts &state, const Known &known,
                     Value *column, Value *count) {
  auto valid = [&](mlir::Value value) {
    Value *element = valueOf(value, known);
    return count ? accumulator.masked(e.lanesBelow(count, lanes()), element) : element;
  };
  auto product = accumulator.product();
  if (product &&
      all_of(product->getOperands(), [&](mlir::Value value) { return isKnown(value, known); }))
    return accumulator.takeProduct(state, valid(product.getLhs()), valid(product.getRhs()));
  return accumulator.take(state, valid(accumulator.element()),
                          accumulator.hasPosition() ? positionsFrom(column) : nullptr);
}

bool RowCode::readsPairs(unsigned level, const Known &known) {
  const RowFacts::Pass &pass = facts.passes[level];
  if (!isDense || !pass.outputs.empty() ||
      any_of(facts.waiting, [&](const auto &waiting) { return waiting.pass <= level; }) ||
      any_of(accumulators[level], [](Accumulator &accumulator) {
        return accumulator.hasPosition() || isa<mlir::BlockArgument>(accumulator.element());
      }))
    return false;
  const SmallVector<unsigned> inputs = inputsFor(pass.wanted, known);
  auto isAlongColumns = [&](mlir::Value value) {
    auto argument = dyn_cast<mlir::BlockArgument>(value);
    return argument && is_contained(inputs, argument.getArgNumber()) &&
           facts.inputAlong(argument.getArgNumber(), facts.columns()) >= 0;
  };
  auto isOfPlace = [&](mlir::Operation *op) {
    auto position = dyn_cast<cpu::PositionOp>(op);
    return (position && position.getSizeAttr().getInt() == facts.columns()) ||
           isa<cpu::RandomOp, cpu::GatherOp, cpu::GatherRunOp>(op) ||
           (!isWidening(op) && any_of(op->getOperands(), isAlongColumns));
  };
  return any_of(inputs, [&](unsigned i) { return isAlongColumns(region.getArgument(i)); }) &&
         none_of(pass.wanted, isAlongColumns) &&
         none_of(facts.opsFor(pass.wanted, known), isOfPlace);
}

std::array<RowCode::Known, 2> RowCode::pairAt(unsigned level, const Pointers &pointers,
                                              Value *column, const Known &known) {
  std::array<Known, 2> pair = {known, known};
  Type *wide = e.vectorOf(e.f32(), lanes());
  for (mlir::Operation *op : facts.opsFor(facts.passes[level].wanted, known)) {
    auto argument = isWidening(op) ? dyn_cast<mlir::BlockArgument>(op->getOperand(0)) : nullptr;
    if (!argument || facts.inputAlong(argument.getArgNumber(), facts.columns()) < 0)
      continue;
    const unsigned i = argument.getArgNumber();
    Value *both =
        e.load(e.vectorOf(b.getInt32Ty(), lanes()), inputAt(i, pointers.inputs[i], column));
    pair[0][op->getResult(0)] = b.CreateBitCast(b.CreateShl(both, 16), wide);
    pair[1][op->getResult(0)] = b.CreateBitCast(b.CreateAnd(both, 0xffff0000), wide);
  }
  return pair;
}

void RowCode::addPositions(const Pointers &pointers, Value *c, Known &known) {
  SmallVector<Value *> indices = pointers.indices;
  indices.back() = b.CreateAdd(indices.back(), c);
  mmk::addPositions(e, region, indices, known);
}

Carried RowCode::flat(const States &states) const {
  Carried values;
  for (const Parts &parts : states)
    values.append(parts.begin(), parts.end());
  return values;
}

RowCode::States RowCode::parted(ArrayRef<Value *> values, MutableArrayRef<Accumulator> of,
                                bool totals) {
  States states;
  while (!values.empty())
    for (Accumulator &accumulator : of) {
      const size_t count = totals ? accumulator.typesOfTotal().size() : accumulator.start().size();
      states.emplace_back(values.take_front(count));
      values = values.drop_front(count);
    }
  return states;
}

RowCode::States RowCode::started(MutableArrayRef<Accumulator> of, size_t count) {
  States states;
  for (size_t i = 0; i < count; ++i)
    for (Accumulator &accumulator : of)
      states.push_back(accumulator.start());
  return states;
}

RowCode::States RowCode::joinedPairwise(MutableArrayRef<Accumulator> of,
                                        SmallVector<States> states) {
  for (size_t count = states.size(); count > 1; count /= 2)
    for (size_t v = 0; v < count / 2; ++v)
      for (auto [i, state] : enumerate(states[v]))
        state = of[i % of.size()].joined(state, states[v + count / 2][i]);
  return states[0];
}

RowCode::States RowCode::overColumns(MutableArrayRef<Accumulator> of, size_t rows,
                                     const LaneLoop &loop,
                                     function_ref<States(const LaneStep &, ArrayRef<Parts>)> body) {
  auto join = [&](ArrayRef<Value *> all, int64_t together) {
    SmallVector<States> states;
    const size_t each = all.size() / together;
    for (int64_t v = 0; v < together; ++v)
      states.push_back(parted(all.slice(v * each, each), of, /*totals=*/false));
    return flat(joinedPairwise(of, std::move(states)));
  };
  return parted(emitLoop(e, loop, flat(started(of, rows)), join,
                         [&](const LaneStep &vector, ArrayRef<Value *> before) {
                           return flat(body(vector, parted(before, of, /*totals=*/false)));
                         }),
                of, /*totals=*/false);
}

void RowCode::addResult(Accumulator &accumulator, const Parts &result, Known &known) {
  cpu::ReduceOp reduction = accumulator.reduction();
  known[reduction.getResult()] = result[0];
  if (accumulator.hasPosition())
    known[reduction.getPosition()] = result[1];
}

Value *RowCode::positionsFrom(Value *first) {
  return b.CreateAdd(e.splat(b.CreateTrunc(first, b.getInt32Ty()), lanes()),
                     laneNumbers(e, b.getInt32Ty()));
}

} // namespace mmk
