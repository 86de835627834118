#include "cpu/tile_elements.h"

#include "codegen/element_pairs.h"
#include "codegen/random.h"
#include "codegen/scalar_ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;

namespace mmk {

void addPosition(Emitter &e, cpu::PositionOp position, Value *index, unsigned lanes,
                 DenseMap<mlir::Value, Value *> &known) {
  IRBuilder<> &b = e.b;
  Value *first = known.lookup(position.getFirst());
  if (!first)
    first = e.splat(
        emitConstant(e, position.getFirst().getDefiningOp<mlir::arith::ConstantOp>().getValue()),
        lanes);
  known[position.getResult()] =
      b.CreateTrunc(b.CreateAdd(first, e.splat(index, lanes)), e.vectorOf(b.getInt32Ty(), lanes));
}

void addPositions(Emitter &e, mlir::Block &region, ArrayRef<Value *> indices,
                  DenseMap<mlir::Value, Value *> &known) {
  const unsigned lanes = e.target.lanes;
  IRBuilder<> &b = e.b;
  for (auto position : region.getOps<cpu::PositionOp>()) {
    const int64_t size = position.getSizeAttr().getInt();
    addPosition(e, position, indices[size], lanes, known);
    if (size + 1 == static_cast<int64_t>(indices.size())) {
      Value *&at = known[position.getResult()];
      at = b.CreateAdd(at, laneNumbers(e, b.getInt32Ty()));
    }
  }
}

ElementRun::ElementRun(Emitter &e, cpu::GatherRunOp op, ArrayRef<Value *> operands)
    : element(e.elementType(op.getType())), step(op.getStepAttr().getInt()) {
  auto scalar = [&](size_t i) {
    return operands[i]->getType()->isVectorTy() ? e.b.CreateExtractElement(operands[i], uint64_t(0))
                                                : operands[i];
  };
  first = e.b.CreateGEP(element, operands[0], scalar(1));
  stride = scalar(2);
  here = scalar(3);
  index = scalar(4);
  extent = scalar(5);
}

// Floats of 16 bits are read as integers: LLVM scalarises masked loads of types that the CPU does
// not compute with.
Type *ElementRun::vector(Emitter &e, unsigned lanes) const {
  const bool isMoved = element->getScalarSizeInBits() == 16;
  return e.vectorOf(isMoved ? e.b.getInt16Ty() : element, lanes);
}

Value *ElementRun::isInside(Emitter &e, Value *columns) const {
  if (step > mostStep)
    return e.b.getFalse();
  Value *last = e.b.CreateSub(e.plus(index, columns, step), e.number(1));
  return e.b.CreateAnd(
      {here, isDense(e), e.b.CreateICmpSGE(index, e.number(0)), e.b.CreateICmpSLT(last, extent)});
}

ElementRun ElementRun::movedBy(Emitter &e, Value *columns) const {
  Value *indices = e.b.CreateMul(columns, e.number(step));
  return {element, step, e.b.CreateGEP(element, first, e.b.CreateMul(indices, stride)),
          stride,  here, e.b.CreateAdd(index, indices),
          extent};
}

/// Every `step`-th lane.
static Value *lanesOf(Emitter &e, Value *elements, int64_t step) {
  if (step <= 2)
    return step == 1 ? elements : evenAndOdd(e, elements)[0];
  SmallVector<int> taken;
  for (unsigned lane = 0; lane < e.target.lanes; ++lane)
    taken.push_back(static_cast<int>(lane * step));
  return e.b.CreateShuffleVector(elements, taken);
}

Value *ElementRun::load(Emitter &e, int64_t column) const {
  const unsigned lanes = e.target.lanes;
  Value *at = e.offset(first, column * step * e.bytesOf(element));
  Value *elements = e.load(e.vectorOf(element, lanes * step), at);
  return lanesOf(e, elements, step);
}

Value *ElementRun::mask(Emitter &e, Value *index, Value *extent, int64_t step, int64_t column,
                        unsigned columns) {
  IRBuilder<> &b = e.b;
  const int64_t lanes = maskLanes(columns, step), between = step * columns / lanes;
  // Lanes until an index reaches a bound.
  auto until = [&](Value *bound) {
    Value *indices = b.CreateSub(bound, b.CreateAdd(index, e.number(column * step)));
    indices = b.CreateBinaryIntrinsic(Intrinsic::smax, indices, e.number(0));
    indices = e.min(indices, e.number(lanes * between));
    return between == 1 ? indices : e.ceilDiv(indices, e.number(between));
  };
  return b.CreateAnd(e.lanesBelow(until(extent), lanes),
                     b.CreateNot(e.lanesBelow(until(e.number(0)), lanes)));
}

Value *ElementRun::loadInside(Emitter &e, int64_t column, Value *padding) const {
  Value *inside = e.b.CreateAnd(mask(e, index, extent, step, column, e.target.lanes),
                                e.splat(here, maskLanes(e.target.lanes, step)));
  return loadMasked(e, column, inside, padding);
}

/// Elements where a mask has them, else the padding.
static Value *padded(Emitter &e, Value *elements, Type *element, Value *inside, Value *padding) {
  elements = e.b.CreateBitCast(elements, elements->getType()->getWithNewType(element));
  auto *constant = dyn_cast<Constant>(padding);
  return constant && constant->isNullValue() ? elements
                                             : e.b.CreateSelect(inside, elements, padding);
}

ElementRun::Loaded ElementRun::paddedLanes(Emitter &e, Value *elements, Value *mask,
                                           Value *padding) const {
  if (step == 1)
    return {padded(e, elements, element, mask, padding), nullptr};
  const auto [even, odd] = evenAndOdd(e, elements);
  const auto [isEvenInside, isOddInside] = evenAndOdd(e, mask);
  return {padded(e, even, element, isEvenInside, padding),
          padded(e, odd, element, isOddInside, padding)};
}

Value *ElementRun::loadWhere(Emitter &e, Value *from, Value *mask) const {
  Type *type = vector(e, cast<FixedVectorType>(mask->getType())->getNumElements());
  return e.b.CreateMaskedLoad(type, from, Align(e.bytesOf(element)), mask,
                              Constant::getNullValue(type));
}

// Those between the elements are inside of the tensor, too.
ElementRun::Loaded ElementRun::loadDense(Emitter &e, int64_t column, Value *mask,
                                         Value *padding) const {
  Value *from = e.offset(first, column * step * e.bytesOf(element));
  return paddedLanes(e, loadWhere(e, from, mask), mask, padding);
}

std::array<Value *, 2> ElementRun::loadPair(Emitter &e, int64_t column, Value *mask,
                                            Value *padding) const {
  Value *elements = loadWhere(e, e.offset(first, column * e.bytesOf(element)), mask);
  Value *around = e.b.CreateShuffleVector(padding, SmallVector<int>(2 * e.target.lanes, 0));
  return evenAndOdd(e, padded(e, elements, element, mask, around));
}

ElementRun::Loaded ElementRun::loadHalves(Emitter &e, const ElementRun &other, Value *mask,
                                          Value *padding) const {
  Value *own = loadWhere(e, first, mask);
  Value *elements = concatenated(e, {own, loadWhere(e, other.first, mask)});
  return paddedLanes(e, elements, concatenated(e, {mask, mask}), padding);
}

Value *ElementRun::loadMasked(Emitter &e, int64_t column, Value *mask, Value *padding) const {
  IRBuilder<> &b = e.b;
  const unsigned lanes = e.target.lanes;
  auto ofMemory = [&]() -> Value * {
    Value *places = b.CreateMul(laneNumbers(e, e.i64(), column, step), e.splat(stride, lanes));
    Value *inside = step <= mostStep ? lanesOf(e, mask, step) : mask;
    Value *elements = b.CreateMaskedGather(vector(e, lanes), b.CreateGEP(element, first, places),
                                           Align(e.bytesOf(element)), inside,
                                           Constant::getNullValue(vector(e, lanes)));
    return padded(e, elements, element, inside, padding);
  };
  if (step > mostStep)
    return ofMemory();
  return e.either(isDense(e), [&] { return loadDense(e, column, mask, padding)[0]; }, ofMemory);
}

// A stride of 1 is known when the kernel is called, and is the same for all of it.
static Value *emitGatherRun(Emitter &e, cpu::GatherRunOp op, ArrayRef<Value *> operands) {
  return ElementRun(e, op, operands).loadInside(e, 0, operands.back());
}

Value *emitTileElement(Emitter &e, mlir::Operation *op, ArrayRef<Value *> operands) {
  IRBuilder<> &b = e.b;
  if (auto random = dyn_cast<cpu::RandomOp>(op)) {
    Value *seed = b.CreateExtractElement(operands[0], uint64_t(0));
    if (!random.getContiguous())
      return emitRandom(e, seed, operands[1]);
    auto all = op->getBlock()->getOps<cpu::RandomOp>();
    const auto number = std::distance(all.begin(), find(all, random));
    return emitRandomRun(e, seed, b.CreateExtractElement(operands[1], uint64_t(0)), e.target.lanes,
                         static_cast<unsigned>(number));
  }
  if (auto run = dyn_cast<cpu::GatherRunOp>(op))
    return emitGatherRun(e, run, operands);
  if (!isa<cpu::GatherOp>(op))
    return nullptr;
  Type *element = e.elementType(op->getResult(0).getType());
  Value *places = b.CreateGEP(element, operands[0], operands[1]);
  return b.CreateMaskedGather(e.vectorOf(element, e.target.lanes), places,
                              Align(e.bytesOf(element)));
}

bool isSource(mlir::Value argument) {
  return !argument.use_empty() && all_of(argument.getUsers(), [](mlir::Operation *user) {
    return isa<cpu::GatherOp, cpu::GatherRunOp>(user);
  });
}

} // namespace mmk
