#include "codegen/element_pairs.h"

#include <numeric>

using namespace llvm;

namespace mmk {

static unsigned lanesOf(Value *vector) {
  return cast<FixedVectorType>(vector->getType())->getNumElements();
}

// LLVM joins the truncation of 16 bits with the widening of what it leaves.
std::array<Value *, 2> evenAndOdd(Emitter &e, Value *both) {
  IRBuilder<> &b = e.b;
  const unsigned lanes = lanesOf(both) / 2;
  Type *type = both->getType()->getScalarType();
  std::array<Value *, 2> parts;
  for (unsigned odd : {0u, 1u}) {
    if (type->getScalarSizeInBits() == 16) {
      Value *bits = b.CreateBitCast(both, e.vectorOf(b.getInt32Ty(), lanes));
      Value *narrow =
          b.CreateTrunc(odd ? b.CreateLShr(bits, 16) : bits, e.vectorOf(b.getInt16Ty(), lanes));
      parts[odd] = b.CreateBitCast(narrow, e.vectorOf(type, lanes));
      continue;
    }
    SmallVector<int> taken;
    for (unsigned lane = 0; lane < lanes; ++lane)
      taken.push_back(static_cast<int>(2 * lane + odd));
    parts[odd] = b.CreateShuffleVector(both, taken);
  }
  return parts;
}

Value *interleaved(Emitter &e, std::array<Value *, 2> evenAndOdd) {
  return interleaved(e, evenAndOdd, evenAndOdd[0]->getType()->getScalarType());
}

Value *interleaved(Emitter &e, std::array<Value *, 2> evenAndOdd, Type *element) {
  const int lanes = static_cast<int>(lanesOf(evenAndOdd[0]));
  SmallVector<int> order;
  for (int lane = 0; lane < lanes; ++lane)
    order.append({lane, lanes + lane});
  return e.b.CreateShuffleVector(e.convert(concatenated(e, evenAndOdd), element), order);
}

static SmallVector<int> lanesFrom(int first, unsigned count) {
  SmallVector<int> lanes(count);
  std::iota(lanes.begin(), lanes.end(), first);
  return lanes;
}

Value *concatenated(Emitter &e, std::array<Value *, 2> halves) {
  return e.b.CreateShuffleVector(halves[0], halves[1], lanesFrom(0, 2 * lanesOf(halves[0])));
}

std::array<Value *, 2> halvesOf(Emitter &e, Value *both) {
  const unsigned lanes = lanesOf(both) / 2;
  return {e.b.CreateShuffleVector(both, lanesFrom(0, lanes)),
          e.b.CreateShuffleVector(both, lanesFrom(static_cast<int>(lanes), lanes))};
}

std::pair<Value *, Value *> exchanged(Emitter &e, Value *x, Value *y, int64_t bit) {
  const int lanes = static_cast<int>(e.target.lanes), distance = static_cast<int>(bit);
  SmallVector<int> low, high;
  for (int lane = 0; lane < lanes; ++lane) {
    low.push_back(lane & distance ? lanes + lane - distance : lane);
    high.push_back(lane & distance ? lanes + lane : lane + distance);
  }
  Value *ofLow = e.b.CreateShuffleVector(x, y, low);
  return {ofLow, e.b.CreateShuffleVector(x, y, high)};
}

Constant *laneNumbers(Emitter &e, Type *integer, int64_t first, int64_t step) {
  SmallVector<Constant *> numbers;
  for (unsigned lane = 0; lane < e.target.lanes; ++lane)
    numbers.push_back(ConstantInt::get(integer, (first + lane) * step));
  return ConstantVector::get(numbers);
}

} // namespace mmk
