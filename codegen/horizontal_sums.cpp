#include "codegen/horizontal_sums.h"

using namespace llvm;

namespace mmk {

Value *horizontalSums(Emitter &e, ArrayRef<Value *> vectors) {
  IRBuilder<> &b = e.b;
  const int lanes = static_cast<int>(e.target.lanes);
  SmallVector<Value *> v(vectors);
  v.resize(4, Constant::getNullValue(v[0]->getType()));
  auto add = [&](Value *x, Value *y) {
    return x->getType()->isFPOrFPVectorTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
  };
  // From each four lanes of x and y, alternating, those at `first` and the next one.
  auto halves = [&](Value *x, Value *y, ArrayRef<int> four) {
    SmallVector<int> order;
    for (int part = 0; part < lanes; part += 4)
      for (int lane : four)
        order.push_back(lane < 4 ? part + lane : lanes + part + lane - 4);
    return b.CreateShuffleVector(x, y, order);
  };
  auto inTurns = [&](Value *x, Value *y) {
    return add(halves(x, y, {0, 4, 1, 5}), halves(x, y, {2, 6, 3, 7}));
  };
  Value *x = inTurns(v[0], v[1]), *y = inTurns(v[2], v[3]);
  Value *sums = add(halves(x, y, {0, 1, 4, 5}), halves(x, y, {2, 3, 6, 7}));
  for (int count = lanes / 2; count >= 4; count /= 2) {
    SmallVector<int> low, high;
    for (int i = 0; i < count; ++i) {
      low.push_back(i);
      high.push_back(count + i);
    }
    sums = add(b.CreateShuffleVector(sums, low), b.CreateShuffleVector(sums, high));
  }
  return sums;
}

} // namespace mmk
