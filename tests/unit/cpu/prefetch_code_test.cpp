// The lines that products on the host prefetch, recorded in place of each prefetch instruction.
#include "tests/unit/emitted.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace mmk {
namespace {

constexpr uintptr_t lineBytes = 64;
using Lines = std::set<uintptr_t>;

struct Prefetched {
  Lines toRead, toWrite;
} prefetched;

void note(const void *pointer, int isWritten) {
  (isWritten ? prefetched.toWrite : prefetched.toRead).insert(uintptr_t(pointer) / lineBytes);
}

/// Calls of note() instead of prefetches.
void noteInstead(llvm::Module &module) {
  llvm::SmallVector<llvm::IntrinsicInst *> prefetches;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == llvm::Intrinsic::prefetch)
        prefetches.push_back(call);
  for (llvm::IntrinsicInst *prefetch : prefetches) {
    llvm::IRBuilder<> b(prefetch);
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt32Ty()}, false);
    llvm::Value *place = b.getInt64(reinterpret_cast<uintptr_t>(&note));
    b.CreateCall(type, b.CreateIntToPtr(place, b.getPtrTy()),
                 {prefetch->getArgOperand(0), prefetch->getArgOperand(1)});
    prefetch->eraseFromParent();
  }
}

/// A tensor of ones whose lines are its own.
class Ones {
public:
  explicit Ones(int64_t count)
      : count(count), memory(static_cast<float *>(std::aligned_alloc(
                                 lineBytes, llvm::alignTo(count * sizeof(float), lineBytes))),
                             std::free) {
    std::fill_n(memory.get(), count, 1.0f);
  }
  float *data() const { return memory.get(); }
  /// Of elements from `from` to `to`.
  Lines lines(int64_t from, int64_t to) const {
    Lines all;
    for (int64_t i = from; i < to; ++i)
      all.insert(uintptr_t(data() + i) / lineBytes);
    return all;
  }
  Lines lines() const { return lines(0, count); }
  int64_t elements() const { return count; }

private:
  int64_t count;
  std::unique_ptr<float, decltype(&std::free)> memory;
};

class Prefetch : public testing::Test {
protected:
  void SetUp() override { prefetched = {}; }

  /// A batch of products by one thread; 0: one product, without that dimension.
  void run(int64_t batch, int64_t m, int64_t n, int64_t k) {
    const int64_t count = std::max<int64_t>(batch, 1);
    rowOfA = k;
    a = std::make_unique<Ones>(count * m * k);
    b = std::make_unique<Ones>(count * k * n);
    c = std::make_unique<Ones>(count * m * n);
    const Ones bias(n);
    const std::string of = batch ? "B, " : "";
    Emitted emitted(llvm::cantFail(hostTarget()),
                    "kernel k(a: f32[" + of + "M, K], b: f32[" + of +
                        "K, N], bias: f32[N]) -> c: f32[" + of +
                        "M, N] { c = leaky_relu(a @ b + bias, 0.5); schedule { cores = 1; } }");
    noteInstead(*emitted.module);
    const Phase phase(std::move(emitted));

    const int64_t all[] = {batch, m, k, n}, *dims = batch ? all : all + 1;
    const int64_t ofA[] = {m * k, k, 1}, ofB[] = {k * n, n, 1}, ofBias[] = {1},
                  ofC[] = {m * n, n, 1}, skipped = batch ? 0 : 1;
    const int64_t *strides[] = {ofA + skipped, ofB + skipped, ofBias, ofC + skipped};
    const float scalars[] = {0, 0, 0};
    void *tensors[] = {a->data(), b->data(), bias.data(), c->data()};
    int64_t plan[mostOfPlan];
    phase.plan(dims, 8, plan);
    const KernelArguments arguments{dims, scalars, tensors, strides, plan};
    std::vector<std::vector<char>> memory(memories, std::vector<char>(size_t(8) << 20));
    CoreMemories core{};
    for (unsigned i = 0; i < memories; ++i)
      core.memory[i] = memory[i].data();
    phase.run(&arguments, &core);
    for (int64_t i = 0; i < count * m * n; ++i)
      ASSERT_EQ(c->data()[i], static_cast<float>(k + 1));
  }

  /// The number of `wanted` lines that were not prefetched.
  static size_t missing(const Lines &wanted, const Lines &prefetched) {
    return llvm::count_if(wanted, [&](uintptr_t line) { return !prefetched.contains(line); });
  }

  /// Lines prefetched for reading, except those of A: a register tile prefetches as many next rows
  /// as it has, also after the last ones.
  Lines toReadBesideA() const {
    Lines others;
    const Lines ofA = a->lines(0, a->elements() + mostRows * rowOfA);
    std::ranges::set_difference(prefetched.toRead, ofA, std::inserter(others, others.end()));
    return others;
  }

  static constexpr int64_t mostRows = 16; ///< of a register tile
  int64_t rowOfA = 0;
  std::unique_ptr<Ones> a, b, c;
};

// All of the next product's operands while one is computed, and the lines of the result.
TEST_F(Prefetch, ofTheNextInABatch) {
  const int64_t m = 128, n = 96, k = 64, batch = 3;
  run(batch, m, n, k);
  EXPECT_EQ(missing(a->lines(m * k, batch * m * k), prefetched.toRead), 0u);
  EXPECT_EQ(toReadBesideA(), b->lines(k * n, batch * k * n));
  EXPECT_EQ(prefetched.toWrite, c->lines());
}

TEST_F(Prefetch, isNotOfWhatIsNear) {
  run(0, 64, 64, 64);
  EXPECT_EQ(toReadBesideA(), Lines());
  EXPECT_EQ(prefetched.toWrite, Lines());
}

TEST_F(Prefetch, ofAResultThatIsFar) {
  run(0, 128, 96, 64);
  EXPECT_EQ(toReadBesideA(), Lines());
  EXPECT_EQ(prefetched.toWrite, c->lines());
}

TEST_F(Prefetch, ofTheRowsThatARegisterTileComesToNext) {
  const int64_t m = 128, k = 64;
  run(0, m, 96, k);
  EXPECT_EQ(missing(a->lines(mostRows * k, m * k), prefetched.toRead), 0u);
}

// The longer operand has pieces on many pages: each next row of them, after the first ones.
TEST_F(Prefetch, ofTheRowsThatAFewRowsMeet) {
  const int64_t n = 2048, k = 64;
  run(0, 4, n, k);
  EXPECT_EQ(missing(b->lines(8 * n, k * n), prefetched.toRead), 0u);
  EXPECT_NE(missing(b->lines(0, 8 * n), prefetched.toRead), 0u) << "not what is read at once";
}

TEST_F(Prefetch, ofTheRowsThatAFewColumnsMeet) {
  const int64_t m = 512, k = 2048;
  run(0, m, 8, k);
  EXPECT_EQ(missing(a->lines(8 * k, m * k), prefetched.toRead), 0u);
  EXPECT_NE(missing(a->lines(0, k), prefetched.toRead), 0u) << "not what is read at once";
}

} // namespace
} // namespace mmk
