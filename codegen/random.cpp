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

  /// Words as numbers in [0, 1). Of 24 bits, and so exact.
  Value *uniform(Value *word24) {
    Value *whole = b.CreateSIToFP(b.CreateLShr(word24, word(8)), e.vectorOf(e.f32(), lanes));
    return b.CreateFMul(whole, e.splat(ConstantFP::get(e.f32(), 0x1p-24), lanes));
  }

  /// The words of blocks, a vector of i64.
  Words wordsOf(Value *blocks, Value *seed) {
    return rounds({narrowed(blocks), narrowed(b.CreateLShr(blocks, wide(32))), word(0), word(0)},
                  seed);
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
  const Philox::Words words = philox.wordsOf(block, seed);
  Value *word = words[3];
  for (uint32_t i = 3; i-- > 0;)
    word = b.CreateSelect(b.CreateICmpEQ(which, philox.word(i)), words[i], word);
  return philox.uniform(word);
}

namespace {

constexpr int64_t lengthOfRun = 64;

/// void(ptr to, i64 first, i32 seed): a run from `first` on, which is a multiple of four.
Function *fillRun(Emitter &e, unsigned lanes) {
  const std::string name = "random_run_" + std::to_string(lanes);
  return e.helper(name, 1, 1, {e.b.getInt32Ty()}, [&](Function *f) {
    IRBuilder<> &b = e.b;
    Philox philox(e, lanes);
    SmallVector<Constant *> numbers;
    for (unsigned lane = 0; lane < lanes; ++lane)
      numbers.push_back(b.getInt64(lane));
    Value *block = b.CreateLShr(f->getArg(1), e.number(2));
    for (int64_t done = 0; done < lengthOfRun; done += 4 * lanes) {
      Value *blocks = b.CreateAdd(e.splat(b.CreateAdd(block, e.number(done / 4)), lanes),
                                  ConstantVector::get(numbers));
      const Philox::Words words = philox.wordsOf(blocks, f->getArg(2));
      // Word after word of each block.
      SmallVector<int> both, order;
      for (unsigned lane = 0; lane < 2 * lanes; ++lane)
        both.push_back(lane);
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned word = 0; word < 4; ++word)
          order.push_back(word * lanes + lane);
      Value *low = b.CreateShuffleVector(philox.uniform(words[0]), philox.uniform(words[1]), both),
            *high = b.CreateShuffleVector(philox.uniform(words[2]), philox.uniform(words[3]), both);
      e.store(b.CreateShuffleVector(low, high, order), e.offset(f->getArg(0), 4 * done));
    }
  });
}

/// The run that a sequence has in the frame: its first position, then its numbers.
Value *findRun(Emitter &e, unsigned number) {
  LLVMContext &context = e.b.getContext();
  MDNode *mark = MDNode::get(context, ConstantAsMetadata::get(e.b.getInt32(number)));
  BasicBlock &entry = e.b.GetInsertBlock()->getParent()->getEntryBlock();
  for (Instruction &instruction : entry)
    if (instruction.getMetadata("mmk.random") == mark)
      return &instruction;
  auto *run = cast<Instruction>(e.local(ArrayType::get(e.i64(), 1 + lengthOfRun / 2)));
  run->setMetadata("mmk.random", mark);
  // No position is in a run that begins so far below zero.
  IRBuilder<> start(run->getNextNode());
  start.CreateAlignedStore(e.number(int64_t(-1) << 62), run, Align(8));
  return run;
}

} // namespace

Value *emitRandomRun(Emitter &e, Value *seed, Value *first, unsigned lanes, unsigned number) {
  IRBuilder<> &b = e.b;
  Function *fill = fillRun(e, lanes);
  Value *run = findRun(e, number), *numbers = e.offset(run, 8);
  Value *known = b.CreateAlignedLoad(e.i64(), run, Align(8));
  Value *isKnown =
      b.CreateICmpULE(b.CreateSub(first, known), e.number(lengthOfRun - int64_t(lanes)));
  Value *start = e.either(
      isKnown, [&] { return known; },
      [&]() -> Value * {
        Value *next = b.CreateAnd(first, e.number(-4));
        b.CreateCall(fill, {numbers, next, seed});
        b.CreateAlignedStore(next, run, Align(8));
        return next;
      });
  Value *at = b.CreateMul(b.CreateSub(first, start), e.number(4));
  return e.load(e.vectorOf(e.f32(), lanes), e.offset(numbers, at));
}

} // namespace mmk
