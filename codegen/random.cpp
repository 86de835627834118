#include "codegen/random.h"

#include <array>

using namespace llvm;

namespace mmk {
namespace {

class Philox {
public:
  Philox(Emitter &e, unsigned lanes) : e(e), b(e.b), lanes(lanes) {}

  using Words = std::array<Value *, 4>;

  /// Ten rounds on a counter with the key (seed, 0).
  Words rounds(Words counter, Value *seed) {
    Value *firstKey = e.splat(seed, lanes), *secondKey = word(0);
    for (int round = 0; round < 10; ++round) {
      const auto [firstHigh, firstLow] = product(counter[0], 0xD2511F53);
      const auto [secondHigh, secondLow] = product(counter[2], 0xCD9E8D57);
      counter = {b.CreateXor(b.CreateXor(secondHigh, counter[1]), firstKey), secondLow,
                 b.CreateXor(b.CreateXor(firstHigh, counter[3]), secondKey), firstLow};
      firstKey = b.CreateAdd(firstKey, word(0x9E3779B9));
      secondKey = b.CreateAdd(secondKey, word(0xBB67AE85));
    }
    return counter;
  }

  Value *word(uint32_t bits) { return e.splat(b.getInt32(bits), lanes); }
  Value *wide(int64_t number) { return e.splat(e.number(number), lanes); }
  Value *narrowed(Value *x) { return b.CreateTrunc(x, e.vectorOf(b.getInt32Ty(), lanes)); }

private:
  /// The high and the low word of a product.
  std::pair<Value *, Value *> product(Value *x, uint32_t factor) {
    Value *wideX = b.CreateZExt(x, e.vectorOf(e.i64(), lanes));
    Value *all = b.CreateMul(wideX, wide(factor));
    return {narrowed(b.CreateLShr(all, wide(32))), narrowed(all)};
  }

  Emitter &e;
  IRBuilder<> &b;
  unsigned lanes;
};

} // namespace

Value *emitRandom(Emitter &e, Value *seed, Value *positions) {
  IRBuilder<> &b = e.b;
  const unsigned lanes = cast<FixedVectorType>(positions->getType())->getNumElements();
  Philox philox(e, lanes);
  Value *block = b.CreateLShr(positions, philox.wide(2));
  Value *which = philox.narrowed(b.CreateAnd(positions, philox.wide(3)));
  const Philox::Words words =
      philox.rounds({philox.narrowed(block), philox.narrowed(b.CreateLShr(block, philox.wide(32))),
                     philox.word(0), philox.word(0)},
                    seed);
  Value *word = words[3];
  for (uint32_t i = 3; i-- > 0;)
    word = b.CreateSelect(b.CreateICmpEQ(which, philox.word(i)), words[i], word);
  // Of 24 bits, and so exact.
  Value *whole = b.CreateSIToFP(b.CreateLShr(word, philox.word(8)), e.vectorOf(e.f32(), lanes));
  return b.CreateFMul(whole, e.splat(ConstantFP::get(e.f32(), 0x1p-24), lanes));
}

} // namespace mmk
